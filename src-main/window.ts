/**
 * The one window. What it shows comes from the appliance's own address, and still it is treated as foreign: a page that
 * was made to load something else must find no Node, no permission, no second window and no way out of its origin.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { app, BrowserWindow, ipcMain, type Rectangle, screen, session, shell, type WebContents } from 'electron';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';

interface WindowOptions {
  preloadFile: string;
  /** Where the window's place is kept between runs. */
  stateFile: string;
}

const DEFAULT_BOUNDS = { width: 1280, height: 860 };

const SMALLEST = { minWidth: 720, minHeight: 520 };

/** Times that a crashed page is loaded again in one window. A page that crashes on loading would never stop. */
const RELOADS_ALLOWED = 5;

/** A page may copy what the user points at, and nothing more. */
const ALLOWED_PERMISSIONS = new Set(['clipboard-sanitized-write']);

/** Rules for every page of the app, present and future. Called once, before the first window. */
export function guardAllPages(origin: () => string | null): void {
  const allowed = (permission: string, from: string): boolean =>
    ALLOWED_PERMISSIONS.has(permission) && isOwnAddress(from, origin());
  // By the frame that asks, not by the page around it.
  session.defaultSession.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(allowed(permission, requestingUrl)),
  );
  session.defaultSession.setPermissionCheckHandler((_contents, permission, from) => allowed(permission, from));
  app.on('web-contents-created', (_event, contents) => guardPage(contents, origin));
}

function guardPage(contents: WebContents, origin: () => string | null): void {
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.on('will-navigate', (event) => {
    if (isOwnAddress(event.url, origin())) return;
    event.preventDefault();
    openOutside(event.url);
  });
  // The page's own is the matter of `will-navigate`, which follows.
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame && !isOwnAddress(event.url, origin())) event.preventDefault();
  });
  contents.on('will-redirect', (event) => {
    if (!isOwnAddress(event.url, origin())) event.preventDefault();
  });
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: 'deny' };
  });
}

/** Origins are compared as parsed: `http://127.0.0.1:8402.evil.example` starts with the right letters. */
function isOwnAddress(address: string, origin: string | null): boolean {
  return origin !== null && URL.canParse(address) && new URL(address).origin === new URL(origin).origin;
}

/** Hands a link to the user's browser. Only https: other schemes can start programs. */
function openOutside(address: string): void {
  if (URL.canParse(address) && new URL(address).protocol === 'https:') void shell.openExternal(address);
}

/**
 * Opens the window, hidden until its first page is painted. Closing it frees the page; the appliance goes on working.
 */
export function openWindow(options: WindowOptions): BrowserWindow {
  const { maximized, ...place } = restorePlace(options.stateFile);
  const window = new BrowserWindow({
    ...SMALLEST,
    ...place,
    show: false,
    title: 'Quarry',
    autoHideMenuBar: true,
    webPreferences: {
      preload: options.preloadFile,
      contextIsolation: true,
      nodeIntegration: false,
      sandbox: true,
      webSecurity: true,
    },
  });
  window.once('ready-to-show', () => window.show());
  // Not sooner: making a window large also shows it, with nothing in it yet.
  if (maximized) window.once('show', () => window.maximize());
  window.on('close', () => keepPlace(options.stateFile, window));
  let reloads = 0;
  // The page may die of memory; the server, which holds all state, has not noticed.
  window.webContents.on('render-process-gone', () => {
    reloads += 1;
    if (reloads <= RELOADS_ALLOWED && !window.isDestroyed()) window.webContents.reload();
  });
  return window;
}

/** Brings the window to the user, whatever it was doing. */
export function showWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

interface Place extends Partial<Rectangle> {
  maximized: boolean;
}

/** The last place, unless the screen it was on is gone or the file says nothing usable. */
function restorePlace(stateFile: string): Place {
  const saved = readPlace(stateFile);
  if (saved === null) return { ...DEFAULT_BOUNDS, maximized: false };
  const { maximized, ...bounds } = saved;
  const { workArea } = screen.getDisplayMatching(bounds);
  const visible =
    bounds.x < workArea.x + workArea.width &&
    bounds.x + bounds.width > workArea.x &&
    bounds.y < workArea.y + workArea.height &&
    bounds.y + bounds.height > workArea.y;
  return visible ? saved : { width: bounds.width, height: bounds.height, maximized };
}

function readPlace(stateFile: string): (Rectangle & { maximized: boolean }) | null {
  try {
    const { x, y, width, height, maximized } = JSON.parse(readFileSync(stateFile, 'utf8')) as Record<string, unknown>;
    if (![x, y, width, height].every(Number.isSafeInteger)) return null;
    return { x, y, width, height, maximized: maximized === true } as Rectangle & { maximized: boolean };
  } catch {
    // None yet, or not ours: the default place is as good as any.
    return null;
  }
}

/** The size it had before it was maximized is kept too: that is what it goes back to. */
function keepPlace(stateFile: string, window: BrowserWindow): void {
  try {
    writeFileSync(stateFile, JSON.stringify({ ...window.getNormalBounds(), maximized: window.isMaximized() }));
  } catch (error) {
    // A full disk must not keep a window from closing.
    process.stderr.write(`The window's place could not be kept: ${(error as Error).message}\n`);
  }
}

/**
 * The one thing that a page may ask of the shell: a code that signs it in. The threat is a foreign page or frame that
 * got into the window. It asks by the same channel, so the address of the frame that asks decides.
 */

interface SignInDoorDeps {
  session(): ShellSession | null;
  origin(): string | null;
  codeFor(session: ShellSession): Promise<string>;
}

export function openSignInDoor(deps: SignInDoorDeps): void {
  ipcMain.handle('quarry:sign-in-code', (event): Promise<string> => {
    const session = deps.session();
    const sender = event.senderFrame;
    // A frame that was left or closed meanwhile is null.
    const trusted = sender !== null && sender.parent === null && isOwnAddress(sender.url, deps.origin());
    if (session === null || !trusted) throw new Error('This page gets no sign-in code.');
    return deps.codeFor(session);
  });
}
