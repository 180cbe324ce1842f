/**
 * The browser of one crawl, in a child process of this machine or of a node, opened for the first page that needs it.
 * All its connections go through a proxy of this process, which follows the address policy of the account, so pages
 * reach nothing that the crawl may not. The browser gets each page as the crawl fetched it; robots.txt, delays,
 * redirects and verdicts stay with the crawl.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { BrowserOfCrawl, PageCookie, Rendered, RenderedWith, RenderInput } from '../../../workers/pages/tasks.ts';
import { KeyedSemaphore, Mutex } from '../../platform/concurrency.ts';
import { messageOf, QuarryError } from '../../platform/errors.ts';
import type { GuardedProxy, ProxyConnectDeps } from '../../platform/net/guarded-proxy.ts';
import { afterMachineTime } from '../../platform/process/work-limit.ts';
import type { StartChildProgram } from '../../platform/rpc/child-process.ts';
import { connectPeer } from '../../platform/rpc/rpc.ts';
import { type Said, saidElsewhere, say } from '../../platform/text/say.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { findBrowser, requireBrowser } from './browser.ts';
import type { BrowserPlace, BrowserPlaces } from './browser-places.ts';
import { type BrowserProgram, browserEnded, startBrowserProgram } from './browser-program.ts';
import type { CookieJar } from './cookies.ts';
import type { CrawlChoice, NodeBrowser } from './schema.ts';

/** Pages that a crawl renders at the same time. */
export const MAX_TABS = 3;

/** Screenshots of a crawl, and PDF files. */
const MAX_FILES = 100;

const MAX_SENTENCE_CHARS = 2000;

/** That a page may have set. */
const MAX_PAGE_COOKIES = 3000;

const MAX_PAGE_COOKIE_CHARS = 8192;

/** Of what a node sends: the program has smaller limits. */
const MAX_PART_BYTES = 32 * MIB;

const PAGE_LIMIT_MS = 20 * SECOND_MS;

/** A program without an answer is ended then, later on a busy machine. Its own limit ends the page before. */
const ANSWER_LIMIT_MS = 60 * SECOND_MS;

const START_LIMIT_MS = 120 * SECOND_MS;

const CLOSE_LIMIT_MS = 5 * SECOND_MS;

/** What the parts of a page may have, with those of the pages beside it. */
const MAX_PAGE_BYTES = 64 * MIB;

/** A browser that keeps ending is not started again. One that rendered pages until its node was lost does not count. */
const MAX_STARTS = 5;

/** Failed starts of this machine's browser in a row. */
const LOCAL_STARTS_MAX = 3;

/** Nodes that a page may lose before it counts as the cause. */
const MAX_LOST_NODES = 3;

export interface RendererDeps {
  /** Shared by all crawls. */
  places: BrowserPlaces;
  start: StartChildProgram;
  network: Omit<ProxyConnectDeps, 'onBytes'>;
  userAgent: string;
  choice: Pick<CrawlChoice, 'actions' | 'screenshot' | 'pdf'>;
  /** Only what is shown at first is wanted, not the text of pages. */
  isFirstScreen?: boolean;
  filesFolder: string;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/** A page with what the browser made of it. */
export type RenderedPage =
  | { kind: 'page'; body: Buffer; hasScreenshot: boolean; hasPdf: boolean }
  | { kind: 'moved'; url: string; hasNewCookies: boolean }
  | Exclude<Rendered, { kind: 'page' | 'moved' }>;

/** The browser ended while it showed a page. */
class BrowserLost extends Error {}

/** The connection to the browser broke: no page is the cause. */
class NodeLost extends BrowserLost {}

interface OpenBrowser {
  place: BrowserPlace;
  proxy: GuardedProxy;
  program: BrowserProgram;
  /** Pages that it has rendered. */
  pages: number;
}

export function screenshotName(id: number): string {
  return `page-${id}.jpg`;
}

export function pdfName(id: number): string {
  return `page-${id}.pdf`;
}

export class PageRenderer implements AsyncDisposable {
  readonly figures = { requests: 0, bytes: 0 };
  readonly #warnings = new Set<Said>();
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

  get rendererWarnings(): readonly Said[] {
    return [...this.#warnings];
  }

  /**
   * Runs the scripts of a page. What a page does is a result. Errors: `engine_unavailable`, `engine_failed` when there
   * is no browser that works; the signal's reason.
   */
  async renderCrawledPage(
    page: { id: number; url: string; body: Buffer; headers: RenderInput['headers']; cookies: CookieJar | null },
    signal: AbortSignal,
  ): Promise<RenderedPage> {
    const { choice, isFirstScreen } = this.#deps;
    const { url, body, headers, cookies: jar } = page;
    const leave = await this.#tabs.acquireKeySlot('tab', () => signal);
    const files = this.#claimFiles();
    const cookies = jar?.cookiesOfHost(url) ?? null;
    const sent = jar?.cookieHeaderFor(url) ?? null;
    const input = { url, body, headers, cookies, ...files, isFirstScreen, actions: [...choice.actions] };
    const rendered = await this.#askTwice(input, signal).finally(leave);
    if (rendered.kind === 'failed') return rendered;
    jar?.storePageCookies(url, rendered.cookies);
    if (rendered.kind === 'moved') {
      const hasNewCookies = jar !== null && jar.cookieHeaderFor(url) !== sent;
      return { kind: 'moved', url: rendered.url, hasNewCookies };
    }
    const { html, requests, screenshot, pdf, problems } = rendered;
    this.figures.requests += requests;
    for (const problem of problems) this.#addRenderWarning(say`${url}: ${problem}`);
    const { filesFolder } = this.#deps;
    if (screenshot !== null) await writeFile(join(filesFolder, screenshotName(page.id)), screenshot);
    if (pdf !== null) await writeFile(join(filesFolder, pdfName(page.id)), pdf);
    return { kind: 'page', body: Buffer.from(html), hasScreenshot: screenshot !== null, hasPdf: pdf !== null };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeOpenBrowser();
  }

  #claimFiles(): { screenshot: boolean; pdf: boolean } {
    const { choice } = this.#deps;
    const screenshot = choice.screenshot && this.#screenshots < MAX_FILES;
    const pdf = choice.pdf && this.#pdfs < MAX_FILES;
    if (choice.screenshot && !screenshot)
      this.#addRenderWarning(say`Only the first ${MAX_FILES} pages have a screenshot.`);
    if (choice.pdf && !pdf) this.#addRenderWarning(say`Only the first ${MAX_FILES} pages have a PDF file.`);
    this.#screenshots += Number(screenshot);
    this.#pdfs += Number(pdf);
    return { screenshot, pdf };
  }

  /** Bounded: pages write what they like. */
  #addRenderWarning(sentence: Said): void {
    if (this.#warnings.size < MAX_FILES) this.#warnings.add(sentence);
  }

  /**
   * A browser that ends takes the pages beside it along. They are tried once more, one at a time, so that only the page
   * that ends it again has failed.
   */
  async #askTwice(input: RenderInput, signal: AbortSignal): Promise<Rendered> {
    try {
      return await this.#askHere(input, signal);
    } catch (error) {
      if (!(error instanceof BrowserLost)) throw error;
    }
    try {
      return await this.#again.runExclusive(() => this.#askHere(input, signal));
    } catch (error) {
      if (!(error instanceof BrowserLost)) throw error;
      return { kind: 'failed', reason: error.message };
    }
  }

  /** Asks elsewhere when the node of the browser is lost. */
  async #askHere(input: RenderInput, signal: AbortSignal): Promise<Rendered> {
    for (let lost = 1; ; lost += 1) {
      try {
        return await this.#askBrowserToRender(input, signal);
      } catch (error) {
        if (!(error instanceof NodeLost) || lost >= MAX_LOST_NODES) throw error;
      }
    }
  }

  async #askBrowserToRender(input: RenderInput, signal: AbortSignal): Promise<Rendered> {
    const browser = await this.#opening
      .runExclusive(() => this.#ensureOpenBrowser(signal))
      .catch((error: unknown) => {
        if (error instanceof QuarryError) this.#addRenderWarning(saidElsewhere(error.message));
        throw error;
      });
    const { program, place } = browser;
    const { figures } = this;
    const before = figures.bytes;
    const tooMuch = new AbortController();
    const watch = setInterval(() => figures.bytes - before > MAX_PAGE_BYTES && tooMuch.abort(), SECOND_MS / 4);
    const stopLimit = afterMachineTime(ANSWER_LIMIT_MS, () => program.peer.end());
    const end = AbortSignal.any([signal, tooMuch.signal]);
    try {
      const rendered = await program.remote.render(input, end);
      const checked = place.node === null ? { success: true, data: rendered } : FromNode.safeParse(rendered);
      if (!checked.success) throw new QuarryError('engine_failed', say`Its node sent something else than a page.`);
      browser.pages += 1;
      return checked.data;
    } catch (error) {
      signal.throwIfAborted();
      if (tooMuch.signal.aborted)
        return { kind: 'failed', reason: say`It loads more than ${MAX_PAGE_BYTES / MIB} MB.` };
      if (place.node?.isLost) throw new NodeLost('The connection to its browser broke.');
      // Nothing that a node says ends the crawl.
      const isEnd = place.node !== null || (error instanceof QuarryError && error.code === 'engine_failed');
      throw isEnd ? new BrowserLost(messageOf(error), { cause: error }) : error;
    } finally {
      clearInterval(watch);
      stopLimit();
    }
  }

  /** The open browser, or another. A place where none starts is left for the next one. */
  async #ensureOpenBrowser(signal: AbortSignal): Promise<OpenBrowser> {
    signal.throwIfAborted();
    if (this.#browser !== null && !this.#browser.program.peer.isEnded) return this.#browser;
    await this.#closeOpenBrowser();
    let failedStarts = 0;
    for (;;) {
      if (this.#starts >= MAX_STARTS) {
        const message = say`The browser ended ${MAX_STARTS} times. Update it, or crawl without it.`;
        throw new QuarryError('engine_failed', message);
      }
      this.#starts += 1;
      const place = await this.#deps.places.acquireBrowserPlace(signal);
      try {
        return await this.#openAt(place, signal);
      } catch (cause) {
        place.leave(signal.aborted);
        signal.throwIfAborted();
        // A browser that is ended while it starts is started again. One that cannot start fails each time.
        if (place.node === null) failedStarts += 1;
        if (failedStarts >= LOCAL_STARTS_MAX) throw notStarted(this.#deps.places.dataDir, cause);
        const node = place.node?.node ?? 'this machine';
        this.#deps.log.warn({ err: cause, node }, 'A browser could not be started.');
      }
    }
  }

  async #openAt(place: BrowserPlace, signal: AbortSignal): Promise<OpenBrowser> {
    const { start, places, network, userAgent, choice, log } = this.#deps;
    const onBytes = (bytes: number) => {
      this.figures.bytes += bytes;
    };
    const { openGuardedProxy } = await import('../../platform/net/guarded-proxy.ts');
    const proxy = await openGuardedProxy({ ...network, onBytes });
    let program: BrowserProgram | null = null;
    let stopLimit = () => {};
    try {
      const { host, port } = new URL(proxy.url);
      program = await (place.node === null
        ? startBrowserProgram({ start, browserPath: () => requireBrowser(places.dataDir).path }, host, signal)
        : borrowNodeBrowser(place.node, Number(port), signal));
      const { peer, remote } = program;
      stopLimit = afterMachineTime(START_LIMIT_MS, () => peer.end());
      const shown = { tabs: MAX_TABS, loadsPictures: choice.screenshot || choice.pdf, pageLimitMs: PAGE_LIMIT_MS };
      this.#noteSandbox(await remote.open({ proxyUrl: proxy.url, userAgent, ...shown }));
      if (place.node !== null) log.info({ node: place.node.node }, 'A crawl renders its pages on a node.');
      this.#browser = { place, proxy, program, pages: 0 };
      return this.#browser;
    } catch (error) {
      await program?.[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      throw error;
    } finally {
      stopLimit();
    }
  }

  #noteSandbox({ isSandboxed }: RenderedWith): void {
    if (!isSandboxed)
      this.#addRenderWarning(say`The browser ran without its sandbox, as Quarry runs as root. Run it as another user.`);
  }

  async #closeOpenBrowser(): Promise<void> {
    const browser = this.#browser;
    this.#browser = null;
    if (browser === null) return;
    const { place, proxy, program, pages } = browser;
    const isLost = place.node?.isLost === true;
    if (isLost && pages > 0) this.#starts -= 1;
    // The program closes its browser; one that does not in time is ended, and the browser with it.
    const stopLimit = afterMachineTime(CLOSE_LIMIT_MS, () => program.peer.end());
    await program.remote.close().catch(() => undefined);
    stopLimit();
    await program[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    place.leave(!isLost);
  }
}

async function borrowNodeBrowser(node: NodeBrowser, proxyPort: number, signal: AbortSignal): Promise<BrowserProgram> {
  const peer = connectPeer<BrowserOfCrawl>(await node.open(proxyPort, signal), { ended: browserEnded, signal });
  return {
    peer,
    remote: peer.remote,
    [Symbol.asyncDispose]: async () => {
      peer.end();
      await peer.ended;
    },
  };
}

function notStarted(dataDir: string, cause: unknown): QuarryError {
  const name = findBrowser(dataDir)?.path.split(/[\\/]/).at(-1) ?? '';
  const message = say`The browser ${name} did not start. Update it, or set QUARRY_BROWSER to another.`;
  return new QuarryError('engine_unavailable', message, { cause });
}

const CookieText = z.string().max(MAX_PAGE_COOKIE_CHARS);

const Bytes = z.instanceof(Uint8Array).refine(({ length }) => length <= MAX_PART_BYTES);

const Cookies: z.ZodType<PageCookie[]> = z
  .array(
    z.object({
      name: CookieText,
      value: CookieText,
      domain: CookieText,
      path: CookieText,
      expires: z.number(),
      httpOnly: z.boolean(),
      secure: z.boolean(),
      sameSite: z.enum(['Strict', 'Lax', 'None']),
    }),
  )
  .max(MAX_PAGE_COOKIES);

/** Nodes are not trusted with the shape of what they send. */
const FromNode: z.ZodType<Rendered> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('page'),
    html: Bytes,
    requests: z.int().min(0),
    screenshot: Bytes.nullable(),
    pdf: Bytes.nullable(),
    problems: z.array(z.string().max(MAX_SENTENCE_CHARS)).max(MAX_FILES),
    cookies: Cookies,
  }),
  z.object({ kind: z.literal('moved'), url: z.string(), cookies: Cookies }),
  z.object({ kind: z.literal('failed'), reason: z.string().max(MAX_SENTENCE_CHARS) }),
]);
