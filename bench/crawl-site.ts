/** `node bench/crawl-site.ts <pages>`: a site of that many pages on loopback, in a process of its own. Prints its origin. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const pages = Number(process.argv[2] ?? 2000);
/** Links of a page to others: every page is reached within three levels. */
const FAN_OUT = Math.ceil(Math.cbrt(pages)) + 1;
const WORDS =
  'harbour tide berth channel buoy current mooring pilot ferry anchor light vessel cargo quay rope sail wind depth';
const words = WORDS.split(' ');

function sentence(seed: number): string {
  let state = seed * 2_654_435_761;
  const chosen = Array.from({ length: 14 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return words[state % words.length];
  });
  return `${chosen.join(' ')} ${seed}.`;
}

function page(number: number): string {
  const children = Array.from({ length: FAN_OUT }, (_, index) => number * FAN_OUT + index + 1).filter((n) => n < pages);
  const links = children.map((n) => `<li><a href="/p/${n}.html">Page ${n} of the pilot book</a></li>`).join('');
  const text = Array.from({ length: 30 }, (_, index) => {
    const heading = index % 6 === 0 ? `<h2>Section ${index / 6} of page ${number}</h2>` : '';
    return `${heading}<p>${sentence(number * 31 + index)} ${sentence(number * 37 + index)}</p>`;
  }).join('\n');
  return `<!doctype html><html lang="en"><head><title>Page ${number}</title>
<meta name="description" content="What the pilot book says about place ${number}."></head><body>
<nav><a href="/p/0.html">Start</a> <a href="/p/1.html">First</a></nav>
<main><h1>Place ${number}</h1>${text}<ul>${links}</ul></main><footer>The pilot book, all editions</footer></body></html>`;
}

const server = createServer((request, response) => {
  const number = Number(/^\/p\/(\d+)\.html$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
  if (!(number < pages)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(number));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/p/0.html\n`);
});
