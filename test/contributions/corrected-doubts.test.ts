/** A doubt about a line of a document says that a person has corrected it, and only that one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Chunk } from '../../src-server/operation.ts';
import { correctResult } from '../../workers/contributions/correct-result.ts';
import type { NormalizedDocument } from '../../workers/documents/blocks.ts';
import { finishDocument } from '../../workers/documents/finish-document.ts';
import { SourceLedger } from '../../workers/documents/source-ledger.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const LONG = `Tbe keeqer counted ${'many and '.repeat(12)}more lamps.`;

test('of a short line, a long one and a row of a table', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-doubts-'));
  try {
    const block = (text: string, page: number) => ({ kind: 'paragraph', text, page }) as const;
    const quoted = ['Short l1ne.', `${LONG.slice(0, 79)}…`, 'Vardo sevem', 'Short l1ne.'];
    const doubts = quoted.map((quote, index) => {
      return { reason: 'unlikely-letters' as const, quote, page: index === 3 ? 2 : 1 };
    });
    const rows = [
      ['Port', 'Lamps'],
      ['Vardo', 'sevem'],
    ];
    const document = {
      ...{ format: 'pdf', title: null, author: null, pages: 2, language: 'en', revisions: 'none' },
      ...{ comments: [], changes: [], warnings: [], doubts },
      blocks: [block('Short l1ne.', 1), block(LONG, 1), { kind: 'table', rows, page: 1 }, block('Short l1ne.', 2)],
    } as unknown as NormalizedDocument;
    const origin = { fileName: 'a.pdf', sha256: 'ab'.repeat(32) };
    const options = { outputFolder: folder, segmentLength: 60, language: 'en', includeComments: false, origin };
    const { chunks } = finishDocument(document, { ...options, ledger: new SourceLedger() }, () => {});
    const result = JSON.stringify({ chunks, document: {}, doubts, warnings: [] });
    const settled = async (from: string, to: string) => {
      const chunk = chunks.find(({ text }) => text.includes(from)) as Chunk;
      const corrections = [[chunk.id, chunk.text.replace(from, to)]] as [string, string][];
      const output = await correctResult({ folder, result, corrections, annotations: [] }, UNWATCHED as never);
      const shown = JSON.parse(output.result) as { doubts: { isCorrected?: true }[] };
      const back = await correctResult(
        { folder, result: output.result, corrections: [], annotations: [] },
        UNWATCHED as never,
      );
      expect(JSON.parse(back.result)).toMatchObject({ doubts });
      expect(JSON.stringify(JSON.parse(back.result))).not.toContain('isCorrected');
      return shown.doubts.map(({ isCorrected = false }) => isCorrected);
    };
    expect(await settled('l1ne', 'line')).toEqual([true, false, false, false]);
    expect(await settled('Tbe keeqer', 'The keeper')).toEqual([false, true, false, false]);
    expect(await settled('sevem', 'seven')).toEqual([false, false, true, false]);
    expect(await settled('Lamps', 'Lights')).toEqual([false, false, false, false]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
