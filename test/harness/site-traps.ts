import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type LocalSite, serveWith } from './local-site.ts';

const MIB = 1024 * 1024;

/** A site with every trap a crawl can fall into, and what it sent of the bodies that should not be read. */
export interface TrapSite extends LocalSite {
  /** Bytes written of huge and endless bodies. */
  trapBytes: () => number;
  conditional: () => number;
}

/** What a reader of the site should find, by path: a sentence that stands on that page only. */
export const TRAP_PAGES: Readonly<Record<string, string>> = {
  '/': 'The front page greets whoever comes.',
  '/plain.txt': 'A text file is a page as well.',
  '/cyrillic': 'Гавань открыта с семи утра.',
  '/shift': '港は朝七時に開きます。',
  '/utf16': 'Sixteen bits make a letter here.',
  '/flaky': 'Asked twice, it answers.',
  '/target': 'The redirect ends on this page.',
  '/cycle/a': 'A leads to B.',
  '/cycle/b': 'B leads to A.',
};

/** What a crawl has to say of the site's traps, however it came to them. */
export const TRAP_VERDICTS: readonly (readonly [path: string, verdict: string])[] = [
  ['/private/x', 'robots'],
  ['/hop/1', 'redirect'],
  ['/noindex', 'noindex'],
  ['/nofollow', 'nofollow'],
  ['/huge', 'too-large'],
  ['/endless', 'too-large'],
  ['/bomb', 'too-large'],
  ['/gone', 'status'],
  ['/error', 'status'],
  ['/broken-gzip', 'unreachable'],
  ['/binary', 'type'],
  ['/deep-tags', 'unreadable'],
  ['/logo.png', 'asset'],
  ['/pixel.gif', 'pixel'],
  ['/app.js', 'script'],
  ['/a/a/a/a/a', 'pattern'],
  ['/cycle/b', 'depth'],
];

const SHIFT_JIS = Buffer.from('8d6082cd92a98eb58e9e82c98a4a82ab82dc82b78142', 'hex');
const CP1251 = Buffer.from('c3e0e2e0edfc20eef2eaf0fbf2e020f120f1e5ece820f3f2f0e02e', 'hex');

function html(title: string, text: string, links: readonly string[] = [], head = ''): string {
  const anchors = links.map((href) => `<a href="${href}">${href}</a>`).join('\n');
  return `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head>
    <body><main><h1>${title}</h1><p>${text}</p>${anchors}</main></body></html>`;
}

const FRONT_LINKS = [
  ...['/plain.txt', '/cyrillic', '/shift', '/utf16', '/flaky', '/hop/1', '/loop', '/cycle/a', '/twin', '/noindex'],
  ...['/huge', '/endless', '/bomb', '/gone', '/broken-gzip', '/private/x', '/private/open', '/calendar?day=1'],
  ...['/binary', '/away', '/inside', '/deep-tags', '/logo.png', '/a/a/a/a/a', 'mailto:a@b.example', 'javascript:x()'],
  ...['http://elsewhere.example/', 'file:///etc/passwd', '/error', '/slow'],
];

/** How the pages of the many that the site may have are told apart, and where all of them are listed. */
export const manyPath = (number: number) => `/many/${number}.html`;
export const MANY_SITEMAP = '/many.xml';
const PAGES_PER_SITEMAP = 500;
const CALENDAR_DAYS = 60;
const SLOW_MS = 300;

function manyPage(number: number, pages: number): string {
  const links = [0, 1, 2, 3].map((step) => manyPath((number * 7 + step) % pages));
  const sentences = Array.from({ length: 12 }, (_, index) => `Buoy ${number * 12 + index} lies off berth ${index}.`);
  const nav = '<nav><a href="/">Front</a></nav><p>All berths are lit at night.</p>';
  return html(`Place ${number}`, `${sentences.join(' ')}</p>${nav}<p>`, links);
}

/** A site with `pages` pages beside its traps. */
export async function serveTraps({ pages = 0 } = {}): Promise<TrapSite> {
  let trapBytes = 0;
  let flaky = 0;
  let conditional = 0;
  const send = (response: ServerResponse, body: string | Buffer, type = 'text/html; charset=utf-8', more = {}) =>
    response.writeHead(200, { 'content-type': type, ...more }).end(body);
  /** Writes until the reader has enough; the test asks how much that was. */
  const pour = (response: ServerResponse, more: Record<string, string>) => {
    response.writeHead(200, { 'content-type': 'text/html', ...more });
    const block = Buffer.alloc(64 * 1024, '<p>More and more.</p>\n');
    const write = () => {
      while (!response.destroyed) {
        trapBytes += block.length;
        if (trapBytes > 200 * MIB || !response.write(block)) break;
      }
    };
    response.on('drain', write);
    write();
  };
  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
    '/robots.txt': (_, response) =>
      send(response, 'User-agent: *\nDisallow: /private/\nAllow: /private/open\n', 'text/plain'),
    '/': (request, response) => {
      if (request.headers['if-none-match'] === '"front"') {
        conditional += 1;
        response.writeHead(304).end();
        return;
      }
      const pixel = '<img src="/pixel.gif" width="1" height="1"><script src="/app.js"></script>';
      const body = html('Front', `${TRAP_PAGES['/']} ${pixel} <a rel="nofollow" href="/nofollow">no</a>`, FRONT_LINKS);
      send(response, body, 'text/html', { etag: '"front"' });
    },
    '/plain.txt': (_, response) => send(response, `${TRAP_PAGES['/plain.txt']}\n`, 'text/plain'),
    '/cyrillic': (_, response) =>
      send(
        response,
        Buffer.concat([Buffer.from('<meta charset=windows-1251><title>c</title><p>'), CP1251]),
        'text/html',
      ),
    '/shift': (_, response) =>
      send(response, Buffer.concat([Buffer.from('<title>s</title><p>'), SHIFT_JIS]), 'text/html; charset=Shift_JIS'),
    '/utf16': (_, response) =>
      send(response, Buffer.from(`\ufeff${html('u', TRAP_PAGES['/utf16'] ?? '')}`, 'utf16le'), 'text/html'),
    '/flaky': (_, response) => {
      flaky += 1;
      if (flaky === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else send(response, html('Flaky', TRAP_PAGES['/flaky'] ?? ''));
    },
    '/hop/1': (_, response) => response.writeHead(302, { location: '/hop/2' }).end(),
    '/hop/2': (_, response) => response.writeHead(301, { location: '../target' }).end(),
    '/target': (_, response) => send(response, html('Target', TRAP_PAGES['/target'] ?? '')),
    '/loop': (_, response) => response.writeHead(302, { location: '/loop2' }).end(),
    '/loop2': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
    '/cycle/a': (_, response) => send(response, html('A', TRAP_PAGES['/cycle/a'] ?? '', ['/cycle/b'])),
    '/cycle/b': (_, response) => send(response, html('B', TRAP_PAGES['/cycle/b'] ?? '', ['/cycle/a'])),
    '/twin': (_, response) => send(response, html('Target', TRAP_PAGES['/target'] ?? '')),
    '/noindex': (_, response) =>
      send(response, html('No', 'Keep this out.', [], '<meta name="robots" content="NOINDEX">')),
    '/huge': (_, response) => pour(response, { 'content-length': String(2048 * MIB) }),
    '/endless': (_, response) => pour(response, {}),
    '/bomb': (_, response) =>
      send(response, gzipSync(Buffer.alloc(64 * MIB, ' ')), 'text/html', { 'content-encoding': 'gzip' }),
    '/broken-gzip': (_, response) =>
      send(response, Buffer.from('1f8b0800deadbeef', 'hex'), 'text/html', { 'content-encoding': 'gzip' }),
    '/private/open': (_, response) => send(response, html('Open', 'The open part of the private part.')),
    '/binary': (_, response) => send(response, Buffer.alloc(1000), 'application/octet-stream'),
    '/away': (_, response) => response.writeHead(302, { location: 'http://elsewhere.example/x' }).end(),
    '/inside': (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end(),
    '/deep-tags': (_, response) => send(response, '<div>'.repeat(50_000)),
    '/error': (_, response) => response.writeHead(418).end(),
    '/sitemap.xml': (_, response) =>
      send(
        response,
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>/map.xml.gz</loc></sitemap>' +
          '<sitemap><loc>/map.txt</loc></sitemap><sitemap><loc>/sitemap.xml</loc></sitemap></sitemapindex>',
        'application/xml',
      ),
    '/map.xml.gz': (_, response) =>
      send(response, gzipSync('<urlset><url><loc>/cycle/a</loc></url></urlset>'), 'application/gzip'),
    [MANY_SITEMAP]: (_, response) => {
      const maps = Array.from({ length: Math.ceil(pages / PAGES_PER_SITEMAP) }, (_, map) => `/many/${map}.xml.gz`);
      const entries = [...maps, '/calendar.txt', MANY_SITEMAP].map((path) => `<sitemap><loc>${path}</loc></sitemap>`);
      send(response, `<sitemapindex>${entries.join('')}</sitemapindex>`, 'application/xml');
    },
    '/calendar.txt': ({ headers }, response) => {
      const days = Array.from({ length: CALENDAR_DAYS }, (_, day) => `http://${headers.host}/calendar?day=${day + 1}`);
      send(response, [`http://${headers.host}/`, ...days].join('\n'), 'text/plain');
    },
    '/slow': (_, response) => {
      setTimeout(() => send(response, html('Slow', 'It takes its time.')), SLOW_MS);
    },
    '/map.txt': (request, response) => send(response, `http://${request.headers.host}/target\n`, 'text/plain'),
  };
  const site = await serveWith((request, response) => {
    const url = request.url ?? '';
    const day = /^\/calendar\?day=(\d+)$/.exec(url)?.[1];
    if (day !== undefined) {
      const next = [1, 2, 3].map((step) => `/calendar?day=${Number(day) * 3 + step}`);
      send(response, html(`Day ${day}`, `It is day ${day}.`, next));
      return;
    }
    const map = Number(/^\/many\/(\d+)\.xml\.gz$/.exec(url)?.[1] ?? Number.NaN) * PAGES_PER_SITEMAP;
    if (map < pages) {
      const numbers = Array.from({ length: Math.min(PAGES_PER_SITEMAP, pages - map) }, (_, index) => map + index);
      const entries = numbers.map((number) => `<url><loc>${manyPath(number)}</loc></url>`);
      send(response, gzipSync(`<urlset>${entries.join('')}</urlset>`), 'application/x-gzip');
      return;
    }
    const many = Number(/^\/many\/(\d+)\.html$/.exec(url)?.[1] ?? Number.NaN);
    if (many < pages) {
      send(response, manyPage(many, pages));
      return;
    }
    const route = routes[url];
    if (route === undefined) response.writeHead(404).end();
    else route(request, response);
  });
  return Object.assign(site, { trapBytes: () => trapBytes, conditional: () => conditional });
}
