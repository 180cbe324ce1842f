/**
 * How long `GET /jobs/{id}` takes: idle, and while every core parses 300-page documents (`latency-load.ts`). Parsing
 * lies in threads of its own, so a reader should hardly notice.
 * Beside it stands what the machine does to a bare server (`latency-floor.ts`).
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
/** A sample and its pause take less. */
const FLOOR_BUSY_MS_PER_SAMPLE = 10;

async function submit(server: ApplianceProcess, bytes: Uint8Array): Promise<string> {
  const headers = { prefer: 'wait=60' };
  const answer = await server.owner('/v1/extract/doc', { method: 'POST', body: fileForm(bytes, 'a.docx'), headers });
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { jobId: string }).jobId;
}

async function sample(ask: () => Promise<Response>): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < SAMPLES; n++) {
    const startedAt = performance.now();
    await (await ask()).arrayBuffer();
    samples.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return samples;
}

/** A bare server beside threads that are busy for as long as samples are taken. */
async function sampleFloor(bytes: number): Promise<{ idle: number[]; busy: number[] }> {
  const floor = fork(join(import.meta.dirname, 'latency-floor.ts'), [String(bytes)]);
  const [port] = (await once(floor, 'message')) as [number];
  const ask = () => fetch(`http://127.0.0.1:${port}/`);
  try {
    await sample(ask);
    const idle = await sample(ask);
    floor.send(SAMPLES * FLOOR_BUSY_MS_PER_SAMPLE);
    return { idle, busy: await sample(ask) };
  } finally {
    floor.disconnect();
  }
}

const server = await startApplianceProcess();
try {
  const jobId = await submit(server, wordDocument(['A short text.']));
  const ask = () => server.owner(`/v1/jobs/${jobId}`);
  await sample(ask);
  const idle = await sample(ask);
  const load = fork(join(import.meta.dirname, 'latency-load.ts'), [server.url, server.ownerToken]);
  await once(load, 'message');
  const busy = await sample(ask);
  load.send('over');
  const [parsed] = (await once(load, 'message')) as [number];
  const floor = await sampleFloor((await (await ask()).arrayBuffer()).byteLength);
  const row = (name: string, samples: number[]) => ({
    state: name,
    'p50 ms': percentile(samples, 0.5),
    'p99 ms': percentile(samples, 0.99),
    'max ms': Math.max(...samples),
  });
  printTable([
    row('idle', idle),
    row(`both cores parsing (${parsed} documents)`, busy),
    row('bare node:http, idle', floor.idle),
    row('bare node:http, both cores busy', floor.busy),
  ]);
  const ratioOf = (under: number[], calm: number[]) => percentile(under, 0.99) / percentile(calm, 0.99);
  const ratio = ratioOf(busy, idle);
  process.stdout.write(`the bare server's p99 grows ${ratioOf(floor.busy, floor.idle).toFixed(1)} times\n`);
  expectTarget(`p99 under load is at most ${RATIO_MAX} times the idle one (${ratio.toFixed(1)})`, ratio <= RATIO_MAX);
  expectTarget(`p99 under load is under ${P99_MAX_MS} ms`, percentile(busy, 0.99) < P99_MAX_MS);
} finally {
  await server[Symbol.asyncDispose]();
}
