import type { Page } from 'playwright-core';
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

/** A build from nothing and real work, on a machine that does other things too. */
const PREPARE_TIMEOUT_MS = 1_800_000;

const dashboard = useDashboard(() => ({ knownTextServers: [] }));
let site: LocalSite;
const ids: Record<string, string> = {};

async function open(job: string, query = ''): Promise<Page> {
  const page = await dashboard.open(`/jobs/${ids[job]}${query}`);
  await page.getByText('Done', { exact: true }).first().waitFor();
  return page;
}

const timeline = (page: Page) => page.getByRole('list', { name: 'Timeline' });

describe.skipIf(!HAS_BROWSER)('results of real jobs in the dashboard', () => {
  beforeAll(async () => {
    const { appliance } = dashboard;
    await installModels(appliance);
    site = await serveHarbourSite();
    const [video, crawl, sound, scan, report] = await Promise.all([
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
      fileJob(appliance, 'extract/pdf', { bytes: scannedPdf(), name: 'scan.pdf' }),
      fileJob(appliance, 'extract/doc', { bytes: reportDocument(), name: 'report.docx' }, { includeComments: true }),
    ]);
    const cut = await cutRecording().then((bytes) => fileJob(appliance, 'extract/video', { bytes, name: 'cut.mkv' }));
    Object.assign(ids, { video, crawl, sound, scan, report, cut });
  }, PREPARE_TIMEOUT_MS);

  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
  });

  test('a talk is played from the word, the picture and the wave that are clicked', async () => {
    const page = await open('video');
    const second = () => page.evaluate<number>("document.querySelector('video').currentTime");
    await page.getByRole('img', { name: 'Waveform' }).waitFor();
    // So slowly that it is still near the place from which it plays when the test looks.
    await page.evaluate("document.querySelector('video').playbackRate = 0.0625");
    await page.getByRole('button', { name: 'Play from 0:02' }).click();
    await expect.poll(second).toBeGreaterThanOrEqual(2);
    await page.evaluate("document.querySelector('video').pause()");
    await page.getByRole('button', { name: /^0:00\s*The quick red fox/ }).click();
    await expect.poll(second).toBeLessThan(2);
    await page.evaluate("document.querySelector('video').pause()");
    const wave = page.getByRole('img', { name: 'Waveform' });
    const box = await wave.boundingBox();
    await wave.click({ position: { x: (box?.width ?? 0) * 0.75, y: 10 } });
    await expect.poll(second).toBeGreaterThan(2.5);
    for (const slide of SLIDES) await page.locator('.frames').getByText(slide).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  test('a recording that was cut shows its warnings above the transcript, and the span that is covered', async () => {
    const page = await open('cut');
    const alert = page.getByRole('alert').filter({ hasText: 'Warnings' });
    await alert.getByText(/states a length of 48\.\d s, but ends at 2\d\.\d s/).waitFor();
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
    const inner = timeline(page).locator('[data-inner="true"]');
    await inner.getByText('Transcribing').waitFor();
    await inner.getByText('Reading frames').waitFor();
    const lefts = await page.evaluate<number[]>(
      `[...document.querySelectorAll('[data-inner="true"] .track-bar')].map((one) => one.getBoundingClientRect().left)`,
    );
    expect(lefts.length).toBeGreaterThan(2);
    expect(lefts).toEqual([...lefts].sort((one, other) => one - other));
  });

  test('a crawl gives every address its verdict, and a page its findings', async () => {
    const page = await open('crawl');
    const leaf = (name: string) => page.getByRole('button', { name: new RegExp(`^${name} `) });
    await leaf('plans').getByText('robots.txt').waitFor();
    await leaf('gone').getByText('HTTP error').waitFor();
    await leaf('plans').click();
    await page.getByText('robots.txt, line 2: Disallow: /private/').waitFor();
    await leaf('tides').click();
    const findings = page.getByRole('region', { name: 'Guardrails' });
    await findings.getByText('Instruction', { exact: true }).waitFor();
    await findings.getByText(/high confidence/).waitFor();
    await leaf('contact').click();
    await findings.getByText(/Email: 1/).waitFor();
    await page.getByText('With risks', { exact: true }).click();
    await expect.poll(() => page.locator('.leaf').count()).toBe(2);
    expect(dashboard.complaints).toEqual([]);
  });

  test('speech is played beside its shape and what was measured of it', async () => {
    const page = await open('sound');
    await page.getByRole('img', { name: 'Waveform' }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'LUFS' }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'dBTP' }).waitFor();
    await page.evaluate("document.querySelector('audio').play()");
    await expect.poll(() => page.evaluate<number>("document.querySelector('audio').currentTime")).toBeGreaterThan(0);
    expect(dashboard.complaints).toEqual([]);
  });

  test('a document is cut anew without being read again, and its own chunks come back', async () => {
    const page = await open('report');
    const heading = page.getByRole('heading', { name: /^\d+ chunks?$/ });
    const before = await heading.textContent();
    await page.getByRole('button', { name: 'Change chunk size…' }).click();
    await page.getByLabel('Characters per chunk').fill('150');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByText('Preview with a different chunk size').waitFor();
    expect(Number.parseInt((await heading.textContent()) ?? '', 10)).toBeGreaterThan(Number.parseInt(before ?? '', 10));
    await page.getByRole('button', { name: 'Back to the job’s chunks' }).click();
    await expect.poll(() => heading.textContent()).toBe(before);
    await page.getByRole('region', { name: 'Tracked changes' }).getByText('spring').waitFor();
  });

  test('the page of a PDF is shown beside what was read in it', async () => {
    const page = await open('scan');
    await page.getByRole('button', { name: 'page 1', exact: true }).first().click();
    const picture = page.getByRole('img', { name: 'Image of page 1' });
    await picture.waitFor();
    await expect
      .poll(() => page.evaluate<number>("document.querySelector('.pdf-page img').naturalWidth"))
      .toBeGreaterThan(500);
    await page.getByText('page 1 of 1').waitFor();
    await page.getByRole('button', { name: 'Hide the page' }).click();
    await picture.waitFor({ state: 'detached' });
    expect(dashboard.complaints).toEqual([]);
  });

  test.each(SCHEMES)('in %s axe finds nothing wrong with any of them', async (scheme) => {
    const { page, complaints } = dashboard;
    await page.emulateMedia({ colorScheme: scheme });
    await dashboard.open('/');
    await loadAxe(page);
    const wrong: Record<string, string[]> = {};
    for (const [job, jobId] of Object.entries(ids)) {
      await page.evaluate(`history.pushState({}, '', '/jobs/${jobId}')`);
      await page.getByText(jobId, { exact: true }).waitFor();
      await timeline(page).getByText('Done', { exact: true }).waitFor();
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      const found = await violations(page, scheme);
      if (found.length > 0) wrong[job] = found;
      await keepScreenshot(page, `${scheme}-result-${job}`);
    }
    expect(wrong).toEqual({});
    expect(complaints).toEqual([]);
  });

  test('a hit of the search leads to its place in the job', async () => {
    await dashboard.open('/search?q=ship+week');
    await dashboard.page.getByRole('link', { name: 'scan.pdf' }).first().click();
    await dashboard.page.waitForURL(/chunk=/);
    const chunk = dashboard.page.locator('.chunk[aria-current="true"]');
    await chunk.getByText('no ship had come in for a week').waitFor();
    await chunk.getByText('page 1').waitFor();
    await dashboard.page.getByRole('img', { name: 'Image of page 1' }).waitFor();
  });
});
