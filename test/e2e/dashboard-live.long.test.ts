import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboardOfEachTest } from '../harness/dashboard.ts';
import { wordDocument } from '../harness/documents.ts';
import { passingUntil, stopTime } from '../harness/page-clock.ts';
import { until } from '../harness/until.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** Makes the window say that nobody sees it, or that somebody does again. */
const setHidden = (hidden: boolean) =>
  `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
   Object.defineProperty(document, 'visibilityState', { value: '${hidden ? 'hidden' : 'visible'}', configurable: true });
   document.dispatchEvent(new Event('visibilitychange'));`;

/** Keeps the times at which each stream is asked for, by its path. */
const NOTE_STREAMS = `window.asked = {};
const fetchIt = window.fetch;
window.fetch = (path, init) => {
  if (new Headers(init?.headers).get('accept') === 'text/event-stream') (window.asked[path] ??= []).push(Date.now());
  return fetchIt(path, init);
};`;

const dashboard = useDashboardOfEachTest();

async function open(path: string): Promise<Page> {
  const page = await dashboard.open(path);
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
}

async function newInbox(behaviour: object): Promise<{ name: string; url: string }> {
  const body = JSON.stringify({ behaviour });
  const answer = await dashboard.appliance.owner('/admin/inboxes', { method: 'POST', headers: JSON_TYPE, body });
  return (await answer.json()) as { name: string; url: string };
}

/** A document of the owner's other programs, called back at `webhookUrl`. */
async function submit(webhookUrl: string): Promise<void> {
  const form = new FormData();
  form.append('webhookUrl', webhookUrl);
  form.append('file', new Blob([wordDocument(['One.'])]), 'one.docx');
  expect((await dashboard.appliance.owner('/v1/extract/doc', { method: 'POST', body: form })).status).toBe(202);
}

/** Everything the page asks of the server from now on. */
function requestsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  return asked;
}

describe.skipIf(!HAS_BROWSER)('the dashboard, while somebody only watches', () => {
  test('a delivery appears, fails, and succeeds at its retry, in the list, on its own page and in the inbox', async () => {
    const inbox = await newInbox({ mode: 'status', status: 500, times: 1 });
    // So that its time for another try does not come while the first one is looked at.
    dashboard.appliance.clock.stand();
    await dashboard.page.clock.install();
    const page = await open('/webhooks?tab=deliveries');
    await page.getByText('No deliveries here').waitFor();
    const second = await dashboard.page.context().newPage();
    await second.goto(`${dashboard.appliance.url}/webhooks?tab=inbox`);
    await second.getByText('No requests yet').waitFor();
    await submit(inbox.url);
    await page.getByText('Retrying').waitFor();
    await page.getByRole('link', { name: 'job.completed' }).click();
    await page.getByRole('button', { name: /^Attempt 1/ }).waitFor();
    // What is told of the attempt is read when it is opened, which it is by itself.
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    const asked = requestsOf(page);
    await page.clock.runFor(60_000);
    // The end of the attempt may still be told; a window that asked by itself would have asked a dozen times.
    expect(asked.filter((path) => path.startsWith('/admin/deliveries')).length).toBeLessThanOrEqual(1);
    dashboard.appliance.clock.advance(10_000);
    await page.getByRole('button', { name: /^Attempt 2/ }).waitFor();
    await page.getByText('Delivered', { exact: true }).waitFor();
    await expect.poll(() => second.locator('details.message').count()).toBe(2);
  });

  test('what happened a moment ago is not said to be about to happen', async () => {
    const { page } = dashboard;
    dashboard.appliance.clock.stand();
    await page.clock.install();
    // From the start, so that it takes no machine longer than others to come this far.
    await stopTime(page);
    await dashboard.open('/jobs');
    await passingUntil(page, page.getByText('Live', { exact: true }));
    await passingUntil(page, page.getByText('No jobs here'));
    // Between two of the moments at which the page looks at how long ago things were.
    await page.clock.runFor(4000);
    dashboard.appliance.clock.advance(3000);
    await submit((await newInbox({ mode: 'accept' })).url);
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'one.docx' }) });
    await passingUntil(page, row.getByRole('time'));
    expect(await row.getByRole('time').textContent()).toBe('just now');
  });

  test('windows and slots of the limits move as requests come, and empty by themselves', async () => {
    // What has been sent within a minute is counted, and a slow machine may need that long.
    dashboard.appliance.clock.stand();
    const page = await open('/limits');
    await page.getByText('0 accounts active now').waitFor();
    const asked = requestsOf(page);
    for (let sent = 0; sent < 3; sent += 1) await dashboard.appliance.anonymous('/v1/jobs/unknown');
    await page.getByText('3 of 600').waitFor();
    await page.getByRole('button', { name: /^Change plan: ip:/ }).waitFor();
    await dashboard.appliance.anonymous('/v1/jobs/unknown');
    await page.getByText('4 of 600').waitFor();
    dashboard.appliance.clock.advance(61_000);
    await page.getByText('4 of 600').waitFor({ state: 'detached' });
    await page.getByText('0 of 600').waitFor();
    expect(asked.filter((path) => path === '/admin/limits')).toEqual([]);
  });

  test('accounts that are on no page that was read do not have the list read again with every request', async () => {
    const { page } = dashboard;
    const of = { plan: { plan: 'studio' }, allowance: { requestsPerMinute: 600, concurrency: 20 } };
    let told = 0;
    await page.route('**/admin/limits/events', async (route) => {
      told += 1;
      const usage = Array.from({ length: 60 }, (_, n) => ({
        ...of,
        ...{ accountId: `0x${n}`, requestsPassed: told, requestsRefused: 0, inlineOpen: 0, jobsProcessing: 0 },
      }));
      // The stream ends, and the browser asks for the next message at once.
      const body = `retry: 50\nevent: usage\ndata: ${JSON.stringify({ usage })}\n\n`;
      await route.fulfill({ contentType: 'text/event-stream', body });
    });
    const asked = requestsOf(page);
    await page.goto(`${dashboard.appliance.url}/limits`);
    await page
      .getByText(/^(?:[5-9]|\d[\d,]+) of 600$/)
      .first()
      .waitFor();
    expect(asked.filter((path) => path === '/admin/accounts').length).toBeLessThanOrEqual(2);
  });

  test('what somebody contributes waits for the owner at once, and a new endpoint is in the list', async () => {
    const page = await open('/contributions');
    await page.getByText('Nothing to review').waitFor();
    const remark = JSON.stringify({ kind: 'annotation', text: 'The third figure is from last year.' });
    await dashboard.appliance.anonymous('/v1/contributions', { method: 'POST', headers: JSON_TYPE, body: remark });
    await page.locator('.review-text').getByText('The third figure is from last year.').waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No endpoints').waitFor();
    const { url } = await newInbox({ mode: 'accept' });
    await dashboard.appliance.owner('/v1/webhooks', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ url, events: [] }),
    });
    await page.getByRole('cell', { name: url }).first().waitFor();
  });

  test('a storm of deliveries is read once a second at most, and the last of it is shown', async () => {
    const inbox = await newInbox({ mode: 'accept' });
    const page = await open('/webhooks?tab=deliveries');
    await page.getByText('No deliveries here').waitFor();
    const asked = requestsOf(page);
    const began = performance.now();
    await Promise.all(Array.from({ length: 40 }, () => submit(inbox.url)));
    await expect.poll(() => page.getByText('Delivered', { exact: true }).count()).toBe(40 + 1);
    const seconds = (performance.now() - began) / 1000;
    expect(asked.filter((path) => path === '/admin/deliveries').length).toBeLessThanOrEqual(seconds + 2);
  });

  test('a window that nobody sees lets go of the server, and reads what it missed when it is seen again', async () => {
    const page = await open('/jobs');
    await page.getByText('No jobs here').waitFor();
    await page.clock.install();
    await page.evaluate(setHidden(true));
    await page.clock.runFor(11_000);
    await page.getByText('Not live', { exact: true }).waitFor();
    const asked = requestsOf(page);
    await submit((await newInbox({ mode: 'accept' })).url);
    expect(asked).toEqual([]);
    await page.evaluate(setHidden(false));
    await page.getByRole('link', { name: 'one.docx' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  test.each([
    ['/jobs', '**/admin/events'],
    ['/limits', '**/admin/limits/events'],
  ])(
    'on %s a stream that the server refuses is asked for again, less and less often, and called live when it is',
    async (path, stream) => {
      const { page } = dashboard;
      await page.route(stream, (route) =>
        route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{}' }),
      );
      await page.clock.install();
      await page.addInitScript(NOTE_STREAMS);
      const first = page.waitForResponse('**/admin/events');
      await page.goto(dashboard.appliance.url + path);
      await first;
      const asked = () => page.evaluate<number[]>(`window.asked[${JSON.stringify(stream.slice('**'.length))}] ?? []`);
      await until(async () => {
        await page.clock.runFor(5000);
        return (await asked()).length > 5;
      });
      await page.getByText('Not live', { exact: true }).waitFor();
      const times = await asked();
      for (let n = 0; n < 5; n += 1)
        expect((times[n + 1] ?? 0) - (times[n] ?? 0)).toBeGreaterThanOrEqual(1000 * 2 ** n);
      await page.unroute(stream);
      await until(async () => {
        await page.clock.runFor(5000);
        return (await page.getByText('Live', { exact: true }).count()) === 1;
      });
      if (path === '/jobs') {
        await submit((await newInbox({ mode: 'accept' })).url);
        await page.getByRole('link', { name: 'one.docx' }).waitFor();
      } else {
        await dashboard.appliance.anonymous('/v1/jobs/unknown');
        await page.getByRole('button', { name: /^Change plan/ }).waitFor();
      }
    },
  );
});
