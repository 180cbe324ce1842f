/** Pages made by scripts, read with a real browser that sees nothing but loopback stand-ins. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import { chromiumFile } from '../harness/chromium.ts';
import { APP_JS, HOST, type RenderedSite, SHELLS, startRenderedSite, verdictsOf } from '../harness/rendered-site.ts';

const json = { 'content-type': 'application/json' };

let site: RenderedSite;

const textOf = (result: CrawlResult, url: string) =>
  result.chunks.flatMap((chunk) => ('url' in chunk && chunk.url !== url ? [] : [chunk.text])).join('\n');

describe.skipIf(chromiumFile() === null)('rendered pages (needs chromium)', () => {
  beforeAll(async () => {
    site = await startRenderedSite();
  });
  afterAll(() => site.close());

  test('auto: only pages that need their scripts are rendered, and each ends with its own reason', async () => {
    site.asked.length = 0;
    const result = await site.crawl({ url: `${HOST}/`, depth: 1, render: 'auto' });
    const pages = Object.fromEntries(result.pages.map((page) => [new URL(page.url).pathname, page.rendered]));
    expect(pages).toEqual({ '/': false, '/app': true, '/made': false });
    expect(textOf(result, `${HOST}/app`)).toMatch(/The tide is high\.[\s\S]*Read in the shadow\./);
    expect(textOf(result, `${HOST}/app`)).not.toContain('Turn scripts on');
    expect(verdictsOf(result)).toMatchObject({
      ...{ '/moves': 'redirect', '/empty': 'needs-script', '/private': 'robots' },
    });
    // The browser gets a page as it was fetched.
    expect(site.asked.filter((path) => path === 'harbour.example/app')).toHaveLength(1);
    expect(site.asked).not.toContain('harbour.example/private');
    expect(result.stats.rendered).toMatchObject({ pages: 1 });
    expect(result.stats.rendered.requests).toBeGreaterThanOrEqual(3);
    expect(result.stats.rendered.bytes).toBeGreaterThan(APP_JS.length);
  });

  test('auto: a page that shows a placeholder is rendered; without scripts it has a warning', {
    tags: ['long'],
  }, async () => {
    const shells = Object.keys(SHELLS).filter((path) => path !== '/shell/text');
    const result = await site.crawl({ url: `${HOST}/shells`, depth: 1, render: 'auto' });
    const rendered = result.pages.filter((page) => page.rendered).map(({ url }) => new URL(url).pathname);
    expect(rendered.sort()).toEqual(shells.sort());
    for (const path of shells) expect(textOf(result, HOST + path)).toContain(`The page ${path} tells of the tide.`);
    expect(result.warnings.filter((sentence) => sentence.includes('placeholder'))).toEqual([]);
    const plain = await site.crawl({ url: `${HOST}/shells`, depth: 1, render: 'never' });
    const warned = plain.warnings.flatMap(
      (sentence) => /The page (\S+) shows only a placeholder until/.exec(sentence)?.[1] ?? [],
    );
    expect(warned.map((url) => new URL(url).pathname).sort()).toEqual(shells.sort());
  });

  test('waits for what comes late, is seen late, or is in frames of its own site', { tags: ['long'] }, async () => {
    const read = async (path: string) => {
      const result = await site.crawl({ url: HOST + path, depth: 0, render: 'auto' });
      expect(result.pages).toMatchObject([{ rendered: true }]);
      return { text: textOf(result, HOST + path), warnings: result.warnings.join('\n') };
    };
    expect((await read('/late')).text).toMatch(/It came after a second\. It came after three\./);
    expect((await read('/below')).text).toMatch(/The first screen\.[\s\S]*It came when it was seen\./);
    expect((await read('/more')).text).toMatch(/Part 1 of the list\.[\s\S]*Part 3 of the list\./);
    const framed = await read('/framed');
    expect(framed.text).toMatch(/Read in a frame\.[\s\S]*Read in the frame of a frame\./);
    expect(framed.text).not.toContain('Only scripts link to this page.');
    expect(framed.warnings).not.toContain('/inner');
    const frameset = await read('/frameset');
    expect(frameset.text).toMatch(/Read in a frame\.[\s\S]*Only scripts link to this page\./);
  });

  test('screenshots, PDF files and actions of the owner', { tags: ['long'] }, async () => {
    const actions = [
      { do: 'type', selector: 'input', text: 'ebb' },
      { do: 'click', selector: 'button' },
      { do: 'click', selector: '#nothing' },
    ];
    const result = await site.crawl({ url: `${HOST}/acts`, depth: 0, screenshot: true, pdf: true, actions });
    const [page] = result.pages;
    expect(page).toMatchObject({ rendered: true, screenshot: expect.stringMatching(/\.jpg$/) });
    expect(page?.markdown).toContain('You typed ebb.');
    expect(result.warnings.join()).toContain('Action 3 (click) found nothing');
    const bytes = await Promise.all(
      [page?.screenshot, page?.pdf].map(async (url) => {
        const answer = await site.appliance.owner(new URL(url ?? '').pathname);
        return Buffer.from(await answer.arrayBuffer()).toString('latin1', 0, 4);
      }),
    );
    expect(bytes).toEqual(['\xff\xd8\xff\xe0', '%PDF']);
  });

  test('no way of a page leads to a forbidden host; the same ways reach others through the proxy', async () => {
    site.asked.length = 0;
    const request = { depth: 0, screenshot: true, actions: [{ do: 'waitFor', selector: '.done' }] };
    const away = await site.crawl({ ...request, url: `${HOST}/reach` });
    expect(away.pages[0]?.markdown).toContain('Every way was tried.');
    const reached = new Set(
      site.asked.filter((one) => one.startsWith('parts.example')).map((one) => one.split('/')[1]),
    );
    const ways = [
      'css',
      'script',
      'img',
      'iframe',
      'fetch',
      'xhr',
      'beacon',
      'events',
      'socket',
      'import',
      'module',
      'font',
    ];
    expect([...reached]).toEqual(expect.arrayContaining(ways));
    expect([...reached].filter((way) => ['window', 'download'].includes(way ?? ''))).toEqual([]);
    const out = await site.crawl({ ...request, url: `${HOST}/out` });
    expect(out.pages[0]?.markdown).toContain('Every way was tried.');
    expect(site.forbidden).toEqual([]);
    const hosts = new Set(site.asked.map((one) => one.split('/')[0]));
    // Nothing that the browser asks for by itself.
    expect([...hosts].sort()).toEqual(['harbour.example', 'parts.example']);
  });

  test('without a browser the answer says how to install one; with auto, other pages are read', async () => {
    const before = process.env.QUARRY_BROWSER;
    process.env.QUARRY_BROWSER = '/nowhere/chromium';
    try {
      const body = JSON.stringify({ url: `${HOST}/app`, depth: 0, render: 'always', maxAge: 0 });
      const answer = await site.appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
      const problem = (await answer.json()) as { code: string; detail: string };
      expect([answer.status, problem.code]).toEqual([503, 'engine_unavailable']);
      expect(problem.detail).toContain('QUARRY_BROWSER names no program.');
      expect(problem.detail).toContain('apt install chromium');
      const result = await site.crawl({ url: `${HOST}/few`, depth: 1, render: 'auto' });
      expect(result.pages.map(({ url }) => new URL(url).pathname).sort()).toEqual(['/few', '/made']);
      expect(verdictsOf(result)).toMatchObject({ '/app': 'script-failed' });
      expect(result.warnings.join()).toContain('apt install chromium');
    } finally {
      if (before === undefined) delete process.env.QUARRY_BROWSER;
      else process.env.QUARRY_BROWSER = before;
    }
  });

  test('a browser that dies while it starts is started again', { tags: ['long'] }, async () => {
    const before = process.env.QUARRY_BROWSER;
    const folder = mkdtempSync(join(tmpdir(), 'dying browser '));
    const starts = join(folder, 'starts');
    const program = join(folder, 'chromium');
    const lines = ['#!/bin/sh', `echo start >> '${starts}'`, `[ $(wc -l < '${starts}') -gt 1 ] || kill -9 $$`];
    writeFileSync(program, [...lines, `exec '${chromiumFile()}' "$@"`].join('\n'), { mode: 0o755 });
    process.env.QUARRY_BROWSER = program;
    try {
      const result = await site.crawl({ url: `${HOST}/app`, depth: 0, render: 'always', maxAge: 0 });
      expect(result.pages[0]).toMatchObject({ rendered: true });
      expect(readFileSync(starts, 'utf8').split('\n').length).toBeGreaterThan(2);
    } finally {
      if (before === undefined) delete process.env.QUARRY_BROWSER;
      else process.env.QUARRY_BROWSER = before;
      rmSync(folder, { recursive: true });
    }
  });

  test('only the owner may act on pages: others are refused before their payment is taken', async () => {
    const body = JSON.stringify({
      url: 'https://harbour.example/acts',
      actions: [{ do: 'click', selector: 'button' }],
    });
    const send = (more: object = {}) =>
      site.appliance.anonymous('/v1/crawl', { method: 'POST', headers: { ...json, ...more }, body });
    const unpaid = await send();
    expect(unpaid.status).toBe(402);
    const { accepts } = (await unpaid.json()) as { accepts: unknown[] };
    const pay = { method: 'POST', headers: json, body: JSON.stringify(accepts[0]) };
    const { payload } = (await (await site.appliance.anonymous('/facilitator/pay', pay)).json()) as { payload: string };
    const answer = await send({ 'x-payment': payload });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'actions', message: 'Only the owner may act on pages.' }],
    });
    const ledger = (await (await site.appliance.owner('/admin/payments')).json()) as { payments: unknown[] };
    expect(ledger.payments).toEqual([]);
  });

  test.each([
    [{ render: 'never', screenshot: true }, 'screenshot'],
    [{ render: 'sometimes' }, 'render'],
    [{ actions: [{ do: 'click', selector: '' }] }, 'actions'],
  ])('%j is refused', async (request, field) => {
    const body = JSON.stringify({ url: `${HOST}/`, ...request });
    const answer = await site.appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(await answer.json())).toContain(field);
  });
});
