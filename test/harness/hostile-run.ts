/** Sends files to a whole appliance and says how each ended. */
import { readFileSync } from 'node:fs';
import type { Job } from '../../src-server/contract/index.ts';
import type { ApplianceProcess } from './appliance-process.ts';
import type { HostileFile } from './hostile-documents.ts';
import { fileForm, finished } from './jobs.ts';

export interface Ending {
  name: string;
  /** `refused` before a job was made; the others are the job's last status. */
  how: 'refused' | 'completed' | 'failed';
  /** The error's code; for what was refused, its HTTP status. */
  code: string | null;
  seconds: number;
}

const KIB = 1024;
/** So many files at a time: more than there are threads, so that some wait. */
const CLIENTS = 4;
/** Attempts and their pauses included; it only ends a run that would hang. */
const JOB_LIMIT_MS = 600_000;
const FULL = 429;
const PAUSE_MS = 500;

/** How each file ended, in the order of `files`. Throws where the server no longer answers or a job never ends. */
export async function endingsOf(server: ApplianceProcess, files: readonly HostileFile[]): Promise<Ending[]> {
  const endings: Ending[] = [];
  let next = 0;
  const client = async () => {
    for (let at = next++; at < files.length; at = next++)
      endings[at] = await endingOf(server, files[at] as HostileFile);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return endings;
}

async function endingOf(server: ApplianceProcess, { name, bytes }: HostileFile): Promise<Ending> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  for (;;) {
    const init = { method: 'POST', body: fileForm(bytes, name), headers: { prefer: 'wait=0' } };
    const answer = await server.owner('/v1/extract/doc', init);
    if (answer.status === FULL) {
      await answer.arrayBuffer();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      continue;
    }
    if (answer.status !== 202) {
      const { detail } = (await answer.json()) as { detail?: string };
      if (answer.status >= 500 || detail === undefined) throw new Error(`${name}: ${answer.status} ${detail}`);
      return { name, how: 'refused', code: String(answer.status), seconds: seconds() };
    }
    const { jobId } = (await answer.json()) as { jobId: string };
    const job: Job = await finished(server.owner, jobId, JOB_LIMIT_MS);
    return { name, how: job.status as Ending['how'], code: job.error?.code ?? null, seconds: seconds() };
  }
}

export interface ResidentMemory {
  bytes: number;
  /** The most since the process began or `forgetPeak` was called. */
  peakBytes: number;
}

/** A process's memory as Linux tells it. */
export function residentMemory(pid: number): ResidentMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytesOf = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * KIB;
  return { bytes: bytesOf('VmRSS'), peakBytes: bytesOf('VmHWM') };
}
