import { EventSourceParserStream } from 'eventsource-parser/stream';
import createClient from 'openapi-fetch';

/** Longest wait in one request. The server allows 60 seconds. */
const WAIT_SECONDS = 30;

export class QuarryError extends Error {
  constructor(problem, fallback) {
    super(problem?.detail ?? problem?.message ?? fallback);
    this.name = 'QuarryError';
    this.code = problem?.code ?? 'internal';
    this.status = problem?.status ?? null;
    this.retryable = problem?.retryable ?? false;
    this.problem = problem ?? null;
  }
}

export function createQuarry({ url = 'http://127.0.0.1:8402', key, fetch } = {}) {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const api = createClient({ baseUrl: `${url.replace(/\/+$/, '')}/v1`, headers, fetch });

  /** Waits on the server's stream of the job: it ends after the last change. */
  async function finished(jobId, { signal, onProgress } = {}) {
    for (;;) {
      signal?.throwIfAborted();
      const events = await api.GET('/jobs/{jobId}/events', {
        params: { path: { jobId } },
        parseAs: 'stream',
        signal,
      });
      if (events.error !== undefined) throw new QuarryError(events.error, `Status ${events.response.status}`);
      if (events.data) await drain(events.data, onProgress);
      const { data: job, error, response } = await api.GET('/jobs/{jobId}', { params: { path: { jobId } }, signal });
      if (error !== undefined) throw new QuarryError(error, `Status ${response.status}`);
      if (job.status === 'failed') throw new QuarryError(job.error, 'The job failed.');
      if (job.status === 'completed') return job;
    }
  }

  /** Runs an operation to its end. Small inputs are answered with the first request. */
  async function run(path, body, { signal, onProgress } = {}) {
    const isForm = body instanceof FormData;
    const { data, error, response } = await api.POST(path, {
      body,
      ...(isForm && { bodySerializer: (form) => form }),
      headers: { Prefer: `wait=${onProgress === undefined ? WAIT_SECONDS : 0}` },
      signal,
    });
    if (error !== undefined) throw new QuarryError(error, `Status ${response.status}`);
    if (response.status !== 202) return data;
    if (data.status === 'completed' && data.result !== undefined) return data.result;
    return (await finished(data.jobId, { signal, onProgress })).result;
  }

  return { api, run, finished };
}

async function drain(stream, onProgress) {
  const events = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of events) {
    if (event !== 'job') continue;
    const { progress } = JSON.parse(data);
    if (progress !== undefined) onProgress?.(progress);
  }
}
