/** Detects text without meaning: some fonts do not map glyphs to characters. */

/** Fewer letters are a page number, a caption or a stamp. */
export const LETTERS_MIN = 20;

/** Share of unmapped characters from which a text counts as broken. */
export const BROKEN_SHARE = 0.3;

/** A text of one letter, so often: its font maps all glyphs to one character. */
const ONE_LETTER = /^(?:(?<letter>[\p{L}\p{N}])(?:\s*\k<letter>){11,})$/u;

/** Counts replacement and private-use characters, glyphs without a stated meaning, and texts of one letter. */
export function countMeaningless(text: string): { all: number; meaningless: number } {
  const all = text.match(/\S/gu)?.length ?? 0;
  return { all, meaningless: ONE_LETTER.test(text) ? all : (text.match(/[\uFFFD\p{Co}\p{Cn}]/gu)?.length ?? 0) };
}

export function hasMeaning(text: string): boolean {
  const { all, meaningless } = countMeaningless(text);
  return meaningless < BROKEN_SHARE * all;
}

/** The texts without meaning; if some are of one letter only, so are shorter ones of that letter. */
export function meaninglessTexts(texts: readonly string[]): ReadonlySet<string> {
  const letters = new Set(texts.map((text) => ONE_LETTER.exec(text)?.groups?.letter));
  const isOfLetter = ([first, ...rest]: string) =>
    first !== undefined && letters.has(first) && rest.every((letter) => letter === first || letter === ' ');
  return new Set(texts.filter((text) => !hasMeaning(text) || isOfLetter(text)));
}

/** Letters and digits. */
export function countMeaningfulLetters(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);
}
