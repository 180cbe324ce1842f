/** What is shown while something is away: the server, an endpoint that is paused, whoever looked at the window. */
import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileJob, jsonJob } from '../harness/real-results.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

/** Makes the window say that nobody sees it, or that somebody does again. */
const setHidden = (hidden: boolean) =>
  `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
   Object.defineProperty(document, 'visibilityState', { value: '${hidden ? 'hidden' : 'visible'}', configurable: true });
   window.dispatchEvent(new Event('visibilitychange'));
   document.dispatchEvent(new Event('visibilitychange'));`;

/** Cells that do not begin where the title of their column does. */
const CROOKED = `[...document.querySelectorAll('.data-table > table')].flatMap((table) => {
  const begin = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return Math.round(range.getBoundingClientRect().left);
  };
  const titles = [...table.querySelectorAll('thead th')];
  return [...table.querySelectorAll('tbody tr')].flatMap((row) =>
    [...row.cells].flatMap((cell, at) => {
      const title = titles[at];
      if (title.textContent === '' || getComputedStyle(cell).textAlign === 'right') return [];
      return Math.abs(begin(cell) - begin(title)) > 1 ? [title.textContent] : [];
    }),
  );
})`;

const LONG_NAME = `${'endless'.repeat(24)}name.docx`;

const dashboard = useDashboard();

let jobId: string;

const newDocument = (name: string, words: string) =>
  fileJob(dashboard.appliance, 'extract/doc', { bytes: wordDocument([words]), name });

async function newInbox(): Promise<string> {
  const answer = await dashboard.appliance.owner('/admin/inboxes', postJson({}));
  return ((await answer.json()) as { url: string }).url;
}

async function setStatus(url: string, status: 'active' | 'paused'): Promise<void> {
  const listed = await dashboard.appliance.owner('/admin/webhooks');
  const { endpoints } = (await listed.json()) as { endpoints: { webhookId: string; url: string }[] };
  const id = endpoints.find((endpoint) => endpoint.url === url)?.webhookId;
  const answer = await dashboard.appliance.owner(`/v1/webhooks/${id}`, { ...postJson({ status }), method: 'PATCH' });
  expect(answer.status).toBe(200);
}

const rightOf = (box: { x: number; width: number } | null) => (box?.x ?? Number.NaN) + (box?.width ?? 0);

/** Paths of everything that the page asks for from now on, of one kind. */
function asked(page: Page, method: string): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    if (request.method() === method) paths.push(new URL(request.url()).pathname);
  });
  return paths;
}

/** A window with a clock of its own, in which changes are heard of. */
async function openWithClock(path: string): Promise<Page> {
  await dashboard.openApart();
  const { page } = dashboard;
  await page.clock.install();
  await dashboard.open(path);
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
}

describe.skipIf(!HAS_BROWSER)('the dashboard, where something is away', () => {
  beforeAll(async () => {
    jobId = await newDocument(LONG_NAME, 'The pilots meet the ships at the outer buoy.');
  });

  test('a page that was never opened says that no server is there, and comes by itself once one is', async () => {
    const { page } = dashboard;
    await page.route('**/admin/events', (route) => route.abort());
    await dashboard.open('/');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByText('Not live', { exact: true }).waitFor();
    await page.route('**/*', (route) => route.abort());
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.getByRole('heading', { level: 1, name: 'The page failed to load' }).waitFor();
    await page.getByText('Is Quarry running?').waitFor();
    expect(await page.getByText('The server does not answer').count()).toBe(1);
    // Nobody is led away from the window by asking again, as often as they like.
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Is Quarry running?').waitFor();
    await page.unrouteAll();
    await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  test('a job that is looked at stays on the screen while no server answers, and what happened is read then', async () => {
    const { page } = dashboard;
    const later = { updatedAt: new Date(dashboard.appliance.clock.now() + 60_000).toISOString() };
    await page.route(`**/admin/jobs/${jobId}`, async (route) => {
      const record = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...record, ...later } });
    });
    // The job is read once, and no more.
    await page.route(`**/v1/jobs/${jobId}`, (route) => route.abort());
    await page.route(`**/v1/jobs/${jobId}`, (route) => route.continue(), { times: 1 });
    await dashboard.open(`/jobs/${jobId}`);
    await page.getByText('Is Quarry running?').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(LONG_NAME);
    await page.getByText('The pilots meet the ships').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => page.getByText('Is Quarry running?').count()).toBe(0);
  });

  test('a result is not read again after a look elsewhere, unless something happened to its job', async () => {
    const gone = await newDocument('soon-gone.docx', 'It goes while nobody looks.');
    const page = await openWithClock(`/jobs/${gone}`);
    await page.getByRole('heading', { level: 1, name: 'soon-gone.docx' }).waitFor();
    const paths = asked(page, 'GET');
    const lookElsewhere = async (meanwhile: () => Promise<unknown> = async () => {}) => {
      await page.evaluate(setHidden(true));
      await page.clock.runFor(11_000);
      await page.getByText('Not live', { exact: true }).waitFor();
      await meanwhile();
      paths.length = 0;
      await page.evaluate(setHidden(false));
      await page.getByText('Live', { exact: true }).waitFor();
    };
    await lookElsewhere();
    await until(() => paths.includes(`/admin/jobs/${gone}`));
    // Whatever else it asks, it has asked by now: the record is the last to be looked at.
    await page.getByRole('button', { name: 'Request' }).click();
    expect(paths).not.toContain(`/v1/jobs/${gone}`);
    await lookElsewhere(() => dashboard.appliance.owner(`/v1/jobs/${gone}`, { method: 'DELETE' }));
    await page.getByRole('heading', { level: 1, name: 'Job not available' }).waitFor();
  });

  test('a search is made when somebody makes it, not by a look elsewhere, and its finds stay in their place', async () => {
    const page = await openWithClock('/search?q=buoy');
    const hit = page.getByRole('article').locator('.found-title');
    await hit.waitFor();
    const [name, found] = [await hit.boundingBox(), await page.getByRole('article').boundingBox()];
    expect(rightOf(name)).toBeLessThanOrEqual(rightOf(found));
    const paths = asked(page, 'GET');
    const searches = () => paths.filter((path) => path === '/v1/library/search');
    for (const awayMs of [5000, 11_000]) {
      await page.evaluate(setHidden(true));
      await page.clock.runFor(awayMs);
      await page.evaluate(setHidden(false));
      await page.getByText('Live', { exact: true }).waitFor();
      await page.clock.runFor(1000);
    }
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await until(() => searches().length > 0);
    await hit.waitFor();
    expect(searches()).toHaveLength(1);
  });

  test('what a paused endpoint holds back says so, and one endpoint’s deliveries stay apart from others’', async () => {
    const [held, other] = [await newInbox(), await newInbox()];
    for (const url of [held, other]) await jsonJob(dashboard.appliance, 'webhooks', { url });
    await setStatus(held, 'paused');
    const told = await newDocument('told.docx', 'It is told to two.');
    const page = await dashboard.open('/webhooks');
    // Whoever hears only the name of a button knows which endpoint it is about, and is asked about that one.
    for (const name of ['Send a test', 'Set a secret', 'Pause']) {
      await page.getByRole('button', { name: `${name}, ${other}`, exact: true }).waitFor();
    }
    await page.getByRole('button', { name: `Delete, ${held}`, exact: true }).click();
    await page.getByRole('dialog').getByText(held).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: held }).click();
    await page.getByText('On hold: endpoint paused').waitFor();
    expect(await page.evaluate(CROOKED)).toEqual([]);
    await page.getByText('Waiting', { exact: true }).click();
    await page.waitForURL(/status=pending/);
    await page.getByText('On hold: endpoint paused').waitFor();
    const toOther = page.getByRole('table').getByTitle(other, { exact: true });
    expect(await toOther.count()).toBe(0);
    await page.getByRole('link', { name: 'job.completed' }).first().click();
    await page.getByText('when you activate its paused endpoint', { exact: true }).waitFor();
    // Nothing is sent yet, and nobody is told that it was.
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The delivery is sent again when you activate its paused endpoint.').waitFor();
    await page.getByRole('link', { name: 'All deliveries' }).click();
    await page.waitForURL(/status=pending/);
    await page.getByText('Failed', { exact: true }).click();
    await page.getByText('No deliveries here').waitFor();
    await page.getByText('All', { exact: true }).click();
    await page.getByRole('link', { name: 'Show all endpoints' }).click();
    await toOther.first().waitFor();
    await dashboard.open(`/jobs/${told}?tab=timeline`);
    await page.getByRole('list', { name: 'Timeline' }).getByText('On hold: endpoint paused').waitFor();
    await setStatus(held, 'active');
    await dashboard.open('/webhooks?tab=deliveries');
    await expect.poll(() => page.getByText('On hold: endpoint paused').count()).toBe(0);
    await expect.poll(() => page.getByText('Delivered', { exact: true }).count()).toBeGreaterThan(1);
  });

  test('why a job failed is said once on its page', async () => {
    const failed = await fileJob(dashboard.appliance, 'extract/pdf', {
      bytes: new TextEncoder().encode('%PDF-1.4 broken'),
      name: 'broken.pdf',
    });
    const page = await dashboard.open(`/jobs/${failed}`);
    await page.getByRole('heading', { name: 'The file is damaged' }).waitFor();
    expect(await page.getByText('The PDF is damaged').count()).toBe(1);
  });

  test('a run that takes longer than was thought is not said to end at once, and is asked about as one', async () => {
    const { page } = dashboard;
    const job = (await (await dashboard.appliance.owner(`/v1/jobs/${jobId}`)).json()) as object;
    const progress = { stage: 'crawling', percent: 4, message: 'Reading pages.' };
    let etaSeconds: number | undefined = 18;
    const running = () => ({ ...job, status: 'processing', result: null, etaSeconds, progress });
    await page.route(`**/v1/jobs/${jobId}/events`, (route) => route.abort());
    await page.route(`**/v1/jobs/${jobId}`, (route) => route.fulfill({ json: running() }));
    await dashboard.open(`/jobs/${jobId}`);
    await page.getByText('4 % · about 18 s left', { exact: true }).waitFor();
    etaSeconds = undefined;
    await page.reload();
    await page.getByText('4 %', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel job' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this job?' });
    await dialog.getByText('The job stops and ends as failed.', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Keep running' }).click();
    await expect.poll(() => dialog.count()).toBe(0);
  });

  test('what is done to many can be stopped, says why it could not be done, and leaves the rest selected', async () => {
    const names = ['crowd-1.docx', 'crowd-2.docx', 'crowd-3.docx', 'crowd-4.docx', 'crowd-5.docx', 'crowd-6.docx'];
    for (const name of names) await newDocument(name, name);
    const page = await dashboard.open('/jobs?text=crowd-');
    await page.getByText('6 jobs', { exact: true }).waitFor();
    const held: Route[] = [];
    await page.route('**/v1/jobs/job_*', (route) => void held.push(route));
    await page.getByRole('button', { name: 'Select all matches' }).click();
    await page.getByRole('button', { name: 'Delete 6' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 6' }).click();
    await page.getByText('0 of 6', { exact: true }).waitFor();
    await until(() => held.length === 4);
    // Nothing else is begun with jobs that are being removed.
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    for (const route of held) await route.continue();
    await page.getByText('Stopped: 4 done, 2 unchanged.').waitFor();
    await page.getByText('2 selected', { exact: true }).waitFor();
    expect(held.length).toBe(4);
    await page.unrouteAll();
    await page.route('**/v1/jobs/job_*', (route) => route.abort());
    await page.getByRole('button', { name: 'Delete 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 2' }).click();
    await page.getByText('0 done, 2 failed.').waitFor();
    await page.getByText('The server does not answer. Is Quarry running?').waitFor();
    await page.getByText('2 selected', { exact: true }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Delete 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 2' }).click();
    await page.getByText('Done: 2 jobs.').waitFor();
    await page.getByText('No jobs match these filters. Change or clear them.', { exact: true }).waitFor();
  });
});
