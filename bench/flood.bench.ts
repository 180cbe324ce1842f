/**
 * Whether a flood of unpaid requests slows the owner: how long `GET /jobs/{id}` takes while strangers ask without
 * paying as fast as they are answered. Beside it the same under the same flood on a bare `node:http` server: that part
 * of the wait belongs to the machine. The flood comes from a process of its own with low priority, since on a machine
 * of two cores its sender would else take the owner's client its core.
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

const CONNECTIONS = 32;
const ROUNDS = 4;
const SAMPLES = 1000;
const PAUSE_MS = 2;
const WARM_UP_MS = 1500;
const LOW_PRIORITY = 10;
/** The largest plan there is: most of the flood is answered with 402, and what goes beyond it with 429. */
const REQUESTS_PER_MINUTE = 100_000;
const PATH = '/v1/extract/doc';
const RATIO_MAX = 2;
const P99_MAX_MS = 10;

interface Subject {
  name: string;
  url: string;
  jobPath: string;
  headers: Record<string, string>;
  calm: number[];
  flooded: number[];
  answers: Record<string, number>;
  seconds: number;
}

const agent = new Agent({ connections: 2 });
const children: ChildProcess[] = [];
const server = await startApplianceProcess();
try {
  const ours = await ownSubject();
  const floor = await floorSubject(ours);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of [floor, ours]) await measure(subject);
  }
  printTable([floor, ours].flatMap(rowsOf));
  const [p99, floorP99] = [percentile(ours.flooded, 0.99), percentile(floor.flooded, 0.99)];
  const times = (p99 / floorP99).toFixed(1);
  expectTarget(
    `the owner's p99 under the flood is at most ${RATIO_MAX} times the bare server's (${times})`,
    p99 <= RATIO_MAX * floorP99,
  );
  expectTarget(`the owner's p99 under the flood is under ${P99_MAX_MS} ms (${p99.toFixed(1)})`, p99 < P99_MAX_MS);
} finally {
  for (const child of children) child.kill();
  await agent.close();
  await server[Symbol.asyncDispose]();
}

async function ownSubject(): Promise<Subject> {
  const plan = { plan: 'enterprise', requestsPerMinute: REQUESTS_PER_MINUTE, concurrency: 10 };
  await server.owner('/admin/accounts/ip:127.0.0.1/plan', json('PUT', plan));
  const file = `data:text/plain;base64,${Buffer.from('A text.').toString('base64')}`;
  const answer = await server.owner(PATH, json('POST', { file }));
  const { jobId } = (await answer.json()) as { jobId: string };
  return subject('quarry', server.url, `/v1/jobs/${jobId}`, { authorization: `Bearer ${server.ownerToken}` });
}

/** Answers of the same length as ours. */
async function floorSubject({ url, jobPath, headers }: Subject): Promise<Subject> {
  const lengthOf = async (path: string, method: 'GET' | 'POST', given: Record<string, string>) => {
    const { body } = await request(url + path, { method, headers: given, dispatcher: agent });
    return String((await body.arrayBuffer()).byteLength);
  };
  const lengths = [await lengthOf(PATH, 'POST', {}), await lengthOf(jobPath, 'GET', headers)];
  const child = spawn(process.execPath, [pathOf('flood-floor.ts'), ...lengths], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return subject('bare node:http', line, jobPath, {});
}

function subject(name: string, url: string, jobPath: string, headers: Record<string, string>): Subject {
  return { name, url, jobPath, headers, calm: [], flooded: [], answers: {}, seconds: 0 };
}

async function measure(target: Subject): Promise<void> {
  await sample(target, target.calm);
  const { hostname, port } = new URL(target.url);
  const flood = spawn(process.execPath, [pathOf('flood-client.ts'), hostname, port, PATH, String(CONNECTIONS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(flood);
  if (flood.pid !== undefined) setPriority(flood.pid, LOW_PRIORITY);
  await delay(WARM_UP_MS);
  await sample(target, target.flooded);
  flood.stdin.end();
  const [line] = (await once(createInterface({ input: flood.stdout }), 'line')) as [string];
  const { statuses, seconds } = JSON.parse(line) as { statuses: Record<string, number>; seconds: number };
  target.seconds += seconds;
  for (const [status, count] of Object.entries(statuses)) {
    target.answers[status] = (target.answers[status] ?? 0) + count;
  }
}

async function sample({ url, jobPath, headers }: Subject, times: number[]): Promise<void> {
  for (let index = 0; index < SAMPLES; index += 1) {
    const started = performance.now();
    const { statusCode, body } = await request(url + jobPath, { headers, dispatcher: agent });
    await body.dump();
    if (statusCode !== 200) throw new Error(`The job was answered with ${statusCode}.`);
    times.push(performance.now() - started);
    await delay(PAUSE_MS);
  }
}

function rowsOf({ name, calm, flooded, answers, seconds }: Subject) {
  const kinds = Object.entries(answers).map(([status, count]) => `${Math.round(count / seconds)} × ${status}`);
  const row = (state: string, times: number[]) => ({
    server: name,
    state,
    'p50 ms': percentile(times, 0.5),
    'p99 ms': percentile(times, 0.99),
  });
  return [row('calm', calm), row(`unpaid per second: ${kinds.join(', ')}`, flooded)];
}

function json(method: string, body: unknown): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function pathOf(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}
