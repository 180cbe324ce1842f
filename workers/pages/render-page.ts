import type { Page, Request } from 'playwright-core';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { afterMachineTime, machineLoad } from '../../src-server/platform/process/work-limit.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { listenToTab, type RenderBrowser, type Tab } from './render-browser.ts';
import { QUIET, SCROLL, SERIALIZE } from './render-scripts.ts';
import type { PageCookie, Rendered, RenderInput } from './tasks.ts';

/** Scripts that change nothing for this long are done. */
const QUIET_MS = 150;

/** A page that keeps changing is read as it is then. */
const SETTLE_LIMIT_MS = 5000;

/** A page without text gets this long for its first, although nothing changes. */
const FIRST_TEXT_MS = 1500;

/** What comes while a page is scrolled can make it longer. */
const SCROLLS_MAX = 3;

const SCREENS_MAX = 20;

/** Longer requests wait for news: the page does not wait for them. */
const LONG_REQUEST_MS = 3000;

/** A page that requests more parts is read as it is then. */
const MAX_REQUESTS = 500;

const MAX_HTML_BYTES = 10 * 2 ** 20;

const MAX_FILE_BYTES = 20 * 2 ** 20;

const MAX_SCREENSHOT_HEIGHT = 10_000;

const ACTION_LIMIT_MS = 5000;

/** On a busy machine scripts take longer: these times grow with the load, up to this factor. */
const LOAD_MAX = 10;

/** No windows, dialogs and downloads, of its frames neither. */
const SANDBOX = ['content-security-policy', 'sandbox allow-scripts allow-same-origin allow-forms'] as const;

/**
 * Renders one page in a tab of its own. Never rejects for what the page does. Errors: `engine_failed` when the browser
 * ends, which another page may have caused.
 */
export async function renderPage(browser: RenderBrowser, input: RenderInput, signal: AbortSignal): Promise<Rendered> {
  const tab = await browser.take();
  let isWell = false;
  const ending = Promise.withResolvers<Rendered>();
  let work: PageWork | null = null;
  const failRendering = (reason: string) => ending.resolve({ kind: 'failed', reason });
  const stopLimit = afterMachineTime(browser.setup.pageLimitMs, () =>
    failRendering(`Its scripts took longer than ${browser.setup.pageLimitMs / 1000} seconds.`),
  );
  const stopRendering = () => failRendering('The crawl has ended.');
  signal.addEventListener('abort', stopRendering, { once: true });
  listenToTab(tab, 'page', 'crash', () => failRendering('It crashed the browser, or took too much memory.'));
  listenToTab(tab, 'page', 'close', () => ending.reject(browserEnded()));
  try {
    if (signal.aborted) stopRendering();
    work = new PageWork(tab, input, (url) => ending.resolve({ kind: 'moved', url, cookies: [] }));
    const rendered = await Promise.race([
      ending.promise,
      work.renderPageWork().catch((error: unknown) => renderFailure(tab, error)),
    ]);
    if (rendered.kind !== 'failed') rendered.cookies = await work.findChangedCookies();
    isWell = rendered.kind === 'page';
    return rendered;
  } finally {
    stopLimit();
    signal.removeEventListener('abort', stopRendering);
    await browser.leave(tab, isWell);
  }
}

function browserEnded(cause?: unknown): QuarryError {
  return new QuarryError('engine_failed', say`The browser has ended.`, { cause });
}

/** What Playwright throws names its own calls, which is nothing to a reader. */
function renderFailure({ page }: Tab, error: unknown): Rendered {
  if (error instanceof PageFailure) return { kind: 'failed', reason: error.message };
  if (page.isClosed() || /has been closed/.test(String(error))) throw browserEnded(error);
  return { kind: 'failed', reason: 'The browser could not show it.' };
}

/** A request that waits for its answer. */
interface PausedRequest {
  requestId: string;
  frameId: string;
  request: { url: string; method: string };
}

class PageFailure extends Error {}

class PageWork {
  readonly #page: Page;
  readonly #tab: Tab;
  readonly #input: RenderInput;
  readonly #onMoved: (url: string) => void;
  /** Requests that the page waits for, with their start. */
  readonly #open = new Map<Request, number>();
  #requests = 0;
  #loads = 0;
  #cookiesBefore: PageCookie[] = [];
  #ownBefore = '';

  constructor(tab: Tab, input: RenderInput, onMoved: (url: string) => void) {
    this.#page = tab.page;
    this.#tab = tab;
    this.#input = input;
    this.#onMoved = onMoved;
  }

  async renderPageWork(): Promise<Rendered> {
    await this.#giveCookies();
    this.#answerDocument();
    this.#countRequests();
    await this.#page.goto(this.#input.url, { waitUntil: 'commit', timeout: 0 });
    await this.#waitUntilPageSettles();
    if (this.#input.isFirstScreen) return this.#showFirstScreen();
    await this.#showWholePage();
    const problems = await this.#performPageActions();
    const screenshot = this.#input.screenshot
      ? await this.#makePageFile('screenshot', problems, () => this.#takePageScreenshot())
      : null;
    const pdf = this.#input.pdf
      ? await this.#makePageFile('PDF', problems, () => this.#page.pdf({ printBackground: true }))
      : null;
    // Last, because it puts what frames show in their place.
    const html = await this.#evaluateInPage<string | null>(SERIALIZE, {
      url: withoutHash(this.#input.url),
      maxChars: MAX_HTML_BYTES,
    });
    const bytes = html === null ? null : Buffer.from(html);
    if (bytes === null || bytes.length > MAX_HTML_BYTES) {
      throw new PageFailure(`With its scripts it is larger than ${MAX_HTML_BYTES / 2 ** 20} MB.`);
    }
    return { kind: 'page', html: bytes, requests: this.#requests, screenshot, pdf, problems, cookies: [] };
  }

  async #giveCookies(): Promise<void> {
    const context = this.#page.context();
    const { cookies } = this.#input;
    if (cookies === null) await context.clearCookies();
    else if (cookies.length > 0) await context.addCookies(cookies);
    this.#cookiesBefore = await context.cookies();
    this.#ownBefore = await this.#listOwnCookies();
  }

  /** Cookies that were set since the page was begun; removed ones as expired. */
  async findChangedCookies(): Promise<PageCookie[]> {
    const now = await this.#page
      .context()
      .cookies()
      .catch(() => this.#cookiesBefore);
    const before = new Map(this.#cookiesBefore.map((cookie) => [cookieKey(cookie), cookie]));
    const changed = now.filter((cookie) => {
      const old = before.get(cookieKey(cookie));
      return old?.value !== cookie.value || old.expires !== cookie.expires;
    });
    const there = new Set(now.map(cookieKey));
    const removed = this.#cookiesBefore.filter((cookie) => !there.has(cookieKey(cookie)));
    return [...changed, ...removed.map((cookie) => ({ ...cookie, expires: 0 }))].map(plainCookie);
  }

  /** The cookies that a request for its own address has, as text to compare. */
  async #listOwnCookies(): Promise<string> {
    const cookies = await this.#page.context().cookies(this.#input.url);
    return JSON.stringify(cookies.map((cookie) => [cookieKey(cookie), cookie.value]).sort());
  }

  async #showFirstScreen(): Promise<Rendered> {
    const problems: string[] = [];
    const take = () => this.#page.screenshot({ type: 'jpeg', quality: 80, animations: 'disabled' });
    const screenshot = await this.#makePageFile('screenshot', problems, take);
    const none = { html: Buffer.alloc(0), pdf: null, cookies: [] };
    return { kind: 'page', ...none, requests: this.#requests, screenshot, problems };
  }

  /** Gives the page what the crawl fetched, and keeps it on this address. */
  #answerDocument(): void {
    const { url } = this.#input;
    const { session, frameId: ownFrame } = this.#tab;
    listenToTab<PausedRequest>(this.#tab, 'session', 'Fetch.requestPaused', ({ requestId, request, frameId }) => {
      const isOwn = frameId === ownFrame;
      const isPage = withoutHash(request.url) === withoutHash(url) && request.method === 'GET';
      const answer = isOwn
        ? this.#answerOwnDocument({ requestId, frameId, request }, isPage)
        : session.send('Fetch.continueRequest', { requestId });
      // The tab may be gone.
      answer.catch(() => undefined);
    });
  }

  async #answerOwnDocument({ requestId, request }: PausedRequest, isPage: boolean): Promise<void> {
    const { session } = this.#tab;
    this.#loads += isPage ? 1 : 0;
    const isFirst = isPage && this.#loads === 1;
    // With other cookies the site may answer with another page: the crawl asks.
    if (isFirst || (isPage && this.#loads === 2 && (await this.#listOwnCookies()) === this.#ownBefore)) {
      const { body, headers } = this.#input;
      const responseHeaders = [...headers, SANDBOX].map(([name, value]) => ({ name, value }));
      const content = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
      await session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body: content });
      return;
    }
    const isKnown = isPage && this.#loads > 2;
    if (!isKnown && request.method === 'GET') this.#onMoved(request.url);
    await session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
  }

  #countRequests(): void {
    listenToTab<Request>(this.#tab, 'page', 'request', (request) => {
      this.#requests += 1;
      if (/^(?:script|fetch|xhr|document)$/.test(request.resourceType())) this.#open.set(request, performance.now());
    });
    const forgetOpenRequest = (request: Request) => void this.#open.delete(request);
    listenToTab(this.#tab, 'page', 'requestfinished', forgetOpenRequest);
    listenToTab(this.#tab, 'page', 'requestfailed', forgetOpenRequest);
  }

  /** Waits until the page changes no more and has no open requests. */
  async #waitUntilPageSettles(): Promise<void> {
    const load = Math.min(LOAD_MAX, machineLoad());
    const begun = performance.now();
    const settleTimeLeft = () => SETTLE_LIMIT_MS * load - (performance.now() - begun);
    while (settleTimeLeft() > 0 && this.#requests < MAX_REQUESTS) {
      const hasText = await this.#evaluateInPage<boolean>(QUIET, {
        quietMs: QUIET_MS * load,
        limitMs: settleTimeLeft(),
      });
      const isWaiting = [...this.#open.values()].some((since) => performance.now() - since < LONG_REQUEST_MS * load);
      if (!isWaiting && (hasText || performance.now() - begun > FIRST_TEXT_MS * load)) return;
    }
  }

  /** Content below the first screen may come when it is scrolled into view, and more with it. */
  async #showWholePage(): Promise<void> {
    for (let scrolls = 0; scrolls < SCROLLS_MAX && this.#requests < MAX_REQUESTS; scrolls += 1) {
      const before = await this.#pageHeight();
      if (!(await this.#evaluateInPage<boolean>(SCROLL, { maxScreens: SCREENS_MAX }))) return;
      await this.#waitUntilPageSettles();
      if ((await this.#pageHeight()) <= before) return;
    }
  }

  #pageHeight(): Promise<number> {
    return this.#page.evaluate<number>('document.documentElement.scrollHeight');
  }

  #evaluateInPage<Result>(code: string, input: object): Promise<Result> {
    return this.#page.evaluate<Result>(`(${code})(${JSON.stringify(input)})`);
  }

  async #performPageActions(): Promise<string[]> {
    const problems: string[] = [];
    for (const [index, action] of this.#input.actions.entries()) {
      try {
        const timeout = ACTION_LIMIT_MS * Math.min(LOAD_MAX, machineLoad());
        if (action.do === 'waitFor') await this.#page.waitForSelector(action.selector, { timeout, state: 'attached' });
        else if (action.do === 'click') await this.#page.click(action.selector, { timeout });
        else if (action.do === 'type') await this.#page.fill(action.selector, action.text, { timeout });
        else for (let screen = 0; screen < action.screens; screen += 1) await this.#scrollPage();
        if (action.do !== 'waitFor') await this.#waitUntilPageSettles();
      } catch {
        problems.push(`Action ${index + 1} (${action.do}) found nothing to act on.`);
      }
    }
    return problems;
  }

  async #scrollPage(): Promise<void> {
    await this.#page.evaluate('window.scrollBy(0, window.innerHeight)');
    await this.#waitUntilPageSettles();
  }

  async #takePageScreenshot(): Promise<Buffer> {
    const height = await this.#pageHeight();
    const clip = { x: 0, y: 0, width: 1280, height: Math.min(Math.max(height, 900), MAX_SCREENSHOT_HEIGHT) };
    return this.#page.screenshot({ type: 'jpeg', quality: 80, fullPage: true, clip, animations: 'disabled' });
  }

  async #makePageFile(what: string, problems: string[], make: () => Promise<Buffer>): Promise<Uint8Array | null> {
    const bytes = await make().catch(() => null);
    if (bytes !== null && bytes.length <= MAX_FILE_BYTES) return bytes;
    problems.push(bytes === null ? `The browser could not make its ${what}.` : `Its ${what} is too large.`);
    return null;
  }
}

function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? url;
}

function cookieKey({ domain, path, name }: PageCookie): string {
  return JSON.stringify([domain, path, name]);
}

/** Without what a browser adds. */
function plainCookie({ name, value, domain, path, expires, httpOnly, secure, sameSite }: PageCookie): PageCookie {
  return { name, value, domain, path, expires, httpOnly, secure, sameSite };
}
