import { TextDecoder } from 'node:util';
import { analyse } from 'chardet';
import iconv from 'iconv-lite';
import { byName } from '../records.ts';
import { KIB } from '../units.ts';
import { byteOrderMark, unmarkedUtf16 } from './encoding.ts';
import { letterOddity } from './letter-oddity.ts';
import { type Said, say } from './say.ts';

/** Bytes used for the detection of an encoding. */
const SAMPLE_BYTES = 64 * KIB;

/** Detections below this confidence (of 100) are ignored. */
const MIN_CONFIDENCE = 30;

const LEGACY_ENCODING = 'windows-1252';

/**
 * Number of continuation bytes that make valid UTF-8 certain, whatever is declared. In encodings of alphabets one
 * cannot occur by chance, in those of larger scripts a few can.
 */
const CERTAIN_EXTRA_BYTES = { alphabet: 1, other: 8 };

const ALPHABET_ENCODING = /^(?:windows-125\d|iso-8859-\d+|macintosh)$/;

/** Valid UTF-8 characters per invalid one that indicate a truncated or patched text rather than another encoding. */
const WHOLE_PER_BROKEN = 4;

/** Share of zero bytes in one half of the byte pairs that confirms a declaration of UTF-16. */
const DECLARED_UTF16_ZERO_SHARE = 0.05;

/** Japanese in the letters of ASCII, as mail and old news have it. */
const JAPANESE_ESCAPES = ['\x1b$@', '\x1b$B', '\x1b(J'];
const ISO_2022_JP = new TextDecoder('iso-2022-jp', { fatal: true });

/** Share of odd characters from which others than the guessed encoding are tried. */
const ODDITY_MIN = 0.01;
/** Share of misplaced characters up to which an encoding is believed. */
const ODDITY_MAX = 0.08;
/** Another encoding must be that much better than the guessed one. */
const ODDITY_GAIN = 0.34;

const EAST_ASIAN_ENCODINGS = ['shift_jis', 'euc-jp', 'euc-kr', 'gb18030', 'big5'];
const CHINESE_MIN = 12;
const KANA_SHARE = 0.4;
const FREQUENT_SHARE = 0.9;

const THAI_ENCODING = 'windows-874';
const THAI_BYTES_MIN = 12;

/** Encodings that the statistics do not know, and those they mistake for them; the most common first. */
const UNGUESSED_ENCODINGS = [
  ...[
    'windows-1252',
    'cp850',
    'macintosh',
    'ibm866',
    'cp437',
    'cp860',
    'cp852',
    'windows-1250',
    'iso-8859-2',
    THAI_ENCODING,
  ],
  ...[
    'windows-1251',
    'koi8-u',
    'cp1125',
    'x-mac-cyrillic',
    'windows-1253',
    'cp737',
    'windows-1254',
    'cp857',
    'windows-1255',
  ],
  ...['cp862', 'windows-1256', 'windows-1257', 'cp775', 'windows-1258', 'cp855', 'cp865', 'iso-8859-10'],
];

const CENTRAL_EUROPEAN = ['windows-1250', 'iso-8859-2'];

const CYRILLIC = ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866'];

/** Legacy encodings of languages beyond windows-1252, the most common first. */
const LANGUAGE_ENCODINGS: Readonly<Record<string, readonly string[]>> = byName({
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
});

/** What is known about a text besides its bytes. */
interface DecodeHints {
  /** Encodings that the source declares, the most trusted first. */
  declared?: readonly (string | null)[];
  /** Language code from the request or document. */
  language?: string | null;
}

/** A text and its encoding. */
export interface DecodedText {
  text: string;
  encoding: string;
  /** False where the encoding is a guess and the letters do not look right in it. */
  isCertain: boolean;
}

/**
 * Decodes bytes by, in order: byte-order mark; declared encoding; the escapes of ISO-2022-JP; UTF-8 when valid or
 * nearly valid; the likeliest legacy encoding of the language or by statistics, if its letters look right; one without
 * statistics in which they do; windows-1252. A declaration that the bytes contradict is ignored.
 */
export function decodeText(bytes: Uint8Array, { declared = [], language = null }: DecodeHints = {}): DecodedText {
  if (hasUtf32Mark(bytes)) return { text: iconv.decode(bytes, 'utf-32'), encoding: 'utf-32', isCertain: true };
  const unicode = byteOrderMark(bytes)?.encoding ?? unmarkedUtf16(bytes);
  if (unicode !== null) return { text: new TextDecoder(unicode).decode(bytes), encoding: unicode, isCertain: true };
  const utf8 = decodeWith(new TextDecoder('utf-8', { fatal: true }), bytes);
  for (const label of declared) {
    const decoder = label === null ? null : believedDecoder(decoderFor(label), bytes);
    if (decoder === null) continue;
    if (utf8 !== null && (decoder.encoding === 'utf-8' || isCertain(utf8, bytes, decoder.encoding))) break;
    const text = decodeWith(decoder, bytes);
    if (text !== null) return { text, encoding: decoder.encoding, isCertain: true };
  }
  const isEscaped = utf8 !== null && JAPANESE_ESCAPES.some((sequence) => utf8.includes(sequence));
  const escaped = isEscaped ? decodeWith(ISO_2022_JP, bytes) : null;
  if (escaped !== null) return { text: escaped, encoding: ISO_2022_JP.encoding, isCertain: true };
  const found8 = utf8 ?? nearlyUtf8(bytes);
  if (found8 !== null) return { text: found8, encoding: 'utf-8', isCertain: true };
  return decodeLegacy(bytes, language);
}

/** Of a text that states no encoding. */
export function encodingDoubt(name: string): Said {
  return say`The encoding of the text is not certain. It was read as ${name}: if letters look wrong, save it as UTF-8.`;
}

/** The mark of its little-endian form begins with that of UTF-16, whose texts begin with no zero. */
function hasUtf32Mark([first, second, third, fourth]: Uint8Array): boolean {
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0;
  return first === 0 && second === 0 && third === 0xfe && fourth === 0xff;
}

/** UTF-8 has already failed, and UTF-16 was recognised before. */
function decodeLegacy(bytes: Uint8Array, language: string | null): DecodedText {
  const found = decoderFor(guessEncoding(bytes, language));
  const isLegacy = found !== null && !found.encoding.startsWith('utf-');
  const decoder = isLegacy ? found : new TextDecoder(LEGACY_ENCODING);
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const guess = { encoding: decoder.encoding, ...letterOddity(decoder.decode(sample)) };
  // A text in Thai is valid in some encoding of Chinese; as Thai, one in Chinese is not.
  const thai = { encoding: THAI_ENCODING, ...letterOddity(new TextDecoder(THAI_ENCODING).decode(sample)) };
  if (thai.misplaced === 0 && countHighBytes(sample) >= THAI_BYTES_MIN) return decodeAs(thai, bytes);
  if (guess.unlikely > ODDITY_MIN && !EAST_ASIAN_ENCODINGS.includes(guess.encoding)) {
    for (const encoding of EAST_ASIAN_ENCODINGS) {
      const found = countEastAsian(sample, encoding);
      // A few Chinese characters are as likely those of another encoding.
      const isChinese = encoding === 'gb18030' || encoding === 'big5';
      if (found > 0) return decodeAs({ encoding, misplaced: isChinese && found < CHINESE_MIN ? 1 : 0 }, bytes);
    }
  }
  let best = guess;
  for (const encoding of guess.unlikely > ODDITY_MIN ? UNGUESSED_ENCODINGS : []) {
    const other = { encoding, ...letterOddity(decodeNamed(encoding, sample)) };
    if (other.unlikely < best.unlikely) best = other;
  }
  return decodeAs(best.unlikely <= guess.unlikely * ODDITY_GAIN ? best : guess, bytes);
}

/**
 * How many of the characters of a short text in such an encoding are the frequent ones of its language; 0 where not all
 * of it can be that language.
 */
function countEastAsian(sample: Uint8Array, encoding: string): number {
  const text = decodeWith(new TextDecoder(encoding, { fatal: true }), sample) ?? '';
  const foreign = Array.from(text).filter((char) => char > '\u007f');
  const count = (pattern: RegExp) => foreign.filter((char) => pattern.test(char)).length;
  const han = foreign.filter((char) => /\p{Script=Han}/u.test(char));
  const others = count(/[\u3040-\u30ff\p{Script=Hangul}\u3000-\u303f\uff00-\uff5e]/u);
  if (han.length + others < foreign.length || /[a-z][^\p{ASCII}][a-z]/iu.test(text)) return 0;
  const enough = (found: number, share: number) => (found >= Math.max(3, foreign.length * share) ? found : 0);
  if (encoding === 'shift_jis' || encoding === 'euc-jp') return enough(count(/[\u3040-\u30ff]/), KANA_SHARE);
  if (encoding === 'euc-kr') return enough(count(/\p{Script=Hangul}/u), FREQUENT_SHARE);
  // The first level of GB 2312 and of Big5 has the frequent characters.
  const [first, last] = encoding === 'gb18030' ? [0xb0, 0xd7] : [0xa4, 0xc6];
  const isFrequent = (char: string) => {
    const [lead = 0] = iconv.encode(char, encoding);
    return lead >= first && lead <= last;
  };
  const frequent = han.filter(isFrequent).length;
  return frequent >= Math.max(3, han.length * FREQUENT_SHARE) ? frequent : 0;
}

function decodeAs({ encoding, misplaced }: { encoding: string; misplaced: number }, bytes: Uint8Array): DecodedText {
  return { text: decodeNamed(encoding, bytes), encoding, isCertain: misplaced <= ODDITY_MAX };
}

function decodeNamed(encoding: string, bytes: Uint8Array): string {
  return encoding.startsWith('cp') ? iconv.decode(bytes, encoding) : new TextDecoder(encoding).decode(bytes);
}

function countHighBytes(bytes: Uint8Array): number {
  return bytes.reduce((count, byte) => count + Number(byte > 0x7f), 0);
}

/** A decoder for a label of the Encoding Standard, or null. UTF-8 is strict: invalid UTF-8 is another encoding. */
function decoderFor(label: string): TextDecoder | null {
  try {
    const decoder = new TextDecoder(label.trim());
    return decoder.encoding === 'utf-8' ? new TextDecoder('utf-8', { fatal: true }) : decoder;
  } catch {
    // Unknown label. The next method is tried.
    return null;
  }
}

/** Rejects UTF-16 for a page that declares it in ASCII letters, and corrects its byte order. */
function believedDecoder(decoder: TextDecoder | null, bytes: Uint8Array): TextDecoder | null {
  if (decoder === null || !decoder.encoding.startsWith('utf-16')) return decoder;
  const zeros = [0, 0] as [number, number];
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2 === 0 ? 0 : 1] += 1;
  const [high, low] = zeros;
  if (Math.max(high, low) < (sample.length / 2) * DECLARED_UTF16_ZERO_SHARE) return null;
  return new TextDecoder(high > low ? 'utf-16be' : 'utf-16le');
}

function isCertain(utf8: string, bytes: Uint8Array, declared: string): boolean {
  const { alphabet, other } = CERTAIN_EXTRA_BYTES;
  return bytes.length - utf8.length >= (ALPHABET_ENCODING.test(declared) ? alphabet : other);
}

/** The text when only a few bytes are invalid UTF-8. Another encoding would garble all the others. */
function nearlyUtf8(bytes: Uint8Array): string | null {
  const text = new TextDecoder('utf-8').decode(bytes);
  let whole = 0;
  let broken = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code > 0x7f) whole += 1;
  }
  return whole >= broken * WHOLE_PER_BROKEN ? text : null;
}

function decodeWith(decoder: TextDecoder, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    // Only strict decoders throw: the bytes have another encoding.
    return null;
  }
}

/** With a known language, only its encodings are candidates. Statistics choose among them. */
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

/** Windows and Macintosh code pages whose labels are not `windows-` and their number. */
const LABELS: Readonly<Record<number, string>> = {
  866: 'ibm866',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1361: 'euc-kr',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  20932: 'euc-jp',
  21866: 'koi8-u',
  51932: 'euc-jp',
  54936: 'gb18030',
  65001: 'utf-8',
};

/** Code pages of font character sets (RTF's `\\fcharset`, Word's `chs`). Other sets use the document's code page. */
const CHARSET_PAGES: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
};

/** DOS code pages, which the Encoding Standard omits but for 866. */
const DOS_PAGES = new Set([437, 720, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 869]);

const DEFAULT_PAGE = 1252;

/** The code page of a font's character set; null when the document's code page applies. */
export function pageOfCharset(charset: number): number | null {
  return CHARSET_PAGES[charset] ?? null;
}

/** Decodes bytes of a code page. An unknown page is decoded as windows-1252. */
export function decodePage(bytes: Uint8Array, page: number): string {
  if (DOS_PAGES.has(page)) return iconv.decode(bytes, `cp${page}`);
  return decoderOf(page).decode(bytes);
}

const decoders = new Map<number, TextDecoder>();

/** Bounds the cache: documents may name any number as a code page. */
const DECODERS_MAX = 64;

function decoderOf(page: number): TextDecoder {
  const known = decoders.get(page);
  if (known !== undefined) return known;
  const label = LABELS[page] ?? (page >= 28591 && page <= 28606 ? `iso-8859-${page - 28590}` : `windows-${page}`);
  const named = decoderFor(label) ?? new TextDecoder(`windows-${DEFAULT_PAGE}`);
  // One invalid byte never makes the decoding fail.
  const decoder = named.fatal ? new TextDecoder(named.encoding) : named;
  if (decoders.size >= DECODERS_MAX) decoders.clear();
  decoders.set(page, decoder);
  return decoder;
}
