/**
 * How long `GET /jobs/{id}` takes: idle, and while every core parses 300-page documents (`latency-load.ts`). Parsing
 * lies in threads of its own, so a reader should hardly notice.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type ApplianceProcess, startApplianceProcess } from '../test/harness/appliance-process.ts';
import { wordDocument } from '../test/harness/documents.ts';
import { fileForm } from '../test/harness/jobs.ts';
import { expectTarget, percentile, printTable } from './figures.ts';

const SAMPLES = 1000;
const PAUSE_MS = 4;
const RATIO_MAX = 5;
const P99_MAX_MS = 50;

async function submit(server: ApplianceProcess, bytes: Uint8Array): Promise<string> {
  const headers = { prefer: 'wait=60' };
  const answer = await server.owner('/v1/extract/doc', { method: 'POST', body: fileForm(bytes, 'a.docx'), headers });
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { jobId: string }).jobId;
}

async function sample(server: ApplianceProcess, jobId: string): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < SAMPLES; n++) {
    const startedAt = performance.now();
    await (await server.owner(`/v1/jobs/${jobId}`)).arrayBuffer();
    samples.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return samples;
}

const server = await startApplianceProcess();
try {
  const jobId = await submit(server, wordDocument(['A short text.']));
  await sample(server, jobId);
  const idle = await sample(server, jobId);
  const load = fork(join(import.meta.dirname, 'latency-load.ts'), [server.url, server.ownerToken]);
  await once(load, 'message');
  const busy = await sample(server, jobId);
  load.send('over');
  const [parsed] = (await once(load, 'message')) as [number];
  const row = (name: string, samples: number[]) => ({
    state: name,
    'p50 ms': percentile(samples, 0.5),
    'p99 ms': percentile(samples, 0.99),
    'max ms': Math.max(...samples),
  });
  printTable([row('idle', idle), row(`both cores parsing (${parsed} documents)`, busy)]);
  const ratio = percentile(busy, 0.99) / percentile(idle, 0.99);
  expectTarget(`p99 under load is at most ${RATIO_MAX} times the idle one (${ratio.toFixed(1)})`, ratio <= RATIO_MAX);
  expectTarget(`p99 under load is under ${P99_MAX_MS} ms`, percentile(busy, 0.99) < P99_MAX_MS);
} finally {
  await server[Symbol.asyncDispose]();
}
