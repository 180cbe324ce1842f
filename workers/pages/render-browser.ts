/** One browser for the pages of one crawl: crawlee's BrowserPool over Playwright, kept to the guarded proxy. */

import { readFileSync } from 'node:fs';
import { Server } from 'node:net';
import type { Browser, BrowserContext, CDPSession, LaunchOptions, Page } from 'playwright-core';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { WATCH } from './render-scripts.ts';
import type { BrowserHost, RenderedWith, RenderSetup } from './tasks.ts';

/** A tab is closed after so many pages: memory that pages leave behind goes with it. */
const PAGES_PER_TAB = 50;

/** A browser is replaced after so many tabs. */
const TABS_PER_BROWSER = 20;

/** A tab that does not leave its page in this time is closed; one that does not close takes its browser along. */
const LEAVE_LIMIT_MS = 2000;

/** JavaScript memory of a page, in MB. A page that needs more crashes. */
const SCRIPT_MEMORY_MB = 512;

/** Resident memory of a page's process. Only Linux tells it. */
const PAGE_MEMORY_BYTES = 1536 * 2 ** 20;

const MEMORY_CHECK_MS = 500;

/** Timers that a page waits for: short ones, of its first seconds, not those that go on for ever. */
const WATCHED = { timerMs: 4000, sinceMs: 4000, levels: 3 };

const START_LIMIT_MS = 60_000;

export interface RenderBrowser {
  readonly facts: RenderedWith;
  readonly setup: RenderSetup;
  /** A tab without a page. Errors: `engine_failed`. */
  take(): Promise<Tab>;
  /** Ends the page of a tab. One whose page did well is used again: another tab costs as much as a page. */
  leave(tab: Tab, isWell: boolean): Promise<void>;
  close(): Promise<void>;
}

/** A tab that answers requests for documents by `Fetch.requestPaused`. */
export interface Tab {
  page: Page;
  session: CDPSession;
  /** Of the page itself, beside those of its frames. */
  frameId: string;
  uses: number;
  /** Functions that remove what its page has added. */
  listeners: (() => void)[];
}

/** Listens until the page of the tab ends. */
export function listenToTab<Data>(
  tab: Tab,
  to: 'page' | 'session',
  event: string,
  listener: (data: Data) => void,
): void {
  // The events of both have overloads by name.
  const source = tab[to] as unknown as Record<'on' | 'off', (event: string, listener: (data: Data) => void) => void>;
  source.on(event, listener);
  tab.listeners.push(() => source.off(event, listener));
}

export async function openRenderBrowser(setup: RenderSetup, host: BrowserHost): Promise<RenderBrowser> {
  listenOnNothing();
  // Playwright creates the profile of the browser there.
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = host.folder;
  const isSandboxed = !(process.platform === 'linux' && process.getuid?.() === 0);
  const launch = launchOptions(setup, host, isSandboxed);
  // After listenOnNothing: on import the package starts a proxy without a password.
  const { BrowserPool, PlaywrightPlugin } = await import('@crawlee/browser-pool');
  const { chromium } = await import('playwright-core');
  /** One context for all pages of a browser: they share its cache, so scripts of the site are fetched once. */
  class OneContextPlugin extends PlaywrightPlugin {
    protected override async _launch({ launchOptions }: { launchOptions?: unknown }): Promise<Browser> {
      const browser = await chromium.launch(launchOptions as LaunchOptions);
      try {
        const context = await openRenderContext(browser, setup);
        browser.newPage = () => context.newPage();
        return browser;
      } catch (error) {
        await browser.close();
        throw error;
      }
    }
  }
  const pool = new BrowserPool({
    browserPlugins: [new OneContextPlugin(chromium, { launchOptions: launch })],
    useFingerprints: false,
    maxOpenPagesPerBrowser: setup.tabs,
    operationTimeoutSecs: START_LIMIT_MS / 1000,
    retireBrowserAfterPageCount: TABS_PER_BROWSER,
    // The owner ends this process when no page is left.
    retireInactiveBrowserAfterSecs: START_LIMIT_MS,
    postLaunchHooks: [
      (_id: string, controller: { browser: unknown }) => {
        watchMemory(controller.browser as Browser);
      },
    ],
  });
  // Its types name Playwright's own package, which is not installed.
  const newPage = async () => (await pool.newPage()) as unknown as Page;
  const openNew = async () => openTab(await newPage());
  const idle: Tab[] = [await openNew()];
  const version = idle[0]?.page.context().browser()?.version() ?? '';
  return {
    facts: { version, isSandboxed },
    setup,
    take: async () => {
      for (let tab = idle.pop(); tab !== undefined; tab = idle.pop()) if (!tab.page.isClosed()) return tab;
      // The browser may be closing, because another page did not leave its tab. The pool then starts the next one.
      return openNew()
        .catch(openNew)
        .catch((cause: unknown) => {
          throw new QuarryError('engine_failed', say`The browser opened no tab.`, { cause });
        });
    },
    leave: async (tab, isWell) => {
      tab.uses += 1;
      for (const stop of tab.listeners.splice(0)) stop();
      const mayStay = isWell && tab.uses < PAGES_PER_TAB;
      if (mayStay && (await inTime(tab.page.goto('about:blank')))) idle.push(tab);
      else if (!(await inTime(tab.page.close()))) await pool.closeAllBrowsers().catch(() => undefined);
    },
    close: () => pool.destroy(),
  };
}

async function openTab(page: Page): Promise<Tab> {
  const session = await page.context().newCDPSession(page);
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] });
  await session.send('Page.enable');
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: `${WATCH}(${JSON.stringify(WATCHED)})` });
  const { frameTree } = await session.send('Page.getFrameTree');
  return { page, session, frameId: frameTree.frame.id, uses: 0, listeners: [] };
}

/** Whether the work ends well within LEAVE_LIMIT_MS. */
async function inTime(work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), LEAVE_LIMIT_MS);
  return Promise.race([
    work.then(
      () => true,
      () => false,
    ),
    late.promise,
  ]).finally(() => clearTimeout(timer));
}

function launchOptions(
  setup: RenderSetup,
  { executablePath, proxyHost }: BrowserHost,
  chromiumSandbox: boolean,
): LaunchOptions {
  return {
    executablePath,
    headless: true,
    chromiumSandbox,
    timeout: START_LIMIT_MS,
    // Playwright sends loopback addresses through it too.
    proxy: { server: `http://${proxyHost}` },
    args: [
      ...['--disable-gpu', '--disable-quic', '--disable-component-update', '--disable-sync', '--no-pings'],
      ...['--disable-domain-reliability', '--dns-prefetch-disable', '--disable-crash-reporter'],
      // Names are looked up by the proxy only.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--webrtc-ip-handling-policy=disable_non_proxied_udp',
      `--js-flags=--max-old-space-size=${SCRIPT_MEMORY_MB}`,
      ...(setup.loadsPictures ? [] : ['--blink-settings=imagesEnabled=false']),
    ],
  };
}

async function openRenderContext(browser: Browser, setup: RenderSetup): Promise<BrowserContext> {
  const context = await browser.newContext({
    acceptDownloads: false,
    serviceWorkers: 'block',
    permissions: [],
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${
      browser.version().split('.', 1)[0]
    }.0.0.0 Safari/537.36 ${setup.userAgent}`,
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  });
  await signInToProxy(context, new URL(setup.proxyUrl));
  return context;
}

/**
 * The browser gets the password of the proxy with one request for the proxy itself, by the address that the proxy
 * has on its machine, and sends it with all later ones. Playwright's own way intercepts every request of every page.
 */
async function signInToProxy(context: BrowserContext, proxy: URL): Promise<void> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  session.on('Fetch.requestPaused', ({ requestId }) => void session.send('Fetch.continueRequest', { requestId }));
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    const response =
      authChallenge.source === 'Proxy'
        ? ({
            response: 'ProvideCredentials',
            username: proxy.username,
            password: proxy.password,
          } as const)
        : ({ response: 'CancelAuth' } as const);
    void session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse: response });
  });
  await session.send('Fetch.enable', { handleAuthRequests: true });
  const answer = page.waitForResponse((response) => response.status() === 204, { timeout: START_LIMIT_MS });
  await Promise.all([answer, page.goto(`http://${proxy.host}/`).catch(() => null)]);
  await page.close();
}

/** A process that uses browser-pool would otherwise be an open proxy for the whole network. */
function listenOnNothing(): void {
  Server.prototype.listen = function listen() {
    return this;
  };
}

/** Ends page processes that use too much memory. Their pages crash. */
function watchMemory(browser: Browser): void {
  if (process.platform !== 'linux') return;
  const session = browser.newBrowserCDPSession();
  let isOver = false;
  const checkRendererTime = async () => {
    const { processInfo } = await (await session).send('SystemInfo.getProcessInfo');
    for (const { type, id } of processInfo) {
      if (type === 'renderer' && residentBytes(id) > PAGE_MEMORY_BYTES) process.kill(id, 'SIGKILL');
    }
  };
  const timer = setInterval(
    () => void checkRendererTime().catch(() => isOver || clearInterval(timer)),
    MEMORY_CHECK_MS,
  );
  browser.on('disconnected', () => {
    isOver = true;
    clearInterval(timer);
  });
}

function residentBytes(pid: number): number {
  try {
    const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kib ?? 0) * 1024;
  } catch {
    // It has ended.
    return 0;
  }
}
