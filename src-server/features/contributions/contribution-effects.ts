import type { Chunk } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/schema.ts';
import type { JobChanges } from '../jobs/changes.ts';
import { changeJob, writeResult } from '../jobs/jobs-writer.ts';
import { jobById, resultOf } from '../jobs/store.ts';
import { PUBLIC_ACCOUNT, wordsOf } from '../search/scope.ts';
import { deleteChunksOfContribution, insertChunk, replaceText } from '../search/search-writer.ts';
import { chunksById, indexingOf } from '../search/store.ts';
import { correctedChunk } from './corrected-chunk.ts';
import type { ChunkEvidence, ContributionEffects } from './effects.ts';
import type { ContributionRow } from './store.ts';

const JOB_TYPE = 'contribution';

export interface EffectsParts {
  storage: Storage;
  clock: Clock;
  changes: JobChanges;
}

/** What approved contributions change: the job's result, and what search finds. */
export function contributionEffects({ storage, clock, changes }: EffectsParts): ContributionEffects {
  return {
    chunkOf: async (tx, jobId, chunkId) => evidenceOf((await chunksById(tx ?? storage.db, jobId, chunkId))[0]),
    awaitsChunks: async (tx, jobId) => (await indexingOf(tx, jobId))?.state === 'waiting',
    correct: async (tx, jobId, chunkId, text) => {
      for (const row of await chunksById(tx, jobId, chunkId)) {
        const original = row.original_text ?? row.text;
        const shown = text ?? original;
        const change = { text: shown, originalText: text === null ? null : original };
        await replaceText(tx, row.seq, change, wordsOf({ ...row, text: shown }));
      }
      await correctResult(tx, jobId, chunkId, text, clock.now());
    },
    corrected: (jobId) => changes.changed(jobId),
    publish: async (tx, contribution) => {
      const row = searchRowOf(contribution);
      await insertChunk(tx, row, wordsOf(row));
    },
    withdraw: (tx, contributionId) => deleteChunksOfContribution(tx, contributionId),
  };
}

function evidenceOf(row: Awaited<ReturnType<typeof chunksById>>[number] | undefined): ChunkEvidence | null {
  if (row === undefined) return null;
  const { text, heading, page, url } = row;
  return { text, originalText: row.original_text, heading, page, url, jobType: row.job_type };
}

/** The chunk in the stored result says what it should; what it said first is kept beside. */
async function correctResult(tx: Tx, jobId: string, chunkId: string, text: string | null, now: number): Promise<void> {
  const job = await jobById(tx, jobId);
  const stored = await resultOf(tx, jobId);
  if (job === undefined || stored === null) return;
  const result = JSON.parse(stored.body) as { chunks?: Chunk[] };
  const chunks = result.chunks?.map((chunk) => (chunk.id === chunkId ? correctedChunk(chunk, text) : chunk));
  if (chunks === undefined) return;
  // Chunks that stand in a file alone are corrected there.
  await writeResult(tx, jobId, { ...stored, body: JSON.stringify({ ...result, chunks }) });
  await changeJob(tx, job.seq, {}, now);
}

/** A contribution is found by everybody, so it names no job. */
function searchRowOf(contribution: ContributionRow) {
  return {
    account_id: PUBLIC_ACCOUNT,
    job_id: null,
    job_type: JOB_TYPE,
    contribution_id: contribution.id,
    chunk_id: contribution.id,
    kind: contribution.kind,
    language: null,
    page: 1,
    heading: null,
    url: contribution.url,
    source_name: contribution.author,
    start_seconds: null,
    text: contribution.text,
    original_text: null,
  };
}
