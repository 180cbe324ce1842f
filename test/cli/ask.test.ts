/** `quarry ask`, answered by a text server that says what the test wants. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { SearchAnswer } from '../../src-server/features/search/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { startTextServer, type TextServer } from '../harness/text-server.ts';
import { until } from '../harness/until.ts';

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');
const TEXT = 'The lease of the harbour office runs for five years. Either side may end it with three months of notice.';

let server: TextServer;
let appliance: Appliance;
let quotes: unknown;

beforeAll(async () => {
  server = await startTextServer(() => quotes);
  appliance = await startAppliance({ knownTextServers: [server.url] });
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: fileForm(TEXT, 'lease.txt') });
  await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  await until(async () => {
    const found = await appliance.owner('/v1/search', postJson({ query: 'lease', mode: 'lexical' }));
    return ((await found.json()) as SearchAnswer).results.length > 0;
  });
});
afterAll(async () => {
  await appliance.close();
  await server[Symbol.asyncDispose]();
});

function run(
  args: readonly string[],
  at = appliance,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...process.env, QUARRY_DATA_DIR: at.dataDir };
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ran = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      ran[name] += text;
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...ran, code })));
}

test('an answer is quotations with their places', async () => {
  quotes = { quotes: [{ passage: 1, quote: 'either side may end it with three months of notice.' }] };
  const { code, stdout } = await run(['ask', 'how', 'long', 'is', 'the', 'notice', 'of', 'the', 'lease?']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Either side may end it with three months of notice\.\n {4}lease\.txt, page 1 \(job_[\w-]+\)\n$/,
  );
  const json = await run(['ask', '--json', 'notice of the lease']);
  expect(JSON.parse(json.stdout)).toMatchObject({ answer: { isFound: true } });
});

test('a question that nothing answers is said to be one', async () => {
  quotes = { quotes: [{ passage: 1, quote: 'The lease has ended.' }] };
  expect(await run(['ask', 'has the lease ended'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('Your library does not say.\n'),
  });
});

test('without a text model the command fails and says what is missing', async () => {
  await using other = await startAppliance({ knownTextServers: [] });
  expect(await run(['ask', 'lease'], other)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('No text model is installed.'),
  });
});
