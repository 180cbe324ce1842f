import { describe, expect, test } from 'vitest';
import { dropFile, HAS_BROWSER, visit } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { wordDocument } from '../harness/documents.ts';
import { finished } from '../harness/jobs.ts';
import { passingUntil, stopTime } from '../harness/page-clock.ts';
import { until } from '../harness/until.ts';

/** After these the next try is ten minutes away. */
const FAILURES = 4;

const PARAGRAPHS = ['The harbour was quiet that morning.', 'A lighthouse keeper wrote down the tide.'];

const dashboard = useDashboard();

/** A document sent past the window, by a program of the owner's. */
async function submit(sourceName: string): Promise<string> {
  const form = new FormData();
  form.append('sourceName', sourceName);
  form.append('file', new Blob([wordDocument(PARAGRAPHS)]), 'note.docx');
  const answer = await dashboard.appliance.owner('/v1/extract/doc', { method: 'POST', body: form });
  expect(answer.status).toBe(202);
  const { jobId } = (await answer.json()) as { jobId: string };
  // A small document has ended by the time of the answer on a quick machine alone.
  await finished(dashboard.appliance.owner, jobId);
  return jobId;
}

interface Delivery {
  deliveryId: string;
  attempts: number;
  underWay: boolean;
  nextAttemptAt: string;
}

async function deliveryOf(jobId: string): Promise<Delivery> {
  const answer = await dashboard.appliance.owner(`/admin/deliveries?jobId=${jobId}`);
  const { deliveries } = (await answer.json()) as { deliveries: Delivery[] };
  expect(deliveries).toHaveLength(1);
  return deliveries[0] as Delivery;
}

/** Lets a delivery fail so often that its next try is far away: it falls into no test, however slow the machine is. */
async function failOften(jobId: string): Promise<Delivery> {
  await until(async () => {
    const { attempts, underWay, nextAttemptAt } = await deliveryOf(jobId);
    if (underWay || attempts === FAILURES) return !underWay;
    dashboard.appliance.clock.advance(Math.max(0, Date.parse(nextAttemptAt) - dashboard.appliance.clock.now()));
    return false;
  });
  return deliveryOf(jobId);
}

async function challengeAmount(): Promise<string> {
  const answer = await dashboard.appliance.anonymous('/v1/extract/doc', { method: 'POST' });
  expect(answer.status).toBe(402);
  const { accepts } = (await answer.json()) as { accepts: { maxAmountRequired: string }[] };
  return accepts[0]?.maxAmountRequired ?? '';
}

/** Below the header, which covers what scrolls under it. */
const FOCUS_IS_SEEN = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  return top > 0 && bottom < innerHeight;
})()`;

describe.skipIf(!HAS_BROWSER)('the dashboard, as a person uses it', () => {
  test('somebody who has not signed in is told how, and sees nothing else', async () => {
    const stranger = await visit(dashboard.browser);
    await stranger.page.goto(`${dashboard.appliance.url}/jobs`);
    await stranger.page.getByRole('heading', { name: 'Sign in to Quarry' }).waitFor();
    expect(await stranger.page.getByRole('navigation').count()).toBe(0);
    await stranger.page.context().close();
  });

  test('a token that is put behind the # of the sign-in page signs in, also after a wrong one', {
    tags: ['long'],
  }, async () => {
    const { page } = await visit(dashboard.browser);
    await page.goto(`${dashboard.appliance.url}/login`);
    await page.getByText('This link has no token.').waitFor();
    await page.goto(`${dashboard.appliance.url}/login#guess`);
    await page.getByText('This link is not valid.').waitFor();
    await page.goto(`${dashboard.appliance.url}/login#${dashboard.appliance.ownerToken}`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.context().close();
  });

  test('a document that is dropped on the form becomes a job whose chunks can be read and searched', async () => {
    const page = await dashboard.open('/service/api/extract/doc');
    await dropFile(page, 'label.drop', 'harbour.docx', wordDocument(PARAGRAPHS));
    await page.getByText('harbour.docx', { exact: true }).waitFor();
    await page.getByLabel('Source name').fill('Harbour note');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('heading', { name: 'Harbour note', level: 1 }).waitFor();
    await page
      .getByText(/^Done /)
      .first()
      .waitFor();
    await page.getByText(PARAGRAPHS[1] as string).waitFor();
    await page.locator('.strip-aside').getByText('Kept until you delete it').waitFor();
    const search = page.getByLabel('Find in the text');
    await search.fill('lighthouse');
    await expect.poll(() => page.locator('mark').allTextContents()).toEqual(['lighthouse']);
    await search.fill('nowhere in it');
    await page.getByText('No matches', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Timeline/ }).click();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    // What its run was is read once more when it has ended.
    await expect.poll(() => timeline.getByRole('listitem').count()).toBeGreaterThanOrEqual(4);
    expect(dashboard.complaints).toEqual([]);
  });

  test('a field that the server refuses is marked with the reason', async () => {
    const page = await dashboard.open('/service/api/extract/doc');
    await page.getByText('Source URL').click();
    await page.getByRole('textbox', { name: 'Source URL' }).fill('nonsense');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('alert').getByText('sourceUrl', { exact: true }).waitFor();
    const field = page.getByRole('textbox', { name: 'Source URL' });
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  });

  test('a field that is missing or refused is brought into sight, and is the one that is typed into', {
    tags: ['long'],
  }, async () => {
    const page = await dashboard.open('/service/api/extract/doc');
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Required', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('file');
    await expect.poll(() => page.evaluate(FOCUS_IS_SEEN)).toBe(true);
    await page.getByText('Source URL').click();
    const address = page.getByRole('textbox', { name: 'Source URL' });
    await address.fill('nonsense');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('nonsense');
    await expect.poll(() => page.evaluate(FOCUS_IS_SEEN)).toBe(true);
  });

  test('the same call is shown with what the form holds', { tags: ['long'] }, async () => {
    const page = await dashboard.open('/service/api/extract/doc');
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByLabel('Segment length').fill('321');
    const call = page.getByRole('group', { name: 'The same call' });
    await expect.poll(() => call.textContent()).toContain('options={"segmentLength":321}');
    // What a shell, and curl itself, would take for something else stays what it is.
    await page.getByLabel('Source name').fill("@it's; 50%");
    await dropFile(page, '.drop', 'plan, "old".txt', Buffer.from('Old.'));
    await expect.poll(() => call.textContent()).toContain(`--form-string 'sourceName=@it'\\''s; 50%'`);
    await expect.poll(() => call.textContent()).toContain(`-F 'file=@"plan, \\"old\\".txt"'`);
    await page.getByRole('tab', { name: 'Python' }).click();
    await expect.poll(() => call.textContent()).toContain('requests.post');
  });

  test('a job that somebody else sends appears in the list by itself, and filters stand in the address', async () => {
    const page = await dashboard.open('/jobs');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await submit('Sent elsewhere');
    await page.getByRole('link', { name: 'Sent elsewhere' }).waitFor();
    await page.getByRole('radiogroup', { name: 'Status' }).getByText('Failed').click();
    await page.waitForURL(/status=failed/);
    await page.getByText('No jobs here').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Sent elsewhere' }).waitFor();
  });

  test('removing many touches what was selected and nothing that came later', { tags: ['long'] }, async () => {
    const first = await submit('To be removed');
    const page = await dashboard.open('/jobs');
    await page.getByRole('link', { name: 'To be removed' }).waitFor();
    await page.getByRole('button', { name: 'Select all matches' }).click();
    await page.getByText(/selected$/).waitFor();
    const later = await submit('Came later');
    await page.getByRole('link', { name: 'Came later' }).waitFor();
    await page.getByRole('button', { name: /^Delete \d+/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await page.getByText(/^Done: /).waitFor();
    expect((await dashboard.appliance.owner(`/v1/jobs/${first}`)).status).toBe(404);
    expect((await dashboard.appliance.owner(`/v1/jobs/${later}`)).status).toBe(200);
  });

  test('a failing delivery says why, and is delivered again once the receiver is well', async () => {
    const page = await dashboard.open('/webhooks?tab=inbox');
    await page.getByRole('button', { name: 'New inbox' }).click();
    await page.getByRole('combobox', { name: 'Responds with' }).click();
    await page.getByRole('option', { name: '500, error' }).click();
    // Shown once the server has taken it: what came before would be accepted.
    await expect.poll(() => page.getByRole('combobox', { name: 'Responds with' }).inputValue()).toBe('500, error');
    const address = (await page.getByText(/\/inbox\/inb_/).textContent()) as string;
    await page.getByRole('tab', { name: 'Endpoints' }).click();
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'URL' }).fill(address);
    await dialog.getByRole('button', { name: 'Generate' }).click();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('cell', { name: address }).first().waitFor();
    const jobId = await submit('Called back');
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    // The job that registered the endpoint has one, too.
    const link = page.locator(`a[href*="${(await failOften(jobId)).deliveryId}"]`);
    await page.getByRole('row').filter({ has: link }).getByText('Retrying').waitFor();
    await link.click();
    await page.getByRole('button', { name: /^Attempt 1/ }).waitFor();
    await page.getByRole('group', { name: 'Response' }).getByText('500').waitFor();
    await page.getByText('HMAC').or(page.getByText('Expected:')).first().waitFor();
    const delivery = page.url();
    await dashboard.open('/webhooks?tab=inbox');
    await page.getByRole('combobox', { name: 'Responds with' }).click();
    await page.getByRole('option', { name: '204, accepted' }).click();
    // As above; leaving the page may prevent it.
    await expect.poll(() => page.getByRole('combobox', { name: 'Responds with' }).inputValue()).toBe('204, accepted');
    await page.goto(delivery);
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Delivered', { exact: true }).waitFor();
    await page.getByRole('button', { name: new RegExp(`^Attempt ${FAILURES + 1}`) }).waitFor();
    await dashboard.open(`/jobs/${jobId}?tab=timeline`);
    const callback = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: 'Webhook' });
    await expect.poll(() => callback.locator('.track-mark').count()).toBe(FAILURES + 1);
    expect(dashboard.complaints).toEqual([]);
  });

  test('an edited price is in the next challenge, and can be taken back', async () => {
    expect(await challengeAmount()).toBe('140000');
    await dashboard.openApart();
    await dashboard.page.clock.install();
    const page = await dashboard.open('/payments?tab=prices');
    await page.getByLabel('Price, USDC: Read a document').fill('0.25');
    // The way back stands there for some seconds, which are over before a slow machine has come to it.
    await stopTime(page);
    await page.getByRole('button', { name: 'Save the price of Read a document' }).click();
    await passingUntil(page, page.getByText('The price of Read a document is saved.'));
    expect(await challengeAmount()).toBe('250000');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(challengeAmount).toBe('140000');
  });

  test('a customer pays in the sandbox, and the payment is on the job and in the ledger', async () => {
    const page = await dashboard.open('/service/api/extract/doc');
    await page.locator('input[type=file]').setInputFiles({
      name: 'paid.docx',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(wordDocument(PARAGRAPHS)),
    });
    await page.getByText('Customer, paying in the sandbox').click();
    await page.getByRole('button', { name: 'Pay 0.14 USDC and run' }).click();
    await page
      .getByText(/^Done /)
      .first()
      .waitFor();
    await page.getByRole('button', { name: /^Payment/ }).click();
    await page.getByText('Settled').first().waitFor();
    await page.getByRole('definition').filter({ hasText: '0.14 test USDC' }).waitFor();
    await dashboard.open('/payments');
    await page.getByRole('cell', { name: 'Read a document' }).first().waitFor();
    // No amount without its unit, no time without its zone.
    await page.getByRole('columnheader', { name: 'Amount, USDC' }).waitFor();
    await page.getByRole('list', { name: 'Earned by payer, USDC' }).waitFor();
    expect(await page.getByRole('time').first().getAttribute('title')).toMatch(/ (?:[A-Z]{3,5}|GMT\S+)$/);
    const figure = page.getByRole('region', { name: 'Earned, 30 days' }).locator('.figure-line');
    await expect.poll(() => figure.textContent()).toContain('0.14 test');
    await dashboard.open('/payments?tab=sandbox');
    await page.getByText('demo wallet', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page
      .getByText(/The wallet now has 1,099.86 test USDC/)
      .first()
      .waitFor();
  });

  test('a changed plan moves the limit with the next request', { tags: ['long'] }, async () => {
    const policy = async () => (await dashboard.appliance.anonymous('/v1/jobs/none')).headers.get('ratelimit-policy');
    expect(await policy()).toContain('q=600');
    const page = await dashboard.open('/limits');
    await page.getByRole('button', { name: /^Change plan: ip:/ }).click();
    await page.getByRole('menuitem', { name: /^Custom/ }).click();
    await page.getByRole('textbox', { name: 'Requests per minute' }).fill('900');
    await page.getByText(/would have rejected/).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/is now on the plan Custom/).waitFor();
    expect(await policy()).toContain('q=900');
  });

  test('a correction that is approved is what the job says and what search finds', async () => {
    const jobId = await submit('To be corrected');
    const job = (await (await dashboard.appliance.owner(`/v1/jobs/${jobId}`)).json()) as {
      result: { chunks: { id: string }[] };
    };
    const correction = {
      kind: 'correction',
      jobId,
      chunkId: job.result.chunks[0]?.id,
      text: 'The harbour was stormy.',
    };
    const headers = { 'content-type': 'application/json' };
    const sent = await dashboard.appliance.anonymous('/v1/contributions', {
      method: 'POST',
      headers,
      body: JSON.stringify(correction),
    });
    expect(sent.status).toBe(202);
    const page = await dashboard.open('/contributions');
    const passage = page.locator('.review-text');
    await passage.locator('ins').first().waitFor();
    const shown = async (without: string) =>
      (await passage.locator(`span, ${without}`).allTextContents()).join('').trim();
    expect(await shown('del')).toContain(PARAGRAPHS[0]);
    expect(await shown('ins')).toBe('The harbour was stormy.');
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('Accepted.', { exact: true }).waitFor();
    await page.getByText('Nothing to review').waitFor();
    await dashboard.open(`/jobs/${jobId}`);
    await page.getByText('The harbour was stormy.').waitFor();
    await dashboard.open('/search');
    await page.getByLabel('Search everything').fill('stormy');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page
      .getByRole('link', { name: /^Page 1/ })
      .first()
      .waitFor();
    await expect.poll(() => page.locator('mark').allTextContents()).toContain('stormy');
    expect(dashboard.complaints).toEqual([]);
  });

  test('staging shows its own jobs, and the address says so', { tags: ['long'] }, async () => {
    const page = await dashboard.open('/jobs');
    await page.getByRole('button', { name: 'Environment: Production' }).click();
    await page.getByRole('menuitem', { name: 'Staging' }).click();
    await page.waitForURL(/environment=staging/);
    await page.getByRole('button', { name: 'Environment: Staging' }).waitFor();
    await page.getByText('No jobs here').waitFor();
    await page.getByRole('link', { name: 'Payments', exact: true }).click();
    await page.waitForURL(/payments\?environment=staging/);
  });
});
