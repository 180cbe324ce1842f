import { wordTable } from '../../../src-server/platform/text/word-table.ts';

/**
 * Windows language numbers ([MS-LCID]) in number formats, as BCP 47 tags for the names of months and days. The last ten
 * bits are the language; further ones name a region, digits and a calendar.
 */
const LANGUAGES = wordTable(`
  1: ar; 2: bg; 3: ca; 4: zh; 5: cs; 6: da; 7: de; 8: el; 9: en; 10: es; 11: fi; 12: fr; 13: he; 14: hu; 15: is
  16: it; 17: ja; 18: ko; 19: nl; 20: nb; 21: pl; 22: pt; 23: rm; 24: ro; 25: ru; 26: hr; 27: sk; 28: sq; 29: sv
  30: th; 31: tr; 32: ur; 33: id; 34: uk; 35: be; 36: sl; 37: et; 38: lv; 39: lt; 41: fa; 42: vi; 43: hy; 44: az
  45: eu; 47: mk; 54: af; 55: ka; 57: hi; 62: ms; 63: kk; 65: sw; 67: uz; 69: bn; 70: pa; 71: gu; 73: ta; 74: te
  75: kn; 76: ml; 78: mr; 80: mn; 82: cy; 86: gl; 100: fil
`);

/** The system's long date and time, which every reader sees in its own language. */
const SYSTEM_FORMATS = new Set([0xf800, 0xf400]);

const LANGUAGE_BITS = 0x3ff;

/** The tag of `407` or `x-sysdate`, `de-DE`; null for the reader's own language. */
export function localeOf(code: string): string | null {
  if (/^[a-z]{2,3}(?:-[a-z]{4})?-[a-z]{2}$/i.test(code)) return isEnglish(code) ? null : supportedLocale(code);
  if (!/^[\da-f]{1,8}$/i.test(code)) return null;
  const number = Number.parseInt(code, 16) & 0xffff;
  const language = SYSTEM_FORMATS.has(number) ? undefined : LANGUAGES[number & LANGUAGE_BITS];
  return language === undefined || isEnglish(language) ? null : supportedLocale(language);
}

/** English names do not differ by region. */
function isEnglish(tag: string): boolean {
  return /^en\b/i.test(tag);
}

function supportedLocale(tag: string): string | null {
  return Intl.DateTimeFormat.supportedLocalesOf(tag)[0] ?? null;
}
