import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadAxe, SCHEMES, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import type { LocalSite } from '../harness/local-site.ts';
import {
  cutRecording,
  fileJob,
  installModels,
  jsonJob,
  reportDocument,
  SLIDES,
  scannedPdf,
  serveHarbourSite,
  talkVideo,
} from '../harness/real-results.ts';
import { installSpeakerModel } from '../harness/speech.ts';
import { postJson } from '../harness/text-models.ts';
import { startTextServer } from '../harness/text-server.ts';

/** A build from nothing and real work, on a machine that does other things too. */
const PREPARE_TIMEOUT_MS = 1_800_000;

const TWO_SPEAKERS = join(import.meta.dirname, '../fixtures/media/conversations/01-two-speakers.wav');

/** Text that acts where it is taken for code: in a document it is words. */
const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title = 1</script> [run](javascript:alert(1))';

const BUDGET = [
  '# Budget',
  '',
  'The harbour costs more than was planned.',
  '',
  '| Part | Planned | Spent |',
  '| --- | --- | --- |',
  '| Quay | 184,000 | 171,350 |',
  '| Slipway | 31,200 | 28,740 |',
  '',
  `Hostile words: ${HOSTILE.replaceAll('|', '')}`,
  '',
  ...Array.from({ length: 30 }, (_, n) => `## Part ${n + 1}\n\nThe stone that brakes is number ${n + 1}.\n`),
].join('\n');

/** A cell over two columns, and a value that a tiny model cannot find. */
const PRICES =
  '<h1>Prices</h1><table><tr><th colspan="2">Berth &amp; power</th></tr><tr><td>Day</td><td>12</td></tr></table>';
const PRICE_SCHEMA = { type: 'object', properties: { dayPrice: { type: 'number', description: 'Price of a day' } } };

const dashboard = useDashboard(() => ({ knownTextServers: [] }));
let site: LocalSite;
const ids: Record<string, string> = {};

const result = (page: Page) => page.locator('[data-result]');

async function open(job: string, query = ''): Promise<Page> {
  const page = await dashboard.open(`/jobs/${ids[job]}${query}`);
  await result(page).waitFor();
  return page;
}

const timeline = (page: Page) => page.getByRole('list', { name: 'Timeline' });

/** Adds what is copied to a list, because a headless browser may refuse the clipboard. */
async function listenToCopies(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(`window.copied = [];
    navigator.clipboard.writeText = async (text) => { window.copied.push(text); };`);
  return () => page.evaluate<string[]>('window.copied');
}

/** Where the result starts, and where its first text is, in pixels from the top of the window. */
async function placeOf(page: Page, first: Locator): Promise<{ result: number; text: number }> {
  await first.waitFor();
  const [box, text] = [await result(page).boundingBox(), await first.boundingBox()];
  return { result: box?.y ?? -1, text: text?.y ?? -1 };
}

describe.skipIf(!HAS_BROWSER)('results of real jobs in the dashboard', () => {
  beforeAll(async () => {
    const { appliance } = dashboard;
    await installModels(appliance);
    site = await serveHarbourSite();
    const budget = { bytes: new TextEncoder().encode(BUDGET), name: 'budget.md' };
    const broken = { bytes: new TextEncoder().encode('%PDF-1.4 broken'), name: 'minutes.pdf' };
    const prices = { bytes: new TextEncoder().encode(PRICES), name: 'prices.html' };
    const [video, crawl, speech, music, text, scan, report, read, failed, fields] = await Promise.all([
      talkVideo().then((bytes) =>
        fileJob(
          appliance,
          'extract/video',
          { bytes, name: 'talk.mp4' },
          { captureFrames: true, frameIntervalSeconds: 1 },
        ),
      ),
      jsonJob(appliance, 'crawl', { url: `${site.url}/`, depth: 1 }),
      jsonJob(appliance, 'generate/audio', {
        prompt: 'Welcome. The tide turns.',
        voice: 'clara',
        includeCaptions: true,
      }),
      jsonJob(appliance, 'generate/audio', { prompt: 'slow ambient music', tempo: 80, durationSeconds: 40 }),
      jsonJob(appliance, 'generate/text', { prompt: 'Once upon a time', maxTokens: 40 }),
      fileJob(appliance, 'extract/pdf', { bytes: scannedPdf(), name: 'scan.pdf' }),
      fileJob(appliance, 'extract/doc', { bytes: reportDocument(), name: 'report.docx' }, { includeComments: true }),
      fileJob(appliance, 'extract/doc', budget, { segmentLength: 100 }),
      fileJob(appliance, 'extract/pdf', broken),
      fileJob(appliance, 'extract/doc', prices, { schema: PRICE_SCHEMA }),
    ]);
    await installSpeakerModel(appliance);
    const sound = { bytes: await readFile(TWO_SPEAKERS), name: 'panel.wav' };
    const panel = await fileJob(appliance, 'extract/video', sound, { speakers: true });
    const cut = await cutRecording().then((bytes) => fileJob(appliance, 'extract/video', { bytes, name: 'cut.mkv' }));
    Object.assign(ids, { panel, video, crawl, speech, music, text, scan, report, budget: read, failed, cut, fields });
  }, PREPARE_TIMEOUT_MS);

  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
  });

  test('each result is in view without scrolling, on a wide window, a narrow one and a phone', async () => {
    const firsts: Record<string, (page: Page) => Locator> = {
      budget: (page) => page.getByRole('heading', { name: 'Budget', exact: true }),
      scan: (page) => page.getByText('The harbour was quiet').first(),
      video: (page) => page.getByText('The quick red fox').first(),
      crawl: (page) => page.getByRole('button', { name: 'Tides' }),
      speech: (page) => page.getByRole('img', { name: 'Waveform' }),
      text: (page) => page.locator('.reading p').first(),
      failed: (page) => page.getByRole('heading', { name: 'The file is damaged' }),
    };
    const sizes = [
      { width: 1440, height: 900, head: 118 },
      { width: 1024, height: 768, head: 118 },
      { width: 400, height: 800, head: 160 },
    ];
    for (const { head, ...size } of sizes) {
      await dashboard.page.setViewportSize(size);
      for (const [job, first] of Object.entries(firsts)) {
        const page = await open(job);
        const place = await placeOf(page, first(page));
        // The outcomes of a crawl are above its pages.
        expect(place.result, `${job} at ${size.width}`).toBeLessThanOrEqual(job === 'crawl' ? head + 56 : head);
        expect(place.text, `${job} at ${size.width}`).toBeLessThan(size.height - 60);
      }
    }
  });

  test('a result is copied in one click or with one key, and saved by the name of its source', async () => {
    const copied = await listenToCopies(dashboard.page);
    const page = await open('report');
    await page.getByRole('button', { name: 'Copy all' }).click();
    await expect.poll(copied).toHaveLength(1);
    expect((await copied())[0]).toContain('| North | 120 m |');
    await page.keyboard.press('c');
    await expect.poll(copied).toHaveLength(2);
    await page.getByRole('button', { name: 'report.md' }).waitFor();
    await open('video');
    await page.getByRole('button', { name: 'Copy all' }).click();
    await expect.poll(copied).toEqual(['The quick red fox jumps over the old bird.']);
    await page.getByRole('button', { name: 'talk.srt' }).waitFor();
    await page.keyboard.press('r');
    await page.waitForURL(/\/add\?from=/);
  });

  test('a document has real tables, the numbers of its chunks, and a table for a spreadsheet', async () => {
    const copied = await listenToCopies(dashboard.page);
    const page = await open('budget');
    await page.getByRole('columnheader', { name: 'Planned' }).waitFor();
    await page.getByRole('cell', { name: '171,350' }).waitFor();
    await page.getByRole('button', { name: 'Passage 2: correct, note or copy' }).waitFor();
    await page.getByRole('button', { name: 'Copy table' }).click();
    await expect.poll(copied).toEqual(['Part\tPlanned\tSpent\nQuay\t184,000\t171,350\nSlipway\t31,200\t28,740']);
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('button', { name: 'Budget' }).waitFor();
    await page.getByLabel('Find in the text').fill('number 29');
    await page.locator('mark').getByText('number 29').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  test('values of a JSON Schema are listed with their sources, above the text with its merged cells', async () => {
    const page = await open('fields');
    await page.getByRole('cell', { name: 'Day price' }).waitFor();
    expect(await page.getByText('not stated').count()).toBe(1);
    await keepScreenshot(page, 'results-fields');
    await page.getByText('Text', { exact: true }).click();
    const merged = page.getByRole('columnheader', { name: 'Berth & power' });
    await merged.waitFor();
    expect(await merged.getAttribute('colspan')).toBe('2');
    expect(dashboard.complaints).toEqual([]);
  });

  test('what a document says is text: no element, address or picture of it does anything', async () => {
    const asked: string[] = [];
    dashboard.page.on('request', (request) => asked.push(request.url()));
    const page = await open('budget');
    await page.getByText('Hostile words').waitFor();
    expect(await page.locator('[data-result] :is(img, script, iframe, a)').count()).toBe(0);
    expect(await page.title()).toBe('budget.md · Quarry');
    expect(asked.filter((url) => !url.startsWith(dashboard.appliance.url))).toEqual([]);
  });

  test('a sentence is corrected where it is read, taken back, and annotated', async () => {
    const page = await open('budget');
    const sentence = page.getByText('The stone that brakes is number 1.');
    await sentence.click({ clickCount: 3 });
    const bar = page.getByRole('group', { name: 'Selected text' });
    await bar.getByRole('button', { name: 'Correct' }).click();
    const field = page.getByLabel('What it should say');
    expect(await field.inputValue()).toBe('The stone that brakes is number 1.');
    await field.fill('The stone that breaks is number 1.');
    await field.press('Control+Enter');
    // A notification under the pointer stays, so the test does not depend on its six seconds.
    await page.getByRole('button', { name: 'Undo' }).hover();
    await page.getByText('The stone that breaks is number 1.').waitFor();
    const job = (await (await dashboard.appliance.owner(`/v1/jobs/${ids.budget}`)).json()) as {
      result: { chunks: { text: string; originalText?: string }[] };
    };
    const corrected = job.result.chunks.filter(({ originalText }) => originalText !== undefined);
    expect(corrected.map(({ text }) => text)).toEqual([expect.stringContaining('breaks is number 1.')]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await sentence.waitFor();
    await page.getByRole('button', { name: 'Passage 1: correct, note or copy' }).click();
    await bar.getByRole('button', { name: 'Note' }).click();
    await page.getByLabel('Note', { exact: true }).fill('From the council.');
    await page.getByRole('button', { name: 'Save note' }).click();
    await page.getByText('Note saved.').waitFor();
    await page.getByText('1 note', { exact: true }).click();
    await page.locator('.notes').getByText('From the council.').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  test('a talk is played from the word, the slide and the wave that are clicked', async () => {
    const page = await open('video');
    const second = () => page.evaluate<number>("document.querySelector('video').currentTime");
    await page.getByRole('img', { name: 'Waveform' }).waitFor();
    // So slowly that it is still near the place from which it plays when the test looks.
    await page.evaluate("document.querySelector('video').playbackRate = 0.0625");
    await page.getByText('Slides, 2').click();
    await page.getByRole('button', { name: 'Play from 0:02' }).click();
    await expect.poll(second).toBeGreaterThanOrEqual(2);
    for (const slide of SLIDES) await page.locator('.frames').getByText(slide).waitFor();
    await page.evaluate("document.querySelector('video').pause()");
    await page.getByText('Text', { exact: true }).click();
    await page.getByRole('button', { name: /^0:00\s*The quick red fox/ }).click();
    await expect.poll(second).toBeLessThan(2);
    await page.locator('[aria-current] > .turn').waitFor();
    await page.evaluate("document.querySelector('video').pause()");
    const wave = page.getByRole('img', { name: 'Waveform' });
    const box = await wave.boundingBox();
    await wave.click({ position: { x: (box?.width ?? 0) * 0.75, y: 10 } });
    await expect.poll(second).toBeGreaterThan(2.5);
    await page.getByRole('slider', { name: 'Position' }).press('Home');
    await expect.poll(second).toBe(0);
    await page.getByRole('button', { name: 'Subtitles', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Netflix', exact: true }).click();
    await page.getByText('The subtitles are written.').waitFor();
    await page.getByRole('button', { name: 'Video with subtitles' }).click();
    await page.getByRole('menuitem', { name: 'To turn on and off, .mp4' }).click();
    await page.getByRole('button', { name: 'video-with-subtitles.mp4' }).waitFor();
    await keepScreenshot(page, 'subtitled-video');
    expect(dashboard.complaints).toEqual([]);
  });

  test('a talk is grouped by speaker, and a name that is changed there reaches its captions', async () => {
    const page = await open('panel');
    const heads = page.locator('.turn-speaker');
    await expect.poll(() => heads.first().innerText()).toBe('Speaker 1');
    const speakers = page.getByRole('region', { name: 'Speakers' });
    await speakers.getByRole('button', { name: 'Rename' }).click();
    await speakers.getByRole('textbox', { name: 'Name of Speaker 1' }).fill('Anna <b>');
    await speakers.getByRole('checkbox', { name: 'Remember the voice of Anna <b>' }).check();
    await speakers.getByRole('button', { name: 'Save names' }).click();
    await expect.poll(() => heads.first().innerText()).toBe('Anna <b>');
    await expect.poll(() => speakers.innerText()).toContain('Anna <b>');
    const captions = await dashboard.appliance.owner(`/v1/jobs/${ids.panel}/files/transcript.vtt`);
    expect(await captions.text()).toContain('<v Anna &lt;b&gt;>The weather');
    await speakers.getByRole('button', { name: 'Rename' }).click();
    await speakers.getByRole('button', { name: 'Forget the voice of Anna <b>' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await expect.poll(() => speakers.getByRole('region', { name: 'Remembered voices' }).count()).toBe(0);
    await page.close();
  });

  test('the name that a remembered voice suggests is given by one key or click', async () => {
    const page = await dashboard.open('/');
    // The small model of the tests is always sure: the suggestion is put into its answer.
    await page.route(new RegExp(`/v1/jobs/${ids.panel}(\\?|$)`), async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { result: { speakers: { name: string; voice?: object }[] } };
      for (const speaker of body.result.speakers) {
        if (speaker.name === 'Speaker 2') speaker.voice = { name: 'Ben', similarity: 0.71, recognised: false };
      }
      await route.fulfill({ response: answer, json: body });
    });
    await page.goto(new URL(`jobs/${ids.panel}`, page.url().replace(/#.*/, '')).href);
    const speakers = page.getByRole('region', { name: 'Speakers' });
    const accept = speakers.getByRole('button', { name: 'Speaker 2: It is Ben' });
    await accept.waitFor();
    await keepScreenshot(page, 'suggested-voice');
    await accept.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.turn-speaker').allInnerTexts()).toContain('Ben');
    await expect.poll(() => accept.count()).toBe(0);
    expect(await page.evaluate<string>('document.activeElement?.textContent')).toBe('Rename');
    const captions = await dashboard.appliance.owner(`/v1/jobs/${ids.panel}/files/transcript.vtt`);
    expect(await captions.text()).toContain('<v Ben>');
    await page.close();
  });

  test('a talk is summarised from its page, with seconds to click; without a model it says what to install', async () => {
    const { appliance } = dashboard;
    const set = (settings: object) =>
      appliance.owner('/admin/settings', { ...postJson(settings), method: 'PATCH' }).then(({ status }) => status);
    await using server = await startTextServer((prompt) => ({
      items: [
        {
          // Slides are passages, too.
          passages: [1, 2, 3].filter((at) => prompt.split(/^\[\d+\]$/m)[at]?.includes('red fox')),
          text: prompt.includes('into chapters') ? 'Red fox' : 'A red fox jumps.',
          who: null,
        },
      ],
    }));
    const needs = (await (await appliance.owner('/admin/needs')).json()) as { needs: { need: string }[] };
    const lacking = { needs: needs.needs.map((one) => (one.need === 'text' ? { ...one, ready: false } : one)) };
    const context = dashboard.page.context();
    await context.route('**/admin/needs', (route) => route.fulfill({ json: lacking }));
    const before = await open('video');
    await before.getByRole('button', { name: 'Summarise' }).click();
    await before.getByRole('heading', { name: 'The summary needs a text model' }).waitFor();
    await context.unroute('**/admin/needs');

    expect(await set({ textServerUrl: server.url, textModel: 'echo' })).toBe(200);
    const page = await open('video');
    await page.getByRole('button', { name: 'Summarise' }).click();
    await page.getByText('Summary', { exact: true }).click();
    await page.getByRole('button', { name: 'talk.srt' }).waitFor();
    await page.getByRole('list', { name: 'Summary' }).getByText('A red fox jumps.').waitFor();
    await page.getByRole('list', { name: 'Action items' }).getByText('A red fox jumps.').waitFor();
    await page.getByRole('region', { name: 'Chapters' }).getByText('by the text model').first().waitFor();
    await keepScreenshot(page, 'talk-summary');
    await page.getByRole('list', { name: 'Summary' }).getByRole('button', { name: 'Play from 0:00' }).click();
    await expect.poll(() => page.evaluate<boolean>("document.querySelector('video').paused")).toBe(false);
    expect(dashboard.complaints).toEqual([]);
    await page.close();
    expect(await set({ textServerUrl: null, textModel: null })).toBe(200);
  });

  test('a recording that was cut shows its warnings beside the transcript, and the span that is covered', async () => {
    const page = await open('cut');
    const note = page.getByRole('note', { name: 'Warnings' });
    await note.getByText(/states a length of 48\.\d s, but ends at 2\d\.\d s/).waitFor();
    await page.getByText('Details', { exact: true }).click();
    await page.getByText('Covered by the transcript').waitFor();
    await keepScreenshot(page, 'cut-recording');
    expect(dashboard.complaints).toEqual([]);
  });

  test('where no shape can be drawn it is said why, nothing jumps, and a click still finds the place', async () => {
    const context = dashboard.page.context();
    const problem = { code: 'timeout', detail: 'The sound could not be measured in time.' };
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await context.route('**/peaks*', async (route) => {
      await held;
      await route.fulfill({ status: 504, contentType: 'application/problem+json', body: JSON.stringify(problem) });
    });
    // The recording comes as late as the answer does.
    await context.route('**', async (route) => {
      if (route.request().resourceType() === 'media') await held;
      await route.fallback();
    });
    const page = await open('video');
    const wave = page.getByRole('img', { name: 'Waveform' });
    await page.getByText('Computing the waveform…').waitFor();
    // Nothing else is on its way that might move it.
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    const before = await wave.boundingBox();
    answer();
    await page.getByText(/Click the line to seek\. The sound could not be measured in time\./).waitFor();
    await expect.poll(() => page.evaluate<number>("document.querySelector('video').readyState")).toBeGreaterThan(0);
    expect(await wave.boundingBox()).toEqual(before);
    await wave.click({ position: { x: (before?.width ?? 0) * 0.75, y: 10 } });
    await expect.poll(() => page.evaluate<number>("document.querySelector('video').currentTime")).toBeGreaterThan(2.5);
    await context.unrouteAll();
  });

  test('the stages of a run are on the axis after the fact, in order, within the run', async () => {
    const page = await open('video');
    await page.getByRole('button', { name: /^Timeline/ }).click();
    const inner = timeline(page).locator('[data-inner="true"]');
    await inner.getByText('Transcribing').waitFor();
    await inner.getByText('Reading frames').waitFor();
    const lefts = await page.evaluate<number[]>(
      `[...document.querySelectorAll('[data-inner="true"] .track-bar')].map((one) => one.getBoundingClientRect().left)`,
    );
    expect(lefts.length).toBeGreaterThan(2);
    expect(lefts).toEqual([...lefts].sort((one, other) => one - other));
  });

  test('a crawl gives every address its outcome, and a page its findings', async () => {
    const page = await open('crawl');
    const row = (name: string) => page.getByRole('button', { name });
    await row('The site asks robots to stay out').click();
    await row('/private/plans').click();
    await page.getByText('robots.txt, line 2: Disallow: /private/').waitFor();
    await row('The server answered with an error').click();
    await row('/gone').waitFor();
    await row('Tides').click();
    const findings = page.getByRole('complementary', { name: 'Checks of this page' });
    await findings.getByText('Instruction, hidden from readers').waitFor();
    await findings.getByText('high confidence').waitFor();
    await page.getByText('The tide turns twice a day.').waitFor();
    // What the page states, and where it contradicts itself.
    const facts = await findings.getByRole('definition').allTextContents();
    expect(facts.slice(0, 3)).toEqual(['Ann Lee', '1 Mar 2026uncertain; also said: 30 Nov 2025', 'English']);
    await row('Contact').click();
    await findings.getByText(/Email: 1/).waitFor();
    await page.getByRole('button', { name: '2 read, with warnings' }).click();
    await expect.poll(() => row('Pilots').count()).toBe(0);
    await row('Tides').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  test('speech is played beside its shape and what was measured of it; music has its sections', async () => {
    const page = await open('speech');
    await page.getByRole('img', { name: 'Waveform' }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'LUFS' }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'dBTP' }).waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await expect.poll(() => page.evaluate<number>("document.querySelector('audio').currentTime")).toBeGreaterThan(0);
    await open('music');
    const sections = page.getByRole('list', { name: 'Sections' });
    await expect.poll(() => sections.getByRole('button').count()).toBeGreaterThan(1);
    expect(dashboard.complaints).toEqual([]);
  });

  test('a document is cut again without being read again, and its own chunks come back', async () => {
    const page = await open('report');
    await page.getByText(/^Passages, \d+$/).click();
    const heading = page.getByRole('heading', { name: /^\d+ passages?$/ });
    const before = await heading.textContent();
    await page.getByRole('button', { name: 'Change the length of passages…' }).click();
    await page.getByLabel('Characters of a passage').fill('150');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByText('Preview with passages of another length').waitFor();
    expect(Number.parseInt((await heading.textContent()) ?? '', 10)).toBeGreaterThan(Number.parseInt(before ?? '', 10));
    await page.getByRole('button', { name: 'Back to its own passages' }).click();
    await expect.poll(() => heading.textContent()).toBe(before);
    await page.getByText('Details', { exact: true }).click();
    await page.getByRole('region', { name: 'Tracked changes' }).getByText('spring').waitFor();
  });

  test('the page of a PDF is shown beside what was read in it', async () => {
    const page = await open('scan');
    await page.getByRole('img', { name: 'Image of page 1' }).waitFor();
    await expect
      .poll(() => page.evaluate<number>("document.querySelector('img.sheet').naturalWidth"))
      .toBeGreaterThan(500);
    await page.getByText('Page 1 of 1').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  test('a failed job says what happened, what to do, and its code', async () => {
    const page = await open('failed');
    const alert = page.getByRole('alert');
    await alert.getByText('The PDF is damaged and could not be opened. Send an intact copy.').waitFor();
    await page.getByText('corrupt_input', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Choose another file' }).click();
    await page.waitForURL(/\/add\?from=.*other=true/);
    await page
      .getByRole('dialog')
      .getByText(/Choose another file/)
      .waitFor();
  });

  test('a job that lacks a model says what to install, and shows its download', async () => {
    const { page } = dashboard;
    const job = (await (await dashboard.appliance.owner(`/v1/jobs/${ids.video}`)).json()) as object;
    const choice = (name: string, title: string, sizeBytes: number, recommended: boolean) => ({
      ...{ name, title, sizeBytes, recommended, kind: 'model', licence: 'MIT', source: 'models.example', fits: true },
      note: 'Good for clear speech.',
    });
    const need = {
      ...{
        kind: 'model',
        need: 'speech',
        language: 'cy',
        reason: 'No speech model for Welsh is installed.',
        nodes: [],
      },
      choices: [
        choice('base', 'Whisper base', 149_000_000, true),
        choice('small', 'Whisper small', 488_000_000, false),
      ],
    };
    const problem = { code: 'model_not_installed', message: 'Install Whisper base on the Models page.' };
    let state: object = { ...need, name: 'base', title: 'Whisper base', sizeBytes: 149_000_000, problem };
    const waiting = () => ({ ...job, status: 'queued', result: null, waitingFor: state });
    await page.route(`**/v1/jobs/${ids.video}/events`, (route) => route.abort());
    await page.route(`**/v1/jobs/${ids.video}`, (route) => route.fulfill({ json: waiting() }));
    let wanted: unknown = null;
    await page.route(`**/admin/jobs/${ids.video}/install*`, (route) => {
      wanted = route.request().postDataJSON();
      const download = { status: 'downloading', receivedBytes: 122_000_000, totalBytes: 488_000_000, error: null };
      state = { ...need, name: 'small', title: 'Whisper small', sizeBytes: 488_000_000, percent: 25 };
      return route.fulfill({ status: 202, json: download });
    });
    await open('video');
    await page.getByRole('heading', { name: 'No speech model for Welsh is installed.' }).waitFor();
    await page.getByRole('button', { name: 'Install and continue' }).waitFor();
    await page.getByRole('button', { name: 'Other choices…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('From models.example, checked on arrival. Licence: MIT.').waitFor();
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    await keepScreenshot(page, 'install-dialog');
    await dialog.getByRole('radio', { name: /Whisper small/ }).click();
    await dialog.getByRole('button', { name: 'Install and continue' }).click();
    await page.getByText('122 MB of 488 MB').waitFor();
    expect(wanted).toEqual({ name: 'small' });
    await page.getByRole('button', { name: 'Cancel the download' }).waitFor();
    await page.unrouteAll();
  });

  test.each(SCHEMES)('in %s axe finds nothing wrong with any of them', async (scheme) => {
    const { page, complaints } = dashboard;
    await page.emulateMedia({ colorScheme: scheme });
    await dashboard.open('/');
    await loadAxe(page);
    const wrong: Record<string, string[]> = {};
    for (const [job, jobId] of Object.entries(ids)) {
      await page.evaluate(`history.pushState({}, '', '/jobs/${jobId}?tab=timeline')`);
      await timeline(page)
        .getByText(job === 'failed' ? 'Failed' : 'Done', { exact: true })
        .waitFor();
      await page.getByText('Loading…').waitFor({ state: 'detached' });
      const found = await violations(page, scheme);
      if (found.length > 0) wrong[job] = found;
      await keepScreenshot(page, `${scheme}-result-${job}`);
    }
    expect(wrong).toEqual({});
    expect(complaints).toEqual([]);
  });

  test('a hit of the search leads to its place in the job', async () => {
    await dashboard.open('/search?q=ship+week');
    await dashboard.page
      .getByRole('link', { name: /^Page 1/ })
      .first()
      .click();
    await dashboard.page.waitForURL(/chunk=/);
    await dashboard.page.locator('[aria-current="true"]').getByText('no ship had come in for a week').waitFor();
    await dashboard.page.getByRole('img', { name: 'Image of page 1' }).waitFor();
  });
});
