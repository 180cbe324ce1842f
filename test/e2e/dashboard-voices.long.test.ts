import { afterAll, describe, expect, test } from 'vitest';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { type CatalogueBed, openCatalogue, realEntries } from '../harness/catalogue.ts';
import { useDashboard } from '../harness/dashboard.ts';

let bed: CatalogueBed;
const dashboard = useDashboard(async () => {
  const entries = await realEntries();
  const german = { name: 'klang', title: 'Klang', languages: ['de'], recommendedFor: ['de'] };
  bed = await openCatalogue([
    ...entries,
    ...entries.filter(({ kind }) => kind === 'voice').map((one) => ({ ...one, ...german })),
  ]);
  return { knownTextServers: [], resourcesFolder: bed.resourcesFolder };
});
afterAll(() => bed?.[Symbol.asyncDispose]());

describe.skipIf(!HAS_BROWSER)('the voices beside the prompt', () => {
  test('offer a natural one, the narration waits for it, and it then comes first', async () => {
    bed.host.behave({ hangAfter: 10 });
    const page = await dashboard.open('/service/api/generate/audio');
    const voices = page.getByRole('region', { name: 'Voices to hear' });
    const builtIn = voices.getByRole('list', { name: 'Built in' });
    await builtIn.getByRole('button', { name: /^Clara\s*American English/ }).waitFor();
    expect(await voices.getByRole('list').count()).toBe(1);
    for (const alias of ['Marcus', 'Luna', 'Iris']) expect(await voices.getByText(alias).count()).toBe(0);
    await voices.getByText(/^Use a natural voice · \d/).waitFor();
    await keepScreenshot(page, 'voices-offer');
    await page.getByLabel('Prompt').fill('Guten Morgen, heute scheint die Sonne, und wir gehen an das Meer.');
    await voices.getByText(/^Use a natural German voice · \d/).waitFor();
    await keepScreenshot(page, 'voices-offer-german');
    await page.getByLabel('Prompt').fill('');
    await voices.getByText(/^Use a natural voice · \d/).waitFor();

    await voices.getByRole('button', { name: 'Install', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Use a natural voice' });
    await dialog.getByRole('radio', { name: /Tones/ }).waitFor();
    await keepScreenshot(page, 'voices-install');
    await dialog.getByRole('button', { name: 'Install', exact: true }).click();
    await voices.getByText(/^Downloading a natural voice/).waitFor();
    expect(await page.getByRole('combobox', { name: 'Voice' }).inputValue()).toBe('voice-tones');

    await page.getByLabel('Prompt').fill('The quick red fox jumps over the old bird.');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const take = page.getByRole('region', { name: 'Last take' });
    await take.getByText('The voice Tones is not installed.').waitFor();
    bed.host.behave({});
    bed.host.drop();
    await take.getByRole('img', { name: 'Waveform' }).waitFor();

    const natural = voices.getByRole('list', { name: 'Natural' });
    await natural.getByRole('button', { name: /^Tones\s*English/, pressed: true }).waitFor();
    await natural.getByRole('button', { name: 'Hear Tones' }).waitFor();
    expect(await voices.getByRole('heading').allTextContents()).toEqual(['Natural', 'Built in']);
    await expect.poll(() => voices.getByText(/^Use a natural voice/).count()).toBe(0);
    await keepScreenshot(page, 'voices-natural');
    expect(dashboard.complaints).toEqual([]);
  });

  test('the form of music has no fields of speech, and a chosen number is sent as a number', async () => {
    const page = await dashboard.open('/service/api/generate/audio?intent=compose');
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByLabel('Tempo (BPM)').waitFor();
    for (const name of ['Speed', 'Language', 'Background']) expect(await page.getByLabel(name).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Sample rate' }).click();
    await page.getByRole('option', { name: '48000' }).click();
    await page.getByLabel('Prompt').fill('Calm piano, 2 seconds');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'Last take' }).getByRole('img', { name: 'Waveform' }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
});
