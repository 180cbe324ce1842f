/** Detects text without meaning: some fonts do not map glyphs to characters. */

/** Fewer letters are a page number, a caption or a stamp. */
export const LETTERS_MIN = 20;

/** Share of unmapped characters from which a text counts as broken. */
export const BROKEN_SHARE = 0.3;

/** Counts replacement and private-use characters: glyphs without a stated meaning. */
export function countMeaningless(text: string): { all: number; meaningless: number } {
  return {
    all: text.match(/\S/gu)?.length ?? 0,
    meaningless: text.match(/[\uFFFD\p{Co}\p{Cn}]/gu)?.length ?? 0,
  };
}

export function hasMeaning(text: string): boolean {
  const { all, meaningless } = countMeaningless(text);
  return meaningless < BROKEN_SHARE * all;
}

/** Letters and digits. */
export function countMeaningfulLetters(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);
}
