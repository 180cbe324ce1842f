import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const ENTRY = join(import.meta.dirname, '../harness/deadly-server.ts');
const DEADLY = 'deadly';
const INNOCENT = ['a', 'b', 'c', 'd'];
/** In company, as the only suspect, and three times with nothing beside it. */
const DEATHS = 5;
const POLL_MS = 100;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry test '));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a job that ends the server is found once it ran alone, over both environments, and no other job fails', async () => {
  await using server = await startApplianceProcess({ dataDir: join(folder, 'data'), entry: ENTRY });
  const paths = new Map<string, string>();
  for (const [n, label] of [DEADLY, ...INNOCENT].entries()) {
    const base = n % 2 === 0 ? '/staging/v1' : '/v1';
    const answer = await server.owner(`${base}/test/deadly`, postJson({ label, kills: label === DEADLY }));
    paths.set(label, `${base}/jobs/${((await answer.json()) as Job).jobId}`);
  }
  await until(async () => (await readRuns()).length === 1 + paths.size);
  await writeFile(join(folder, 'armed'), '');
  await server.ended();

  let ends: Map<string, Job> | null = null;
  let deaths = 1;
  for (; ends === null && deaths <= DEATHS; deaths += 1) {
    // It may end again before it says that it listens.
    const isUp = await server.restart().then(
      () => true,
      () => false,
    );
    ends = isUp ? await endsOf(server, paths) : null;
  }

  expect(ends?.get(DEADLY)).toMatchObject({
    status: 'failed',
    error: { code: 'interrupted', retryable: false, attempts: 3 },
  });
  for (const label of INNOCENT) expect(ends?.get(label)).toMatchObject({ status: 'completed', result: { label } });
  const inWork = inWorkAtDeaths(await readRuns());
  expect(inWork).toHaveLength(DEATHS);
  expect(inWork[0]?.toSorted()).toEqual([...INNOCENT, DEADLY].sort());
  expect(inWork.slice(-3)).toEqual([[DEADLY], [DEADLY], [DEADLY]]);
});

/** The jobs once all have ended; null when the server died before. */
async function endsOf(server: ApplianceProcess, paths: Map<string, string>): Promise<Map<string, Job> | null> {
  let isDead = false;
  void server.ended().then(() => {
    isDead = true;
  });
  while (!isDead) {
    const jobs = new Map<string, Job>();
    for (const [label, path] of paths) {
      const job = await server.owner(path).then(
        async (answer) => (await answer.json()) as Job,
        () => null,
      );
      if (job?.status === 'completed' || job?.status === 'failed') jobs.set(label, job);
    }
    if (jobs.size === paths.size) return jobs;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return null;
}

async function readRuns(): Promise<string[]> {
  return (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n');
}

/** For each start but the last: the labels of the runs that had begun and not ended when the server died. */
function inWorkAtDeaths(lines: readonly string[]): string[][] {
  const lives: string[][] = [];
  for (const line of lines) {
    const [event, label = ''] = line.split(' ');
    if (event === 'start') lives.push([]);
    else if (event === 'begin') lives.at(-1)?.push(label);
    else lives.at(-1)?.splice(lives.at(-1)?.indexOf(label) ?? -1, 1);
  }
  return lives.slice(0, -1);
}
