/**
 * The desktop shell: one instance, one server, one window, one tray. It holds no feature: everything the user sees in
 * the window is the same dashboard that a browser would get from the server.
 */

import { join } from 'node:path';
import { app, type BrowserWindow, dialog, powerMonitor, powerSaveBlocker } from 'electron';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';
import { dataFolderOf, type Handover, LINK_SCHEME, pathOfLink, readArguments, readHandover } from './arguments.ts';
import { askAboutPort, askHowToQuit, tellFeedRefused, tellRefusedFiles, updateDialogs } from './dialogs.ts';
import { JobEvents, JobNews, showNotice } from './notifications.ts';
import { FileTaker } from './open-files.ts';
import {
  keepPreferences,
  openedAtLogin,
  opensAtLogin,
  type Preferences,
  readPreferences,
  setOpensAtLogin,
} from './preferences.ts';
import { type Figures, signInCode } from './server-client.ts';
import { ServerHost } from './server-host.ts';
import { texts } from './texts.ts';
import { TrayIcon, type TrayState } from './tray.ts';
import { openUpdater, packageNamesFeed, Updates, usableFeed } from './updates.ts';
import { guardAllPages, openSignInDoor, openWindow, showWindow } from './window.ts';

/** As the packages are registered; without it Windows shows no notices. */
const APP_ID = 'io.quarry.desktop';

/** Built files lie in out/main; a packaged app's utility process cannot load from inside the archive. */
const folder = import.meta.dirname;

const unpacked = folder.replace('app.asar', 'app.asar.unpacked');

// Electron puts its path first and, when not packaged, the app's folder second.
const given = readArguments(process.argv.slice(app.isPackaged ? 1 : 2), process.cwd());

const host = new ServerHost({ entryFile: join(unpacked, 'server-process.mjs'), flags: given.flags });

const events = new JobEvents();

const news = new JobNews((notice) => {
  // Whoever looks at the window sees it there.
  if (window?.isFocused() !== true) showNotice(notice, openPath);
});

const files = new FileTaker({ session: () => host.session, open: openPath, tell: tellRefusedFiles });

/** While the dashboard is being worked on, its page comes from the development server, which passes API requests on. */
const developmentPage = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;

/** Where the page comes from; null while no server answers. */
const origin = (): string | null => (host.session === null ? null : (developmentPage ?? host.session.baseUrl));

let window: BrowserWindow | null = null;

// Held for the life of the app: a tray icon goes when its object is collected.
let tray: TrayIcon | null = null;

let updates: Updates | null = null;

let preferences: Preferences = { notifications: true, updateFeed: null };

let figures: Figures | null = null;

let announced = false;

let asking = false;

let leaving = false;

let quitting = false;

let awakeBlocker: number | null = null;

let pathToOpen = given.path ?? '/';

takeOwnFolder();

const handover: Handover = { path: given.path, files: given.files };

if (app.requestSingleInstanceLock({ ...handover })) run();
else {
  process.stderr.write(`${texts.alreadyOpen}\n`);
  app.quit();
}

function run(): void {
  app.enableSandbox();
  app.setAppUserModelId(APP_ID);
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);
  preferences = readPreferences(preferencesFile());
  listenToSystem();
  listenToServer();
  files.take(given.files);
  void app.whenReady().then(() => {
    guardAllPages(origin);
    // The system is going down: there is nobody to ask.
    powerMonitor.on('shutdown', () => void quit(0));
    tray = openTray();
    host.start();
    void openUpdates();
  });
}

function listenToSystem(): void {
  app.on('second-instance', (_event, _arguments, _folder, passedOn) => {
    const { path, files: handed } = readHandover(passedOn);
    openPath(path);
    files.take(handed);
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    openPath(pathOfLink(link));
  });
  app.on('open-file', (event, file) => {
    event.preventDefault();
    files.take([file]);
  });
  app.on('activate', () => openPath(null));
  // Without this listener Electron quits with the last window, and running jobs with it.
  app.on('window-all-closed', () => undefined);
  app.on('before-quit', (event) => {
    if (quitting) return;
    event.preventDefault();
    void askAndQuit();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void quit(0));
  openSignInDoor({ session: () => host.session, origin, codeFor: signInCode });
}

function listenToServer(): void {
  host.on('ready', onServerReady);
  host.on('down', () => events.stop());
  host.on('figures', onFigures);
  host.on('failed', (message) => {
    process.stderr.write(`${message}\n`);
    dialog.showErrorBox(texts.couldNotStart, message);
    void quit(1);
  });
  host.on('portTaken', (port) => void chooseAnotherPort(port));
  events.on('time', (time) => news.startAt(time));
  events.on('jobs', (message) => {
    host.lookSoon();
    if (preferences.notifications) news.take(message);
  });
}

async function chooseAnotherPort(port: number): Promise<void> {
  const choice = await askAboutPort(port);
  // The app may have been ended while the question stood.
  if (quitting) return;
  if (choice === 'quit') return quit(1);
  host.retry(choice);
}

/** Runs after the first start and after each restart, when the server may have another address. */
function onServerReady(session: ShellSession): void {
  if (!announced) process.stdout.write(`Quarry is listening on ${session.baseUrl}\n`);
  const hidden = announced || given.hidden || openedAtLogin();
  if (!hidden || window !== null) showPage();
  announced = true;
  events.start(session);
  files.sendSoon();
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
    // Windows tells windows alone that it goes down, and does not raise `before-quit` then.
    window.on('session-end', () => void quit(0));
    window.on('closed', () => {
      window = null;
    });
  }
  // A page that does not load is shown by Chromium as such; the next `ready` loads it again.
  window.loadURL(new URL(pathToOpen, address).href).catch(() => undefined);
  pathToOpen = '/';
}

function openTray(): TrayIcon {
  const actions = {
    open: openPath,
    notify: (notifications: boolean) => {
      preferences = { ...preferences, notifications };
      keepPreferences(preferencesFile(), preferences);
      if (notifications) news.startAnew();
      else news.stop();
      showState();
    },
    openAtLogin: (wanted: boolean) => {
      setOpensAtLogin(wanted);
      showState();
    },
    checkForUpdates: () => void updates?.check(true),
    takeFiles: (handed: readonly string[]) => files.take(handed),
    quit: () => app.quit(),
    stay: () => {
      leaving = false;
      showState();
    },
  };
  return new TrayIcon(join(folder, '../../resources/tray.png'), actions, trayState());
}

function trayState(): TrayState {
  const { notifications } = preferences;
  return { figures, notifications, openAtLogin: opensAtLogin(), updates: updates !== null, leaving };
}

function showState(): void {
  tray?.update(trayState());
}

function onFigures(now: Figures | null): void {
  figures = now;
  keepAwake(now !== null && now.running > 0);
  if (leaving && now !== null && openJobs(now) === 0) void quit(0);
  if (!quitting) showState();
}

/** While jobs run, the system may dim the screen but not suspend the app. */
function keepAwake(busy: boolean): void {
  if (busy && awakeBlocker === null) awakeBlocker = powerSaveBlocker.start('prevent-app-suspension');
  if (!busy && awakeBlocker !== null) {
    powerSaveBlocker.stop(awakeBlocker);
    awakeBlocker = null;
  }
}

/** Updates are off in development, and where neither the package nor the person names a place for them. */
async function openUpdates(): Promise<void> {
  if (!app.isPackaged) return;
  const named = process.env.QUARRY_UPDATE_FEED ?? preferences.updateFeed;
  if (named === null && !packageNamesFeed()) return;
  const feed = named === null ? null : usableFeed(named);
  if (named !== null && feed === null) return tellFeedRefused();
  const updater = await openUpdater(feed);
  updates = new Updates(updater, updateDialogs, () => void quit(0, () => updater.quitAndInstall()));
  updates.start();
  showState();
}

function openJobs({ running, queued }: Figures): number {
  return running + queued;
}

/** Asks when jobs are not done. A server of another program goes on without the shell, so there is nothing to ask. */
async function askAndQuit(): Promise<void> {
  if (asking) return;
  asking = true;
  const now = host.attached ? null : await host.look();
  const choice = now === null || openJobs(now) === 0 ? 'now' : await askHowToQuit(openJobs(now));
  asking = false;
  if (choice === 'now') return quit(0);
  leaving = choice === 'when-done';
  showState();
  // They may have ended while the question stood.
  if (leaving) host.lookSoon();
}

/** In reverse order of opening: updates, tray, window, server, app. @param end the last step; ends the app. */
async function quit(exitCode: number, end = () => app.exit(exitCode)): Promise<void> {
  if (quitting) return;
  quitting = true;
  updates?.stop();
  news.stop();
  events.stop();
  tray?.destroy();
  window?.close();
  await host.stop();
  end();
}

function preferencesFile(): string {
  return join(app.getPath('userData'), 'shell.json');
}

/** Two appliances on two data folders are two apps: each has its own lock, window state and browser profile. */
function takeOwnFolder(): void {
  const dataFolder = dataFolderOf(given.flags, process.env, process.cwd());
  if (dataFolder !== null) app.setPath('userData', join(dataFolder, 'desktop'));
}
