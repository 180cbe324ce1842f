/**
 * What a call over MCP costs more than the same question over HTTP: a job is read by the tool `get_job` and by
 * `GET /v1/jobs/{jobId}`, in turns, each over one kept connection. The floor is the HTTP request itself. On a machine
 * with other work the CPU time says more than the wait; it includes the client's, which is the same for both.
 */
import { startAppliance } from '../test/harness/appliance.ts';
import { expectTarget, median, percentile, printTable, shown } from './figures.ts';

const ROUNDS = 400;
const WARM_UP = 50;
const OVERHEAD_MAX_MS = 5;

const appliance = await startAppliance({ threads: 1 });

interface Took {
  ms: number;
  cpuMs: number;
}

async function timed(ask: () => Promise<Response>): Promise<Took> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const answer = await ask();
  const text = await answer.text();
  if (answer.status !== 200 || !text.includes('completed')) throw new Error(`${answer.status} ${text}`);
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 };
}

try {
  const file = `data:text/plain;base64,${Buffer.from('The tide turns at noon.').toString('base64')}`;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const init = { method: 'POST', headers: { ...headers, prefer: 'wait=60' }, body: JSON.stringify({ file }) };
  const { jobId } = (await (await appliance.owner('/v1/extract/doc', init)).json()) as { jobId: string };
  const params = { name: 'get_job', arguments: { jobId } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const ways = {
    'GET /v1/jobs/{jobId}': () => appliance.owner(`/v1/jobs/${jobId}`),
    'get_job over /mcp': () => appliance.owner('/mcp', { method: 'POST', headers, body }),
  };
  const times = new Map<string, Took[]>(Object.keys(ways).map((way) => [way, []]));
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const [way, ask] of Object.entries(ways)) {
      const took = await timed(ask);
      if (round >= 0) times.get(way)?.push(took);
    }
  }
  const rows = [...times].map(([way, all]) => {
    const waits = all.map(({ ms }) => ms);
    const cpu = median(all.map(({ cpuMs }) => cpuMs));
    return { way, 'p50, ms': median(waits), 'p95, ms': percentile(waits, 0.95), 'CPU at p50, ms': cpu };
  });
  printTable(rows);
  const [http = 0, mcp = 0] = rows.map((row) => row['p50, ms']);
  expectTarget(
    `a call over MCP adds ${shown(mcp - http)} ms at p50, at most ${OVERHEAD_MAX_MS}`,
    mcp - http <= OVERHEAD_MAX_MS,
  );
} finally {
  await appliance.close();
}
