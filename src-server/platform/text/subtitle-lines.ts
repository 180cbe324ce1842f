/**
 * Breaks subtitle text into lines that fit the screen.
 */

/** Characters per line, for two lines per cue, as broadcast guidelines recommend. */
const LINE_COLUMNS = 42;

export const CUE_LINES = 2;

/** Scripts without blanks between words, or with letters twice as wide as Latin ones. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff01-\uff60]/gu;

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

export interface Piece {
  text: string;
  /** No blank before this piece. */
  goesOn: boolean;
}

/** Splits a run without blanks into pieces: before words, never before punctuation, in scripts without blanks. */
export function splitUnspacedRun(run: string): Piece[] {
  if (!UNSPACED.test(run)) return [{ text: run, goesOn: false }];
  const pieces: Piece[] = [];
  for (const { segment, isWordLike } of WORDS.segment(run)) {
    const last = pieces.at(-1);
    if (last !== undefined && isWordLike !== true) last.text += segment;
    else pieces.push({ text: segment, goesOn: last !== undefined });
  }
  return pieces;
}

/** Fills lines with pieces. An oversized piece gets its own line. */
export function inLines<Kind extends Piece>(pieces: readonly Kind[]): Kind[][] {
  const lines: Kind[][] = [];
  let columns = 0;
  for (const piece of pieces) {
    const own = subtitleColumnCount(piece.text);
    const longer = columns + (piece.goesOn ? 0 : 1) + own;
    const line = lines.at(-1);
    if (line === undefined || longer > LINE_COLUMNS) {
      lines.push([piece]);
      columns = own;
    } else {
      line.push(piece);
      columns = longer;
    }
  }
  return lines;
}

export function lineText(pieces: readonly Piece[]): string {
  return pieces.map(({ text, goesOn }, index) => (goesOn || index === 0 ? text : ` ${text}`)).join('');
}

/** Width of text, in Latin letters. */
export function subtitleColumnCount(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0);
}
