import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { wordDocument } from '../harness/documents.ts';

const dashboard = useDashboard();

/** Words of programs, which no page for readers may use. */
const MACHINE_WORDS = /\b(API|JSON|HTTP|POST|curl|options|sourceUrl|captureFrames|segmentLength|tokens?|LUFS|ms|job)\b/;

interface Listed {
  jobs: { jobId: string; jobType: string; label: string }[];
}

async function newestRequest(name: string): Promise<Record<string, unknown>> {
  const { owner } = dashboard.appliance;
  const { jobs } = (await (await owner('/admin/jobs')).json()) as Listed;
  const jobId = jobs.find((job) => job.label === name)?.jobId ?? '';
  const record = (await (await owner(`/admin/jobs/${jobId}`)).json()) as { request: Record<string, unknown> };
  return record.request;
}

const PAGES = [
  '/',
  '/library',
  '/library/deleted',
  '/library/c/col_none',
  '/items/itm_none',
  '/items/itm_none/compare',
  '/compare',
  '/search',
  '/add',
  '/make',
  '/make/speak',
  '/make/listen',
  '/watches',
  '/watches/wat_none',
  '/watches/folders/wat_none',
  '/watches/feeds/fed_none',
  '/service',
  '/service/api/extract/doc',
  '/jobs',
  '/jobs/batches',
  '/jobs/batches/bat_none',
  '/settings',
  '/settings/connections',
  '/run/extract/doc',
];

describe('addresses of the window', () => {
  test.each(PAGES)('%s answers when it is typed or reloaded', async (path) => {
    const answer = await dashboard.appliance.anonymous(path, { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(200);
  });

  test('scripts are sent packed to who takes that, and plain to others', async () => {
    const { anonymous } = dashboard.appliance;
    const html = await (await anonymous('/', { headers: { accept: 'text/html' } })).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
    const plain = Buffer.from(
      await (await anonymous(script, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer(),
    );
    const answer = await anonymous(script, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('vary')).toContain('Accept-Encoding');
    const sent = Buffer.from(await answer.arrayBuffer());
    // The client may have unpacked it.
    const bytes = sent.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b])) ? gunzipSync(sent) : sent;
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(bytes.equals(plain)).toBe(true);
  });
});

describe.skipIf(!HAS_BROWSER)('the two halves of the window (needs chromium)', () => {
  test('old addresses lead to the new pages, and keep what they say', async () => {
    const page = await dashboard.open('/run/generate/audio?intent=compose');
    await page.waitForURL(/\/service\/api\/generate\/audio\?intent=compose$/);
    await dashboard.open('/run');
    await page.waitForURL(/\/service\/api$/);
    await dashboard.open('/make');
    await page.waitForURL(/\/make\/speak$/);
    expect(dashboard.complaints).toEqual([]);
  });

  test('the band of play money stands on every page of the service, and on none for readers', async () => {
    const page = await dashboard.open('/service');
    for (const name of ['Activity', 'Jobs', 'Webhooks', 'Payments', 'Limits', 'Corrections', 'Models', 'API']) {
      await page.getByRole('navigation').first().getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await page.getByText('Payments are play money.').waitFor();
    }
    for (const name of ['Home', 'Search', 'Make', 'Watches', 'Settings']) {
      await page.getByRole('navigation').first().getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      expect(await page.getByText('Payments are play money.').count()).toBe(0);
    }
  });

  test('letters typed right after Ctrl+K reach the palette, and never the page', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route(/assets\/palette-.*\.js/, async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('a gs report', { delay: 5 });
    await page.keyboard.press('Backspace');
    await page.locator('.palette-wait').getByText('a gs repor').waitFor();
    goOn();
    const field = page.getByRole('textbox', { name: 'Find or do' });
    await expect.poll(() => field.inputValue()).toBe('a gs repor');
    await page.keyboard.type('ts');
    await expect.poll(() => field.inputValue()).toBe('a gs reports');
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await page.getByRole('dialog', { name: 'Add to the library' }).count()).toBe(0);
  });

  test('Add takes a file and how it is read, and later files of its kind are read alike', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Add to the library' });
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Choose a file, paste an address or record something.').waitFor();
    const file = { mimeType: '', buffer: Buffer.from(wordDocument(['The tide turned at noon.'])) };
    const files = dialog.locator('input[type=file]');
    await files.setInputFiles({ ...file, name: 'commented.docx' });
    await dialog.getByText('commented.docx').waitFor();
    await dialog.getByRole('switch', { name: 'Keep comments and changes' }).click();
    await dialog.getByLabel('Language').fill('Deutsch');
    await page.getByRole('option', { name: 'German · Deutsch' }).click();
    await dialog.getByText('Read all like this').click();
    expect(await dialog.textContent()).not.toMatch(MACHINE_WORDS);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: 'Open commented.docx' }).waitFor();
    const wanted = { language: 'de', includeComments: true };
    expect((await newestRequest('commented.docx')).options).toMatchObject(wanted);
    await page.keyboard.press('a');
    await dialog.getByLabel('Paste an address or a text').fill('The lamp was lit at six.');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: 'Open The lamp was lit at six..txt' }).waitFor();
    expect((await newestRequest('The lamp was lit at six..txt')).options).toMatchObject(wanted);
    expect(dashboard.complaints).toEqual([]);
  });

  test('Make speaks with a preset that was saved, without a word of programs', async () => {
    const page = await dashboard.open('/make/speak');
    await page.getByRole('button', { name: 'Audio guide' }).click();
    await page.getByText('a little slower', { exact: true }).waitFor();
    await page.getByRole('switch', { name: /^Subtitles/ }).click();
    await page.getByRole('button', { name: 'Save these settings as a preset' }).click();
    await page.getByLabel('Name of the preset').fill('Harbour walk');
    await page.keyboard.press('Enter');
    await page.reload();
    await page.getByRole('button', { name: 'Harbour walk', exact: false }).first().click();
    await page.getByRole('button', { name: 'Hear Clara' }).waitFor();
    await page.getByRole('button', { name: /^Clara/ }).click();
    await page.getByLabel('What should be said?').fill('Stop four. You stand where the old crane stood.');
    await page.getByText('9 words, about 4 seconds').waitFor();
    await page.keyboard.press('Control+Enter');
    await page
      .getByRole('button', { name: 'Save MP3' })
      .or(page.getByRole('link', { name: 'Save MP3' }))
      .waitFor();
    const main = (await page.locator('.make-panes').textContent()) ?? '';
    expect(main).not.toMatch(MACHINE_WORDS);
    const { jobs } = (await (await dashboard.appliance.owner('/admin/jobs?jobType=generate/audio')).json()) as Listed;
    const record = await dashboard.appliance.owner(`/admin/jobs/${jobs[0]?.jobId}`);
    const { request } = (await record.json()) as { request: Record<string, unknown> };
    expect(request).toMatchObject({ voice: 'clara', speed: 0.9, includeCaptions: true });
    expect(dashboard.complaints).toEqual([]);
  });

  test.each(['/make/speak', '/make/compose', '/make/write', '/make/listen', '/add'])(
    '%s has no fault that axe finds',
    async (path) => {
      const page = await dashboard.open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await loadAxe(page);
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        expect(await violations(page, scheme)).toEqual([]);
      }
    },
  );
});
