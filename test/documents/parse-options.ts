import type { NormalizedDocument, ParseOptions } from '../../workers/documents/blocks.ts';
import { SourceLedger } from '../../workers/documents/source-ledger.ts';

/** Options for a parser under test: nothing is cancelled, progress goes nowhere. */
export function parseOptions(options: Partial<ParseOptions> = {}): ParseOptions {
  return {
    fileName: null,
    language: null,
    includeComments: false,
    ledger: new SourceLedger(),
    signal: new AbortController().signal,
    progress() {
      // Tests read the document, not its progress.
    },
    ...options,
  };
}

/** Blocks in one line each, as a test compares them. */
export function outline({ blocks }: NormalizedDocument): string[] {
  return blocks.map((block) => {
    if (block.kind === 'table') return `table ${JSON.stringify(block.rows)}`;
    if (block.kind === 'heading') return `h${block.level} ${block.text}`;
    if (block.kind === 'list-item') return `${'  '.repeat(block.depth)}${block.marker} ${block.text}`;
    if (block.kind === 'note') return `note ${block.marker} ${block.text}`;
    return `${block.kind} ${block.text}`;
  });
}
