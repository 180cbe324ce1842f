import { createMp3Encoder } from 'wasm-media-encoders';
import { lengthOf, type Sound } from './sound.ts';

/** MP3 by LAME compiled to WebAssembly: the same bytes on every machine, and no ffmpeg needed. */

/** Rates, and what LAME's settings for each turn the sound down by, which is given back before it is encoded. */
const MONO = { kilobits: 96, scale: 0.95 } as const;
const STEREO = { kilobits: 192, scale: 0.97 } as const;
/** Samples handed over at once: long enough to be quick, short enough to hear a cancel between them. */
const BLOCK_SAMPLES = 441_000;
/** The loudness that ReplayGain refers to. */
const REPLAY_GAIN_LUFS = -18;

export interface Tags {
  title: string;
  /** Beats per minute, for music. */
  tempo: number | null;
  integratedLufs: number | null;
  truePeakDbtp: number | null;
}

export interface Mp3 {
  bytes: Uint8Array;
  kilobitsPerSecond: number;
}

/** `pause` is called between blocks and may throw. */
export async function encodeMp3(sound: Sound, tags: Tags, pause: () => void): Promise<Mp3> {
  const { channels, sampleRate } = sound;
  const { kilobits, scale } = channels.length === 1 ? MONO : STEREO;
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate: sampleRate as 44_100, channels: channels.length as 1 | 2, bitrate: kilobits });
  const parts: Uint8Array[] = [id3(tags)];
  for (let start = 0; start < lengthOf(sound); start += BLOCK_SAMPLES) {
    pause();
    const block = channels.map((channel) =>
      channel.subarray(start, start + BLOCK_SAMPLES).map((sample) => sample / scale),
    );
    // The encoder gives a view of memory that it writes to again.
    parts.push(encoder.encode(block as [Float32Array]).slice());
  }
  parts.push(encoder.finalize().slice());
  return { bytes: Buffer.concat(parts), kilobitsPerSecond: kilobits };
}

/** ID3v2.4: what players show, and the loudness by which they level it. */
function id3({ title, tempo, integratedLufs, truePeakDbtp }: Tags): Uint8Array {
  const frames = [frame('TIT2', title), frame('TPE1', 'Quarry'), frame('TSSE', 'Quarry, LAME')];
  if (tempo !== null) frames.push(frame('TBPM', String(Math.round(tempo))));
  if (integratedLufs !== null && truePeakDbtp !== null) {
    const gain = (REPLAY_GAIN_LUFS - integratedLufs).toFixed(2);
    frames.push(frame('TXXX', `replaygain_track_gain\0${gain} dB`));
    frames.push(frame('TXXX', `replaygain_track_peak\0${(10 ** (truePeakDbtp / 20)).toFixed(6)}`));
  }
  const body = Buffer.concat(frames);
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0]), syncSafe(body.length), body]);
}

function frame(id: string, text: string): Buffer {
  const UTF8 = 3;
  const content = Buffer.concat([Buffer.from([UTF8]), Buffer.from(text, 'utf8')]);
  return Buffer.concat([Buffer.from(id, 'latin1'), syncSafe(content.length), Buffer.from([0, 0]), content]);
}

function syncSafe(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));
}
