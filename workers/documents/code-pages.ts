import { TextDecoder } from 'node:util';
import { decoderFor } from './decode-text.ts';

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

/** Upper halves of the two DOS code pages that the Encoding Standard leaves out. */
const DOS_PAGES: Readonly<Record<number, string>> = {
  437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
    '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
};

/** Character sets of fonts (RTF's `\\fcharset`, Word's `chs`) and their code pages; others are the document's own. */
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

/** The code page of a font's character set; null where the set leaves it to the document. */
export function pageOfCharset(charset: number): number | null {
  return CHARSET_PAGES[charset] ?? null;
}

/** Decodes bytes of a code page. An unknown page is read as windows-1252. */
export function decodePage(bytes: Uint8Array, page: number): string {
  const dos = DOS_PAGES[page];
  if (dos !== undefined) {
    return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : (dos[byte - 0x80] ?? ''))).join('');
  }
  return decoderOf(page).decode(bytes);
}

const decoders = new Map<number, TextDecoder>();
/** A document may name any number as a page. */
const DECODERS_MAX = 64;

function decoderOf(page: number): TextDecoder {
  const known = decoders.get(page);
  if (known !== undefined) return known;
  const label = LABELS[page] ?? (page >= 28591 && page <= 28606 ? `iso-8859-${page - 28590}` : `windows-${page}`);
  const named = decoderFor(label) ?? new TextDecoder(`windows-${DEFAULT_PAGE}`);
  // Text is never refused for one bad byte.
  const decoder = named.fatal ? new TextDecoder(named.encoding) : named;
  if (decoders.size >= DECODERS_MAX) decoders.clear();
  decoders.set(page, decoder);
  return decoder;
}
