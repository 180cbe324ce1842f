import { TextDecoder } from 'node:util';
import { analyse } from 'chardet';
import { KIB } from '../units.ts';
import { byteOrderMark, unmarkedUtf16 } from './encoding.ts';

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

const CENTRAL_EUROPEAN = ['windows-1250', 'iso-8859-2'];

const CYRILLIC = ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866'];

/** Legacy encodings of languages beyond windows-1252, the most common first. */
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
}

/**
 * Decodes bytes by, in order: byte-order mark; declared encoding; UTF-8 when valid or nearly valid; the likeliest
 * legacy encoding of the language or by statistics; windows-1252. A declaration that the bytes contradict is ignored.
 */
export function decodeText(bytes: Uint8Array, { declared = [], language = null }: DecodeHints = {}): DecodedText {
  const unicode = byteOrderMark(bytes)?.encoding ?? unmarkedUtf16(bytes);
  if (unicode !== null) return { text: new TextDecoder(unicode).decode(bytes), encoding: unicode };
  const utf8 = decodeWith(new TextDecoder('utf-8', { fatal: true }), bytes);
  for (const label of declared) {
    const decoder = label === null ? null : believedDecoder(decoderFor(label), bytes);
    if (decoder === null) continue;
    if (utf8 !== null && (decoder.encoding === 'utf-8' || isCertain(utf8, bytes, decoder.encoding))) break;
    const text = decodeWith(decoder, bytes);
    if (text !== null) return { text, encoding: decoder.encoding };
  }
  const found8 = utf8 ?? nearlyUtf8(bytes);
  if (found8 !== null) return { text: found8, encoding: 'utf-8' };
  const found = decoderFor(guessEncoding(bytes, language));
  // UTF-8 has already failed, and UTF-16 was recognised before.
  const isLegacy = found !== null && !found.encoding.startsWith('utf-');
  const decoder = isLegacy ? found : new TextDecoder(LEGACY_ENCODING);
  return { text: decoder.decode(bytes), encoding: decoder.encoding };
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

/** Upper halves of the two DOS code pages that the Encoding Standard omits. */
const DOS_PAGES: Readonly<Record<number, string>> = {
  437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
    '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
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

const DEFAULT_PAGE = 1252;

/** The code page of a font's character set; null when the document's code page applies. */
export function pageOfCharset(charset: number): number | null {
  return CHARSET_PAGES[charset] ?? null;
}

/** Decodes bytes of a code page. An unknown page is decoded as windows-1252. */
export function decodePage(bytes: Uint8Array, page: number): string {
  const dos = DOS_PAGES[page];
  if (dos !== undefined) {
    return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : (dos[byte - 0x80] ?? ''))).join('');
  }
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
