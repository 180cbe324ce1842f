/**
 * The browser of one crawl: a child process with its own proxy, opened for the first page that needs it. The proxy
 * follows the address policy of the account, so pages reach nothing that the crawl may not. The browser gets each page
 * as the crawl fetched it; robots.txt, delays, redirects and verdicts stay with the crawl.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Rendered, RenderedWith, RenderInput, RenderProgram } from '../../../workers/pages/tasks.ts';
import { KeyedSemaphore, Mutex } from '../../platform/concurrency.ts';
import { QuarryError } from '../../platform/errors.ts';
import { type GuardedProxy, openGuardedProxy, type ProxyConnectDeps } from '../../platform/net/guarded-proxy.ts';
import type { StartChildProgram } from '../../platform/rpc/child-process.ts';
import { connect, type Peer } from '../../platform/rpc/rpc.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { requireBrowser } from './browser.ts';
import type { CrawlChoice } from './schema.ts';

/** Pages that a crawl renders at the same time. */
export const MAX_TABS = 3;

/** Screenshots of a crawl, and PDF files. */
const MAX_FILES = 100;

const PAGE_LIMIT_MS = 20 * SECOND_MS;

/** A program that answers nothing for this long is ended. Its own limit ends the page before. */
const ANSWER_LIMIT_MS = 60 * SECOND_MS;

const START_LIMIT_MS = 120 * SECOND_MS;

/** What the parts of a page may have, with those of the pages beside it. */
const MAX_PAGE_BYTES = 64 * MIB;

/** A browser that keeps ending is not started again. */
const MAX_STARTS = 5;

/** Browsers of all crawls. Each takes some hundred megabytes; further crawls wait with their pages. */
export const MAX_BROWSERS = 3;

export interface RendererDeps {
  /** Slots for browsers, shared by all crawls. */
  slots: KeyedSemaphore;
  start: StartChildProgram;
  network: Omit<ProxyConnectDeps, 'onBytes'>;
  userAgent: string;
  choice: CrawlChoice;
  filesFolder: string;
}

/** A page with what the browser made of it. */
export type RenderedPage =
  | { kind: 'page'; body: Buffer; hasScreenshot: boolean; hasPdf: boolean }
  | Exclude<Rendered, { kind: 'page' }>;

/** The browser ended while it showed a page. */
class BrowserLost extends Error {}

interface OpenBrowser {
  /** For temporary files. */
  folder: string;
  leave(): void;
  peer: Peer<RenderProgram>;
  proxy: GuardedProxy;
}

export function screenshotName(id: number): string {
  return `page-${id}.jpg`;
}

export function pdfName(id: number): string {
  return `page-${id}.pdf`;
}

export class PageRenderer implements AsyncDisposable {
  readonly figures = { requests: 0, bytes: 0 };
  readonly #warnings = new Set<string>();
  readonly #deps: RendererDeps;
  readonly #opening = new Mutex();
  /** Pages whose browser has ended. */
  readonly #again = new Mutex();
  readonly #tabs = new KeyedSemaphore(MAX_TABS);
  #browser: OpenBrowser | null = null;
  #starts = 0;
  #screenshots: number;
  #pdfs: number;

  /** @param made files that were made before an interruption */
  constructor(deps: RendererDeps, made: { screenshots: number; pdfs: number }) {
    this.#deps = deps;
    this.#screenshots = made.screenshots;
    this.#pdfs = made.pdfs;
  }

  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /**
   * Runs the scripts of a page. What a page does is a result. Errors: `engine_unavailable`, `engine_failed` when there
   * is no browser that works; the signal's reason.
   */
  async render(
    page: { id: number; url: string; body: Buffer; headers: RenderInput['headers'] },
    signal: AbortSignal,
  ): Promise<RenderedPage> {
    const { actions } = this.#deps.choice;
    const { url, body, headers } = page;
    const leave = await this.#tabs.enter('tab', () => signal);
    const files = this.#claimFiles();
    const input = { url, body, headers, ...files, actions: [...actions] };
    const rendered = await this.#askTwice(input, signal).finally(leave);
    if (rendered.kind !== 'page') return rendered;
    const { html, requests, screenshot, pdf, problems } = rendered;
    this.figures.requests += requests;
    for (const problem of problems) this.#warn(`${url}: ${problem}`);
    const { filesFolder } = this.#deps;
    if (screenshot !== null) await writeFile(join(filesFolder, screenshotName(page.id)), screenshot);
    if (pdf !== null) await writeFile(join(filesFolder, pdfName(page.id)), pdf);
    return { kind: 'page', body: Buffer.from(html), hasScreenshot: screenshot !== null, hasPdf: pdf !== null };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  #claimFiles(): { screenshot: boolean; pdf: boolean } {
    const { choice } = this.#deps;
    const screenshot = choice.screenshot && this.#screenshots < MAX_FILES;
    const pdf = choice.pdf && this.#pdfs < MAX_FILES;
    if (choice.screenshot && !screenshot) this.#warn(`Only the first ${MAX_FILES} pages have a screenshot.`);
    if (choice.pdf && !pdf) this.#warn(`Only the first ${MAX_FILES} pages have a PDF file.`);
    this.#screenshots += Number(screenshot);
    this.#pdfs += Number(pdf);
    return { screenshot, pdf };
  }

  /** Bounded: pages write what they like. */
  #warn(sentence: string): void {
    if (this.#warnings.size < MAX_FILES) this.#warnings.add(sentence);
  }

  /**
   * A browser that ends takes the pages beside it along. They are tried once more, one at a time, so that only the page
   * that ends it again has failed.
   */
  async #askTwice(input: RenderInput, signal: AbortSignal): Promise<Rendered> {
    try {
      return await this.#ask(input, signal);
    } catch (error) {
      if (!(error instanceof BrowserLost)) throw error;
    }
    try {
      return await this.#again.runExclusive(() => this.#ask(input, signal));
    } catch (error) {
      if (!(error instanceof BrowserLost)) throw error;
      return { kind: 'failed', reason: error.message };
    }
  }

  async #ask(input: RenderInput, signal: AbortSignal): Promise<Rendered> {
    const { peer } = await this.#opening
      .runExclusive(() => this.#opened(signal))
      .catch((error: unknown) => {
        if (error instanceof QuarryError) this.#warn(error.message);
        throw error;
      });
    const { figures } = this;
    const before = figures.bytes;
    const tooMuch = new AbortController();
    const watch = setInterval(() => figures.bytes - before > MAX_PAGE_BYTES && tooMuch.abort(), SECOND_MS / 4);
    const limit = setTimeout(() => peer.end(), ANSWER_LIMIT_MS);
    const end = AbortSignal.any([signal, tooMuch.signal]);
    try {
      return await peer.remote.render(input, end);
    } catch (error) {
      signal.throwIfAborted();
      if (tooMuch.signal.aborted) return { kind: 'failed', reason: `It loads more than ${MAX_PAGE_BYTES / MIB} MB.` };
      if (error instanceof QuarryError && error.code === 'engine_failed') throw new BrowserLost(error.message);
      throw error;
    } finally {
      clearInterval(watch);
      clearTimeout(limit);
    }
  }

  async #opened(signal: AbortSignal): Promise<OpenBrowser> {
    signal.throwIfAborted();
    if (this.#browser !== null && !this.#browser.peer.isEnded) return this.#browser;
    await this.#close();
    if (this.#starts >= MAX_STARTS) {
      throw new QuarryError('engine_failed', `The browser ended ${MAX_STARTS} times. Update it, or crawl without it.`);
    }
    this.#starts += 1;
    const { start, network, userAgent, choice } = this.#deps;
    const { path } = requireBrowser();
    const onBytes = (bytes: number) => {
      this.figures.bytes += bytes;
    };
    const leave = await this.#deps.slots.enter('browser', () => signal);
    const proxy = await openGuardedProxy({ ...network, onBytes });
    const peer = connect<RenderProgram>((listeners) => start('render', listeners), {
      signal,
      ended: (cause) => new QuarryError('engine_failed', 'It ended the browser.', { cause }),
    });
    // Short: on Linux the browser has a socket there, whose path has at most 107 characters.
    const folder = await mkdtemp(join(tmpdir(), 'quarry-browser-'));
    this.#browser = { peer, proxy, folder, leave };
    const limit = setTimeout(() => peer.end(), START_LIMIT_MS);
    try {
      const shown = { tabs: MAX_TABS, loadsPictures: choice.screenshot || choice.pdf, pageLimitMs: PAGE_LIMIT_MS };
      const setup = { executablePath: path, proxyUrl: proxy.url, folder, userAgent, ...shown };
      this.#noteSandbox(await peer.remote.open(setup));
      return this.#browser;
    } catch (cause) {
      await this.#close();
      signal.throwIfAborted();
      const name = path.split(/[\\/]/).at(-1);
      const message = `The browser ${name} did not start. Update it, or set QUARRY_BROWSER to another.`;
      throw new QuarryError('engine_unavailable', message, { cause });
    } finally {
      clearTimeout(limit);
    }
  }

  #noteSandbox({ isSandboxed }: RenderedWith): void {
    if (!isSandboxed)
      this.#warn('The browser ran without its sandbox, as Quarry runs as root. Run it as another user.');
  }

  async #close(): Promise<void> {
    const browser = this.#browser;
    this.#browser = null;
    if (browser === null) return;
    // The program closes its browser; one that does not in time is ended, and the browser with it.
    const limit = setTimeout(() => browser.peer.end(), 5 * SECOND_MS);
    await browser.peer.remote.close().catch(() => undefined);
    clearTimeout(limit);
    browser.peer.end();
    await browser.peer.ended;
    await browser.proxy[Symbol.asyncDispose]();
    await rm(browser.folder, { recursive: true, force: true, maxRetries: 3 });
    browser.leave();
  }
}
