/** The owner's browser, from the link that signs it in to the button that signs it out. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { HAS_BROWSER, keepScreenshot, newContext, newWindow, type Visit, visit } from '../harness/browser.ts';
import { useDashboardOfEachTest } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { openSession } from '../harness/owner-session.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0';

const dashboard = useDashboardOfEachTest();

/** Opens the link in a browser of its own. */
async function signedInByLink(): Promise<Visit> {
  const { url, ownerToken } = dashboard.appliance;
  const opened = await visit(dashboard.browser);
  await opened.page.goto(`${url}/login#${ownerToken}`);
  await opened.page.getByRole('heading', { name: 'Home' }).waitFor();
  return opened;
}

/** A job that was made from a file, run by the owner's other programs. */
async function jobFrom(operation: string, form: FormData): Promise<string> {
  const { appliance } = dashboard;
  const answer = await appliance.owner(`/v1/${operation}`, { method: 'POST', body: form });
  const { jobId } = (await answer.json()) as { jobId: string };
  await finished(appliance.owner, jobId);
  return jobId;
}

async function saved(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('button', { name: button })
      .or(page.getByRole('link', { name: button }))
      .or(page.getByRole('menuitem', { name: button }))
      .click(),
  ]);
  return readFile(await download.path(), 'utf8');
}

describe.skipIf(!HAS_BROWSER)('a browser of the owner (needs chromium)', () => {
  test('is signed in by the link, stays so over reloads and in other tabs, and keeps no token', async () => {
    const { appliance } = dashboard;
    const { page, complaints } = await signedInByLink();
    expect(page.url()).toBe(`${appliance.url}/`);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`${appliance.url}/settings/connections`);
    await tab.getByText('This browser').waitFor();
    expect(complaints).toEqual([]);
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toContain(appliance.ownerToken);
    expect(await tab.content()).not.toContain(appliance.ownerToken);
    await page.goBack();
    expect(page.url()).not.toContain(appliance.ownerToken);
    await page.context().close();
  });

  test('plays a recording and saves the files of a job and the ledger', async () => {
    const page = await dashboard.open('/');
    const text = 'A page about quarries.';
    const documentId = await jobFrom('extract/doc', fileForm(text, 'page.txt'));
    await page.goto(`${dashboard.appliance.url}/jobs/${documentId}`);
    await page.getByRole('button', { name: 'Download in another form' }).click();
    expect(await saved(page, 'page (source).txt')).toBe(text);
    const audio = await dashboard.appliance.owner('/v1/generate/audio', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'The tide turns.', voice: 'clara' }),
    });
    const { jobId } = (await audio.json()) as { jobId: string };
    await finished(dashboard.appliance.owner, jobId);
    await page.goto(`${dashboard.appliance.url}/jobs/${jobId}`);
    await page.getByRole('img', { name: 'Waveform' }).waitFor();
    await page.evaluate("document.querySelector('audio').play()");
    await expect.poll(() => page.evaluate<number>("document.querySelector('audio').currentTime")).toBeGreaterThan(0);
    await page.goto(`${dashboard.appliance.url}/payments`);
    expect(await saved(page, 'CSV')).toContain('paymentId');
  });

  test('sees changes as they happen', async () => {
    const page = await dashboard.open('/jobs');
    await page.getByText('Live', { exact: true }).waitFor();
    await jobFrom('extract/doc', fileForm('A page about quarries.', 'arrives.txt'));
    await page.getByRole('link', { name: 'arrives.txt' }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  test('sees and ends the other sessions, and signs out', async () => {
    const { appliance } = dashboard;
    const other = await openSession(appliance.url, appliance.ownerToken, { 'user-agent': FIREFOX });
    const second = await openSession(appliance.url, appliance.ownerToken);
    const page = await dashboard.open('/settings/connections');
    const row = page.getByRole('listitem').filter({ hasText: 'Firefox on Windows' });
    await row.waitFor();
    await page.getByRole('listitem').filter({ hasText: 'This browser' }).waitFor();
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await keepScreenshot(page, `settings-sessions-${scheme}`);
    }
    await page.getByRole('button', { name: 'Sign out Firefox on Windows' }).click();
    await row.waitFor({ state: 'detached' });
    const status = async (headers: Record<string, string>) =>
      (await appliance.anonymous('/admin/overview', { headers })).status;
    expect([await status(other.headers), await status(second.headers)]).toEqual([401, 200]);
    await openSession(appliance.url, appliance.ownerToken);
    await page.reload();
    await page.getByRole('button', { name: 'Sign out all other browsers' }).click();
    await expect.poll(() => status(second.headers)).toBe(401);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in to Quarry' }).waitFor();
    expect(await page.evaluate('localStorage.getItem("quarry-session")')).toBeNull();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Quarry' }).waitFor();
    // Also when the address has used up its requests, which the server answers with 429.
    appliance.clock.stand();
    await Promise.all(Array.from({ length: 650 }, () => appliance.anonymous('/v1/jobs/none')));
    expect(await status({})).toBe(429);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Quarry' }).waitFor();
  });

  test('that was signed out elsewhere is shown how to sign in, in every tab', async () => {
    const { page } = await signedInByLink();
    const tab = await newWindow(page.context());
    await tab.page.goto(`${dashboard.appliance.url}/jobs`);
    await tab.page.getByText('Live', { exact: true }).waitFor();
    await dashboard.appliance.owner('/admin/sessions', { method: 'DELETE' });
    await page.getByRole('heading', { name: 'Sign in to Quarry' }).waitFor();
    await tab.page.getByRole('heading', { name: 'Sign in to Quarry' }).waitFor();
    await page.context().close();
  });
});

test.skipIf(!HAS_BROWSER)('the desktop window’s page signs in with a code and never holds the token', async () => {
  const { appliance } = dashboard;
  const context = await newContext(dashboard.browser);
  let codes = 0;
  await context.exposeBinding('newCode', async () => {
    codes += 1;
    const answer = await appliance.owner('/admin/sign-in-codes', { method: 'POST' });
    return ((await answer.json()) as { code: string }).code;
  });
  await context.addInitScript('window.quarry = { signInCode: () => window.newCode() }');
  const { page, complaints } = await newWindow(context);
  await page.goto(`${appliance.url}/settings/connections`);
  await page.getByText('This browser').waitFor();
  expect([codes, complaints]).toEqual([1, []]);
  const secret = () => page.evaluate<string | null>("localStorage.getItem('quarry-session')");
  const first = await secret();
  // Revoked from elsewhere, the desktop window opens a new session by itself: its streams end, and it signs in.
  await appliance.owner('/admin/sessions', { method: 'DELETE' });
  await expect.poll(async () => [first, null].includes(await secret())).toBe(false);
  await page.reload();
  await page.getByText('This browser').waitFor();
  expect(codes).toBe(2);
  expect(await page.getByRole('button', { name: 'Sign out', exact: true }).count()).toBe(0);
  await context.close();
});
