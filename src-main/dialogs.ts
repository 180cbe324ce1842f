/** Native dialogs of the shell. Escape and closing a dialog never trigger an irreversible action. */
import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron';
import type { RecoveryDialogs } from './page-recovery.ts';
import type { FileOutcome } from './server-client.ts';
import { texts } from './texts.ts';
import type { UpdateDialogs } from './updates.ts';

export type QuitChoice = 'now' | 'when-done' | 'cancel';

/** Maximum lines, so that the dialog fits on the screen. */
const LINES_MAX = 8;

/** @param open number of running and queued jobs */
export function askHowToQuit(open: number): Promise<QuitChoice> {
  return chooseFromDialog(texts.quitTitle({ open }), texts.quitDetail, {
    'when-done': texts.quitWhenDone,
    now: texts.quitNow,
    cancel: texts.cancel,
  });
}

export type PortChoice = 'same-port' | 'free-port' | 'quit';

/** Asks before the port changes, because local tools know the server by its port. */
export function askAboutPort(port: number): Promise<PortChoice> {
  return chooseFromDialog(texts.portTaken({ port }), texts.portTakenDetail, {
    'same-port': texts.portAgain,
    'free-port': texts.portFree,
    quit: texts.quit,
  });
}

/** The last choice is the safe one: it is also that of Escape. */
export function askAboutFailedStart(message: string): Promise<'show-log' | 'quit'> {
  return chooseFromDialog(texts.couldNotStart, message, { 'show-log': texts.showLog, quit: texts.quit });
}

/** Whether to open pages without Chromium's sandbox. */
export async function askAboutSandbox(): Promise<boolean> {
  const buttons = [texts.quit, texts.openAnyway];
  const box = { type: 'warning', message: texts.noSandbox, detail: texts.noSandboxDetail, buttons } as const;
  return (await dialog.showMessageBox({ ...box, defaultId: 0, cancelId: 0, noLink: true })).response === 1;
}

export const recoveryDialogs: RecoveryDialogs = {
  blankPage: () =>
    chooseFromDialog(texts.blankPage, texts.blankPageDetail, {
      'show-log': texts.showLog,
      quit: texts.quit,
      reload: texts.reload,
    }),
  hungPage: () => chooseFromDialog(texts.hungPage, texts.hungPageDetail, { reload: texts.reload, wait: texts.wait }),
};

/** @param choices choice to button label: Enter selects the first, Escape the last */
async function chooseFromDialog<Choice extends string>(
  message: string,
  detail: string,
  choices: Record<Choice, string>,
): Promise<Choice> {
  const names = Object.keys(choices) as Choice[];
  const buttons = names.map((name) => choices[name]);
  const cancelId = names.length - 1;
  const box = { type: 'question', message, detail, buttons, defaultId: 0, cancelId, noLink: true } as const;
  const { response } = await dialog.showMessageBox(box);
  return names[response] ?? (names[cancelId] as Choice);
}

/** Whether to leave a page with unsaved changes. The page waits for the answer. */
export function askToLeave(window: BrowserWindow): boolean {
  const buttons = [texts.stayOnPage, texts.leavePage];
  const box = { type: 'question', message: texts.unsaved, detail: texts.unsavedDetail, buttons } as const;
  return dialog.showMessageBoxSync(window, { ...box, defaultId: 0, cancelId: 0, noLink: true }) === 1;
}

/** @param window shows it as its own, if it still exists */
export async function chooseFolder(window: BrowserWindow | null): Promise<string | null> {
  const options: OpenDialogOptions = { properties: ['openDirectory', 'createDirectory'] };
  const asked = window === null ? dialog.showOpenDialog(options) : dialog.showOpenDialog(window, options);
  return (await asked).filePaths[0] ?? null;
}

export function showRefusedFiles(outcomes: readonly FileOutcome[]): void {
  const refused = outcomes.filter((outcome) => 'refused' in outcome);
  if (refused.length === 0) return;
  const lines = refused.slice(0, LINES_MAX).map(({ file, refused: reason }) => `${file}: ${reason}`);
  if (refused.length > LINES_MAX) lines.push('…');
  showDialogMessage('warning', texts.filesRefused({ count: refused.length }), lines.join('\n'));
}

export function showFeedRefused(): void {
  showDialogMessage('warning', texts.feedRefused);
}

export const updateDialogs: UpdateDialogs = {
  download: (version, notes) =>
    confirmInDialog(
      texts.updateFound({ version }),
      [texts.updateFoundDetail, notes].filter((part) => part !== '').join('\n\n'),
      texts.updateDownload,
    ),
  install: (version) => confirmInDialog(texts.updateReady({ version }), texts.updateReadyDetail, texts.updateInstall),
  none: () => showDialogMessage('info', texts.updateNone),
  failed: () => showDialogMessage('warning', texts.updateFailed, texts.updateFailedDetail),
};

async function confirmInDialog(message: string, detail: string, yes: string): Promise<boolean> {
  const buttons = [texts.later, yes];
  const box = { type: 'question', message, detail, buttons, defaultId: 1, cancelId: 0, noLink: true } as const;
  return (await dialog.showMessageBox(box)).response === 1;
}

function showDialogMessage(type: 'info' | 'warning', message: string, detail = ''): void {
  void dialog.showMessageBox({ type, message, detail });
}
