import type { SourceAccount } from '../../src-server/platform/source-account.ts';
import { type Said, say } from '../../src-server/platform/text/say.ts';
import type { Block, NormalizedDocument } from './blocks.ts';
import { accountLetters, mergeAccounts } from './letter-account.ts';
import type { SourceLedger } from './source-ledger.ts';

export interface DocumentAccount {
  account: SourceAccount;
  warnings: readonly Said[];
}

/**
 * Compares the blocks of a document with what was found in its source. Workbooks are counted in cells, all others in
 * letters.
 */
export function accountDocument(document: NormalizedDocument, ledger: SourceLedger): DocumentAccount {
  if (ledger.source.length === 0 && ledger.cells.length > 0) {
    return { account: mergeAccounts(ledger.cells), warnings: ledger.warnings };
  }
  const isCounted = ({ part }: Block) => part === undefined || !ledger.uncounted.has(part);
  // Without a count there is nothing to compare with, which the ledger says.
  const blocks = ledger.source.length === 0 ? [] : document.blocks.filter(isCounted);
  const { account, warnings } = accountLetters({
    source: ledger.source,
    optional: ledger.optional,
    delivered: blocks.flatMap(blockTexts),
    beside: [...besideBlocks(document), ...ledger.beside],
    leftOut: ledger.leftOut,
  });
  return { account, warnings: [...ledger.warnings, ...warnings, ...unsupportedWarnings(account)] };
}

/** Letters of a part that is not read, without a warning of its own. */
const UNSUPPORTED_MAX = 20;

function unsupportedWarnings({ leftOut }: SourceAccount): Said[] {
  return leftOut
    .filter(({ reason, count }) => reason === 'unsupported-part' && count > UNSUPPORTED_MAX)
    .map(({ where, count, sample }) => say`${where}: a part with ${count} letters is not read, at “${sample ?? ''}”.`);
}

/** The texts of a block: its own, or those of its cells. */
export function blockTexts(block: Block): string[] {
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
