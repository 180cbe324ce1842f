import { analyse } from 'chardet';
import { byteOrderMark, unmarkedUtf16 } from '../../../src-server/lib/text-bytes.ts';
import { KIB } from '../../../src-server/lib/units.ts';

/** Bytes the guess of an encoding looks at. */
const SAMPLE_BYTES = 64 * KIB;
/** Guesses below this confidence (of 100) are no better than the commonest legacy encoding. */
const MIN_CONFIDENCE = 30;
const LEGACY_ENCODING = 'windows-1252';

/** A text and the encoding it was read in. */
export interface DecodedText {
  text: string;
  encoding: string;
}

/**
 * Bytes as text: byte-order mark, what the source itself declares, UTF-8 when every byte of it is valid, the likeliest
 * legacy encoding by its statistics, windows-1252. A declaration that the bytes contradict is passed over.
 */
export function decodeText(bytes: Uint8Array, declared: readonly (string | null)[] = []): DecodedText {
  const unicode = byteOrderMark(bytes)?.encoding ?? unmarkedUtf16(bytes);
  if (unicode !== null) return { text: new TextDecoder(unicode).decode(bytes), encoding: unicode };
  for (const label of declared) {
    const decoder = label === null ? null : decoderFor(label);
    // A page that declares UTF-16 in ASCII letters cannot be UTF-16.
    if (decoder === null || decoder.encoding.startsWith('utf-16')) continue;
    const text = decodeWith(decoder, bytes);
    if (text !== null) return { text, encoding: decoder.encoding };
  }
  const utf8 = decodeWith(new TextDecoder('utf-8', { fatal: true }), bytes);
  if (utf8 !== null) return { text: utf8, encoding: 'utf-8' };
  const decoder = decoderFor(guessEncoding(bytes)) ?? new TextDecoder(LEGACY_ENCODING);
  return { text: decoder.decode(bytes), encoding: decoder.encoding };
}

/** A decoder for a label of the Encoding Standard, or null. UTF-8 is strict: what is not UTF-8 must be something else. */
export function decoderFor(label: string): TextDecoder | null {
  try {
    const decoder = new TextDecoder(label.trim());
    return decoder.encoding === 'utf-8' ? new TextDecoder('utf-8', { fatal: true }) : decoder;
  } catch {
    // An unknown label names no encoding; the next way to find one is tried.
    return null;
  }
}

function decodeWith(decoder: TextDecoder, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    // Only strict decoders throw: the bytes are not in this encoding.
    return null;
  }
}

function guessEncoding(bytes: Uint8Array): string {
  const best = analyse(bytes.subarray(0, SAMPLE_BYTES))[0];
  return best !== undefined && best.confidence >= MIN_CONFIDENCE ? best.name : LEGACY_ENCODING;
}
