/** Detects text without meaning: some programs embed fonts that do not map glyphs to characters. */

/** Fewer letters than this is a page number, a caption or a stamp, not the text of a page. */
export const LETTERS_MIN = 20;

/** Share of characters without a meaning from which a text counts as broken. */
export const BROKEN_SHARE = 0.3;

/** Replacement characters and private-use ones: glyphs whose meaning the file does not state. */
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
export function lettersIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);
}
