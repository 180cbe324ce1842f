/**
 * The letters of a page for the account: what MuPDF reads from it before any structure is found, compared with the
 * parts of the page. Only pages where they differ keep the text of their source.
 */
import type { LeftOutText } from '../letter-account.ts';
import { foldLetters } from '../letters.ts';
import type { PagePart } from './page-content.ts';

/** Whether both sides have the same letters, in any order. */
export function haveSameLetters(one: readonly string[], other: readonly string[]): boolean {
  const balance = countFoldedLetters(one, 1) - countFoldedLetters(other, -1);
  // Looks at the letters of one side only and clears them: with as many letters, an extra one takes another's place.
  let isSame = balance === 0;
  for (const text of one) {
    foldLetters(text, 0, text.length, (letters, length) => {
      for (let at = 0; at < length; at += 1) {
        const letter = letters[at] ?? 0;
        if (balances[letter] === 0) continue;
        isSame = false;
        balances[letter] = 0;
      }
    });
  }
  if (!isSame) balances.fill(0);
  return isSame;
}

/** All zero between two calls. */
const balances = new Int32Array(0x10000);

function countFoldedLetters(texts: readonly string[], weight: number): number {
  let total = 0;
  for (const text of texts) {
    total += foldLetters(text, 0, text.length, (letters, length) => {
      for (let at = 0; at < length; at += 1) {
        const letter = letters[at] ?? 0;
        balances[letter] = (balances[letter] ?? 0) + weight;
      }
    });
  }
  return total;
}

/** The texts of parts, a line or cell each. */
export function textsOfParts(parts: readonly PagePart[]): string[] {
  return parts.flatMap((part) => (part.kind === 'table' ? part.rows.flat() : part.lines.map(({ text }) => text)));
}

/** Texts of the source that are left out for one reason, as an entry; none without letters. */
export function leftOutPageTexts(reason: LeftOutText['reason'], page: number, texts: readonly string[]): LeftOutText[] {
  return texts.length === 0 ? [] : [{ reason, where: pagePlaceName(page), text: texts.join('\n') }];
}

/** The name of a page in the account. */
export function pagePlaceName(page: number): string {
  return `page ${page}`;
}
