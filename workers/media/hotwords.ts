/** Names and terms for transducers: the recogniser prefers paths through them. */

/** The settings of sherpa-onnx for a vocabulary. */
export interface Hotwords {
  /** One term a line. */
  lines: string;
  modelingUnit: 'bpe' | 'cjkchar' | 'cjkchar+bpe';
  /** Pieces with their ranks, for the engine's encoder; null where characters are the pieces. */
  pieces: string | null;
}

interface Encodable {
  hotwords: Hotwords | null;
  /** Terms with letters that the model does not write, in their order. */
  unused: string[];
}

/** Marks the beginning of a word in pieces. */
const WORD_START = '\u2581';

const SPECIAL = /^<.*>$|^#/;

const IDEOGRAPH = /\p{Script=Han}/u;

/**
 * What of a vocabulary a model can take, by its list of tokens. Models come without the vocabulary file that the engine
 * asks for. Pieces are listed in the order in which they were learned, which is all that their encoding depends on, so
 * the file follows from the list.
 */
export function hotwordsFor(vocabulary: readonly string[], tokens: string): Encodable {
  const pieces = tokens.split('\n').flatMap((line) => {
    const piece = line.slice(0, line.trimEnd().lastIndexOf(' '));
    return piece === '' || SPECIAL.test(piece) ? [] : [piece];
  });
  const letters = new Set(pieces.flatMap((piece) => [...piece]));
  const isUpper = ![...letters].some((letter) => letter !== letter.toUpperCase());
  const isLower = ![...letters].some((letter) => letter !== letter.toLowerCase());
  const inModelCase = (term: string) => (isUpper ? term.toUpperCase() : isLower ? term.toLowerCase() : term);
  // The engine reads a word that starts with a colon as a weight.
  const hotwordTokens = (term: string) =>
    inModelCase(term)
      .split(/\s+/u)
      .map((word) => word.replace(/^[:#@]+/u, ''));
  const hasOnlyModelLetters = (term: string) =>
    hotwordTokens(term).every((word) => word !== '' && [...word].every((one) => letters.has(one)));
  const used = vocabulary.filter(hasOnlyModelLetters);
  const unused = vocabulary.filter((term) => !hasOnlyModelLetters(term));
  if (used.length === 0) return { hotwords: null, unused };
  const hasWords = letters.has(WORD_START);
  const hasIdeographs = [...letters].some((letter) => IDEOGRAPH.test(letter));
  const modelingUnit = !hasWords ? 'cjkchar' : hasIdeographs ? 'cjkchar+bpe' : 'bpe';
  const ranked = pieces.map((piece, index) => `${piece}\t${-index}`).join('\n');
  const lines = used.map((term) => hotwordTokens(term).join(' ')).join('\n');
  return { hotwords: { lines, modelingUnit, pieces: hasWords ? `${ranked}\n` : null }, unused };
}
