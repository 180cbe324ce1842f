/** Cookies of one crawl: walls that show their text to whoever brings back a cookie, and what is kept from whom. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CookieJar } from '../../src-server/features/crawl/cookies.ts';
import { chromiumFile } from '../harness/chromium.ts';
import { openCrawler } from '../harness/crawl-port.ts';
import { serveWith } from '../harness/local-site.ts';
import { startRenderedSite } from '../harness/rendered-site.ts';

const WALL = '<title>Consent</title><p>Please accept our cookies.</p>';

const TEXT = (path: string) =>
  `<title>Log</title><p>The tide at ${path} is high, and the quay is dry.</p><a href="/second">second</a>`;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const html = { 'content-type': 'text/html' };

/** Sites whose pages come only with a cookie, by how they set it. */
const WALLS: Record<string, Answer> = {
  'a page for consent that leads back': ({ url = '' }, response) => {
    const to = new URL(url, 'http://x').searchParams.get('to');
    if (to === null) response.writeHead(302, { location: `/consent?to=${encodeURIComponent(url)}` }).end();
    else response.writeHead(302, { location: to, 'set-cookie': 'ok=1; Path=/' }).end();
  },
  'two steps, each with a cookie': ({ url = '', headers }, response) => {
    if (url.startsWith('/first')) response.writeHead(302, { location: '/', 'set-cookie': 'half=1; Path=/' }).end();
    else if (url.startsWith('/last')) response.writeHead(302, { location: '/', 'set-cookie': 'ok=1; Path=/' }).end();
    else response.writeHead(302, { location: headers.cookie?.includes('half=1') ? '/last' : '/first' }).end();
  },
  'a redirect to itself': ({ url = '' }, response) => {
    response.writeHead(307, { location: url, 'set-cookie': ['other=2', 'ok=1; Max-Age=600; HttpOnly'] }).end();
  },
  'a page that refreshes itself': (_request, response) => {
    const body = `<meta http-equiv="refresh" content="0">${WALL}`;
    response.writeHead(200, { ...html, 'set-cookie': 'ok=1; SameSite=Lax' }).end(body);
  },
  'words about cookies': (_request, response) => {
    const expires = 'Fri, 31 Dec 2099 23:59:59 GMT';
    response.writeHead(200, { ...html, 'set-cookie': `ok=1; Expires=${expires}` }).end(WALL);
  },
};

test.each(Object.keys(WALLS))('behind %s the text is read, and a later crawl begins without cookies', async (name) => {
  const brought: string[] = [];
  await using site = await serveWith((request, response) => {
    const { cookie = '' } = request.headers;
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else if (/(?:^|; )ok=1/.test(cookie)) response.writeHead(200, html).end(TEXT(request.url ?? ''));
    else {
      brought.push(`${request.url} ${cookie}`);
      WALLS[name]?.(request, response);
    }
  });
  await using crawler = await openCrawler();
  for (const _ of ['first', 'second']) {
    brought.length = 0;
    const result = await crawler.crawl(`${site.url}/`);
    expect(result.pages.map(({ url }) => new URL(url).pathname).sort()).toEqual(['/', '/second']);
    expect(result.chunks.map(({ text }) => text).join('\n')).toContain('The tide at / is high');
    expect(brought[0]).toBe('/ ');
    expect(JSON.stringify(result)).not.toMatch(/ok=1|set-cookie/i);
  }
});

test('a page that sets a cookie alters no page read after it', async () => {
  const deutsch = (cookie = '') => cookie.includes('lang=de');
  const brought: string[] = [];
  await using site = await serveWith((request, response) => {
    const { url = '', headers } = request;
    if (url === '/robots.txt') return void response.writeHead(404).end();
    brought.push(headers.cookie ?? '');
    const words = url.includes('lang=de') || deutsch(headers.cookie) ? 'Die Flut ist hoch' : 'The tide is high';
    const links = Array.from({ length: 8 }, (_, at) => `<li><a href="/day/${at}">Day ${at}</a>`);
    const brief =
      url === '/day/3' ? '' : '<p>The quay is dry, and the boats wait for the evening wind to turn.</p>'.repeat(9);
    // A site that counts what a visitor has read, and cuts its pages after three.
    const read = Number(/n=(\d+)/.exec(headers.cookie ?? '')?.[1] ?? 0) + 1;
    const set = [`n=${read}; Path=/`, ...(url.includes('lang=de') ? ['lang=de; Path=/'] : [])];
    const text = read > 3 ? '<p>Subscribe to read on.</p>' : `<p>${words} at ${url}.</p>${brief}`;
    const body = `<title>Log</title><a href="/?lang=de">Deutsch</a><ul>${links.join('')}</ul>${text}`;
    response.writeHead(200, { ...html, 'set-cookie': set }).end(body);
  });
  await using crawler = await openCrawler();
  const result = await crawler.crawl(`${site.url}/`);
  const text = result.chunks.map(({ text }) => text).join('\n');
  for (let day = 0; day < 8; day++) expect(text).toContain(`The tide is high at /day/${day}.`);
  expect(text.match(/Die Flut/g)).toHaveLength(1);
  expect(text).not.toContain('Subscribe');
  // Short pages are asked for with cookies a few times, to see whether the site wants them.
  expect(brought.filter((cookie) => cookie !== '').length).toBeLessThanOrEqual(3);
});

test('a circle of redirects ends, with cookies and without', async () => {
  await using site = await serveWith((request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else {
      const location = request.url === '/' ? '/turn' : '/';
      response.writeHead(302, { location, 'set-cookie': `n=${Math.random()}; Path=/` }).end();
    }
  });
  await using crawler = await openCrawler();
  await expect(crawler.crawl(`${site.url}/`)).rejects.toThrow('in a circle');
  expect(site.requests.length).toBeLessThan(12);
});

function jarAt(start = Date.UTC(2026, 0, 1)) {
  const clock = { time: start, now: () => clock.time };
  return { jar: new CookieJar(clock), clock };
}

const SITE = 'https://www.harbour.example/log/day';

test.each([
  ['a=1', 'https://www.harbour.example/log/other', 'a=1'],
  ['a=1', 'https://www.harbour.example/else', null],
  ['a=1', 'https://harbour.example/log/day', null],
  ['a=1; Domain=harbour.example; Path=/', 'https://tides.harbour.example/', 'a=1'],
  ['a=1; Domain=.harbour.example; Path=/', 'https://notharbour.example/', null],
  ['a=1; Domain=example; Path=/', 'https://other.example/', null],
  ['a=1; Domain=other.example; Path=/', 'https://other.example/', null],
  ['a=1; Path=/lo', SITE, null],
  ['a=1; Path=/log', SITE, 'a=1'],
  ['a=1; Secure', 'http://www.harbour.example/log/day', null],
  ['__Host-a=1; Secure; Path=/', SITE, '__Host-a=1'],
  ['__Host-a=1; Secure; Path=/; Domain=harbour.example', SITE, null],
  ['__Secure-a=1', SITE, null],
  ['a=1; Max-Age=0', SITE, null],
  ['a=1; Expires=Thu, 01-Jan-1970 00:00:00 GMT', SITE, null],
  ['a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', SITE, 'a=1'],
  ['a=1; Expires=nonsense', SITE, 'a=1'],
  ['a="b c"=d; Path', SITE, 'a="b c"=d'],
  ['a=1\u0000; Path=/', SITE, null],
  [`a=${'x'.repeat(5000)}`, SITE, null],
  ['justvalue', SITE, 'justvalue'],
])('%s goes to %s as %s', (header, to, expected) => {
  const { jar } = jarAt();
  jar.storeSetCookies(SITE, [header]);
  expect(jar.cookieHeaderFor(to)).toBe(expected);
});

test('suffixes that people register below, addresses and insecure pages get no cookie of others', () => {
  const { jar } = jarAt();
  jar.storeSetCookies('https://me.github.io/', ['a=1; Domain=github.io; Path=/']);
  jar.storeSetCookies('https://shop.co.uk/', ['b=1; Domain=co.uk; Path=/']);
  jar.storeSetCookies('http://127.0.0.1/', ['c=1; Domain=0.0.1; Path=/', 'd=1; Domain=127.0.0.1']);
  expect(jar.cookieHeaderFor('https://you.github.io/')).toBeNull();
  expect(jar.cookieHeaderFor('https://bank.co.uk/')).toBeNull();
  expect(jar.cookieHeaderFor('http://127.0.0.1/')).toBe('d=1');
  expect(jar.cookieHeaderFor('http://127.0.0.2/')).toBeNull();
  jar.storeSetCookies('https://x.example/', ['s=safe; Secure; Path=/']);
  jar.storeSetCookies('http://x.example/', ['s=clear; Path=/', 't=1; Secure']);
  expect(jar.cookieHeaderFor('https://x.example/')).toBe('s=safe');
});

test('a cookie ends at its time, a new value replaces the old, longer paths come first', () => {
  const { jar, clock } = jarAt();
  jar.storeSetCookies(SITE, ['a=1; Path=/', 'b=1; Max-Age=10', 'c=1; Path=/']);
  jar.storeSetCookies(SITE, ['c=2; Path=/']);
  expect(jar.cookieHeaderFor(SITE)).toBe('b=1; a=1; c=2');
  clock.time += 11_000;
  expect(jar.cookieHeaderFor(SITE)).toBe('a=1; c=2');
  jar.storeSetCookies(SITE, ['a=; Path=/; Max-Age=0']);
  expect(jar.cookieHeaderFor(SITE)).toBe('c=2');
});

test('a site that sets cookies without end fills neither the memory nor the header', () => {
  const { jar } = jarAt();
  for (let page = 0; page < 2000; page += 1) {
    const many = Array.from({ length: 20 }, (_, at) => `n${page}_${at}=${'v'.repeat(3000)}; Path=/`);
    jar.storeSetCookies(`https://h${page}.harbour.example/`, many);
  }
  const kept = Array.from({ length: 2000 }, (_, page) => jar.cookiesOfHost(`https://h${page}.harbour.example/`)).flat();
  expect(kept.reduce((sum, { name, value }) => sum + name.length + value.length, 0)).toBeLessThanOrEqual(256 * 1024);
  for (let at = 0; at < 900; at += 1) jar.storeSetCookies(SITE, [`s${at}=1; Path=/`]);
  expect(jar.cookiesOfHost(SITE)).toHaveLength(50);
  expect((jar.cookieHeaderFor('https://h1999.harbour.example/') ?? '').length).toBeLessThanOrEqual(16 * 1024);
});

test('of a browser only cookies of the site of the page are kept', () => {
  const { jar } = jarAt();
  const cookie = { path: '/', expires: -1, httpOnly: false, secure: false, sameSite: 'Lax' as const };
  jar.storePageCookies(SITE, [
    { ...cookie, name: 'a', value: '1', domain: '.harbour.example' },
    { ...cookie, name: 'b', value: '1', domain: 'ads.example' },
    { ...cookie, name: 'c', value: '1\r\nx: y', domain: 'www.harbour.example' },
    { ...cookie, name: 'd', value: '1', domain: '.example' },
  ]);
  expect(jar.cookieHeaderFor(SITE)).toBe('a=1');
  expect(jar.cookieHeaderFor('https://ads.example/')).toBeNull();
});

describe.skipIf(chromiumFile() === null)('in a browser (needs chromium)', () => {
  test('a wall that a script opens, a button, and a part that asks for the cookie', async () => {
    const site = await startRenderedSite();
    const crawlWall = async (path: string, more: object = {}) => {
      const result = await site.crawl({ url: `http://walls.example${path}`, depth: 0, render: 'auto', ...more });
      return result.pages.map(({ markdown }) => markdown).join('\n');
    };
    try {
      expect(await crawlWall('/wall/script')).toContain('The text behind /wall/script is read.');
      const click = { actions: [{ do: 'click', selector: 'button' }], render: 'always' };
      expect(await crawlWall('/wall/button', click)).toContain('The text behind /wall/button is read.');
      expect(await crawlWall('/wall/part')).toContain('The part came with its cookie.');
      // Each crawl began without: the wall was asked for with nothing.
      const first = site.cookies.filter(([path]) => path === '/wall/script').map(([, cookie]) => cookie);
      expect(first).toEqual(['', 'ok=tide-log']);
      await crawlWall('/wall/script');
      expect(site.cookies.filter(([path]) => path === '/wall/script').map(([, cookie]) => cookie)).toEqual([
        ...first,
        ...first,
      ]);
      expect(
        filesBelow(site.appliance.dataDir).filter((path) => readFileSync(path, 'latin1').includes('ok=tide-log')),
      ).toEqual([]);
    } finally {
      await site.close();
    }
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
