import { describe, expect, test } from 'vitest';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { GGML_MODEL, installSpeechModel } from '../harness/speech.ts';

const dashboard = useDashboard(() => ({ knownTextServers: [] }));

describe.skipIf(!HAS_BROWSER)('the Models page', () => {
  const speech = async () => {
    const page = await dashboard.open('/models');
    const table = page.getByRole('region', { name: 'Speech recognition' }).getByRole('table');
    await table.getByText('Whisper base', { exact: true }).waitFor();
    return table;
  };
  const namesIn = async (table: Awaited<ReturnType<typeof speech>>) =>
    (await table.getByRole('row').all()).slice(1).map((row) => row.getByRole('cell').first().innerText());

  test('puts the recommended model first while none is installed, and its button alone stands out', async () => {
    const table = await speech();
    const [first, second] = await Promise.all(await namesIn(table));
    expect(first).toMatch(/^Whisper base\s+Recommended\s+whisper-base$/i);
    expect(second).toContain('parakeet-tdt-0.6b-v3');
    expect(await table.getByText('Recommended').count()).toBe(1);
    const filled = table.locator('button[data-variant="filled"]');
    expect(await filled.count()).toBe(1);
    expect(await filled.getAttribute('aria-label')).toBe('Install whisper-base');
  });

  test('puts installed models before it', async () => {
    await installSpeechModel(dashboard.appliance, GGML_MODEL);
    const [first, second] = await Promise.all(await namesIn(await speech()));
    expect(first).toContain(GGML_MODEL);
    expect(second).toContain('whisper-base');
    await keepScreenshot(dashboard.page, 'models-with-speech');
  });
});
