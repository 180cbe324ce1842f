/** The only thread that writes search.db, so that no other connection waits for its lock. */

import { workerData } from 'node:worker_threads';
import { openReader, openSecondStorage } from '../../platform/db/database.ts';
import { JobFolders } from '../../platform/files/job-folders.ts';
import { standBackThread } from '../../platform/process/bound-process.ts';
import { ownerLine } from '../../platform/rpc/lines.ts';
import { serveMethods } from '../../platform/rpc/rpc.ts';
import { catchDamage } from './found.ts';
import { type IndexApi, IndexWriter } from './index-writer.ts';
import { TopicWriter } from './topic-writer.ts';

export interface IndexThreadData {
  databasePath: string;
  indexPath: string;
  /** Folder of the jobs' folders, for the files of chunks. */
  jobsRoot: string;
}

// Parsing has priority over indexing.
standBackThread();

const { databasePath, indexPath, jobsRoot } = workerData as IndexThreadData;

const folders = new JobFolders(jobsRoot);

const main = openReader(databasePath);

// An entry is deleted from the main database once it is in the index, so a power cut must not remove it from the index.
const index = openSecondStorage(indexPath, { synchronous: 'FULL' });

const writer = new IndexWriter({ index, main: main.db, chunksPathOf: (jobId) => folders.chunksFolderPath(jobId) });

const topics = new TopicWriter(index, main.db);

const api: IndexApi = {
  apply: (entries) => writer.apply(entries),
  writeVectors: (model, vectors) => writer.writeVectors(model, vectors),
  topicStep: () => catchDamage(() => topics.stepTopics()),
  sampleTerms: (accountId) => topics.sampleAccountTerms(accountId),
  keepTopics: (learned) => catchDamage(() => topics.keepLearnedTopics(learned)),
};

serveMethods<IndexApi>(api, ownerLine, async () => {
  await writer.closeIndexWriter();
  index.close();
  main.close();
});
