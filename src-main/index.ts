/**
 * The desktop shell: one instance, one server, one window, one tray. It holds no feature: everything the user sees in
 * the window is the same dashboard that a browser would get from the server.
 */
import { join } from 'node:path';
import type { BrowserWindow, Tray } from 'electron';
import { app, dialog, ipcMain, powerSaveBlocker } from 'electron';
import type { ShellSession } from '../src-server/contract/shell.ts';
import { LINK_SCHEME, pathInArguments, pathOfLink } from './deep-links.ts';
import { ServerHost } from './server-host.ts';
import { createTray } from './tray.ts';
import { guardAllPages, isOwnAddress, openWindow, showWindow } from './window.ts';

/** Built files lie in out/main; a packaged app's utility process cannot load from inside the archive. */
const folder = import.meta.dirname;
const unpacked = folder.replace('app.asar', 'app.asar.unpacked');
const flags = ownFlags(process.argv);

const host = new ServerHost({ entryFile: join(unpacked, 'server-process.mjs'), flags });
/** While the dashboard is being worked on, its page comes from the development server, which passes API requests on. */
const developmentPage = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
/** Where the page comes from; null while no server answers. */
const origin = (): string | null => (host.session === null ? null : (developmentPage ?? host.session.baseUrl));

let window: BrowserWindow | null = null;
// Held for the life of the app: a tray icon goes when its object is collected.
let tray: Tray | null = null;
let announced = false;
let quitting = false;
let awakeBlocker: number | null = null;
let pathToOpen = pathInArguments(process.argv) ?? '/';

takeOwnFolder(flags);
if (app.requestSingleInstanceLock()) run();
else {
  process.stderr.write('Quarry is already open; its window comes to the front.\n');
  app.quit();
}

function run(): void {
  app.enableSandbox();
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);
  app.on('second-instance', (_event, args) => openPath(pathInArguments(args)));
  app.on('open-url', (event, link) => {
    event.preventDefault();
    openPath(pathOfLink(link));
  });
  app.on('activate', () => openPath(null));
  // Without this listener Electron quits with the last window, and running jobs with it.
  app.on('window-all-closed', () => undefined);
  app.on('before-quit', (event) => {
    if (quitting) return;
    event.preventDefault();
    void quit(0);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void quit(0));
  ipcMain.handle('quarry:session', (event): ShellSession => {
    const { session } = host;
    const sender = event.senderFrame;
    const trusted = sender !== null && sender.parent === null && isOwnAddress(sender.url, origin());
    if (session === null || !trusted) throw new Error('This page has no session.');
    return session;
  });
  host.on('ready', onServerReady);
  host.on('busy', keepAwake);
  host.on('failed', (message) => {
    process.stderr.write(`${message}\n`);
    dialog.showErrorBox('Quarry could not start', message);
    void quit(1);
  });
  void app.whenReady().then(() => {
    guardAllPages(origin);
    tray = createTray(join(folder, '../../resources/tray.png'), { open: () => openPath(null), quit: () => app.quit() });
    host.start();
  });
}

/** Runs after the first start and after each restart, when the server may have another address. */
function onServerReady(session: ShellSession): void {
  if (!announced) process.stdout.write(`Quarry is listening on ${session.baseUrl}\n`);
  if (!announced || window !== null) showPage();
  announced = true;
}

/** Shows the window, on the given page when there is one. Before the server is ready the page is only remembered. */
function openPath(path: string | null): void {
  if (path !== null) pathToOpen = path;
  if (origin() === null) return;
  if (window === null || path !== null) showPage();
  if (window !== null) showWindow(window);
}

function showPage(): void {
  const address = origin();
  if (address === null) return;
  if (window === null) {
    const stateFile = join(app.getPath('userData'), 'window.json');
    window = openWindow({ preloadFile: join(folder, '../preload/index.cjs'), stateFile });
    window.on('closed', () => {
      window = null;
    });
  }
  // A page that does not load is shown by Chromium as such; the next `ready` loads it again.
  window.loadURL(new URL(pathToOpen, address).href).catch(() => undefined);
  pathToOpen = '/';
}

/** While jobs run, the system may dim the screen but not suspend the app. */
function keepAwake(busy: boolean): void {
  if (busy && awakeBlocker === null) awakeBlocker = powerSaveBlocker.start('prevent-app-suspension');
  if (!busy && awakeBlocker !== null) {
    powerSaveBlocker.stop(awakeBlocker);
    awakeBlocker = null;
  }
}

/** In reverse order of opening: tray, window, server, app. */
async function quit(exitCode: number): Promise<void> {
  if (quitting) return;
  quitting = true;
  tray?.destroy();
  window?.close();
  await host.stop();
  app.exit(exitCode);
}

/** The user's own flags. Electron puts its path first and, when not packaged, the app's folder second. */
function ownFlags(argv: readonly string[]): string[] {
  return argv.slice(app.isPackaged ? 1 : 2).filter((argument) => pathOfLink(argument) === null);
}

/** Two appliances on two data folders are two apps: each has its own lock, window state and browser profile. */
function takeOwnFolder(given: readonly string[]): void {
  const position = given.indexOf('--data-dir');
  const dataFolder = position === -1 ? undefined : given[position + 1];
  if (dataFolder !== undefined) app.setPath('userData', join(dataFolder, 'desktop'));
}
