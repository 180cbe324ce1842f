/**
 * Renders pages in one process with its children, which the benchmark then counts: `quarry` with the renderer of crawls,
 * `bare` with playwright-core alone. Prints the characters of text that it found.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { requireBrowser } from '../src-server/features/crawl/browser.ts';
import { BrowserPlaces } from '../src-server/features/crawl/browser-places.ts';
import { CookieJar } from '../src-server/features/crawl/cookies.ts';
import { MAX_TABS, PageRenderer } from '../src-server/features/crawl/render.ts';
import { PLAIN_CHOICE } from '../src-server/features/crawl/schema.ts';
import { systemClock } from '../src-server/platform/clock.ts';
import { inParallel } from '../src-server/platform/concurrency.ts';
import { forkChildPrograms } from '../src-server/platform/rpc/child-process.ts';

const [name, root, count] = process.argv.slice(2);
const urls = Array.from({ length: Number(count) }, (_, page) => `${root}/${page}`);
const { signal } = new AbortController();
const renderAll = name === 'quarry' ? withQuarry : withPlaywright;
process.stdout.write(String(await renderAll()));

async function withQuarry(): Promise<number> {
  const filesFolder = await mkdtemp(join(tmpdir(), 'quarry-bench-'));
  const start = forkChildPrograms(new URL('../workers/entry.ts', import.meta.url));
  const places = new BrowserPlaces(filesFolder);
  const log = { info: () => undefined, warn: () => undefined };
  const network = { privateHost: 'any' as const };
  const parts = { start, places, network, userAgent: 'Quarry/bench', filesFolder, log };
  const cookies = new CookieJar(systemClock);
  const renderer = new PageRenderer({ ...parts, choice: PLAIN_CHOICE }, { screenshots: 0, pdfs: 0 });
  const found = await inParallel(urls, MAX_TABS, signal, async (url, together) => {
    const answer = await fetch(url);
    const body = Buffer.from(await answer.arrayBuffer());
    const page = await renderer.renderCrawledPage(
      { id: 0, url, body, headers: [['content-type', 'text/html']], cookies },
      together,
    );
    if (page.kind !== 'page') throw new Error(`${url}: ${JSON.stringify(page)}`);
    return textOf(page.body.toString());
  });
  await renderer[Symbol.asyncDispose]();
  await rm(filesFolder, { recursive: true });
  return sum(found);
}

async function withPlaywright(): Promise<number> {
  const browser = await chromium.launch({ executablePath: requireBrowser('').path, args: ['--disable-gpu'] });
  const context = await browser.newContext();
  const found = await inParallel(urls, MAX_TABS, signal, async (url) => {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'networkidle' });
    const html = await page.content();
    await page.close();
    return textOf(html);
  });
  await browser.close();
  return sum(found);
}

/** Characters of what the script of a page has written. */
function textOf(html: string): number {
  return (/<main>([\s\S]*)<\/main>/.exec(html)?.[1] ?? '').replace(/<[^>]*>/g, '').length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
