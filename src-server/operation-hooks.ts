import { createHmac } from 'node:crypto';
import type { Engines } from './context.ts';
import { jobFiles } from './features/jobs/execute.ts';
import type { Service } from './features/jobs/service-ports.ts';
import { createSoundPeaks } from './features/media/waveform.ts';
import type { SearchRoom } from './features/search/service.ts';
import type { Operation } from './operation.ts';
import type { JobFolders } from './platform/files/job-folders.ts';
import { canonicalJson } from './platform/text/canonical-json.ts';
import { SECOND_MS } from './platform/units.ts';

/** Chunking is milliseconds; this only bounds what a huge document may take of a thread. */
const RECHUNK_LIMIT_MS = 30 * SECOND_MS;

/** A page is drawn in a tenth of a second; a hostile one is given up. */
const DRAW_LIMIT_MS = 20 * SECOND_MS;

/** Sharp on a screen, and small enough to turn pages quickly. */
const DRAWN_WIDTH_PIXELS = 1000;

/** What a request asks of the engines outside a job's run: before its payment, for its acceptance, of its result. */
export function operationHooks(
  { engines, idKey }: { engines: Engines; idKey: Buffer },
  folders: JobFolders,
  search: SearchRoom,
  baseUrl: () => string,
): Pick<Service, 'admit' | 'prepare' | 'rechunk' | 'drawPage' | 'soundPeaks' | 'deterministicId'> {
  const measurePeaks = createSoundPeaks(engines.tools.ffmpeg);
  return {
    admit: async (operation, request, accountId) => {
      const leave = await operation.admit?.(request as never, { ...engines, search, isOwner: accountId === 'owner' });
      return leave ?? (() => {});
    },
    prepare: async (operation, job, request, signal) => {
      // A payment's replay may find a job that has expired: its folder is gone for good.
      if (operation.prepare === undefined || job.purged_at !== null) return {};
      await folders.prepare(job.id);
      // Addresses are whole here: what an acceptance shows is not stored, so it cannot outlive the server's address.
      const files = jobFiles(folders, job.id, (name) => `${baseUrl()}/jobs/${job.id}/files/${name}`);
      return operation.prepare(request as never, { audio: engines.audio.portOf(job.account_id), files }, signal);
    },
    rechunk: (jobId, accountId, { segmentLength, language = null }) =>
      engines.pool.run(
        'rechunk-document',
        { folder: folders.filesOf(jobId), segmentLength, language },
        { accountId, timeLimitMs: RECHUNK_LIMIT_MS },
      ),
    drawPage: (jobId, page) =>
      engines.pool.run(
        'draw-page',
        { path: folders.sourceOf(jobId), page, widthPixels: DRAWN_WIDTH_PIXELS },
        { accountId: 'owner', timeLimitMs: DRAW_LIMIT_MS },
      ),
    soundPeaks: (jobId, language, signal) => measurePeaks(folders.sourceOf(jobId), signal, language),
    deterministicId: (prefix, accountId, request) => {
      const digest = createHmac('sha256', idKey).update(canonicalJson({ accountId, request })).digest();
      return `${prefix}_${digest.toString('base64url')}`;
    },
  };
}

/** A stored job may be of an operation that this version no longer has: it gets one attempt, which says so. */
export function runLimits(operations: readonly Operation[], id: string) {
  const operation = operations.find((candidate) => candidate.id === id);
  if (!operation) return { attempts: 1, baseDelaySeconds: 1, timeLimitSeconds: 60 };
  return { ...operation.retry, timeLimitSeconds: operation.timeLimitSeconds };
}
