/** Where a rule is tried. */
export interface Place {
  line: string;
  at: number;
  /** The token before, as written; empty at the start. */
  previous: string;
  dayFirst: boolean;
  /** False when no blank or bracket precedes. */
  begins: boolean;
}

export interface Rule {
  /** Sticky. */
  pattern: RegExp;
  /** Null when the match is something else after all. */
  say(match: RegExpExecArray, place: Place): string | null;
}

/** No letter or digit follows, and no raised sign: `5 s⁻¹` is no duration. */
export const END = '(?![\\p{L}\\p{N}⁺⁻])';

/** A number with groups and decimals. Bounded, since rules run at each token. */
export const NUMBER = '(?:\\d{1,3}(?:,\\d{3}){1,5}|\\d{1,40})(?:\\.\\d{1,20})?(?![\\d]|[,.]\\d)';

export function defineSpokenRule(source: string, say: Rule['say'], flags = 'uy'): Rule {
  return { pattern: new RegExp(source, flags), say };
}

/** Matches one of the words, in any case, with or without a full stop. @param words separated by blanks */
export function anyWordPattern(words: string): RegExp {
  return new RegExp(`^(?:${words.trim().split(' ').join('|')})\\.?$`, 'iu');
}
