import { describe, expect, test } from 'vitest';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';

const dashboard = useDashboard();

const PHONE = { width: 400, height: 900 };

describe.skipIf(!HAS_BROWSER)('keys on the settings page (needs chromium)', () => {
  test('a key that is made there works within its scopes, its job names it, and a revoked one is refused', async () => {
    const { appliance } = dashboard;
    await dashboard.page.setViewportSize({ width: 1440, height: 900 });
    const page = await dashboard.open('/settings/connections');
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('button', { name: 'New key', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Podcast script');
    await dialog.getByLabel('Run only these operations').check();
    await dialog.getByPlaceholder('Operations').click();
    await page.getByRole('option', { name: 'Speak or compose' }).click();
    await page.keyboard.press('Tab');
    await dialog.getByLabel('Requests per minute').fill('50');
    await dialog.getByRole('combobox', { name: 'Expires' }).click();
    await page.getByRole('option', { name: 'In 30 days' }).click();
    await loadAxe(page);
    await keepScreenshot(page, 'keys-form');
    expect(await violations(page, 'light')).toEqual([]);
    await dialog.getByRole('button', { name: 'Make key' }).click();

    const secret = await dialog.getByLabel('key', { exact: true }).textContent();
    expect(secret).toMatch(/^qk_/);
    const openAi = await dialog.getByLabel('In an OpenAI client', { exact: true }).textContent();
    expect(openAi).toBe(`OPENAI_BASE_URL=${appliance.url}/openai/v1\nOPENAI_API_KEY=${secret}`);
    expect(await dialog.getByLabel('With curl', { exact: true }).textContent()).toContain(
      `curl '${appliance.url}/v1/generate/audio' \\\n  -H 'Authorization: Bearer ${secret}'`,
    );
    await keepScreenshot(page, 'keys-made');
    expect(await violations(page, 'light')).toEqual([]);
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await keepScreenshot(page, 'keys-made-dark');
    expect(await violations(page, 'dark')).toEqual([]);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();

    const call = (path: string, body: object) =>
      appliance.anonymous(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
        body: JSON.stringify(body),
      });
    const spoken = await call('/v1/generate/audio', { prompt: 'The tide turns.', voice: 'clara' });
    expect(spoken.status).toBe(202);
    expect((await call('/v1/crawl', { url: `${appliance.url}/` })).status).toBe(403);

    await page.reload();
    const row = page.getByRole('listitem').filter({ hasText: 'Podcast script' });
    await row.getByText('May read, run only: Speak or compose, 50 requests a minute').waitFor();
    await row.getByText(/^Last used .+, expires /).waitFor();
    await row.getByRole('button', { name: 'Edit Podcast script' }).click();
    await dialog.getByLabel('Unfinished jobs').fill('3');
    await dialog.getByLabel('Requests per minute').fill('60');
    await keepScreenshot(page, 'keys-edit');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('60 requests a minute, 3 unfinished jobs at once').waitFor();
    await row.getByText(/, expires /).waitFor();
    expect(await page.content()).not.toContain(secret);
    await row.scrollIntoViewIfNeeded();
    await loadAxe(page);
    await keepScreenshot(page, 'keys-dark');
    expect(await violations(page, 'dark')).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 900 });
    await row.scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'keys');
    expect(await violations(page, 'light')).toEqual([]);

    await page.getByRole('link', { name: /^Service/ }).click();
    const log = page.getByRole('table').filter({ hasText: '/admin/keys' });
    await page.getByText('Runs', { exact: true }).click();
    const runs = page.getByRole('table').filter({ hasText: '/v1/crawl' });
    await runs.getByRole('row').filter({ hasText: 'forbidden' }).getByText('Podcast script').waitFor();
    await runs.getByRole('row').filter({ hasText: '/v1/generate/audio' }).getByText('202').waitFor();
    await runs.scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'audit-runs');
    await page.getByText('Changes', { exact: true }).click();
    await log.scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'audit');
    expect(await violations(page, 'light')).toEqual([]);

    await page.getByRole('link', { name: /^Connections/ }).click();
    await row.getByRole('button', { name: 'Revoke Podcast script' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('No keys yet').waitFor();
    expect((await call('/v1/generate/audio', { prompt: 'The tide turns.', voice: 'clara' })).status).toBe(401);
    const { jobId } = (await spoken.json()) as { jobId: string };
    await dashboard.open(`/jobs/${jobId}`);
    await page.getByText('Made with Podcast script').waitFor();
    await keepScreenshot(page, 'keys-job');
    expect(dashboard.complaints).toEqual([]);
  });
});
