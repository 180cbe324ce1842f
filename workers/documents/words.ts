/** Scripts whose words no white space shows. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Mymr}]/u;
const SPACED_WORD = /\S*[\p{L}\p{N}]\S*/gu;

/** Words as word processors count them: between white space, or by dictionary in scripts that are written without. */
export function countWords(text: string): number {
  let words = 0;
  for (const [token] of text.matchAll(SPACED_WORD)) words += isUnspaced(token) ? countByDictionary(token) : 1;
  return words;
}

export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

const byWord = new Intl.Segmenter(undefined, { granularity: 'word' });

function countByDictionary(text: string): number {
  let words = 0;
  for (const segment of byWord.segment(text)) if (segment.isWordLike === true) words += 1;
  return words;
}
