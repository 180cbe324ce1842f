import { expect, test } from 'vitest';
import { openCrawler } from '../harness/crawl-port.ts';
import { serveWith } from '../harness/local-site.ts';

const MIB = 1024 * 1024;
const LINKS_KEPT = 5000;
const LINKS_TOO_MANY = 37;
const PIXELS = 3000;
/** On the same host with another port: never requested. */
const ELSEWHERE = 'http://127.0.0.1:9/';

/** Mostly pictures within the page, as in long pages of the web. */
function nineMegabytes(): string {
  const picture = `<img src="data:image/png;base64,${'iVBORw0KGgo'.repeat(6000)}">`;
  let text = '<title>Berths</title><main>';
  for (let number = 0; text.length < 9 * MIB; number += 1) text += `<p>Berth ${number} lies in calm water.</p>${picture}`;
  return `${text}<a href="/past-the-end">on</a></main>`;
}

const html = (text: string) => `<!doctype html><title>Harbour</title><main><p>${text}</p></main>`;

const links = (addresses: readonly string[]) => addresses.map((url) => `<a href="${url}">to</a>`).join(' ');

const numbered = (most: number, start: string) => Array.from({ length: most }, (_, number) => start + number);

/** Bytes of a program, of sound (small numbers of two bytes, like UTF-16), of a picture after a tag, and of a document. */
const BINARIES: Readonly<Record<string, Buffer>> = {
  '/program': Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01'), Buffer.alloc(2000)]),
  '/sound': Buffer.from(Int16Array.from({ length: 2000 }, (_, at) => at % 90).buffer),
  '/tagged': Buffer.concat([Buffer.from('<html>'), Buffer.alloc(2000, '\x02\x03\xfe')]),
  '/document': Buffer.from(`%PDF-1.7\n${'words that look like a text\n'.repeat(50)}`),
};

const PAGES: Readonly<Record<string, string | Buffer>> = {
  '/': html(
    links(['/berths', '/many', '/%61bc', '/abc', '/caf%c3%a9?q=%e9', '/caf%C3%A9?%71=%E9', ...Object.keys(BINARIES)]) +
      numbered(PIXELS, '/seen.gif?view=')
        .map((url) => `<img width="1" height="1" src="${url}">`)
        .join('') +
      '<img src="/pier.png">',
  ),
  '/berths': nineMegabytes(),
  '/many': html(
    `${links(numbered(LINKS_KEPT, ELSEWHERE))} All berths. ${links(numbered(LINKS_KEPT + LINKS_TOO_MANY, ELSEWHERE))}`,
  ),
  '/abc': html('One page of two spellings.'),
  '/caf%C3%A9?q=%E9': html('One café of two spellings.'),
  ...BINARIES,
};

test('pages are read up to their bounds, once for all spellings, and what is no page is named', async () => {
  await using site = await serveWith((request, response) => {
    const body = PAGES[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body);
  });
  await using crawler = await openCrawler();
  const { pages, skipped, stats, warnings } = await crawler.crawl(`${site.url}/`);
  const path = (url: string) => url.slice(site.url.length);
  expect(pages.map(({ url }) => path(url)).sort()).toEqual(['/', '/abc', '/berths', '/caf%C3%A9?q=%E9', '/many']);
  expect(pages.every(({ truncated }) => !truncated)).toBe(true);
  const here = skipped.filter(({ url, verdict }) => url.startsWith(site.url) && verdict !== 'depth');
  const verdicts = Object.fromEntries(here.map(({ url, verdict }) => [path(url), verdict]));
  expect(verdicts).toEqual({
    ...{ '/program': 'type', '/sound': 'type', '/tagged': 'type', '/document': 'type' },
    ...{ '/seen.gif': 'pixel', '/pier.png': 'asset' },
  });
  // The link at the end of the long page.
  expect(stats.verdicts).toEqual({ page: 5, type: 4, pixel: 1, asset: 1, depth: 1, scope: LINKS_KEPT });
  expect(site.requests.slice(1).sort()).toEqual(
    [...new Set(site.requests)].filter((one) => one !== '/robots.txt').sort(),
  );
  expect(stats.urlsNotKept).toBe(LINKS_TOO_MANY);
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${LINKS_TOO_MANY} addresses were found but not kept`))]);
});
