import type { Block, NormalizedDocument } from './blocks.ts';
import { accountLetters, type LetterAccount } from './letter-account.ts';
import type { SourceLedger } from './source-ledger.ts';

/** Compares the blocks of a document with what its parser found in the source; null without a source. */
export function accountDocument(document: NormalizedDocument, ledger: SourceLedger): LetterAccount | null {
  if (ledger.source.length === 0) return null;
  return accountLetters({
    source: ledger.source,
    optional: ledger.optional,
    delivered: document.blocks.flatMap(textsOf),
    beside: [...besideBlocks(document), ...ledger.beside],
    leftOut: ledger.leftOut,
  });
}

/** The texts of a block: its own, or those of its cells. */
export function textsOf(block: Block): string[] {
  return block.kind === 'table' ? block.rows.flat() : [block.text];
}

/** What the result holds outside the text of its blocks. */
function besideBlocks(document: NormalizedDocument): string[] {
  const texts = [document.title ?? '', document.author ?? ''];
  for (const block of document.blocks) {
    if ('marker' in block) texts.push(block.marker);
    if ('images' in block) for (const { alt } of block.images ?? []) texts.push(alt);
    if ('marks' in block) for (const { alt } of block.marks ?? []) if (alt !== undefined) texts.push(alt);
  }
  for (const { author, text } of document.comments) texts.push(author ?? '', text);
  for (const { author, text } of document.changes) texts.push(author ?? '', text);
  return texts.filter((text) => text !== '');
}
