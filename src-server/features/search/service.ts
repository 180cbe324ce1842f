import { extname } from 'node:path';
import type { Logger } from 'pino';
import { checkOperationId } from '../../known-operation.ts';
import type { Operation, SearchAdmission, SearchPort } from '../../operation.ts';
import type { Storage } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/schema.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { JobRow } from '../jobs/store.ts';
import { Embedder, type EmbeddingFigures } from './embedder.ts';
import type { Embeddings } from './embedding.ts';
import { Finder } from './finder.ts';
import { IndexWorker } from './index-worker.ts';
import { Indexer } from './indexer.ts';
import { SearchClient } from './search-client.ts';
import { endSharing, shareJob } from './search-shares.ts';

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
  return new URL(`../src-server/features/search/${name}${extname(workerEntry.pathname)}`, workerEntry);
}
