/** The threads that search: what they may do, and what becomes of a search whose thread dies. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openSearchConnection } from '../../src-server/features/search/search-connection.ts';
import { SearchClient } from '../../src-server/features/search/service.ts';
import { ACCOUNT, addChunks, temporaryIndex } from './chunks.ts';

const NO_JOBS = { shared: [], removed: [] };

const REQUEST = {
  accountId: ACCOUNT,
  jobs: NO_JOBS,
  query: 'tide',
  limit: 10,
  filter: {},
  lexical: true,
  vector: null,
};

test('the connection that searches can compare vectors, and cannot write', async () => {
  await using database = await temporaryIndex();
  const connection = openSearchConnection(database.path);
  expect(connection.vectorsMissing).toBeNull();
  expect(() => connection.db.runStatement(sql`delete from search_chunks`)).toThrow(/readonly|outside a transaction/);
  connection.close();
});

test('a search whose thread dies fails by its code, and the next one starts another thread', async () => {
  await using database = await temporaryIndex();
  addChunks(database.storage, ['tide']);
  // Dies at its first question, and searches from its second start on.
  const entry = join(dirname(database.path), 'thread.ts');
  const thread = new URL('../../src-server/features/search/search-thread.ts', import.meta.url);
  await writeFile(
    entry,
    `import { existsSync, writeFileSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    const mark = new URL('died', import.meta.url);
    if (existsSync(mark)) await import(${JSON.stringify(thread.href)});
    else parentPort.on('message', () => { writeFileSync(mark, ''); throw new Error('It dies.'); });`,
  );
  const client = new SearchClient({ entry: pathToFileURL(entry), indexPath: database.path });
  await expect(client.searchIndex(REQUEST)).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
  expect((await client.searchIndex(REQUEST)).results).toHaveLength(1);
  await client.closeSearchClient();
});

test('searches that are asked for at once are each answered with their own', async () => {
  await using database = await temporaryIndex();
  const texts = Array.from({ length: 50 }, (_, number) => `number${number} of many`);
  addChunks(database.storage, texts);
  const entry = new URL('../../src-server/features/search/search-thread.ts', import.meta.url);
  const client = new SearchClient({ entry, indexPath: database.path });
  const asked = texts.map((_, number) => client.searchIndex({ ...REQUEST, query: `number${number}`, limit: 1 }));
  const found = (await Promise.all(asked)).map(({ results }) => results[0]?.text);
  expect(found).toEqual(texts);
  await client.closeSearchClient();
});

test('searches for which the system gives no thread fail by their code, however often, and leave nothing waiting', async () => {
  const client = new SearchClient({ entry: new URL('http://127.0.0.1/no-thread'), indexPath: 'none' });
  const codes = new Set<string>();
  for (let asked = 0; asked < 200; asked += 1) {
    await client.searchIndex(REQUEST).catch(({ code }: { code: string }) => codes.add(code));
  }
  expect([...codes]).toEqual(['engine_failed']);
  await client.closeSearchClient();
});
