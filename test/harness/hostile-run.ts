/** Sends files to a whole appliance and says how each ended. */
import { readFileSync } from 'node:fs';
import type { Job } from '../../src-server/features/jobs/schema.ts';
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
const MIB = 2 ** 20;
const WARM_ROUNDS_MIN = 2;
const WARM_ROUNDS_MAX = 8;
const WARM_GROWTH_BYTES = 16 * MIB;
/** Emptied pages go back within ten seconds; a loaded machine may take its time. */
const REST_LIMIT_MS = 300_000;

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
  /** The most since the process began. */
  peakBytes: number;
}

/** A process's memory as Linux tells it. */
export function residentMemory(pid: number): ResidentMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytesOf = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * KIB;
  return { bytes: bytesOf('VmRSS'), peakBytes: bytesOf('VmHWM') };
}

/**
 * What a server holds that is at work: rounds of honest documents until one leaves no more behind than the round
 * before. Until then threads load their engines, more of them where there are more threads.
 */
export async function memoryAtWork(server: ApplianceProcess, honest: readonly HostileFile[]): Promise<number> {
  let before = 0;
  for (let round = 1; ; round += 1) {
    const unread = (await endingsOf(server, honest)).filter(({ how }) => how !== 'completed');
    if (unread.length > 0) throw new Error(`Honest documents were not read: ${unread.map(({ name }) => name)}.`);
    const { bytes } = residentMemory(server.pid);
    if (round >= WARM_ROUNDS_MAX || (round >= WARM_ROUNDS_MIN && bytes - before < WARM_GROWTH_BYTES)) return bytes;
    before = bytes;
  }
}

/**
 * Looks until the process holds no more than `maxBytes`: V8 keeps emptied pages for some seconds, and collects the rest
 * when it finds time. Gives the last look where that does not happen.
 */
export async function memoryAtRest(pid: number, maxBytes: number): Promise<ResidentMemory> {
  const deadline = performance.now() + REST_LIMIT_MS;
  for (;;) {
    const memory = residentMemory(pid);
    if (memory.bytes <= maxBytes || performance.now() > deadline) return memory;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
