/**
 * The window. Its page comes from the appliance, but is treated as untrusted: injected content must get no Node, no
 * permission, no second window and no other origin.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import {
  app,
  BrowserWindow,
  type IpcMainInvokeEvent,
  ipcMain,
  type Rectangle,
  screen,
  session,
  shell,
  type WebContents,
} from 'electron';
import { messageOf } from '../src-server/platform/errors.ts';
import { recordOf } from '../src-server/platform/records.ts';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';
import { askToLeave, chooseFolder } from './dialogs.ts';
import { logLine } from './log.ts';

interface WindowOptions {
  preloadFile: string;
  /** File that stores the window bounds. */
  stateFile: string;
  /** While the app quits, its window closes without a question. */
  isQuitting(): boolean;
}

const DEFAULT_BOUNDS = { width: 1280, height: 860 };

const SMALLEST = { minWidth: 720, minHeight: 520 };

/** macOS has its own spell checker. Elsewhere Chromium fetches dictionaries from a public server, unasked. */
const CHECKS_SPELLING = process.platform === 'darwin';

/** A page may write to the clipboard on a user action, nothing else. */
const ALLOWED_PERMISSIONS = new Set(['clipboard-sanitized-write']);

/** Applies to all pages of the app. Call once, before the first window. */
export function guardAllPages(origin: () => string | null): void {
  session.defaultSession.setSpellCheckerEnabled(CHECKS_SPELLING);
  const isPermissionAllowed = (permission: string, from: string): boolean =>
    ALLOWED_PERMISSIONS.has(permission) && isOwnAddress(from, origin());
  // Check the requesting frame, not the page around it.
  session.defaultSession.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(isPermissionAllowed(permission, requestingUrl)),
  );
  session.defaultSession.setPermissionCheckHandler((_contents, permission, from) =>
    isPermissionAllowed(permission, from),
  );
  app.on('web-contents-created', (_event, contents) => guardPage(contents, origin));
}

function guardPage(contents: WebContents, origin: () => string | null): void {
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.on('will-navigate', (event) => {
    if (isOwnAddress(event.url, origin())) return;
    event.preventDefault();
    openOutside(event.url);
  });
  // `will-navigate` follows for the main frame.
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

/** Compares parsed origins: `http://127.0.0.1:8402.evil.example` has the same prefix. */
function isOwnAddress(address: string, origin: string | null): boolean {
  return origin !== null && URL.canParse(address) && new URL(address).origin === new URL(origin).origin;
}

/** Opens a link in the user's browser. Only https: other schemes can start programs. */
function openOutside(address: string): void {
  if (URL.canParse(address) && new URL(address).protocol === 'https:') void shell.openExternal(address);
}

/** Opens the window, hidden until its first page is painted. Closing it frees the page; the server continues. */
export function openWindow(options: WindowOptions): BrowserWindow {
  const { maximized, ...place } = restoreBounds(options.stateFile);
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
      spellcheck: CHECKS_SPELLING,
    },
  });
  window.once('ready-to-show', () => window.show());
  // Maximizing shows the window, so wait until the first paint.
  if (maximized) window.once('show', () => window.maximize());
  window.on('close', () => saveBounds(options.stateFile, window));
  // Electron itself does not ask: the window of a page with unsaved changes would only stay open.
  window.webContents.on('will-prevent-unload', (event) => {
    if (options.isQuitting() || askToLeave(window)) event.preventDefault();
  });
  return window;
}

/** Restores, shows and focuses the window. */
export function showWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

interface Place extends Partial<Rectangle> {
  maximized: boolean;
}

/** The saved bounds, unless their screen is gone or the file is invalid. */
function restoreBounds(stateFile: string): Place {
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
    const { x, y, width, height, maximized } = recordOf(JSON.parse(readFileSync(stateFile, 'utf8')));
    if (!isWhole(x) || !isWhole(y) || !isWhole(width) || !isWhole(height)) return null;
    return { x, y, width, height, maximized: maximized === true };
  } catch {
    // Missing or invalid: use the default.
    return null;
  }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Saves the normal bounds too, to restore them after maximizing. */
function saveBounds(stateFile: string, window: BrowserWindow): void {
  try {
    writeFileSync(stateFile, JSON.stringify({ ...window.getNormalBounds(), maximized: window.isMaximized() }));
  } catch (error) {
    // A full disk must not prevent closing.
    logLine(`The window position is not saved: ${messageOf(error)}`);
  }
}

interface PageHandlerDeps {
  session(): ShellSession | null;
  origin(): string | null;
  codeFor(session: ShellSession): Promise<string>;
  showLanguage(language: string | null): Promise<void>;
}

/**
 * The only requests a page can make to the shell: a one-time sign-in code, a dialog that chooses a folder, a folder in
 * the file manager, and the language of the window. Threat:
 * a foreign page or frame in the window uses the same channels, so the address of the requesting frame decides.
 */
export function handlePageRequests(deps: PageHandlerDeps): void {
  ipcMain.handle('quarry:sign-in-code', (event): Promise<string> => {
    const session = deps.session();
    if (session === null || !isOwnPage(event, deps.origin())) throw new Error('This page cannot get a sign-in code.');
    return deps.codeFor(session);
  });
  ipcMain.handle('quarry:choose-folder', (event): Promise<string | null> => {
    if (!isOwnPage(event, deps.origin())) throw new Error('This page cannot choose a folder.');
    return chooseFolder(BrowserWindow.fromWebContents(event.sender));
  });
  ipcMain.handle('quarry:show-folder', (event, path: unknown): void => {
    if (!isOwnPage(event, deps.origin())) throw new Error('This page cannot show a folder.');
    // Shown, never opened: to open could start a program.
    if (typeof path === 'string' && isAbsolute(path)) shell.showItemInFolder(path);
  });
  ipcMain.handle('quarry:show-language', (event, language: unknown): Promise<void> => {
    if (!isOwnPage(event, deps.origin())) throw new Error('This page cannot choose a language.');
    return deps.showLanguage(typeof language === 'string' ? language : null);
  });
}

function isOwnPage({ senderFrame }: IpcMainInvokeEvent, origin: string | null): boolean {
  // Null for a frame that has navigated or closed.
  return senderFrame !== null && senderFrame.parent === null && isOwnAddress(senderFrame.url, origin);
}
