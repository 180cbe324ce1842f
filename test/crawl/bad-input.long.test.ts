/** Pages and queries that are made to break their reader: each is answered, and what was left out is said. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startAppliance } from '../harness/appliance.ts';
import { openCrawler } from '../harness/crawl-port.ts';
import { serveWith } from '../harness/local-site.ts';

const BOMB = gzipSync(Buffer.alloc(300 * 2 ** 20, 'tide '));

const SCRIPTS = ['tide', 'прилив', 'παλίρροια', 'गर्मी', 'น้ำขึ้น', 'مد', 'גאות', '潮汐', 'しお', '조수'];

test('a page of a million elements is read as far as said; 300 MB of gzip are no page; the others are read', async () => {
  const pages: Record<string, string> = {
    '/': '<title>Pier</title><p>The quay is dry today.</p><a href="/many">a</a><a href="/bomb">b</a><a href="/deep">c</a>',
    '/many': `<title>Many</title><p>The first words of many.</p>${'<i>x</i>'.repeat(1_000_000)}`,
    '/deep': `<title>Deep</title><p>The first words of the deep.</p>${'<i><b>'.repeat(100_000)}`,
  };
  await using site = await serveWith((request, response) => {
    const { url = '' } = request;
    if (url === '/bomb') {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(BOMB);
      return;
    }
    response.writeHead(url in pages ? 200 : 404, { 'content-type': 'text/html' }).end(pages[url]);
  });
  await using crawler = await openCrawler();
  const result = await crawler.crawl(`${site.url}/`);
  const read = new Map(result.pages.map((page) => [new URL(page.url).pathname, page]));
  const text = result.chunks.map((chunk) => chunk.text).join('\n');
  expect(text).toContain('The quay is dry today.');
  expect(text).toContain('The first words of many.');
  expect(read.get('/many')?.truncated).toBe(true);
  expect(result.skipped).toEqual(
    expect.arrayContaining([expect.objectContaining({ url: `${site.url}/bomb`, verdict: 'too-large' })]),
  );
  // The deep page is read or refused with its reason; nothing is lost in silence.
  const isSaid = read.has('/deep') || result.skipped.some(({ url, reason }) => url.endsWith('/deep') && reason !== '');
  expect(isSaid).toBe(true);
});

test('a query of 10,000 words in ten scripts is answered, and so is the next one', async () => {
  await using appliance = await startAppliance();
  const query = Array.from({ length: 10_000 }, (_, at) => `${SCRIPTS[at % SCRIPTS.length]}${at}`).join(' ');
  const ask = (text: string) =>
    appliance.owner('/v1/search', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: text }),
    });
  const answer = await ask(query);
  expect([200, 400]).toContain(answer.status);
  if (answer.status === 400) expect(JSON.stringify(await answer.json())).toContain('query');
  expect((await ask('tide')).status).toBe(200);
  // As many as the interface takes.
  let fitting = '';
  for (const word of query.split(' ')) if (fitting.length + word.length < 480) fitting += `${word} `;
  expect((await ask(fitting)).status).toBe(200);
});
