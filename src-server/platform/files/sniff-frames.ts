/**
 * Recognises sound that has no head but begins with its first frame, as broadcast and disc tools write it. A sync word
 * is short, so the next frame must begin where this one says that it ends.
 */

const AC3_KILOBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];

/** Highest version of the AC-3 bit stream; above it is E-AC-3. */
const AC3_VERSION_MAX = 10;

const EAC3_VERSION_MAX = 16;

const GSM_FRAME_BYTES = 33;

const GSM_FRAMES_SEEN = 12;

/** The name of the format, with its article; null where the bytes are no such frames. */
export function rawSoundLabel(head: Buffer): string | null {
  const ac3 = ac3FrameBytes(head);
  if (ac3 !== null && beginsAgain(head, ac3.bytes, 2)) return ac3.label;
  if (isDolbyTrueHd(head)) return 'a TrueHD audio file';
  if (isDts(head)) return 'a DTS audio file';
  const latm = ((head[0] ?? 0) << 8) | ((head[1] ?? 0) & 0xe0);
  if (latm === 0x56_e0 && isSecondLatm(head)) return 'an AAC audio file';
  return isGsm(head) ? 'a GSM audio file' : null;
}

function ac3FrameBytes(head: Buffer): { bytes: number; label: string } | null {
  if (head.length < 8 || head.readUInt16BE(0) !== 0x0b_77) return null;
  const version = (head[5] ?? 0) >> 3;
  if (version > AC3_VERSION_MAX) {
    const words = (head.readUInt16BE(2) & 0x7_ff) + 1;
    return version > EAC3_VERSION_MAX ? null : { bytes: words * 2, label: 'an E-AC-3 audio file' };
  }
  const [rate, code] = [(head[4] ?? 0) >> 6, (head[4] ?? 0) & 0x3f];
  const kilobits = AC3_KILOBITS[code >> 1];
  if (kilobits === undefined || rate === 3) return null;
  const words = rate === 0 ? kilobits * 2 : rate === 1 ? Math.floor((kilobits * 320) / 147) + (code & 1) : kilobits * 3;
  return { bytes: words * 2, label: 'an AC-3 audio file' };
}

/** Also true where the file ends with the first frame. */
function beginsAgain(head: Buffer, at: number, bytes: number): boolean {
  return at >= head.length || head.subarray(0, bytes).equals(head.subarray(at, at + bytes));
}

function isDolbyTrueHd(head: Buffer): boolean {
  return head.length > 8 && (head.readUInt32BE(4) === 0xf8_72_6f_ba || head.readUInt32BE(4) === 0xf8_72_6f_bb);
}

/** In 16 or 14 bits, either byte first. Each sync word is four bytes that no text begins with. */
function isDts(head: Buffer): boolean {
  return (
    head.length > 12 && [0x7f_fe_80_01, 0xfe_7f_01_80, 0x1f_ff_e8_00, 0xff_1f_00_e8].includes(head.readUInt32BE(0))
  );
}

function isSecondLatm(head: Buffer): boolean {
  const bytes = ((((head[1] ?? 0) & 0x1f) << 8) | (head[2] ?? 0)) + 3;
  return head[bytes] === 0x56 && ((head[bytes + 1] ?? 0) & 0xe0) === 0xe0;
}

/** Each frame begins with the same four bits, and no other sign. */
function isGsm(head: Buffer): boolean {
  if (head.length < GSM_FRAME_BYTES * GSM_FRAMES_SEEN) return false;
  for (let frame = 0; frame < GSM_FRAMES_SEEN; frame += 1) {
    if ((head[frame * GSM_FRAME_BYTES] ?? 0) >> 4 !== 0xd) return false;
  }
  return true;
}
