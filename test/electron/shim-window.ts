/** Windows of the stand-in: pages of a real Chromium with the real preload in them. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Frame,
  type Page,
  type Request,
  type Route,
} from 'playwright-core';
import { CHROMIUM_ARGS, chromiumFile } from '../harness/chromium.ts';
import { onCommand, report } from './channel.ts';

interface Bounds {
  x?: number;
  y?: number;
  width?: number;
  height?: number;
}

interface WindowOptions extends Bounds {
  webPreferences?: { preload?: string; nodeIntegration?: boolean };
}

type IpcHandler = (event: { senderFrame: { url: string; parent: unknown } }, ...args: unknown[]) => unknown;
type OpenHandler = (details: { url: string }) => { action: 'allow' | 'deny' };

/** What the driver says of a page that another one came before. */
const INTERRUPTED = 'interrupted by another navigation';

export const ipcHandlers = new Map<string, IpcHandler>();
/** Filled in by the app part, which announces every page before it loads anything. */
export const openHooks: { created(contents: WebContents): void; allClosed(): void } = {
  created: () => undefined,
  allClosed: () => undefined,
};

let browser: Promise<Browser> | null = null;

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
}

function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: chromiumFile() ?? '', args: [...CHROMIUM_ARGS] });
  return browser;
}

class WebContents extends EventEmitter {
  openHandler: OpenHandler = () => ({ action: 'allow' });
  page: Page | null = null;

  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler;
  }

  getURL(): string {
    return this.page?.url() ?? '';
  }

  forcefullyCrashRenderer(): void {
    this.emit('render-process-gone', {}, { reason: 'killed', exitCode: 9 });
  }

  reload(): void {
    report('reload');
    // Another reload may take its place.
    this.page?.reload().catch(() => undefined);
  }
}

export class BrowserWindow extends EventEmitter {
  readonly webContents = new WebContents();
  readonly #options: WindowOptions;
  readonly #page: Promise<Page>;
  #loading: string | null = null;
  #shown = false;
  #focused = false;
  #away = false;
  #destroyed = false;
  #maximized = false;

  constructor(options: WindowOptions) {
    super();
    this.#options = options;
    report('window', options);
    openHooks.created(this.webContents);
    this.#page = this.#open();
    onCommand('close-window', () => this.#closeUnlessPrevented());
    onCommand('crash-page', () => this.webContents.emit('render-process-gone', {}, { reason: 'crashed' }));
    // From then on the person works with another program, from which no system lets an app take the focus.
    onCommand('look-away', () => {
      this.#away = true;
    });
    onCommand('hang-page', () => this.emit('unresponsive'));
    onCommand('fail-load', (code: number) => this.webContents.emit('did-fail-load', {}, code, 'FAILED', '', true));
    onCommand('right-click', (place: object) => this.webContents.emit('context-menu', {}, place));
    onCommand('query-session-end', () => {
      let waits = false;
      const preventDefault = () => {
        waits = true;
      };
      this.emit('query-session-end', { reasons: ['shutdown'], preventDefault });
      report('session-waits', waits);
    });
    onCommand('session-end', () => this.emit('session-end', { reasons: ['shutdown'] }));
    onCommand('maximize-window', () => this.maximize());
    onCommand('attach-webview', () => this.#isAllowed('will-attach-webview', {}));
    onCommand('redirect', (url: string) => this.#isAllowed('will-redirect', { url }));
    // Electron raises this one for every frame, the main one included.
    onCommand('navigate-frame', (url: string, isMainFrame: boolean) =>
      this.#isAllowed('will-frame-navigate', { url, isMainFrame }),
    );
    onCommand('address', async () => (await this.#page).url());
    onCommand('run-in-page', async (script: string) => (await this.#page).evaluate(script));
  }

  async #open(): Promise<Page> {
    const context = await (await openBrowser()).newContext({ viewport: { width: 1280, height: 800 } });
    await context.exposeBinding('ipcInvoke', ({ frame }, channel: string, args: unknown[]) =>
      invoke(frame, channel, args),
    );
    const { preload, nodeIntegration } = this.#options.webPreferences ?? {};
    if (preload !== undefined) await context.addInitScript(preloadScript(preload));
    if (nodeIntegration) await context.addInitScript('window.process = { versions: { electron: "stand-in" } }');
    await this.#guard(context);
    const page = await context.newPage();
    this.webContents.page = page;
    return page;
  }

  /** Raises the events that Electron raises for a page that wants to go elsewhere, and heeds the answers. */
  async #guard(context: BrowserContext): Promise<void> {
    await context.route('**', async (route) => {
      const request = route.request();
      const url = request.url();
      if (request.isNavigationRequest() && url !== this.#loading) {
        const frame = frameOf(request);
        // A request without a frame is the first of a window that does not exist yet.
        const allowed = frame === null ? this.#mayOpen(url) : frame.parentFrame() !== null || this.#mayNavigate(url);
        report(allowed ? 'navigated' : 'navigation-refused', url);
        if (!allowed) return route.abort('aborted');
      }
      await pass(route, url);
    });
  }

  #mayNavigate(url: string): boolean {
    return this.#isAllowed('will-navigate', { url });
  }

  /** Raises an event that can be prevented; true when it was not. */
  #isAllowed(event: string, detail: object): boolean {
    let allowed = true;
    const preventDefault = () => {
      allowed = false;
    };
    this.webContents.emit(event, { ...detail, preventDefault });
    return allowed;
  }

  #mayOpen(url: string): boolean {
    return this.webContents.openHandler({ url }).action === 'allow';
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.#page;
    const { href } = new URL(url);
    this.#loading = href;
    await page.goto(url, { waitUntil: 'load' }).catch((error: Error) => {
      // A page asked for before may still come: the driver then gives up on this one, which Chromium loads all the same.
      if (!error.message.includes(INTERRUPTED) || this.#loading !== href) throw error;
      return page.waitForURL(href, { waitUntil: 'load' });
    });
    if (this.#loading === href) this.#loading = null;
    report('loaded', url);
    if (!this.#shown) this.emit('ready-to-show');
  }

  show(): void {
    report('show');
    if (this.#shown) return;
    this.#shown = true;
    this.emit('show');
  }

  focus(): void {
    this.#focused = true;
    report('focus');
  }

  isFocused(): boolean {
    report('asked-for-focus');
    return this.#focused && !this.#away;
  }

  maximize(): void {
    this.#maximized = true;
    report('maximize');
  }

  isMaximized(): boolean {
    return this.#maximized;
  }

  isMinimized(): boolean {
    return false;
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  getNormalBounds(): Bounds {
    const { x = 10, y = 20, width = 800, height = 600 } = this.#options;
    return { x, y, width, height };
  }

  /** A page with unsaved changes prevents the close, unless the shell prevents that. */
  async #closeUnlessPrevented(): Promise<void> {
    const page = await this.#page;
    const prevents = await page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");
    if (prevents && this.#isAllowed('will-prevent-unload', {})) report('window-stayed');
    else this.close();
  }

  close(): void {
    this.emit('close');
    this.#destroyed = true;
    void this.#page.then((page) => page.context().close());
    report('window-closed');
    this.emit('closed');
    openHooks.allClosed();
  }
}

function frameOf(request: Request): Frame | null {
  try {
    return request.frame();
  } catch {
    return null;
  }
}

/** Nothing leaves the machine, whatever a broken guard lets through. */
async function pass(route: Route, url: string): Promise<void> {
  if (new URL(url).hostname === '127.0.0.1') await route.continue();
  else await route.fulfill({ contentType: 'text/html', body: '<p>Another site</p>' });
}

async function invoke(frame: Frame, channel: string, args: unknown[]): Promise<unknown> {
  const handler = ipcHandlers.get(channel);
  if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
  return handler({ senderFrame: { url: frame.url(), parent: frame.parentFrame() } }, ...args);
}

/** The preload as Electron runs it: before the page's scripts, in the main frame, with a `require` that knows electron. */
function preloadScript(file: string): string {
  return `if (window === window.top) {
    const electron = {
      contextBridge: { exposeInMainWorld: (name, value) => Object.defineProperty(window, name, { value }) },
      ipcRenderer: { invoke: (channel, ...args) => window.ipcInvoke(channel, args) },
    };
    (function (require, module, exports) {
      ${readFileSync(file, 'utf8')}
    })((name) => electron, { exports: {} }, {});
  }`;
}
