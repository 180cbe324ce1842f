import { TextDecoder } from 'node:util';
import { analyse } from 'chardet';
import { byteOrderMark, unmarkedUtf16 } from '../../../src-server/lib/text-bytes.ts';
import { KIB } from '../../../src-server/lib/units.ts';

/** Bytes the guess of an encoding looks at. */
const SAMPLE_BYTES = 64 * KIB;
/** Guesses below this confidence (of 100) decide nothing. */
const MIN_CONFIDENCE = 30;
const LEGACY_ENCODING = 'windows-1252';

const CENTRAL_EUROPEAN = ['windows-1250', 'iso-8859-2'];
const CYRILLIC = ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866'];

/** Legacy encodings of languages that windows-1252 cannot write, the commonest first. */
const LANGUAGE_ENCODINGS: Readonly<Record<string, readonly string[]>> = {
  ar: ['windows-1256', 'iso-8859-6'],
  be: CYRILLIC,
  bg: CYRILLIC,
  cs: CENTRAL_EUROPEAN,
  el: ['windows-1253', 'iso-8859-7'],
  he: ['windows-1255', 'iso-8859-8'],
  hr: CENTRAL_EUROPEAN,
  hu: CENTRAL_EUROPEAN,
  ja: ['shift_jis', 'euc-jp', 'iso-2022-jp'],
  ko: ['euc-kr'],
  pl: CENTRAL_EUROPEAN,
  ro: CENTRAL_EUROPEAN,
  ru: CYRILLIC,
  sk: CENTRAL_EUROPEAN,
  sl: CENTRAL_EUROPEAN,
  th: ['windows-874'],
  tr: ['windows-1254'],
  uk: CYRILLIC,
  vi: ['windows-1258'],
  zh: ['gb18030', 'big5'],
};

/** What may be known of a text beside its bytes. */
export interface DecodeHints {
  /** Encodings the source declares, the most trusted first. */
  declared?: readonly (string | null)[];
  /** Language code of whoever sent the text. */
  language?: string | null;
}

/** A text and the encoding it was read in. */
export interface DecodedText {
  text: string;
  encoding: string;
}

/**
 * Bytes as text: byte-order mark, what the source itself declares, UTF-8 when every byte of it is valid, the likeliest
 * legacy encoding of the language or by its statistics, windows-1252. A declaration that the bytes contradict is
 * passed over.
 */
export function decodeText(bytes: Uint8Array, { declared = [], language = null }: DecodeHints = {}): DecodedText {
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
  const found = decoderFor(guessEncoding(bytes, language));
  // UTF-8 has failed already, and what UTF-16 there is has shown itself.
  const isLegacy = found !== null && !found.encoding.startsWith('utf-');
  const decoder = isLegacy ? found : new TextDecoder(LEGACY_ENCODING);
  return { text: decoder.decode(bytes), encoding: decoder.encoding };
}

/** A decoder for a label of the Encoding Standard, or null. UTF-8 is strict: what is none must be something else. */
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

/** Where the language is known, its encodings are the only candidates; statistics choose among them. */
function guessEncoding(bytes: Uint8Array, language: string | null): string {
  const guesses = analyse(bytes.subarray(0, SAMPLE_BYTES));
  const candidates = LANGUAGE_ENCODINGS[language?.slice(0, 2).toLowerCase() ?? ''];
  if (candidates !== undefined) {
    const likeliest = guesses.find(({ name }) => candidates.includes(name.toLowerCase()));
    return likeliest?.name ?? candidates[0] ?? LEGACY_ENCODING;
  }
  const best = guesses[0];
  return best !== undefined && best.confidence >= MIN_CONFIDENCE ? best.name : LEGACY_ENCODING;
}
