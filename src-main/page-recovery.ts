/** Brings the page back when its process ends, hangs or cannot load: the window never stays blank without a word. */
import type { BrowserWindow } from 'electron';
import { logLine } from './log.ts';

export interface RecoveryDialogs {
  /** Asked when reloading does not help. */
  blankPage(): Promise<'reload' | 'show-log' | 'quit'>;
  hungPage(): Promise<'wait' | 'reload'>;
}

interface RecoveryOptions {
  window: BrowserWindow;
  dialogs: RecoveryDialogs;
  showLog(): void;
  quit(): void;
  /** False while no server answers or the app quits: the next server loads the page. */
  isWanted(): boolean;
}

/** Reloads without a question within `PERIOD_MS`. A page that fails while it loads would otherwise loop. */
const RELOADS_MAX = 5;

const PERIOD_MS = 60_000;

/** Chromium's code for a load that another one replaced. */
const ABORTED = -3;

export function recoverPage({ window, dialogs, showLog, quit, isWanted }: RecoveryOptions): void {
  const contents = window.webContents;
  let reloads: number[] = [];
  let asking = false;

  const reloadBlankPage = (): void => {
    if (!window.isDestroyed() && isWanted()) contents.reload();
  };
  const askAboutBlankPage = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    let choice = await dialogs.blankPage();
    while (choice === 'show-log') {
      showLog();
      choice = await dialogs.blankPage();
    }
    asking = false;
    if (choice === 'quit') return quit();
    reloads = [];
    reloadBlankPage();
  };
  const recoverBlankPage = (): void => {
    if (window.isDestroyed() || !isWanted()) return;
    const now = performance.now();
    reloads = [...reloads.filter((time) => now - time < PERIOD_MS), now];
    if (reloads.length > RELOADS_MAX) void askAboutBlankPage();
    else reloadBlankPage();
  };

  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return;
    logLine(`The page's process ended: ${reason}, code ${exitCode}.`);
    recoverBlankPage();
  });
  contents.on('did-fail-load', (_event, code, description, _address, isMainFrame) => {
    if (!isMainFrame || code === ABORTED) return;
    logLine(`The page did not load: ${description} (${code}).`);
    recoverBlankPage();
  });
  window.on('unresponsive', async () => {
    if (asking) return;
    asking = true;
    logLine('The page does not respond.');
    const choice = await dialogs.hungPage();
    asking = false;
    // Its end is reported as `render-process-gone`, which reloads.
    if (choice === 'reload' && !window.isDestroyed()) contents.forcefullyCrashRenderer();
  });
}
