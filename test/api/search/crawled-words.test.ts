/** Search finds every word that the chunks of a page hold, those of tables included. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrawlResult } from '../../../src-server/features/crawl/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { SearchAnswer } from '../../../src-server/features/search/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { serveWith } from '../../harness/local-site.ts';

const headers = { 'content-type': 'application/json' };

const ROWS = Array.from({ length: 60 }, (_, row) => `<tr><td>pier${row}x</td><td>berth${row}x</td><td></td></tr>`);

const PAGES: Record<string, string> = {
  '/': `<main><h1>Berths</h1><table><tr><th>Pier</th><th>Berth</th><th>Depth</th></tr>${ROWS.join('')}</table>
    <a href="/case">case</a></main>`,
  '/case': readFileSync(new URL('../../fixtures/pages/table-empty-last-cell.html', import.meta.url), 'utf8'),
};

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function found(query: string, jobId: string): Promise<string[]> {
  const body = JSON.stringify({ query, mode: 'lexical', filter: { jobId }, limit: 5 });
  const answer = await appliance.owner('/v1/search', { method: 'POST', headers, body });
  return ((await answer.json()) as SearchAnswer).results.map(({ text }) => text);
}

test('every row of a table is in its chunks, and is found', async () => {
  await using site = await serveWith(({ url = '' }, response) => {
    const body = PAGES[url];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
  });
  const answer = await appliance.owner('/v1/crawl', {
    ...{ method: 'POST', headers },
    body: JSON.stringify({ url: `${site.url}/`, depth: 1 }),
  });
  const job = await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  const { chunks } = job.result as unknown as CrawlResult;
  const table = chunks.find(({ text }) => text.includes('South'))?.text ?? '';
  for (const row of ['| North | N1 | 4 m |', '| East | E1 | 7 m |', '| South | S1 |  |']) expect(table).toContain(row);
  for (let row = 0; row < ROWS.length; row += 1) {
    expect(chunks.filter(({ text }) => text.includes(`| pier${row}x | berth${row}x |  |`))).toHaveLength(1);
  }
  const queries = [
    'East E1',
    '"7 m"',
    ...ROWS.flatMap((_, row) => (row % 6 === 5 ? [`pier${row}x`, `berth${row}x`] : [])),
  ];
  for (const query of queries) {
    const texts = await found(query, job.jobId);
    expect(texts.join('\n'), query).toContain(query.replaceAll('"', '').split(' ')[0]);
  }
});
