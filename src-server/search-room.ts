import { extname } from 'node:path';
import type { Logger } from 'pino';
import type { Embeddings } from './contract/embedding.ts';
import type { SearchAdmission, SearchPort } from './operations/operation.ts';
import { Embedder, type EmbeddingFigures } from './search/embedder.ts';
import { Finder } from './search/finder.ts';
import { Indexer } from './search/indexer.ts';
import { SearchClient } from './search/search-client.ts';
import type { Storage } from './storage/connection.ts';
import type { JobFolders } from './storage/job-folders.ts';
import type { JobRow } from './storage/jobs-reader.ts';
import type { Tx } from './storage/schema.ts';
import { endSharing, shareJob } from './storage/search-shares.ts';

export interface SearchRoomParts {
  storage: Storage;
  /** File of the storage, for the connection that only reads. */
  databasePath: string;
  /** The thread that searches lies beside the workers: as a source file, or its build. */
  workerEntry: URL;
  folders: JobFolders;
  embeddings: Embeddings;
  log: Logger;
}

/** Everything of search in one environment. */
export interface SearchRoom {
  /** In the transaction that ends a job. */
  onTerminal: Indexer['onTerminal'];
  /** In the transaction that removes a job's result. */
  onRemoved(tx: Tx, jobId: string): Promise<void>;
  /** In the transaction that gives an account a job of somebody else. */
  share(tx: Tx, accountId: string, job: JobRow): Promise<void>;
  /** There may be something to index, or to embed. */
  kick(): void;
  /** Before a search is paid for. */
  admit: SearchAdmission['admit'];
  portOf(accountId: string): SearchPort;
  figures(): Promise<EmbeddingFigures>;
  start(): void;
  close(): Promise<void>;
}

export function openSearchRoom(parts: SearchRoomParts): SearchRoom {
  const { storage, databasePath, workerEntry, folders, embeddings, log } = parts;
  const embedder = new Embedder({ storage, embeddings, log });
  const indexer = new Indexer({
    storage,
    chunksPathOf: (jobId) => folders.fileOf(jobId, 'chunks.jsonl'),
    onIndexed: () => embedder.kick(),
    log,
  });
  const entry = new URL(`../src-server/search/search-thread${extname(workerEntry.pathname)}`, workerEntry);
  const client = new SearchClient({ entry, databasePath });
  const finder = new Finder({ storage, client, embeddings, onSemantic: () => embedder.kick() });
  return {
    onTerminal: (tx, job, result) => indexer.onTerminal(tx, job, result),
    onRemoved: async (tx, jobId) => {
      await indexer.onRemoved(tx, jobId);
      await endSharing(tx, jobId);
    },
    share: async (tx, accountId, job) => {
      if (job.account_id !== accountId) await shareJob(tx, accountId, job.id);
    },
    kick: () => indexer.kick(),
    admit: (mode) => finder.admit(mode),
    portOf: (accountId) => ({ find: (query) => finder.find(accountId, query) }),
    figures: () => embedder.figures(),
    start: () => {
      indexer.kick();
      embedder.start();
    },
    close: async () => {
      await indexer.close();
      await embedder.close();
      await client.close();
    },
  };
}
