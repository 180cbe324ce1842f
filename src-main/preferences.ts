import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { HIDDEN_FLAG } from './arguments.ts';

/** What the person chose for the shell itself. The server's settings are elsewhere, and have no part in it. */
export interface Preferences {
  /** Whether a job's end is told by the system. */
  notifications: boolean;
  /** Where updates are looked for; null for nowhere, unless the package names a place. */
  updateFeed: string | null;
}

/** A file that is missing or is not ours counts as no choice made. */
export function readPreferences(file: string): Preferences {
  const { notifications, updateFeed } = readObject(file);
  return {
    notifications: notifications !== false,
    updateFeed: typeof updateFeed === 'string' ? updateFeed : null,
  };
}

export function keepPreferences(file: string, preferences: Preferences): void {
  try {
    writeFileSync(file, `${JSON.stringify(preferences, null, 2)}\n`);
  } catch (error) {
    // The choice holds until the app ends; a full disk is no reason to refuse it.
    process.stderr.write(`The choice could not be kept: ${(error as Error).message}\n`);
  }
}

function readObject(file: string): Record<string, unknown> {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/**
 * Opening with the person's session. macOS and Windows keep that themselves; on Linux it is a file that every desktop
 * reads. Only a packaged app can be opened so: in development the program is Electron's own.
 */

/** Null where it cannot be chosen. */
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

/** Whether the system opened the app, where the system says so itself. */
export function openedAtLogin(): boolean {
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}

function autostartFile(): string {
  return join(app.getPath('appData'), 'autostart', 'quarry.desktop');
}

function writeAutostart(): void {
  // An AppImage runs from a mount that is gone after it; the image itself stays.
  const program = process.env.APPIMAGE ?? process.execPath;
  const lines = ['[Desktop Entry]', 'Type=Application', 'Name=Quarry', `Exec=${quoted(program)} ${HIDDEN_FLAG}`];
  mkdirSync(dirname(autostartFile()), { recursive: true });
  writeFileSync(autostartFile(), `${lines.join('\n')}\n`);
}

/** As the desktop entry specification quotes an argument: escaped for the argument, then for the value it stands in. */
function quoted(program: string): string {
  const argument = program.replace(/(["`$\\])/g, '\\$1').replaceAll('%', '%%');
  return `"${argument.replaceAll('\\', '\\\\')}"`;
}
