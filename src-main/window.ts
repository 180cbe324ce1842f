/**
 * The one window. What it shows comes from the appliance's own address, and still it is treated as foreign: a page that
 * was made to load something else must find no Node, no permission, no second window and no way out of its origin.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Rectangle, WebContents } from 'electron';
import { app, BrowserWindow, screen, session, shell } from 'electron';

export interface WindowOptions {
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
  session.defaultSession.setPermissionRequestHandler((contents, permission, answer) =>
    answer(allowed(permission, contents.getURL())),
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
  contents.on('will-redirect', (event) => {
    if (!isOwnAddress(event.url, origin())) event.preventDefault();
  });
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: 'deny' };
  });
}

/** Origins are compared as parsed: `http://127.0.0.1:8402.evil.example` starts with the right letters. */
export function isOwnAddress(address: string, origin: string | null): boolean {
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
  const window = new BrowserWindow({
    ...SMALLEST,
    ...restoreBounds(options.stateFile),
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
  window.on('close', () => keepBounds(options.stateFile, window.getNormalBounds()));
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

/** The last place, unless the screen it was on is gone or the file says nothing usable. */
function restoreBounds(stateFile: string): Partial<Rectangle> {
  const saved = readBounds(stateFile);
  if (saved === null) return DEFAULT_BOUNDS;
  const { workArea } = screen.getDisplayMatching(saved);
  const visible =
    saved.x < workArea.x + workArea.width &&
    saved.x + saved.width > workArea.x &&
    saved.y < workArea.y + workArea.height &&
    saved.y + saved.height > workArea.y;
  return visible ? saved : { width: saved.width, height: saved.height };
}

function readBounds(stateFile: string): Rectangle | null {
  try {
    const { x, y, width, height } = JSON.parse(readFileSync(stateFile, 'utf8')) as Record<string, unknown>;
    if (![x, y, width, height].every(Number.isSafeInteger)) return null;
    return { x, y, width, height } as Rectangle;
  } catch {
    // None yet, or not ours: the default place is as good as any.
    return null;
  }
}

function keepBounds(stateFile: string, bounds: Rectangle): void {
  try {
    writeFileSync(stateFile, JSON.stringify(bounds));
  } catch (error) {
    // A full disk must not keep a window from closing.
    process.stderr.write(`The window's place could not be kept: ${(error as Error).message}\n`);
  }
}
