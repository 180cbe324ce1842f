import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM_ARGS, chromiumFile } from './chromium.ts';

/** No step of a person takes this long on a page that works, also on a machine that is several times slower. */
const STEP_TIMEOUT_MS = 180_000;

const ROOT = join(import.meta.dirname, '../..');

/** The built dashboard, as `startAppliance` takes it. */
export const RENDERER_FOLDER = new URL('../../out/renderer/', import.meta.url);

/** Where screenshots for reviews are kept, with `QUARRY_SCREENSHOTS=1`; git does not know them. */
const ARTEFACTS = join(ROOT, '.artefacts/dashboard');

/** Whether there is a browser to drive: without one the tests of the dashboard are skipped, and say so. */
export const HAS_BROWSER = chromiumFile() !== null;

export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumFile();
  if (executablePath === null) throw new Error('There is no Chromium on this machine: install the package chromium.');
  return chromium.launch({ executablePath, args: [...CHROMIUM_ARGS], headless: true });
}

let shared: Promise<Browser> | null = null;

/** One browser for all files that share this process; it ends with the process. Sessions are kept apart by contexts. */
export async function sharedBrowser(): Promise<Browser> {
  if (shared !== null && !(await shared).isConnected()) shared = null;
  shared ??= openBrowser();
  return shared;
}

/** A page of a person who has signed in, and everything the browser complained about while it was used. */
export interface Visit {
  page: Page;
  complaints: string[];
}

export interface VisitOptions {
  scheme?: 'light' | 'dark';
  width?: number;
}

/** Opens a page that nobody has signed in to. */
export async function visit(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  return newWindow(await newContext(browser), options);
}

/** A person with a browser of their own: what it keeps, cookies above all, is shared by their windows alone. */
export async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  return context;
}

export async function newWindow(
  context: BrowserContext,
  { scheme = 'light', width = 1280 }: VisitOptions = {},
): Promise<Visit> {
  const page = await context.newPage();
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: scheme });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}

/** Drops a file onto an element, as a person does from a file manager. */
export async function dropFile(page: Page, selector: string, name: string, bytes: Uint8Array): Promise<void> {
  const text = JSON.stringify({ name, base64: Buffer.from(bytes).toString('base64') });
  const transfer = await page.evaluateHandle(`(() => {
    const { name, base64 } = ${text};
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name));
    return data;
  })()`);
  await page.dispatchEvent(selector, 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent(selector, 'drop', { dataTransfer: transfer });
}

export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.QUARRY_SCREENSHOTS !== '1') return;
  await mkdir(ARTEFACTS, { recursive: true });
  await page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });
}
