import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Chunk } from '../../src-server/operation.ts';
import type { TaskName } from '../../src-server/platform/pool/worker-pool.ts';
import type { ExtractDocumentInput } from '../../workers/documents/tasks.ts';
import { makeDocx, p } from '../documents/make-docx.ts';
import { openPool, type TaskPool } from './run-task.ts';

let folder: string;
let pool: TaskPool;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry tasks '));
  pool = openPool();
});
afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

function sourceOf(bytes: Buffer, overrides: Partial<ExtractDocumentInput> = {}): ExtractDocumentInput {
  const sourcePath = join(folder, 'source');
  writeFileSync(sourcePath, bytes);
  return {
    ...{ sourcePath, kind: 'docx', fileName: 'a.docx', outputFolder: folder, segmentLength: 200 },
    ...{ language: null, includeComments: false },
    ...overrides,
  };
}

describe('a document in a pool thread', () => {
  const body = Array.from({ length: 20 }, (_, index) => p(`Paragraph ${index} says something about itself.`)).join('');

  test('gives chunks and facts, and leaves the four files that belong together', async () => {
    const percents: number[] = [];
    const output = await pool.run('extract-document', sourceOf(makeDocx({ body })), {
      onMessage: (message) => {
        if ('progress' in message) percents.push(message.progress.percent);
      },
    });
    expect(output.document).toMatchObject({ format: 'docx', pages: 1, words: 120, revisions: 'none' });
    expect(output).not.toHaveProperty('comments');
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const text = read('document.txt');
    expect(output.document.characters).toBe(text.length);
    expect(output.chunks.map((chunk) => text.slice(chunk.startOffset, chunk.endOffset))).toEqual(
      output.chunks.map((chunk) => chunk.text),
    );
    const lines = read('chunks.jsonl').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Chunk)).toEqual(output.chunks);
    expect(read('document.md')).toContain('Paragraph 19 says something');
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    // How many there are depends on how long it takes: what is done in a moment says that it has begun.
    expect(percents.length).toBeGreaterThan(0);
  });

  test('chunks made anew equal those of a whole extraction, without the source', async () => {
    const source = sourceOf(makeDocx({ body }), { segmentLength: 80 });
    const { chunks } = await pool.run('extract-document', source);
    await pool.run('extract-document', { ...source, segmentLength: 900 });
    rmSync(source.sourcePath);
    const again = await pool.run('rechunk-document', { folder, segmentLength: 80, language: null });
    expect(again.chunks).toEqual(chunks);
  });

  test('a job without a normalised document cannot be chunked anew, and says so', async () => {
    const input = { folder: join(folder, 'nowhere'), segmentLength: 80, language: null };
    await expect(pool.run('rechunk-document', input)).rejects.toMatchObject({ name: 'QuarryError', code: 'not_found' });
  });

  test('a document without text is no failure, but is said', async () => {
    const { chunks, warnings } = await pool.run('extract-document', sourceOf(makeDocx({ body: '<w:p/>' })));
    expect({ chunks, warnings }).toEqual({ chunks: [], warnings: ['The document has no text.'] });
  });

  test('comments and changes are given when asked for, also when there are none', async () => {
    const output = await pool.run('extract-document', sourceOf(makeDocx({ body }), { includeComments: true }));
    expect(output).toMatchObject({ comments: [], changes: [] });
  });
});

describe('what goes wrong in a thread', () => {
  test.each([
    ['empty', 'corrupt_input'],
    ['old-word', 'unsupported_media'],
    ['video', 'unsupported_media'],
  ] as const)('a file of kind %s fails with %s', async (kind, code) => {
    const failure = pool.run('extract-document', sourceOf(Buffer.from('x'), { kind }));
    await expect(failure).rejects.toMatchObject({ name: 'QuarryError', code });
  });

  test('an error keeps its code, its public sentence and its private cause across the thread', async () => {
    const failure = pool.run('extract-document', sourceOf(Buffer.from('no zip')));
    await expect(failure).rejects.toMatchObject({
      name: 'QuarryError',
      code: 'corrupt_input',
      message: expect.stringMatching(/damaged/),
      cause: expect.stringMatching(/end of central directory/i),
    });
  });

  test('an error nobody threw on purpose is internal and shows no path', async () => {
    const input = sourceOf(makeDocx({ body: p('x') }), { outputFolder: join(folder, 'is not there') });
    const error = (await pool.run('extract-document', input).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ name: 'QuarryError', code: 'internal' });
    expect(error.message).not.toContain('/');
    expect(String(error.cause)).toContain('ENOENT');
  });

  test('a task nobody knows is refused', async () => {
    const failure = pool.run('toString' as TaskName, sourceOf(Buffer.from('x')));
    await expect(failure).rejects.toMatchObject({ code: 'internal' });
  });

  test('a cancel that is there already stops the task before it begins', async () => {
    const failure = pool.run('extract-document', sourceOf(makeDocx({ body: p('x') })), { cancelled: true });
    await expect(failure).rejects.toMatchObject({ name: 'QuarryError', code: 'cancelled' });
  });

  test('a cancel reaches a parser that never gives up its thread, which serves the next task', async () => {
    const rows = '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>'.repeat(150_000);
    let said = 0;
    const failure = pool.run('extract-document', sourceOf(makeDocx({ body: rows })), {
      onMessage: (message, cancel) => {
        if (!('progress' in message)) return;
        said += 1;
        cancel();
      },
    });
    await expect(failure).rejects.toMatchObject({ code: 'cancelled' });
    expect(said).toBe(1);
    const next = await pool.run('extract-document', sourceOf(makeDocx({ body: p('next') })));
    expect(next.chunks[0]?.text).toBe('next');
  });
});
