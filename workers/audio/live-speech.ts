import { encodeId3Tags, encodePcm, openMp3, openWave } from './encode.ts';
import { applyGain, normalizeLevel } from './finish-sound.ts';
import { integratedLoudness } from './loudness.ts';
import type { Sound } from './sound.ts';
import type { LiveFormat, LivePart, LoudnessGoal } from './tasks.ts';

/** Sample rate of all live formats. Every voice is brought to it, since later voices are not known at the start. */
const LIVE_RATE = 24_000;

interface LiveSpeech {
  /** Adds the samples of a sentence that starts at this second. Silence fills the time before it. */
  add(startSeconds: number, samplesAt: (sampleRate: number) => Float32Array): void;
  /** Sends what is left. */
  end(): void;
}

/**
 * Sends speech while it is made. The whole cannot be measured then, so the first stretch that is long enough to measure
 * sets the gain of all; shorter ones before it wait for it.
 */
export async function openLive(
  format: LiveFormat,
  { goal, title }: { goal: LoudnessGoal; title: string },
  send: (part: LivePart) => void,
): Promise<LiveSpeech> {
  const encoder = await openEncoder(format, title);
  let number = 0;
  let written = 0;
  let held = new Float32Array(0);
  let gainDb: number | null = null;
  const sendLiveBytes = (bytes: Uint8Array) => {
    send({ number, bytes });
    number += 1;
  };
  const flushLiveSpeech = (isLast: boolean) => {
    const raw: Sound = { channels: [held], sampleRate: LIVE_RATE };
    if (gainDb === null && !isLast && integratedLoudness(raw) === null) return;
    const levelled = gainDb === null ? normalizeLevel(raw, goal) : { sound: applyGain(raw, gainDb, goal), gainDb };
    gainDb = levelled.gainDb;
    held = new Float32Array(0);
    sendLiveBytes(encoder.encode(levelled.sound));
  };
  return {
    add(startSeconds, samplesAt) {
      const samples = samplesAt(LIVE_RATE);
      const silence = Math.max(0, Math.round(startSeconds * LIVE_RATE) - written);
      const longer = new Float32Array(held.length + silence + samples.length);
      longer.set(held);
      longer.set(samples, held.length + silence);
      held = longer;
      written += silence + samples.length;
      flushLiveSpeech(false);
    },
    end() {
      if (held.length > 0) flushLiveSpeech(true);
      sendLiveBytes(encoder.finish());
    },
  };
}

interface Encoder {
  encode(sound: Sound): Uint8Array;
  finish(): Uint8Array;
}

async function openEncoder(format: LiveFormat, title: string): Promise<Encoder> {
  const nothing = new Uint8Array(0);
  if (format === 'pcm') return { encode: encodePcm, finish: () => nothing };
  if (format === 'wav') return opensWith(openWave(LIVE_RATE), { encode: encodePcm, finish: () => nothing });
  const mp3 = await openMp3(1, LIVE_RATE);
  const tags = { title, tempo: null, chapters: [], seconds: 0, integratedLufs: null, truePeakDbtp: null };
  return opensWith(encodeId3Tags(tags), { encode: ({ channels }) => mp3.encode(channels), finish: mp3.finish });
}

/** Puts the head of the file before the first sound, so that a failure before it sends nothing. */
function opensWith(head: Uint8Array, { encode, finish }: Encoder): Encoder {
  let isFirst = true;
  return {
    encode(sound) {
      const bytes = encode(sound);
      if (!isFirst) return bytes;
      isFirst = false;
      return Buffer.concat([head, bytes]);
    },
    finish,
  };
}
