/** PDFs for the benchmarks, made from seeded words, so that every run reads the same. */
import { text, writePdf } from '../test/documents/pdf-writer.ts';

const WORDS =
  `the of harbour quick answer people morning considered international report between season water number brought
letter according different evening company question society towards window history measure further garden business
remember possible country against machine several general public direction certain minute picture without national
example family present machine moment himself condition surface thought distance pressure beautiful difficult`.split(
    /\s+/,
  );
const LINES = 46;
const LINE_CHARS = 88;
const COLUMN_CHARS = 42;

/** A source of numbers from 0 to 1 that is the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Pages full of running text under headings, as a book has them. */
export function bookPdf(pages: number): Buffer {
  const random = seeded(7);
  return writePdf({ pages: Array.from({ length: pages }, (_, index) => bookPage(index + 1, random)) });
}

function bookPage(number: number, random: () => number): string {
  const lines: string[] = [];
  while (lines.length < LINES) lines.push(line(random));
  const heading = text(60, 40, [`Chapter ${number}`], 18, 'F2');
  return [heading, text(60, 80, lines, 11), text(300, 765, [String(number)], 9)].join('\n');
}

/** Pages of two columns, which the file writes row by row across both, as old typesetting programs did. */
export function columnsPdf(pages: number): Buffer {
  const random = seeded(9);
  const column = () => Array.from({ length: LINES }, () => line(random, COLUMN_CHARS));
  const page = () => {
    const [left, right] = [column(), column()];
    return left.map(
      (words, row) => `${text(50, 60 + row * 14, [words])}\n${text(330, 60 + row * 14, [right[row] ?? ''])}`,
    );
  };
  return writePdf({ pages: Array.from({ length: pages }, () => page().join('\n')) });
}

function line(random: () => number, charactersMax = LINE_CHARS): string {
  let result = '';
  for (;;) {
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? '';
    if (result.length + word.length + 1 > charactersMax) return result;
    result += result === '' ? word : ` ${word}`;
  }
}
