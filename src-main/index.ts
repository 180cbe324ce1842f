/**
 * The desktop shell: one instance, one server, one window, one tray. The window shows the same dashboard as a browser.
 */

import { join } from 'node:path';
import { app, type BrowserWindow, powerMonitor, powerSaveBlocker, shell } from 'electron';
import { messageOf } from '../src-server/platform/errors.ts';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';
import {
  dataFolderOf,
  type Handover,
  LINK_SCHEME,
  parseShellArguments,
  pathOfLink,
  readHandover,
} from './arguments.ts';
import { hasTray, trayIconName } from './background.ts';
import { keepCrashReports } from './crash-reports.ts';
import {
  askAboutFailedStart,
  askAboutPort,
  askAboutSandbox,
  askHowToQuit,
  recoveryDialogs,
  showFeedRefused,
  showRefusedFiles,
  updateDialogs,
} from './dialogs.ts';
import { logLine, openLogFile } from './log.ts';
import { giveContextMenu, setApplicationMenu } from './menus.ts';
import { AlertNotifier, JobEvents, JobNotifier, type Notice, showNotice } from './notifications.ts';
import { FileUploader } from './open-files.ts';
import { recoverPage } from './page-recovery.ts';
import {
  DEFAULT_PREFERENCES,
  openedAtLogin,
  opensAtLogin,
  type Preferences,
  readPreferences,
  savePreferences,
  setOpensAtLogin,
} from './preferences.ts';
import { type Figures, readAlerts, signInCode } from './server-client.ts';
import { ServerHost } from './server-host.ts';
import { showLanguageOfShell, texts } from './texts.ts';
import { TrayIcon, type TrayState } from './tray.ts';
import { usableFeed } from './update-feed.ts';
import { openUpdater, packageNamesFeed, Updates } from './updates.ts';
import { guardAllPages, handlePageRequests, openWindow, showWindow } from './window.ts';

/** Matches the ID in the packages. Windows shows no notifications without it. */
const APP_ID = 'io.quarry.desktop';

/** Time that a system leaves its programs when it goes down: 5 to 10 seconds. */
const SYSTEM_PATIENCE_MS = 4500;

/** Built files are in out/main. A utility process of a packaged app cannot load from inside the archive. */
const folder = import.meta.dirname;

const unpacked = folder.replace('app.asar', 'app.asar.unpacked');

// The first argument is Electron; in development, the second is the app's folder.
const given = parseShellArguments(process.argv.slice(app.isPackaged ? 1 : 2), process.cwd());

const host = new ServerHost({ entryFile: join(unpacked, 'server-process.mjs'), flags: given.flags });

const events = new JobEvents();

const news = new JobNotifier(tellUser);

const alerts = new AlertNotifier(tellUser, new Date(performance.timeOrigin).toISOString());

const files = new FileUploader({ session: () => host.shellSession, open: openPath, report: showRefusedFiles });

/** In development, the page comes from the development server, which proxies API requests. */
const developmentPage = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;

/** Origin of the page; null while no server answers. */
const pageOrigin = (): string | null =>
  host.shellSession === null ? null : (developmentPage ?? host.shellSession.baseUrl);

let window: BrowserWindow | null = null;

// Referenced for the life of the app: garbage collection would remove the icon.
let tray: TrayIcon | null = null;

let updates: Updates | null = null;

let preferences: Preferences = DEFAULT_PREFERENCES;

let crashFolder = '';

let figures: Figures | null = null;

let announced = false;

let asking = false;

let leaving = false;

let quitting = false;

let awakeBlocker: number | null = null;

let pathToOpen = given.path ?? '/';

useOwnProfile();

const logFile = join(app.getPath('userData'), 'logs', 'quarry.log');

const trayIsThere = hasTray(process.platform, process.env);

const handover: Handover = { path: given.path, files: given.files };

if (app.requestSingleInstanceLock({ ...handover })) runShell();
else {
  logLine(texts.alreadyOpen);
  app.quit();
}

function runShell(): void {
  openLogFile(logFile);
  crashFolder = keepCrashReports();
  app.enableSandbox();
  app.setAppUserModelId(APP_ID);
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME);
  preferences = readPreferences(preferencesFile());
  listenToSystem();
  listenToServer();
  files.takeFilesToUpload(given.files);
  void app.whenReady().then(async () => {
    if (!(await mayRunWithoutSandbox())) return app.exit(1);
    guardAllPages(pageOrigin);
    // The system is shutting down, so ask no questions. It waits if the event is prevented, here for a few seconds.
    powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
      event?.preventDefault();
      void quitWithSystem();
    });
    await showLanguageOfShell(preferences.language);
    setMenus();
    tray = openTray();
    host.startServerHost();
    void openUpdates();
  });
}

/**
 * The starter of an AppImage adds `--no-sandbox` where the system forbids user namespaces. Asks before such a start,
 * until the user has agreed once. In development the user has typed the switch.
 */
async function mayRunWithoutSandbox(): Promise<boolean> {
  if (!app.isPackaged || !app.commandLine.hasSwitch('no-sandbox') || preferences.withoutSandbox) return true;
  if (!(await askAboutSandbox())) return false;
  changePreferences({ withoutSandbox: true });
  return true;
}

/** Menus of the app, in the language that is shown. */
function setMenus(): void {
  setApplicationMenu({
    newJob: () => openPath('/add'),
    showLog,
    showCrashReports: () => void shell.openPath(crashFolder),
    quit: () => app.quit(),
  });
  tray?.updateTrayMenu(trayState());
}

function changePreferences(change: Partial<Preferences>): void {
  preferences = { ...preferences, ...change };
  savePreferences(preferencesFile(), preferences);
}

function showLog(): void {
  void shell.openPath(logFile);
}

function listenToSystem(): void {
  app.on('second-instance', (_event, _arguments, _folder, passedOn) => {
    const { path, files: passedFiles } = readHandover(passedOn);
    openPath(path);
    files.takeFilesToUpload(passedFiles);
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    openPath(pathOfLink(link));
  });
  app.on('open-file', (event, file) => {
    event.preventDefault();
    files.takeFilesToUpload([file]);
  });
  app.on('activate', () => openPath(null));
  // Without this listener, Electron quits with the last window and stops running jobs.
  app.on('window-all-closed', () => {
    // Without a tray, nothing would show that the app runs, or end it.
    if (!trayIsThere && !leaving && !quitting) app.quit();
  });
  app.on('before-quit', (event) => {
    if (quitting) return;
    event.preventDefault();
    void askAndQuit();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void quitShell(0));
  handlePageRequests({
    session: () => host.shellSession,
    origin: pageOrigin,
    codeFor: signInCode,
    showLanguage: async (language) => {
      changePreferences({ language });
      await showLanguageOfShell(language);
      setMenus();
    },
  });
}

function listenToServer(): void {
  host.on('ready', onServerReady);
  host.on('down', () => events.stopJobEvents());
  host.on('figures', onFigures);
  host.on('failed', (message) => {
    logLine(message);
    void offerLog(message);
  });
  host.on('portTaken', (port) => void chooseAnotherPort(port));
  events.on('time', (time) => news.startAt(time));
  events.on('jobs', (message) => {
    host.refreshSoon();
    if (preferences.notifications) news.takeJobsMessage(message);
  });
  events.on('alerts', () => void takeAlerts());
}

async function offerLog(message: string): Promise<void> {
  if ((await askAboutFailedStart(message)) === 'show-log') showLog();
  await quitShell(1);
}

async function takeAlerts(): Promise<void> {
  if (host.shellSession === null) return;
  try {
    alerts.takeOpenAlerts(await readAlerts(host.shellSession), !preferences.notifications);
  } catch (error) {
    // The next event, or the next connection, reports them again.
    logLine(`The alerts could not be read: ${messageOf(error)}`);
  }
}

function tellUser(notice: Notice): void {
  // Not needed while the user sees the window.
  if (window?.isFocused() !== true) showNotice(notice, openPath);
}

async function chooseAnotherPort(port: number): Promise<void> {
  const choice = await askAboutPort(port);
  // The app may quit while the dialog is open.
  if (quitting) return;
  if (choice === 'quit') return quitShell(1);
  host.retryServerStart(choice);
}

/** Called after the first start and after each restart. The port may differ. */
function onServerReady(session: ShellSession): void {
  if (!announced) process.stdout.write(`Quarry is listening on ${session.baseUrl}\n`);
  const hidden = announced || given.hidden || openedAtLogin();
  if (!hidden || window !== null) showPage();
  announced = true;
  events.startJobEvents(session);
  files.sendSoon();
}

/** Opens the window, on the given page if any. Before the server is ready, only remembers the page. */
function openPath(path: string | null): void {
  if (path !== null) pathToOpen = path;
  if (pageOrigin() === null) return;
  if (window === null || path !== null) showPage();
  if (window !== null) showWindow(window);
}

function showPage(): void {
  const address = pageOrigin();
  if (address === null) return;
  if (window === null) {
    const stateFile = join(app.getPath('userData'), 'window.json');
    const preloadFile = join(folder, '../preload/index.cjs');
    window = openWindow({ preloadFile, stateFile, isQuitting: () => quitting });
    // On shutdown, Windows notifies only windows and emits no `before-quit`.
    window.on('session-end', () => void quitWithSystem());
    // Windows waits while the event is prevented. Only running jobs are worth it.
    window.on('query-session-end', (event) => {
      if (figures === null || figures.running === 0) return;
      event.preventDefault();
      void quitWithSystem();
    });
    window.on('closed', () => {
      window = null;
      if (!quitting) tellAboutBackground();
    });
    giveContextMenu(window);
    const isWanted = () => !quitting && pageOrigin() !== null;
    recoverPage({ window, dialogs: recoveryDialogs, showLog, quit: () => app.quit(), isWanted });
  }
  // Chromium shows the load error; the next `ready` loads the page again.
  window.loadURL(new URL(pathToOpen, address).href).catch(() => undefined);
  pathToOpen = '/';
}

/** Says once that the app goes on. On macOS that is the custom, and the Dock shows it. */
function tellAboutBackground(): void {
  if (!trayIsThere || preferences.knowsBackground || process.platform === 'darwin') return;
  changePreferences({ knowsBackground: true });
  showNotice({ title: texts.stillRunning, body: texts.stillRunningDetail, path: '/' }, openPath);
}

function openTray(): TrayIcon {
  const actions = {
    open: openPath,
    notify: (notifications: boolean) => {
      changePreferences({ notifications });
      if (notifications) news.restartJobNotices();
      else news.stopJobNotices();
      showState();
    },
    openAtLogin: (wanted: boolean) => {
      setOpensAtLogin(wanted);
      showState();
    },
    checkForUpdates: () => void updates?.checkForNewVersion(true),
    takeFiles: (dropped: readonly string[]) => files.takeFilesToUpload(dropped),
    quit: () => app.quit(),
    stay: () => {
      leaving = false;
      showState();
    },
  };
  return new TrayIcon(join(folder, '../../resources', trayIconName(process.platform)), actions, trayState());
}

function trayState(): TrayState {
  const { notifications } = preferences;
  return { figures, notifications, openAtLogin: opensAtLogin(), updates: updates !== null, leaving };
}

function showState(): void {
  tray?.updateTrayMenu(trayState());
}

function onFigures(now: Figures | null): void {
  figures = now;
  keepAwake(now !== null && now.running > 0);
  if (leaving && now !== null && openJobs(now) === 0) void quitShell(0);
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

/** Updates are off in development and if neither the package nor the user sets a feed. */
async function openUpdates(): Promise<void> {
  if (!app.isPackaged) return;
  const named = process.env.QUARRY_UPDATE_FEED ?? preferences.updateFeed;
  if (named === null && !packageNamesFeed()) return;
  const feed = named === null ? null : usableFeed(named);
  if (named !== null && feed === null) return showFeedRefused();
  const updater = await openUpdater(feed, preferences.updateChannel);
  updates = new Updates(updater, updateDialogs, () => void quitShell(0, () => updater.quitAndInstall()));
  updates.startUpdateChecks();
  showState();
}

function openJobs({ running, queued }: Figures): number {
  return running + queued;
}

/** Asks if jobs are unfinished. An attached server continues without the shell, so no question is needed. */
async function askAndQuit(): Promise<void> {
  if (asking) return;
  asking = true;
  const now = host.isAttachedToServer ? null : await host.lookAtFigures();
  const choice = now === null || openJobs(now) === 0 ? 'now' : await askHowToQuit(openJobs(now));
  asking = false;
  if (choice === 'now') return quitShell(0);
  leaving = choice === 'when-done';
  // Cancelled, the app stays where the user can see it.
  if (choice === 'cancel' && !trayIsThere) openPath(null);
  showState();
  // The jobs may have ended while the dialog was open.
  if (leaving) host.refreshSoon();
}

/** The system ends soon: the jobs go back to the queue, but nothing waits longer than it allows. */
function quitWithSystem(): Promise<void> {
  return quitShell(0, () => app.exit(0), SYSTEM_PATIENCE_MS);
}

/**
 * Stops updates, tray, window and server, in reverse order of start.
 * @param end last step; exits the app
 * @param patienceMs time for the server to stop; default: that of the host
 */
async function quitShell(exitCode: number, end = () => app.exit(exitCode), patienceMs?: number): Promise<void> {
  if (quitting) return;
  quitting = true;
  updates?.stopUpdateChecks();
  news.stopJobNotices();
  events.stopJobEvents();
  tray?.destroyTrayIcon();
  window?.close();
  await host.stopServerHost(patienceMs);
  end();
}

function preferencesFile(): string {
  return join(app.getPath('userData'), 'shell.json');
}

/** Each data folder is a separate app with its own lock, window state and browser profile. */
function useOwnProfile(): void {
  const dataFolder = dataFolderOf(given.flags, process.env, process.cwd());
  if (dataFolder !== null) app.setPath('userData', join(dataFolder, 'desktop'));
}
