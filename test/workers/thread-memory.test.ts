import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { makeDocx, p } from '../documents/make-docx.ts';
import { repetitiveDocx } from '../harness/hostile-documents.ts';
import { openPool } from './run-task.ts';

const MIB = 2 ** 20;
const THREAD_MEMORY = new URL('../../workers/entry.ts', import.meta.url).href;

test('a thread is told to go for what it keeps, on its heap or in buffers, never for garbage', async () => {
  const answers = `
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(THREAD_MEMORY)}).then(({ holdsTooMuch }) => {
      const said = [holdsTooMuch()];
      let kept = Buffer.alloc(100 * ${MIB});
      said.push(holdsTooMuch());
      kept = null;
      said.push(holdsTooMuch());
      kept = Array.from({ length: 3_000_000 }, (_, index) => ({ index, list: [index] }));
      said.push(holdsTooMuch());
      kept = null;
      said.push(holdsTooMuch());
      parentPort.postMessage(said);
    });`;
  const thread = new Worker(answers, { eval: true });
  const [said] = (await once(thread, 'message')) as [boolean[]];
  await thread.terminate();
  expect(said).toEqual([false, true, false, true, false]);
});

test.each([
  ['20 MB of small paragraphs', repetitiveDocx('<w:p><w:r><w:t>a word or two</w:t></w:r></w:p>', 20 * MIB), undefined],
  ['190 MB of them', repetitiveDocx('<w:p><w:r><w:t>a word or two</w:t></w:r></w:p>', 190 * MIB), 'source_too_large'],
])('what %s left on the heap of a thread is given back before the thread rests', async (_what, bytes, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry memory '));
  const pool = openPool();
  try {
    const sourcePath = join(folder, 'source');
    const source = { sourcePath, kind: 'docx', fileName: 'a.docx', outputFolder: folder } as const;
    const input = { ...source, segmentLength: 1000, language: null, includeComments: false };
    const read = async (content: Buffer) => {
      writeFileSync(sourcePath, content);
      return pool.run('extract-document', input).then(
        () => undefined,
        (error: { code: string }) => error.code,
      );
    };
    expect(await read(makeDocx({ body: p('small') }))).toBe(undefined);
    const before = await pool.heapBytes();
    expect(await read(bytes)).toBe(code);
    expect((await pool.heapBytes()) - before).toBeLessThan(64 * MIB);
  } finally {
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
