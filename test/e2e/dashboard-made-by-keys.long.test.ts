/** What a key made names it in the window, and says why it pauses when the key ends, with the two ways out. */
import { describe, expect, test } from 'vitest';
import type { Client } from '../harness/appliance.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { finished } from '../harness/jobs.ts';
import { serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';

const dashboard = useDashboard();

const NAME = 'Night script';

const NOTICE = `its key ${NAME} was revoked`;

async function newKey(): Promise<{ keyId: string; as: Client }> {
  const { appliance } = dashboard;
  const scopes = ['admin', 'read', 'run', 'private-network'];
  const answer = await appliance.owner('/admin/keys', postJson({ name: NAME, scopes, openJobs: 4 }));
  const { keyId, key } = (await answer.json()) as { keyId: string; key: string };
  const as: Client = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  };
  return { keyId, as };
}

describe.skipIf(!HAS_BROWSER)('what a key made (needs chromium)', () => {
  test('names the key; when that ends, it says why it pauses, and the owner takes it over or deletes it', async () => {
    const { appliance } = dashboard;
    await using site = await serveWith((request, response) => {
      if (request.url?.startsWith('/held')) return;
      if (request.url === '/feed') {
        response.writeHead(200, { 'content-type': 'application/rss+xml' });
        return void response.end('<rss version="2.0"><channel><title>Tides</title></channel></rss>');
      }
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Quay</title><p>The quay is open.</p>');
    });
    const { keyId, as } = await newKey();
    const make = async (path: string, body: object) => {
      const answer = await as(path, postJson(body));
      expect(answer.status, path).toBeLessThan(300);
      return (await answer.json()) as Record<string, string>;
    };
    const schedule = { everyMinutes: 600 };
    const { jobId } = await make('/v1/webhooks', { url: `${site.url}/hook` });
    await finished(appliance.owner, jobId ?? '');
    const { watchId } = await make('/admin/watches', { crawl: { url: `${site.url}/quay`, depth: 0 }, schedule });
    const recipe = { operation: 'extract/doc' };
    const { feedId } = await make('/admin/feeds', { url: `${site.url}/feed`, recipe, schedule });
    const items = Array.from({ length: 8 }, (_, index) => ({ sourceUrl: `${site.url}/held/${index}` }));
    const { batchId } = await make('/v1/batches', { ...recipe, items });

    const pages = [
      { path: '/webhooks', one: null },
      { path: '/watches', one: `/watches/${watchId}` },
      { path: '/watches', one: `/watches/feeds/${feedId}` },
      { path: '/jobs/batches', one: `/jobs/batches/${batchId}` },
    ];
    const page = await dashboard.open('/');
    const open = (path: string) => page.goto(appliance.url + path);
    for (const { path, one } of pages) {
      await open(one ?? path);
      await page.getByText(`Made by the key ${NAME}`).first().waitFor();
      expect(await page.getByText(NOTICE).count(), path).toBe(0);
    }
    expect((await appliance.owner(`/admin/keys/${keyId}`, { method: 'DELETE' })).status).toBe(204);
    for (const { path, one } of pages.toReversed()) {
      await open(path);
      await page.getByText(NOTICE).first().waitFor();
      await keepScreenshot(page, `made-by-key-list${path.replaceAll('/', '-')}`);
      if (one === null) await page.getByRole('button', { name: /^Take over/ }).click();
      else {
        await open(one);
        const note = page.getByRole('list', { name: 'Its key has ended' });
        await note.getByText(NOTICE).waitFor();
        expect(await note.getByRole('button').allTextContents()).toEqual(['Take over', expect.any(String)]);
        await keepScreenshot(page, `made-by-key${one.replaceAll('/', '-').slice(0, 20)}`);
        await note.getByRole('button', { name: 'Take over' }).click();
      }
      await page.getByText(NOTICE).first().waitFor({ state: 'detached' });
      expect(await page.getByText(`Made by the key ${NAME}`).count(), path).toBe(0);
    }
    const batch = (await (await appliance.owner(`/v1/batches/${batchId}`)).json()) as object;
    expect(batch).not.toHaveProperty('keyName');
    expect(dashboard.complaints).toEqual([]);
  });
});
