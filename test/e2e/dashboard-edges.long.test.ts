import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { HAS_BROWSER, visit } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { finished } from '../harness/jobs.ts';
import { passingUntil, stopTime } from '../harness/page-clock.ts';
import { fileJob } from '../harness/real-results.ts';
import { steeredOperations } from '../harness/sample-operations.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const LONG_NAME = `${'a-name-that-cannot-be-divided'.repeat(9)}.txt`;
const ARABIC = 'مرحبا بالعالم. هذه وثيقة عن الميناء (port 8080)، والسفن تأتي في الصباح.';

const steered = steeredOperations();
const dashboard = useDashboard();
/** One whose jobs end when a test says so. */
const held = useDashboard(() => ({ operations: steered.operations }));

/** A job that runs until it is released under this label. */
async function running(label: string): Promise<string> {
  // A window goes by when jobs were accepted: two within one millisecond have no order there.
  held.appliance.clock.advance(1);
  const accepted = await held.appliance.owner('/v1/test/held', postJson({ label }));
  await until(() => steered.runs.includes(label));
  return ((await accepted.json()) as { jobId: string }).jobId;
}

const rows = (page: Page) =>
  page
    .getByRole('table', { name: 'Job list' })
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split('/').at(-1)));

/** Where the text of an element begins within its box: 'right' for a script that is read from there. */
const sideOf = (locator: Locator): Promise<string> =>
  locator.evaluate((element) => {
    const range = element.ownerDocument.createRange();
    range.selectNodeContents(element);
    range.setEnd(range.startContainer.childNodes[0] ?? element, 1);
    const [box, first] = [element.getBoundingClientRect(), range.getBoundingClientRect()];
    if (Math.abs(box.right - first.right) < 2) return 'right';
    return Math.abs(first.left - box.left) < 2 ? 'left' : 'between';
  });

describe.skipIf(!HAS_BROWSER)('the dashboard, off the beaten track', () => {
  test('an address that a person mistyped in a browser is answered with a page, and a program with a problem', async () => {
    for (const path of ['/nonsense', '/jobs/one/two', '/reference/nothing']) {
      const answer = await dashboard.appliance.anonymous(path, { headers: HTML });
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        404,
        'text/html; charset=UTF-8',
      ]);
      const problem = await dashboard.appliance.anonymous(path);
      expect([problem.status, problem.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    }
    for (const path of ['/v1/nonsense', '/staging/v1/nonsense', '/assets/none.js', '/facilitator/nonsense']) {
      const problem = await dashboard.appliance.anonymous(path, { headers: HTML });
      expect([path, problem.headers.get('content-type')]).toEqual([path, 'application/problem+json']);
    }
    const page = await dashboard.open('/nonsense');
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const stranger = await visit(dashboard.browser);
    await stranger.page.goto(`${dashboard.appliance.url}/nonsense`);
    await stranger.page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
    await stranger.page.context().close();
  });

  test('a name of any length and script stays in its place, and text runs in the direction of its script', async () => {
    const arabic = new TextEncoder().encode(`${ARABIC}\n\nAnd a line in English follows it.`);
    const jobId = await fileJob(dashboard.appliance, 'extract/doc', { bytes: arabic, name: LONG_NAME });
    const page = await dashboard.open(`/jobs/${jobId}`);
    await page.getByRole('heading', { name: /^a-name-that-cannot-be-divided/, level: 1 }).waitFor();
    const text = page.locator('.reading p').first();
    await expect.poll(() => sideOf(text)).toBe('right');
    const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await expect.poll(() => page.evaluate(over)).toBe(0);
    const plain = await fileJob(dashboard.appliance, 'extract/doc', {
      bytes: Buffer.from('A line in English.'),
      name: 'plain.txt',
    });
    await dashboard.open(`/jobs/${plain}`);
    await expect.poll(() => sideOf(text)).toBe('left');
  });

  test('a disabled endpoint is sent no test, and says why to the mouse, the keyboard and a screen reader', async () => {
    const gone = createServer((_, response) => response.writeHead(410).end());
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/`;
    const made = await dashboard.appliance.owner('/v1/webhooks', postJson({ url }));
    expect(made.status).toBe(202);
    const page = await dashboard.open('/webhooks');
    const send = page.getByRole('button', { name: 'Send a test' });
    // It was told the end of the job that registered it, and said that it is gone.
    await page.getByText('Disabled', { exact: true }).waitFor();
    await until(async () => (await send.getAttribute('aria-disabled')) === 'true');
    expect(await send.getAttribute('aria-description')).toMatch(/^A disabled endpoint receives nothing/);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await send.focus();
    await page.getByRole('tooltip', { name: /^A disabled endpoint receives nothing/ }).waitFor();
    await page.keyboard.press('Enter');
    expect(asked.filter((one) => one.endsWith('/test'))).toEqual([]);
    await page.getByRole('button', { name: 'Activate' }).click();
    await until(async () => (await send.getAttribute('aria-disabled')) === null);
    await page.getByRole('button', { name: 'Pause' }).click();
    await until(async () => (await send.getAttribute('aria-disabled')) === 'true');
    expect(await send.getAttribute('aria-description')).toMatch(/^A paused endpoint receives nothing/);
    gone.close();
  });

  test('the owner pauses and removes an endpoint that a payer has registered, whose secret stays the payer’s', async () => {
    // Never called: it asks for failures alone.
    const hook = { url: 'https://receiver.example/hook', events: ['failed'] };
    const { anonymous } = dashboard.appliance;
    const { accepts } = (await (await anonymous('/v1/webhooks', postJson(hook))).json()) as { accepts: object[] };
    const paid = await anonymous('/facilitator/pay', postJson(accepts[0] ?? {}));
    const { payload } = (await paid.json()) as { payload: string };
    const headers = { 'content-type': 'application/json', 'x-payment': payload, prefer: 'wait=60' };
    expect((await anonymous('/v1/webhooks', { ...postJson(hook), headers })).status).toBe(202);
    const page = await dashboard.open('/webhooks');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: hook.url }) });
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByRole('button', { name: 'Activate' }).waitFor();
    expect(await row.getByRole('button', { name: /secret/i }).count()).toBe(0);
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => row.count()).toBe(0);
  });

  test('a job that completes while its owner thinks about cancelling it keeps its result', async () => {
    const ids = [await running('one'), await running('two'), await running('three')];
    const { page } = held;
    await held.open(`/jobs?status=processing`);
    await expect.poll(() => rows(page)).toEqual([...ids].reverse());
    await page.getByRole('button', { name: 'Select all matches' }).click();
    await page.getByRole('button', { name: 'Cancel 3' }).click();
    steered.release('one');
    await finished(held.appliance.owner, ids[0] ?? '');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 3' }).click();
    await page.getByText('2 done, 1 failed.').waitFor();
    expect(await finished(held.appliance.owner, ids[0] ?? '')).toMatchObject({
      status: 'completed',
      result: { label: 'one' },
    });
    expect(await finished(held.appliance.owner, ids[1] ?? '')).toMatchObject({ error: { code: 'cancelled' } });
    const alone = await running('four');
    await held.open(`/jobs/${alone}`);
    await page.getByRole('button', { name: 'Cancel job' }).click();
    steered.release('four');
    await finished(held.appliance.owner, alone);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
    await page.getByText('The job ended before it could be cancelled: what came out of it is kept.').waitFor();
    expect(await finished(held.appliance.owner, alone)).toMatchObject({
      status: 'completed',
      result: { label: 'four' },
    });
  });

  test('a job that ends after younger ones did comes into the filtered list, in its place', async () => {
    const { page } = held;
    await held.open(`/jobs?status=completed&jobType=test%2Fheld`);
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(async () => (await rows(page)).length).toBe(2);
    const [elder, younger] = [await running('elder'), await running('younger')];
    steered.release('younger');
    await expect.poll(async () => (await rows(page))[0]).toBe(younger);
    steered.release('elder');
    await expect.poll(async () => (await rows(page)).slice(0, 2)).toEqual([younger, elder]);
  });

  test('the keyboard goes on from the page where what it stood on is gone, and Select all keeps it', async () => {
    const { page } = held;
    const at = () => page.evaluate(`document.activeElement.id || document.activeElement.textContent`);
    const press = async (locator: Locator) => {
      await locator.focus();
      await page.keyboard.press('Enter');
    };
    await running('last');
    await held.open(`/jobs`);
    await press(page.getByRole('table', { name: 'Job list' }).getByRole('link').first());
    await page.getByRole('button', { name: 'Cancel job' }).waitFor();
    await expect.poll(at).toBe('main');
    const heading = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
    await page.getByRole('main', { name: heading }).waitFor();
    await page.getByRole('button', { name: 'Cancel job' }).focus();
    await page.goBack();
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await expect.poll(at).toBe('main');
    await press(page.getByRole('button', { name: 'Select all matches' }));
    await page.getByRole('button', { name: 'Clear selection' }).waitFor();
    await expect.poll(at).toBe('Clear selection');
    await held.appliance.owner('/admin/inboxes', postJson({ label: 'mine' }));
    await held.open(`/webhooks?tab=inbox`);
    await press(page.getByRole('region', { name: 'mine' }).getByRole('button', { name: 'Delete' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await page.getByText('No inbox yet').waitFor();
    await expect.poll(at).toBe('main');
    steered.release('last');
  });

  test('a job that ends after the list was read, and before changes can be heard, is not shown as running', async () => {
    const { page } = held;
    const jobId = await running('between');
    let opened = () => {};
    const mayOpen = new Promise<void>((resolve) => {
      opened = resolve;
    });
    await page.route('**/admin/events', async (route) => {
      await mayOpen;
      await route.continue();
    });
    await held.open(`/jobs?jobType=test%2Fheld`);
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${jobId}"]`) });
    await row.getByText(/\d %/).waitFor();
    steered.release('between');
    await finished(held.appliance.owner, jobId);
    opened();
    await row.getByText('Done', { exact: true }).waitFor();
  });

  test('what is wrong with an endpoint is said once, beside its field, and forgotten with its dialog', async () => {
    const page = await dashboard.open('/webhooks');
    const register = page.getByRole('button', { name: 'Add an endpoint' });
    await register.click();
    const address = page.getByRole('textbox', { name: 'URL' });
    await address.fill('receiver.example/hook');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('button', { name: 'Copy secret' }).waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const said = page.getByText('Give an absolute https URL.');
    await said.waitFor();
    expect([await said.count(), await address.getAttribute('aria-invalid')]).toEqual([1, 'true']);
    await page.keyboard.press('Escape');
    await address.waitFor({ state: 'detached' });
    await register.click();
    expect([await address.inputValue(), await said.count()]).toEqual(['', 0]);
    await page.keyboard.press('Escape');
  });

  test('what opened a dialog has the focus again as soon as the dialog is gone', async () => {
    await dashboard.openApart();
    const { page } = dashboard;
    await page.clock.install();
    await dashboard.open('/webhooks');
    const button = page.getByRole('button', { name: 'Add an endpoint' });
    await button.waitFor();
    await stopTime(page);
    await button.press('Enter');
    const dialog = page.getByRole('dialog');
    await passingUntil(page, dialog.locator(':focus'));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Add an endpoint');
  });

  test('somebody whose sign-in has ended is asked to sign in by the next page, not told of headers', async () => {
    await dashboard.openApart();
    const { page } = dashboard;
    await page.clock.install();
    await dashboard.open('/jobs');
    await page.getByText('Live', { exact: true }).waitFor();
    await stopTime(page);
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Payments', exact: true }).click();
    // Well before the window looks at the machine's health again, which it does every 15 seconds.
    expect(await passingUntil(page, page.getByRole('heading', { name: 'Sign in to Quarry' }))).toBeLessThan(10_000);
  });
});
