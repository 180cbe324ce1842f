import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src-server/features.ts';
import { GIB } from '../../src-server/platform/units.ts';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { finished } from '../harness/jobs.ts';
import { picky } from '../harness/picky-operation.ts';
import { postJson } from '../harness/text-models.ts';

let freeBytes = GIB;

const dashboard = useDashboard(() => ({
  knownTextServers: [],
  operations: [...OPERATIONS, picky],
  freeDisk: async () => ({ freeBytes, totalBytes: 200 * GIB }),
}));

async function run(ends: 'badly' | 'lacking'): Promise<void> {
  const { owner } = dashboard.appliance;
  const answer = await owner('/v1/test/picky', postJson({ ends, sourceName: `${ends}.txt` }));
  await finished(owner, ((await answer.json()) as { jobId: string }).jobId);
}

describe.skipIf(!HAS_BROWSER)('alerts in the window (needs chromium)', () => {
  test('are rows of Activity with the button that mends them, counted on every page, and go by themselves', async () => {
    await run('badly');
    await run('badly');
    await run('lacking');
    await dashboard.page.setViewportSize({ width: 1440, height: 900 });
    const page = await dashboard.open('/service');
    const panel = page.getByRole('region', { name: 'Needs you' });
    const row = (text: string) => panel.getByRole('listitem').filter({ hasText: text });
    await row('Disk space is low').getByRole('link', { name: 'Open settings' }).waitFor();
    await row('lacking.txt needs an installation').getByRole('button', { name: 'Install' }).waitFor();
    await page.getByText('3 alerts').waitFor();
    await loadAxe(page);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await keepScreenshot(page, `alerts-${scheme}`);
      expect(await violations(page, scheme)).toEqual([]);
    }
    await page.setViewportSize({ width: 400, height: 900 });
    for (const scheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await panel.scrollIntoViewIfNeeded();
      await keepScreenshot(page, `alerts-phone-${scheme}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });

    freeBytes = 100 * GIB;
    await dashboard.appliance.owner('/admin/alerts');
    await page.getByText('2 alerts').waitFor();
    await panel.getByText('1 cleared recently').click();
    await panel.getByText('Disk space is low').waitFor();
    await keepScreenshot(page, 'alerts-cleared');
    await row('2 jobs failed').getByRole('link', { name: 'Show' }).click();
    await page.waitForURL(/\/jobs\?status=failed&jobType=test/);
    await page.getByText('2 alerts').waitFor();
    await page.goto(`${dashboard.appliance.url}/settings`);
    await page.getByRole('textbox', { name: 'Alert below free disk space (MB)' }).scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'alerts-settings');
    expect(dashboard.complaints).toEqual([]);
  });
});
