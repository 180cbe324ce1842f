/**
 * The frame that says how an MP3 begins and ends. An encoder puts silence before and after the sound; without this
 * frame players play it: captions are late by it, and a loop has a gap. Layout: Xing's and LAME's info tag.
 */

/** Silence that LAME puts before the sound, as its tag states it. Decoders know their own delay. */
const LAME_DELAY_SAMPLES = 576;

const HEADER_BYTES = 4;

/** Length of the table of contents. */
const PLACES = 100;

const LAME_TAG_BYTES = 36;

const FLAGS = { frames: 1, bytes: 2, contents: 4, quality: 8 } as const;

const KILOBITS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];

const KILOBITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

const RATES = [44_100, 48_000, 32_000];

interface FrameHead {
  isFirstVersion: boolean;
  isMono: boolean;
  kilobits: number;
  frameBytes: number;
  samples: number;
}

/** Frames of constant bit rate, of which only what the info frame says is kept. They may come in any pieces. */
export class Mp3Frames {
  frames = 0;
  bytes = 0;
  checksum = 0;
  /** The beginning of the first one. */
  head: Uint8Array = new Uint8Array(0);
  /** Where the next frame begins, and what is there of its header. */
  #next = 0;
  #rest: Uint8Array = new Uint8Array(0);

  addFrameBytes(piece: Uint8Array): void {
    const known = this.bytes - this.#rest.length;
    const data = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    if (this.head.length < HEADER_BYTES) this.head = data.slice(0, HEADER_BYTES);
    let at = this.#next - known;
    for (; at + HEADER_BYTES <= data.length; at += frameBytesOf(data, at, true)) this.frames += 1;
    this.#next = known + at;
    this.#rest = data.slice(at);
    this.bytes += piece.length;
    this.checksum = crc16(piece, this.checksum);
  }
}

/**
 * The frame to put before these frames of constant bit rate. A stream whose end is not known has none: players pass
 * over a tag without the number of frames, and play it as silence.
 * @param samples length of the sound
 */
export function mp3InfoFrame(audio: Uint8Array, samples: number): Uint8Array {
  const frames = new Mp3Frames();
  frames.addFrameBytes(audio);
  return infoFrameOf(frames, samples);
}

/** Length of the frame. */
export function infoFrameBytes({ head }: Mp3Frames): number {
  return frameBytesOf(head, 0, false);
}

/** The same for frames that are not in memory. */
export function infoFrameOf(audio: Mp3Frames, samples: number): Uint8Array {
  const { head, frames, bytes } = audio;
  const first = frameHeadAt(head, 0);
  const frame = Buffer.alloc(infoFrameBytes(audio));
  frame.set(head);
  // Without the extra byte, and without a checksum.
  frame[1] = (frame[1] ?? 0) | 1;
  frame[2] = (frame[2] ?? 0) & ~2;
  let at = HEADER_BYTES + sideInfoBytes(first);
  at += frame.write('Info', at, 'latin1');
  at = frame.writeUInt32BE(FLAGS.frames | FLAGS.bytes | FLAGS.contents | FLAGS.quality, at);
  at = frame.writeUInt32BE(frames, at);
  at = frame.writeUInt32BE(frame.length + bytes, at);
  for (let place = 0; place < PLACES; place += 1) at = frame.writeUInt8(Math.floor((place * 256) / PLACES), at);
  at = frame.writeUInt32BE(0, at);
  const padding = frames * first.samples - LAME_DELAY_SAMPLES - samples;
  writeLameTag(frame, at, { kilobits: first.kilobits, padding, audio });
  return frame;
}

function writeLameTag(
  frame: Buffer,
  start: number,
  { kilobits, padding, audio }: { kilobits: number; padding: number; audio: Mp3Frames },
): void {
  const CONSTANT_RATE = 1;
  frame.write('LAME3.100', start, 'latin1');
  frame.writeUInt8(CONSTANT_RATE, start + 9);
  frame.writeUInt8(Math.min(255, kilobits), start + 20);
  frame.writeUIntBE(LAME_DELAY_SAMPLES * 4096 + Math.max(0, Math.min(4095, padding)), start + 21, 3);
  frame.writeUInt32BE(frame.length + audio.bytes, start + 28);
  frame.writeUInt16BE(audio.checksum, start + 32);
  const checksumAt = start + LAME_TAG_BYTES - 2;
  frame.writeUInt16BE(crc16(frame.subarray(0, checksumAt)), checksumAt);
}

function frameHeadAt(audio: Uint8Array, at: number): FrameHead {
  const [sync = 0, version = 0, rates = 0, mode = 0] = audio.subarray(at, at + HEADER_BYTES);
  const isFirstVersion = (version & 0x18) === 0x18;
  const kilobits = (isFirstVersion ? KILOBITS_1 : KILOBITS_2)[rates >> 4] ?? 0;
  const hertz = (RATES[(rates >> 2) & 3] ?? 0) / (isFirstVersion ? 1 : (version & 0x18) === 0x10 ? 2 : 4);
  if (sync !== 0xff || kilobits === 0 || hertz === 0) throw new Error(`There is no MP3 frame at byte ${at}.`);
  const samples = isFirstVersion ? 1152 : 576;
  const frameBytes = Math.floor((samples * kilobits * 125) / hertz);
  return { isFirstVersion, isMono: mode >> 6 === 3, kilobits, frameBytes, samples };
}

function frameBytesOf(audio: Uint8Array, at: number, withPadding: boolean): number {
  return frameHeadAt(audio, at).frameBytes + (withPadding ? ((audio[at + 2] ?? 0) >> 1) & 1 : 0);
}

function sideInfoBytes({ isFirstVersion, isMono }: FrameHead): number {
  if (isFirstVersion) return isMono ? 17 : 32;
  return isMono ? 9 : 17;
}

const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >> 1) ^ 0xa0_01 : value >> 1;
  return value;
});

/** CRC-16 with polynomial 0x8005, lowest bit first. */
function crc16(bytes: Uint8Array, before = 0): number {
  let value = before;
  for (const byte of bytes) value = (value >> 8) ^ (CRC_TABLE[(value ^ byte) & 0xff] ?? 0);
  return value;
}
