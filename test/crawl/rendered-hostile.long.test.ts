/** Pages that never end, and browsers that end: each takes as long as a page may. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import { childrenLike, descendantsOf, isAtWork, processesLike } from '../harness/child-processes.ts';
import { chromiumFile } from '../harness/chromium.ts';
import { finished } from '../harness/jobs.ts';
import { HOST, type RenderedSite, startRenderedSite, verdictsOf } from '../harness/rendered-site.ts';

const json = { 'content-type': 'application/json' };

let site: RenderedSite;

describe.skipIf(chromiumFile() === null)('rendered pages (needs chromium)', () => {
  beforeAll(async () => {
    site = await startRenderedSite();
  });
  afterAll(() => site.close());

  test('that loop for ever or fill memory fail alone, with their reason', async () => {
    const result = await site.crawl({ url: `${HOST}/hostile`, depth: 1, render: 'auto' });
    expect(result.pages.map(({ url }) => new URL(url).pathname)).toEqual(['/hostile']);
    expect(verdictsOf(result)).toEqual({ '/loops': 'script-failed', '/fills': 'script-failed' });
  });

  test('a cancelled crawl ends its browser', async () => {
    const body = JSON.stringify({ url: `${HOST}/loops`, depth: 0, render: 'always', maxAge: 0 });
    const answer = await site.appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
    const { crawlId } = (await answer.json()) as { crawlId: string };
    // The loop has begun once the browser has a process for the page.
    const pages = () => descendantsOf(process.pid).filter((pid) => processesLike('--type=renderer').includes(pid));
    await expect.poll(pages, { timeout: 60_000 }).not.toEqual([]);
    const browser = processesLike('quarry-browser-').filter((pid) => descendantsOf(process.pid).includes(pid));
    expect(browser).not.toEqual([]);
    await site.appliance.owner(`/admin/jobs/${crawlId}/cancel`, { method: 'POST' });
    await expect.poll(() => browser.filter(isAtWork), { timeout: 60_000 }).toEqual([]);
  });

  test('a render process that is killed amid a page is replaced, and its page read', async () => {
    const body = JSON.stringify({ url: `${HOST}/hangs`, depth: 0, render: 'always', maxAge: 0 });
    const begin = async () => {
      const answer = await site.appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
      return ((await answer.json()) as { crawlId: string }).crawlId;
    };
    const program = () => childrenLike('render-program').filter(isAtWork);
    /** Waits until the page has asked for the part that does not come. */
    const amidPage = async (count: number) => {
      await expect.poll(() => site.hanging.length, { timeout: 60_000 }).toBe(count);
      return program();
    };
    const crawlId = await begin();
    for (const pid of await amidPage(1)) process.kill(pid, 'SIGKILL');
    // The second browser asks again, and gets its part.
    await amidPage(2);
    site.hanging[1]?.();
    const job = await finished(site.appliance.owner, crawlId);
    expect(job.error ?? null).toBeNull();
    expect((job.result as unknown as CrawlResult).pages[0]?.markdown).toContain('It came late.');

    // Killed each time, it is the page that fails, with its reason.
    site.hanging.length = 0;
    const again = await begin();
    for (const count of [1, 2]) for (const pid of await amidPage(count)) process.kill(pid, 'SIGKILL');
    const { status, error } = await finished(site.appliance.owner, again);
    expect([status, error?.code]).toEqual(['failed', 'engine_failed']);
    expect(error?.message).toContain('It ended the browser.');
    await expect.poll(program, { timeout: 60_000 }).toEqual([]);
  });
});
