/** Rendered pages on nodes, with real browsers. This machine has none. */
import { existsSync, mkdtempSync, readFileSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import {
  type BrowserBed,
  beginCrawl,
  browsersMissing,
  descendantsLike,
  expectSteps,
  pidOf,
  setBrowser,
  startBrowserBed,
} from '../harness/browser-bed.ts';
import { childrenLike, isAtWork } from '../harness/child-processes.ts';
import { finished } from '../harness/jobs.ts';
import { HOST, verdictsOf } from '../harness/rendered-site.ts';
import { until } from '../harness/until.ts';

const missing = browsersMissing();

function profileOf(pid = 0): string {
  return /--user-data-dir=([^\0]+)/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[1] ?? '';
}

describe.skipIf(missing !== null)(`browsers of nodes${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let bed: BrowserBed;
  const resultOf = async (crawlId: string) => {
    const job = await finished(bed.site.appliance.owner, crawlId);
    expect(job.error ?? null).toBeNull();
    return job.result as unknown as CrawlResult;
  };

  beforeAll(async () => {
    setBrowser(false);
    bed = await startBrowserBed();
  });
  afterEach(() => bed.endAll());
  afterAll(async () => {
    setBrowser(true);
    await bed[Symbol.asyncDispose]();
  });

  test('a machine without a browser renders on a node, which keeps nothing of it', async () => {
    const { site, node } = bed;
    const request = { url: `${HOST}/hangs`, depth: 0, render: 'always', maxAge: 0 };
    const headers = { 'content-type': 'application/json' };
    const refused = await site.appliance.owner('/v1/crawl', { method: 'POST', headers, body: JSON.stringify(request) });
    expect(refused.status).toBe(503);
    const left = mkdtempSync(join(tmpdir(), 'quarry-browser-'));
    utimesSync(left, 0, 0);
    const worker = await bed.start();
    const crawlId = await beginCrawl(site, request);
    await until(() => site.hanging.length > 0);
    const browsers = descendantsLike(pidOf(worker), '--user-data-dir=');
    expect(browsers).not.toEqual([]);
    expect(childrenLike('render-program')).toEqual([]);
    expect(await node(worker)).toMatchObject({ browsersTaken: 1 });
    const profile = profileOf(browsers[0]);
    expect(existsSync(profile)).toBe(true);
    expect(existsSync(left)).toBe(false);
    for (const answer of site.hanging) answer();
    expect((await resultOf(crawlId)).pages[0]?.markdown).toContain('It came late.');
    await until(() => !browsers.some(isAtWork) && !existsSync(profile));
    await until(async () => (await node(worker)).browsersTaken === 0);

    const auto = await site.crawl({ url: `${HOST}/`, depth: 1, render: 'auto' });
    const pages = Object.fromEntries(auto.pages.map((page) => [new URL(page.url).pathname, page.rendered]));
    expect(pages).toEqual({ '/': false, '/app': true, '/made': false });
    expect(verdictsOf(auto)).toMatchObject({ '/moves': 'redirect', '/empty': 'needs-script', '/private': 'robots' });
    expect(auto.stats.rendered).toMatchObject({ pages: 1 });
  });

  test('no way of a page leads from a node to a forbidden host; the same ways reach others', async () => {
    const { site } = bed;
    await bed.start();
    site.asked.length = 0;
    const request = { depth: 0, screenshot: true, actions: [{ do: 'waitFor', selector: '.done' }] };
    const away = await site.crawl({ ...request, url: `${HOST}/reach` });
    expect(away.pages[0]?.markdown).toContain('Every way was tried.');
    const parts = site.asked.filter((one) => one.startsWith('parts.example')).map((one) => one.split('/')[1]);
    const ways = ['css', 'script', 'img', 'iframe', 'fetch', 'xhr', 'beacon', 'events', 'socket', 'import', 'module'];
    expect([...new Set(parts)]).toEqual(expect.arrayContaining([...ways, 'font']));
    const out = await site.crawl({ ...request, url: `${HOST}/out` });
    expect(out.pages[0]?.markdown).toContain('Every way was tried.');
    expect(site.forbidden).toEqual([]);
    const hosts = new Set(site.asked.map((one) => one.split('/')[0]));
    expect([...hosts].sort()).toEqual(['harbour.example', 'parts.example']);
  });

  test('a node that is killed amid a crawl loses and doubles no page, and leaves no browser', async () => {
    const { site } = bed;
    await Promise.all([bed.start(), bed.start()]);
    let steps = 0;
    let browsers: number[] = [];
    let folder = '';
    site.onStep = () => {
      steps += 1;
      if (steps !== 4) return;
      for (const worker of bed.atWork()) {
        browsers = descendantsLike(pidOf(worker), '--user-data-dir=');
        folder = dirname(profileOf(browsers[0]));
        worker.child.kill('SIGKILL');
      }
    };
    const crawlId = await beginCrawl(site, { url: `${HOST}/steps`, depth: 1, render: 'auto' });
    expectSteps(await resultOf(crawlId));
    expect(browsers).not.toEqual([]);
    const record = await site.appliance.owner(`/admin/jobs/${crawlId}`);
    expect(await record.json()).toMatchObject({ attempts: 1 });
    expect(basename(folder)).toMatch(/^quarry-browser-/);
    await until(() => !browsers.some(isAtWork) && !existsSync(folder));
  });
});
