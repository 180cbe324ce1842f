import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Client } from './appliance.ts';

const POLL_MS = 25;
/** Of the time that was waited: who asks the more seldom, the longer it takes, stays within a plan's requests a minute. */
const POLL_SHARE = 1 / 20;
const DEFAULT_WAIT_MS = 600_000;

/** Reads a job until it is terminal. The bound only ends a test that would hang; no guarantee rests on it. */
export async function finished(client: Client, jobId: string, waitMs = DEFAULT_WAIT_MS): Promise<Job> {
  const began = performance.now();
  for (;;) {
    const answer = await client(`/v1/jobs/${jobId}`);
    if (answer.status !== 200) throw new Error(`GET /jobs/${jobId} answered ${answer.status}: ${await answer.text()}`);
    const job = (await answer.json()) as Job;
    if (job.status === 'completed' || job.status === 'failed') return job;
    const waited = performance.now() - began;
    if (waited > waitMs) throw new Error(`Job ${jobId} is still ${job.status} (${job.progress.message}).`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(POLL_MS, waited * POLL_SHARE)));
  }
}

/** A multipart body with one file. */
export function fileForm(
  content: Uint8Array | string,
  fileName: string,
  fields: Record<string, string> = {},
): FormData {
  const form = new FormData();
  const part = typeof content === 'string' ? content : new Uint8Array(content);
  form.set('file', new Blob([part]), fileName);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

/** The body of an answer that must be a success; otherwise an error with the path and what was answered. */
export async function okJson<Value>(client: Client, path: string, init?: RequestInit): Promise<Value> {
  const answer = await client(path, init);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Value;
}
