/**
 * The letters of a page: what its text nodes hold, what the reader says it leaves out, and what its blocks deliver. The
 * text is taken from the tokens of the page, beside the readers that make blocks of it.
 */

import { boundedLeftOut, type LeftOut, type SourceAccount } from '../../src-server/platform/source-account.ts';
import { type Said, say } from '../../src-server/platform/text/say.ts';
import type { Block } from '../documents/blocks.ts';
import type { LeftOutTextPieces } from '../documents/html/left-out-pieces.ts';
import { BLOCK, framedText, isTextless, kindsOf } from '../documents/html/tags.ts';
import { accountLetters, type LeftOutText, quoteTextStart } from '../documents/letter-account.ts';
import { foldLetters, LetterSum } from '../documents/letters.ts';

/** Collects the text nodes of a page. */
export class TextNodes {
  readonly #pieces: string[] = [];
  #depth = 0;
  /** Depth of the tag whose text is not shown; 0 outside one. */
  #silent = 0;

  enterTag(tag: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    if (this.#silent > 0) return;
    if (isTextless(tag)) this.#silent = this.#depth;
    else if ((kindsOf(tag) & BLOCK) !== 0) this.#pieces.push('\n');
    const framed = framedText(tag, attributes);
    if (framed !== null) this.#pieces.push(framed);
  }

  readTagText(text: string): void {
    if (this.#silent === 0) this.#pieces.push(text);
  }

  leaveTag(tag: string): void {
    if (this.#silent === this.#depth) this.#silent = 0;
    else if (this.#silent === 0 && (kindsOf(tag) & BLOCK) !== 0) this.#pieces.push('\n');
    this.#depth -= 1;
  }

  get textPieces(): string[] {
    return this.#pieces;
  }
}

/** What a page holds, and what its reader leaves out of it: texts in pieces, which most accounts need not join. */
export interface PageTexts {
  source: readonly string[];
  leftOut: readonly LeftOutTextPieces[];
}

/** The account of a page as it was read, kept in its record. */
export interface PageLetters {
  account: SourceAccount;
  /** Public sentences about letters that are missing. */
  warnings: Said[];
}

/** Accounts for the letters of a page. */
export function accountPage(url: string, { source, leftOut }: PageTexts, blocks: readonly Block[]): PageLetters {
  const delivered = blocks.map(lettersText);
  const balanced = balancedAccount(url, source, delivered, leftOut);
  if (balanced !== null) return balanced;
  const joined = leftOut.map(({ reason, pieces }) => ({ reason, text: pieces.join(''), where: url }));
  const entries = joined.filter(({ text }) => text !== '');
  return compareDeliveredLetters(url, source.join(''), delivered, entries);
}

/** A page with less text may be a frame for another one. */
const FRAMED_LETTERS = 200;

/** Names the frames of a page, whose letters are not known. */
export function withFrames(letters: PageLetters, url: string, frames: readonly string[]): PageLetters {
  const [first] = frames;
  if (first === undefined) return letters;
  const { account, warnings } = letters;
  const entry = { reason: 'unsupported-part', count: 0, where: url, sample: quoteTextStart(`frame ${first}`) } as const;
  const warning = say`The page ${url} shows a frame that is not read. Crawl ${first} itself.`;
  return {
    account: { ...account, leftOut: [...account.leftOut, entry] },
    warnings: account.delivered < FRAMED_LETTERS ? [...warnings, warning] : warnings,
  };
}

/** The account without a comparison, where both sides have the same letters; else null. */
function balancedAccount(
  url: string,
  source: readonly string[],
  delivered: readonly string[],
  entries: readonly LeftOutTextPieces[],
): PageLetters | null {
  const held = new LetterSum();
  for (const text of source) held.addLetterText(text);
  const given = new LetterSum();
  for (const text of delivered) given.addLetterText(text);
  const { count } = given;
  const leftOut: LeftOut[] = [];
  for (const { reason, pieces } of entries) {
    const before = given.count;
    for (const text of pieces) given.addLetterText(text);
    const letters = given.count - before;
    const known = leftOut.find((one) => one.reason === reason);
    if (letters === 0) continue;
    if (known === undefined)
      leftOut.push({ reason, count: letters, where: url, sample: quoteTextStart(pieces.join('')) });
    else known.count += letters;
  }
  if (!held.equalsLetterSum(given)) return null;
  return { account: { unit: 'letters', source: held.count, delivered: count, leftOut, unexplained: 0 }, warnings: [] };
}

function compareDeliveredLetters(
  url: string,
  source: string,
  delivered: readonly string[],
  leftOut: readonly LeftOutText[],
): PageLetters {
  const place = `the page ${url}`;
  const { account, warnings } = accountLetters({ source: [{ place, text: source }], delivered, leftOut });
  const own = warnings.filter((sentence) => sentence.startsWith('The page '));
  return { account: { ...account, leftOut: account.leftOut.filter(({ count }) => count > 0) }, warnings: own };
}

/** The account of a page without the blocks that repeat across its site. */
export function withoutRepeated(account: SourceAccount, url: string, repeated: readonly Block[]): SourceAccount {
  const texts = repeated.map(lettersText);
  const count = texts.reduce((sum, text) => sum + foldLetters(text, 0, text.length, () => {}), 0);
  if (count === 0) return account;
  const entry = {
    reason: 'repeated-header-or-footer',
    count,
    where: url,
    sample: quoteTextStart(texts.join(' ')),
  } as const;
  const delivered = Math.max(0, account.delivered - count);
  return { ...account, delivered, leftOut: boundedLeftOut([...account.leftOut, entry]) };
}

function lettersText(block: Block): string {
  return block.kind === 'table' ? block.rows.map((row) => row.join('\n')).join('\n') : block.text;
}
