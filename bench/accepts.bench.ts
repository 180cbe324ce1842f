/**
 * Jobs accepted per second over HTTP, beside a bare better-sqlite3 insert loop (no HTTP at all) and beside Node's bare
 * HTTP server with such an insert. The source of the jobs never answers, so that hardly any work goes on beside.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { startApplianceProcess } from '../test/harness/appliance-process.ts';
import { serveWith } from '../test/harness/local-site.ts';
import { openFloor } from './accepts-table.ts';
import { expectTarget, median, printTable } from './figures.ts';

const CLIENTS = 8;
const ACCEPTS = 1500;
const INSERTS = 20_000;
const ROUNDS = 3;
/** Checks, a transaction with the queue's ten indexes, an id for the request, headers and the guard cost something. */
const FLOOR_SHARE_MIN = 0.1;

const agent = new Agent({ connections: CLIENTS, pipelining: 1 });

async function acceptsPerSecond(url: string, headers: Record<string, string>, body: string): Promise<number> {
  const startedAt = performance.now();
  let left = ACCEPTS;
  const client = async () => {
    while (left-- > 0) {
      const answer = await request(url, { method: 'POST', body, headers, dispatcher: agent });
      const text = await answer.body.text();
      if (answer.statusCode !== 202) throw new Error(`${answer.statusCode} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return ACCEPTS / ((performance.now() - startedAt) / 1000);
}

function insertsPerSecond(path: string, body: string): number {
  const insert = openFloor(path);
  const startedAt = performance.now();
  for (let n = 0; n < INSERTS; n++) insert(body);
  return INSERTS / ((performance.now() - startedAt) / 1000);
}

const folder = mkdtempSync(join(tmpdir(), 'quarry bench '));
const floor = fork(join(import.meta.dirname, 'accepts-floor.ts'), [join(folder, 'floor.db')]);
const floorPort = await new Promise<number>((resolve) => floor.once('message', (port) => resolve(port as number)));
const server = await startApplianceProcess();
const site = await serveWith(() => {});
try {
  const body = JSON.stringify({
    sourceUrl: `${site.url}/a.docx`,
    sourceName: 'a report',
    options: { segmentLength: 800 },
  });
  const plain = { 'content-type': 'application/json' };
  const headers = { ...plain, authorization: `Bearer ${server.ownerToken}`, prefer: 'wait=0' };
  const inserts: number[] = [];
  const bare: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    inserts.push(insertsPerSecond(join(folder, `${round}.db`), body));
    bare.push(await acceptsPerSecond(`http://127.0.0.1:${floorPort}/`, plain, body));
    ours.push(await acceptsPerSecond(`${server.url}/v1/extract/doc`, headers, body));
  }
  // The first round warms every side up.
  const rates = [inserts, bare, ours].map((all) => median(all.slice(1)));
  const [insertRate = 0, bareRate = 0, ourRate = 0] = rates;
  printTable([
    { what: 'bare insert loop', 'per second': insertRate, 'Quarry ÷ it': ourRate / insertRate },
    { what: 'bare HTTP server with insert', 'per second': bareRate, 'Quarry ÷ it': ourRate / bareRate },
    { what: 'Quarry, POST /extract/doc', 'per second': ourRate, 'Quarry ÷ it': 1 },
  ]);
  expectTarget(`at least ${FLOOR_SHARE_MIN} of a bare HTTP server with insert`, ourRate / bareRate >= FLOOR_SHARE_MIN);
} finally {
  floor.kill();
  await agent.close();
  await site[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
