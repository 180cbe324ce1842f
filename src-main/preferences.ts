import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { messageOf } from '../src-server/platform/errors.ts';
import { recordOf } from '../src-server/platform/records.ts';
import { HIDDEN_FLAG } from './arguments.ts';
import { logLine } from './log.ts';

/** The user's choices for the shell. The server's settings are separate. */
export interface Preferences {
  /** Whether a system notification reports the end of a job. */
  notifications: boolean;
  /** Update URL; null for none, unless the package sets one. */
  updateFeed: string | null;
  /** Update channel such as `beta`; null for that of the version. */
  updateChannel: string | null;
  /** Whether the user knows that the app goes on without its window. */
  knowsBackground: boolean;
  /** BCP 47 tag of the language of menus and dialogs; null: that of the system. */
  language: string | null;
  /** Whether the user accepts a window without Chromium's sandbox. */
  withoutSandbox: boolean;
}

export const DEFAULT_PREFERENCES: Preferences = {
  notifications: true,
  updateFeed: null,
  updateChannel: null,
  knowsBackground: false,
  language: null,
  withoutSandbox: false,
};

/** The channel is part of a file name at the feed. */
const CHANNEL = /^[a-z]{1,20}$/;

const LANGUAGE_TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** Falls back to the defaults if the file is missing or invalid. */
export function readPreferences(file: string): Preferences {
  const { notifications, updateFeed, updateChannel, knowsBackground, language, withoutSandbox } = readObject(file);
  return {
    notifications: notifications !== false,
    updateFeed: typeof updateFeed === 'string' ? updateFeed : null,
    updateChannel: typeof updateChannel === 'string' && CHANNEL.test(updateChannel) ? updateChannel : null,
    knowsBackground: knowsBackground === true,
    language: typeof language === 'string' && LANGUAGE_TAG.test(language) ? language : null,
    withoutSandbox: withoutSandbox === true,
  };
}

export function savePreferences(file: string, preferences: Preferences): void {
  try {
    writeFileSync(file, `${JSON.stringify(preferences, null, 2)}\n`);
  } catch (error) {
    // The choice is still in effect until the app exits.
    logLine(`The preferences are not saved: ${messageOf(error)}`);
  }
}

function readObject(file: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

// Open at login. macOS and Windows store this setting; on Linux it is an autostart file. Only packaged apps support it:
// in development, the program is Electron itself.

/** Null if not supported. */
export function opensAtLogin(): boolean | null {
  if (!app.isPackaged) return null;
  if (process.platform === 'linux') return existsSync(autostartFile());
  return app.getLoginItemSettings({ args: [HIDDEN_FLAG] }).openAtLogin;
}

export function setOpensAtLogin(wanted: boolean): void {
  if (process.platform !== 'linux') app.setLoginItemSettings({ openAtLogin: wanted, args: [HIDDEN_FLAG] });
  else if (wanted) writeAutostart();
  else rmSync(autostartFile(), { force: true });
}

/** Whether the system opened the app at login, where the system reports it. */
export function openedAtLogin(): boolean {
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}

function autostartFile(): string {
  return join(app.getPath('appData'), 'autostart', 'quarry.desktop');
}

function writeAutostart(): void {
  // The mount of an AppImage disappears on exit; the image file stays.
  const program = process.env.APPIMAGE ?? process.execPath;
  const lines = [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Quarry',
    `Exec=${quoteDesktopArgument(program)} ${HIDDEN_FLAG}`,
  ];
  mkdirSync(dirname(autostartFile()), { recursive: true });
  writeFileSync(autostartFile(), `${lines.join('\n')}\n`);
}

/** Quotes an argument as the desktop entry specification requires: for the argument, then for the string value. */
function quoteDesktopArgument(program: string): string {
  const argument = program.replace(/(["`$\\])/g, '\\$1').replaceAll('%', '%%');
  return `"${argument.replaceAll('\\', '\\\\')}"`;
}
