/** Resident memory of a server, and of all that it starts, while it runs a job. */
import { readFile } from 'node:fs/promises';
import type { startApplianceProcess } from '../test/harness/appliance-process.ts';
import { descendantsOf } from '../test/harness/child-processes.ts';
import { submit, type TranscriptJob } from '../test/harness/speech.ts';

export type Server = Awaited<ReturnType<typeof startApplianceProcess>>;

const POLL_MS = 100;

export async function begin(server: Server, bytes: Buffer, name: string, options: object = {}): Promise<string> {
  const answer = await submit(server, bytes, name, options);
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { jobId: string }).jobId;
}

export async function read(server: Server, jobId: string): Promise<TranscriptJob> {
  return (await (await server.owner(`/v1/jobs/${jobId}`)).json()) as TranscriptJob;
}

/** Nothing of a process that ends between two looks. */
async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Of all that the server has started: FFmpeg's libraries, the recogniser. */
async function startedMb({ pid }: Server): Promise<number> {
  const each = await Promise.all(descendantsOf(pid).map(residentMb));
  return each.reduce((sum, megabytes) => sum + megabytes, 0);
}

/** The highest resident memory while the job ran, and how long it took. */
export async function memoryOf(server: Server, bytes: Buffer, name: string, options: object = {}) {
  const startedAt = performance.now();
  const jobId = await begin(server, bytes, name, options);
  let peak = 0;
  let startedPeak = 0;
  for (let job = await read(server, jobId); job.status !== 'completed'; job = await read(server, jobId)) {
    if (job.status === 'failed') throw new Error(JSON.stringify(job.error));
    peak = Math.max(peak, await residentMb(server.pid));
    startedPeak = Math.max(startedPeak, await startedMb(server));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const { media, transcript, speakers } = (await read(server, jobId)).result ?? {};
  return {
    sound: `${Math.round((media?.durationSeconds ?? 0) / 60)} min`,
    'of it speech, min': (media?.speechSeconds ?? 0) / 60,
    words: transcript?.words ?? 0,
    ...(speakers === undefined ? {} : { speakers: speakers.length }),
    'took, s': (performance.now() - startedAt) / 1000,
    'server at most, MB': peak,
    'what it started, MB': startedPeak,
  };
}
