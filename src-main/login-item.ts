/**
 * Opening with the person's session. macOS and Windows keep that themselves; on Linux it is a file that every desktop
 * reads. Only a packaged app can be opened so: in development the program is Electron's own.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { HIDDEN_FLAG } from './arguments.ts';

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
