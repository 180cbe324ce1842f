import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.ts';
import { startAppliance } from '../harness/appliance.ts';
import { HAS_BROWSER, RENDERER_FOLDER, sharedBrowser, visit } from '../harness/browser.ts';
import { startProxy } from '../harness/reverse-proxy.ts';

describe.skipIf(!HAS_BROWSER)('the window below a path of a proxy', () => {
  beforeAll(() => ensureBuilt());

  test.each([
    ['that passes the path on', false],
    ['that strips it', true],
  ])('%s: sign-in, pages, live events, reference', async (_how, strips) => {
    await using appliance = await startAppliance({ rendererFolder: RENDERER_FOLDER, joined: false });
    await using proxy = await startProxy({ target: appliance.url, path: '/quarry', strips });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ publicUrl: proxy.url });
    expect((await appliance.owner('/admin/settings', { method: 'PATCH', headers, body })).status).toBe(200);
    const { page, complaints } = await visit(await sharedBrowser());
    try {
      await page.goto(`${proxy.url}/login#${appliance.ownerToken}`);
      await page.waitForURL(`${proxy.url}/`);
      await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
      await page.waitForURL(`${proxy.url}/jobs`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const form = new FormData();
      form.append('file', new Blob(['The tide turned at noon.']), 'tide.txt');
      await appliance.owner('/v1/extract/doc', { method: 'POST', headers: { prefer: 'wait=30' }, body: form });
      // Told by the stream of events: the page is not loaded again.
      await page.getByRole('link', { name: 'tide.txt' }).first().click();
      await page.waitForURL(`${proxy.url}/jobs/job_*`);
      await page.getByText('The tide turned at noon.').first().waitFor();
      await page.reload();
      await page.getByText('The tide turned at noon.').first().waitFor();
      await page.goto(`${proxy.url}/reference`);
      await page
        .getByRole('heading', { name: /Quarry/ })
        .first()
        .waitFor();
      // The cookie is limited to the path, and the listening address has the same window.
      const [cookie] = await page.context().cookies();
      expect(cookie?.path).toBe('/quarry');
      await page.goto(`${appliance.url}/login#${appliance.ownerToken}`);
      await page.waitForURL(`${appliance.url}/`);
      await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
      await page.getByRole('link', { name: 'tide.txt' }).first().waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await page.context().close();
    }
  });
});
