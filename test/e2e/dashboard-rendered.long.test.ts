/** The result of a crawl whose pages a browser has rendered, in the window. */
import { expect, test } from 'vitest';
import { keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { finished } from '../harness/jobs.ts';
import { serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const dashboard = useDashboard();

const app = (script: string) =>
  `<!doctype html><title>Tides</title><div id="root"></div><noscript>Turn scripts on.</noscript><script>${script}</script>`;

test('rendered pages show their text and picture; a page that fails says why', async () => {
  await using site = await serveWith((request, response) => {
    const pages: Record<string, string> = {
      '/': '<title>Harbour</title><h1>Harbour</h1><p>The plain page.</p><a href="/app">App</a> <a href="/empty">Empty</a>',
      '/app': app('root.innerHTML = "<h1>Tides</h1><p>High water is at noon.</p>"'),
      '/empty': app(''),
    };
    const body = pages[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body);
  });
  const { owner } = dashboard.appliance;
  await owner('/admin/settings', { ...postJson({ crawlDelayMs: 0 }), method: 'PATCH' });
  const request = { url: `${site.url}/`, depth: 1, render: 'auto', screenshot: true };
  const { crawlId } = (await (await owner('/v1/crawl', postJson(request))).json()) as { crawlId: string };
  const job = await finished(owner, crawlId);
  expect(job.status, JSON.stringify(job.error)).toBe('completed');

  const page = await dashboard.open(`/jobs/${crawlId}`);
  const tree = page.getByRole('navigation').filter({ hasText: 'Tides' });
  await tree.getByText('Tides').click();
  const shown = page.getByRole('region', { name: 'Tides' });
  await shown.getByText('High water is at noon.').waitFor();
  await page.getByRole('term').filter({ hasText: 'Scripts' }).waitFor();
  const picture = page.getByRole('img', { name: 'Screenshot' });
  await until(async () => (await picture.evaluate(widthOf)) === 1280);
  for (const width of [1440, 400]) {
    await page.setViewportSize({ width, height: 900 });
    await keepScreenshot(page, `rendered-${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByText('Text only with scripts').click();
  await page.getByRole('button', { name: /empty/ }).click();
  await page.getByText('It has no text, also after its scripts were run.').waitFor();
  await keepScreenshot(page, 'rendered-failed');
  expect(dashboard.complaints).toEqual([]);
});

/** Runs in the page. */
function widthOf(image: unknown): number {
  return (image as { naturalWidth: number }).naturalWidth;
}
