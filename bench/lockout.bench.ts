/**
 * Whether one address locks out the owner and other addresses: 40 connections of 127.0.0.2 each pipeline 300
 * `GET /v1/voices` at a time. Meanwhile the owner reads a job, over a kept connection and over a new one for each
 * request, and a stranger at 127.0.0.3 reads `/health`. The flood comes from a process of its own with low priority, as
 * in `flood.bench.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { startApplianceProcess } from '../test/harness/appliance-process.ts';
import { expectTarget, percentile, printTable } from './figures.ts';

const FLOOD = { path: '/v1/voices', address: '127.0.0.2', connections: 40, batch: 300 };
const SAMPLES = 1000;
const PAUSE_MS = 2;
const WARM_UP_MS = 1500;
const LOW_PRIORITY = 10;
const ANSWER_LIMIT_MS = 8000;
const P99_MAX_MS = 20;

interface Caller {
  name: string;
  agent: Agent;
  path: string;
  headers: Record<string, string>;
  calm: number[];
  flooded: number[];
  refused: number;
}

const options = { headersTimeout: ANSWER_LIMIT_MS, bodyTimeout: ANSWER_LIMIT_MS };
const server = await startApplianceProcess();
let flood: ChildProcess | null = null;
try {
  const callers = await createCallers();
  for (const caller of callers) await sample(caller, caller.calm);
  const { hostname, port } = new URL(server.url);
  const { path, address, connections, batch } = FLOOD;
  const script = fileURLToPath(new URL('pipeline-client.ts', import.meta.url));
  const args = [hostname, port, path, address, String(connections), String(batch)];
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  flood = child;
  if (child.pid !== undefined) setPriority(child.pid, LOW_PRIORITY);
  await delay(WARM_UP_MS);
  for (const caller of callers) await sample(caller, caller.flooded);
  child.stdin.end();
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { statuses, seconds } = JSON.parse(line) as { statuses: Record<string, number>; seconds: number };
  const kinds = Object.entries(statuses).map(([status, count]) => `${Math.round(count / seconds)} × ${status}`);
  process.stdout.write(`answers to the flood per second: ${kinds.join(', ') || 'none'}\n`);
  printTable(callers.map(rowOf));
  for (const { name, flooded } of callers) {
    const p99 = percentile(flooded, 0.99);
    expectTarget(`${name}: p99 is at most ${P99_MAX_MS} ms (${p99.toFixed(1)})`, p99 <= P99_MAX_MS);
  }
  const refused = callers.reduce((sum, caller) => sum + caller.refused, 0);
  expectTarget(`no other caller is refused (${refused})`, refused === 0);
} finally {
  flood?.kill();
  await server[Symbol.asyncDispose]();
}

async function createCallers(): Promise<Caller[]> {
  const file = `data:text/plain;base64,${Buffer.from('A text.').toString('base64')}`;
  const body = JSON.stringify({ file });
  const headers = { 'content-type': 'application/json' };
  const answer = await server.owner('/v1/extract/doc', { method: 'POST', headers, body });
  const { jobId } = (await answer.json()) as { jobId: string };
  const owner = { path: `/v1/jobs/${jobId}`, headers: { authorization: `Bearer ${server.ownerToken}` } };
  const stranger = new Agent({ ...options, connections: 1, connect: { localAddress: '127.0.0.3' } });
  const empty = () => ({ calm: [], flooded: [], refused: 0 });
  return [
    { name: 'owner, kept connection', agent: new Agent({ ...options, connections: 1 }), ...owner, ...empty() },
    { name: 'owner, new connections', agent: new Agent({ ...options, pipelining: 0 }), ...owner, ...empty() },
    { name: 'stranger, another address', agent: stranger, path: '/health', headers: {}, ...empty() },
  ];
}

/** A request without an answer counts with the whole time that was waited for it. */
async function sample(caller: Caller, times: number[]): Promise<void> {
  const deadline = performance.now() + 10 * ANSWER_LIMIT_MS;
  for (let index = 0; index < SAMPLES && performance.now() < deadline; index += 1) {
    const started = performance.now();
    const { path, headers, agent } = caller;
    const status = await request(server.url + path, { headers, dispatcher: agent }).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      },
      () => null,
    );
    times.push(performance.now() - started);
    if (status !== 200) caller.refused += 1;
    await delay(PAUSE_MS);
  }
}

function rowOf({ name, calm, flooded, refused }: Caller) {
  return {
    caller: name,
    'calm p50 ms': percentile(calm, 0.5),
    'calm p99 ms': percentile(calm, 0.99),
    'flooded p50 ms': percentile(flooded, 0.5),
    'flooded p99 ms': percentile(flooded, 0.99),
    'most ms': Math.max(...flooded),
    'not answered with 200': refused,
  };
}
