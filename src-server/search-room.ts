import { extname } from 'node:path';
import type { Logger } from 'pino';
import type { Embeddings } from './contract/embedding.ts';
import { checkOperationId } from './operations/known-operation.ts';
import type { Operation, SearchAdmission, SearchPort } from './operations/operation.ts';
import { Embedder, type EmbeddingFigures } from './search/embedder.ts';
import { Finder } from './search/finder.ts';
import { IndexWorker } from './search/index-worker.ts';
import { Indexer } from './search/indexer.ts';
import { SearchClient } from './search/search-client.ts';
import type { Storage } from './storage/connection.ts';
import type { JobFolders } from './storage/job-folders.ts';
import type { JobRow } from './storage/jobs-reader.ts';
import type { Tx } from './storage/schema.ts';
import { endSharing, shareJob } from './storage/search-shares.ts';

export interface SearchRoomParts {
  storage: Storage;
  /** File of the storage, for the connections of threads. */
  databasePath: string;
  /** The threads of search lie beside the workers: as source files, or their build. */
  workerEntry: URL;
  folders: JobFolders;
  embeddings: Embeddings;
  operations: readonly Operation[];
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
  start(): Promise<void>;
  close(): Promise<void>;
}

export function openSearchRoom(parts: SearchRoomParts): SearchRoom {
  const { storage, databasePath, workerEntry, folders, embeddings, operations, log } = parts;
  const embedder = new Embedder({ storage, embeddings, log });
  const onIndexed = () => embedder.kick();
  const index = new IndexWorker({
    storage,
    databasePath,
    jobsRoot: folders.root,
    entry: threadEntry('index-thread', workerEntry),
    onIndexed,
    log,
  });
  const indexer = new Indexer({ worker: index, onIndexed });
  const client = new SearchClient({ entry: threadEntry('search-thread', workerEntry), databasePath });
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
    admit: async (mode, { jobType }) => {
      checkOperationId(operations, 'filter.jobType', jobType);
      await finder.admit(mode);
    },
    portOf: (accountId) => ({ find: (query) => finder.find(accountId, query) }),
    figures: () => embedder.figures(),
    start: async () => {
      await indexer.start(storage.db);
      embedder.start();
    },
    close: async () => {
      await index.close();
      await embedder.close();
      await client.close();
    },
  };
}

function threadEntry(name: string, workerEntry: URL): URL {
  return new URL(`../src-server/search/${name}${extname(workerEntry.pathname)}`, workerEntry);
}
