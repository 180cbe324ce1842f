/** TeX's own fonts have no letters with accents: it draws the accent, then the letter under it. */

/** Computer Modern, behind the letters that mark a part of a font. */
const TEX_FONT = /^(?:[A-Z]{6}\+)?CM[A-Z]{1,6}\d{1,2}$/;
/** By the accent that stands alone, the one that joins the letter before it. */
const JOINING: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '\u00B4': '\u0301',
  '\u02C6': '\u0302',
  '\u02DC': '\u0303',
  '\u00AF': '\u0304',
  '\u02D8': '\u0306',
  '\u02D9': '\u0307',
  '\u00A8': '\u0308',
  '\u02DA': '\u030A',
  '\u02DD': '\u030B',
  '\u02C7': '\u030C',
  '\u00B8': '\u0327',
};
const ACCENT_AND_LETTER = /([`\u00B4\u02C6\u02DC\u00AF\u02D8\u02D9\u00A8\u02DA\u02DD\u02C7\u00B8])(\p{L})/gu;
/** The letters under an accent lose their dot. */
const DOTTED: Readonly<Record<string, string>> = { '\u0131': 'i', '\u0237': 'j' };

export function isTexFont(name: string): boolean {
  return TEX_FONT.test(name);
}

/** Letters with the accents that stand before them; what no letter bears stays as it is. */
export function composeAccents(text: string): string {
  return text.replace(ACCENT_AND_LETTER, (written, accent: string, letter: string) => {
    const whole = `${DOTTED[letter] ?? letter}${JOINING[accent]}`.normalize('NFC');
    return [...whole].length === 1 ? whole : written;
  });
}
