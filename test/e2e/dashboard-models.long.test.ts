import { describe, expect, test } from 'vitest';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { GGML_MODEL, installSpeechModel } from '../harness/speech.ts';
import { settled } from './every-page.ts';
import { ENGLISH, speak } from './looks.ts';

const dashboard = useDashboard(() => ({ knownTextServers: [] }));

describe.skipIf(!HAS_BROWSER)('the Models page', () => {
  const speech = async () => {
    const page = await dashboard.open('/models');
    const list = page.getByRole('region', { name: 'Listening' }).getByRole('list', { name: 'Listening' });
    await list.getByText('Whisper base', { exact: true }).waitFor();
    return list;
  };
  const namesIn = async (list: Awaited<ReturnType<typeof speech>>) =>
    (await list.getByRole('listitem').all()).map((row) => row.innerText());

  test('puts the recommended model first while none is installed, and its button alone stands out', async () => {
    const list = await speech();
    const names = await Promise.all(await namesIn(list));
    expect(names[0]).toMatch(/^Whisper base\s+Recommended\s/i);
    expect(names.length).toBeGreaterThan(1);
    expect(names.length).toBeLessThanOrEqual(4);
    expect(await list.getByText('Recommended').count()).toBe(1);
    const filled = dashboard.page.getByRole('main').locator('button[data-variant="filled"]');
    expect(await filled.count()).toBe(1);
    expect(await filled.getAttribute('aria-label')).toBe('Install whisper-base');
  });

  test('folds the rest of the catalogue away', async () => {
    await speech();
    const { page } = dashboard;
    const installs = page.getByRole('button', { name: /^Install / });
    const before = await installs.count();
    const fold = page.getByRole('button', { name: /^All models/ });
    const [, folded] = /(\d+) more$/.exec(await fold.innerText()) ?? [];
    await fold.click();
    await expect.poll(() => installs.count()).toBe(before + Number(folded));
    expect(await page.getByText(/^This computer has \d+ cores?, .* of free disk space$/).count()).toBe(1);
  });

  test('puts installed models before it', async () => {
    await installSpeechModel(dashboard.appliance, GGML_MODEL);
    const [first, second] = await Promise.all(await namesIn(await speech()));
    expect(first).toContain(GGML_MODEL);
    expect(second).toContain('Whisper base');
    await keepScreenshot(dashboard.page, 'models-with-speech');
  });

  test.each(['ja', 'ar'])('%s: Home and models of a new owner have no English sentence', async (language) => {
    await dashboard.open('/');
    await speak(dashboard.page, language);
    const english: string[] = [];
    for (const path of ['/', '/models']) {
      await dashboard.open(path);
      await settled(dashboard.page);
      await keepScreenshot(dashboard.page, `new-owner-${language}${path.replace('/', '-')}`);
      english.push(...(await dashboard.page.evaluate<string[]>(ENGLISH)));
    }
    await speak(dashboard.page, 'en');
    expect(english.filter((text) => text !== 'Chrome headless shell')).toEqual([]);
  });

  test('Home of a new owner reads the example document, and shows it among the results', async () => {
    const page = await dashboard.open('/');
    const works = page.getByRole('region', { name: 'What works already' });
    await works.getByRole('button', { name: 'Install now: Writing' }).waitFor();
    await page.getByRole('button', { name: 'Read it' }).click();
    await page.waitForURL(/\/items\/itm_/);
    await page.getByText('The harbour was dredged in spring.').filter({ visible: true }).first().waitFor();
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByRole('region', { name: 'Added today' }).getByRole('link').first().waitFor();
    await page.getByRole('link', { name: 'Activity', exact: true }).click();
    await page.getByText('Nothing needs you now.').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
});
