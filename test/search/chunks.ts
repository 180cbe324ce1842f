import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INDEX_MIGRATIONS } from '../../src-server/features/search/migrations.ts';
import { insertChunk } from '../../src-server/features/search/store.ts';
import { indexedWordsOf } from '../../src-server/features/search/words.ts';
import { openStorage, type Storage } from '../../src-server/platform/db/database.ts';

export const ACCOUNT = 'account';

export type Given = string | { text: string; heading: string };

/** A search index of its own in a temporary folder. */
export async function temporaryIndex(): Promise<{ storage: Storage; path: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry test '));
  const path = join(folder, 'search.db');
  const storage = await openStorage(path, { migrations: INDEX_MIGRATIONS });
  return {
    storage,
    path,
    [Symbol.asyncDispose]: async () => {
      storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Puts chunks of one job into the index; their ids are their numbers, from 0. */
export function addChunks(storage: Storage, given: readonly Given[], accountId = ACCOUNT): void {
  storage.transaction((tx) => {
    for (const [number, one] of given.entries()) {
      const { text, heading } = typeof one === 'string' ? { text: one, heading: null } : one;
      const row = {
        account_id: accountId,
        job_id: `job of ${accountId}`,
        job_type: 'crawl',
        contribution_id: null,
        chunk_id: String(number),
        kind: 'text',
        language: null,
        page: 1,
        heading,
        url: null,
        source_name: null,
        start_seconds: null,
        text,
        original_text: null,
      };
      insertChunk(tx, row, indexedWordsOf(row));
    }
  });
}
