/**
 * A stand-in for the `electron` module, so that the built shell runs for real where Electron's binary is not to be had.
 * Windows are pages of a real Chromium, with the real preload; utility processes are forked; what has no counterpart
 * (tray, dialogs, power) is reported to the test. It enforces what Electron enforces, as far as the shell leans on it.
 */
import { fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { onCommand, report } from './channel.ts';
import { closeBrowser, ipcHandlers, openHooks } from './shim-window.ts';

export { BrowserWindow } from './shim-window.ts';

interface CancelableEvent {
  defaultPrevented: boolean;
  preventDefault(): void;
}

function cancelable(): CancelableEvent {
  return {
    defaultPrevented: false,
    preventDefault() {
      this.defaultPrevented = true;
    },
  };
}

class App extends EventEmitter {
  readonly isPackaged = false;
  #userData = process.env.SHELL_TEST_USER_DATA ?? '';
  #handingOver: Promise<void> = Promise.resolve();

  getPath(name: string): string {
    if (name !== 'userData') throw new Error(`The stand-in has no path ${name}.`);
    mkdirSync(this.#userData, { recursive: true });
    return this.#userData;
  }

  setPath(_name: 'userData', folder: string): void {
    this.#userData = folder;
  }

  /** An exclusive file decides; a socket beside it brings the later instance's arguments to the first. */
  requestSingleInstanceLock(): boolean {
    const lock = join(this.getPath('userData'), 'instance.lock');
    const socket = join(this.getPath('userData'), 'instance.sock');
    try {
      writeFileSync(lock, '', { flag: 'wx' });
    } catch {
      this.#handingOver = new Promise((resolve) => {
        connect(socket).end(JSON.stringify(process.argv)).once('close', resolve).once('error', resolve);
      });
      return false;
    }
    const server = createServer((from) => {
      from.setEncoding('utf8').on('data', (text) => this.emit('second-instance', {}, JSON.parse(String(text))));
    }).listen(socket);
    server.unref();
    process.once('exit', () => {
      rmSync(socket, { force: true });
      rmSync(lock);
    });
    return true;
  }

  enableSandbox(): void {
    report('sandbox');
  }

  async whenReady(): Promise<void> {}

  quit(): void {
    const event = cancelable();
    this.emit('before-quit', event);
    if (!event.defaultPrevented) this.exit(0);
  }

  exit(code: number): void {
    void Promise.all([this.#handingOver, closeBrowser()]).then(() => process.exit(code));
  }
}

export const app = new App();
openHooks.created = (contents) => app.emit('web-contents-created', {}, contents);
onCommand('quit', () => app.quit());
onCommand('open-link', (link: string) => app.emit('open-url', cancelable(), link));

export const ipcMain = {
  handle: (channel: string, handler: (event: unknown, ...args: unknown[]) => unknown) =>
    ipcHandlers.set(channel, handler),
};

export const dialog = { showErrorBox: (title: string, content: string) => report('error-box', { title, content }) };
export const shell = { openExternal: async (url: string) => report('open-external', url) };
export const screen = { getDisplayMatching: () => ({ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }) };

export const nativeImage = { createFromPath: (file: string) => ({ file, found: existsSync(file) }) };

interface MenuItem {
  label?: string;
  click?(): void;
}
export const Menu = { buildFromTemplate: (items: MenuItem[]) => items };

export class Tray extends EventEmitter {
  constructor(image: { found: boolean }) {
    super();
    report('tray', { iconFound: image.found });
    onCommand('tray-click', () => this.emit('click'));
  }

  setToolTip(): void {}

  setContextMenu(items: MenuItem[]): void {
    onCommand('tray-menu', (label: string) => {
      const item = items.find((one) => one.label === label);
      if (item?.click === undefined) throw new Error(`The tray has no entry ${label}.`);
      item.click();
    });
  }

  destroy(): void {
    report('tray-gone');
  }
}

let blockers = 0;
export const powerSaveBlocker = {
  start(type: string): number {
    report('awake', type);
    blockers += 1;
    return blockers;
  },
  stop: (_id: number) => report('may-sleep'),
};

type PermissionCheck = (contents: unknown, permission: string, origin: string) => boolean;
type PermissionRequest = (contents: { getURL(): string }, permission: string, answer: (allow: boolean) => void) => void;
export const session = {
  defaultSession: {
    setPermissionCheckHandler: (handler: PermissionCheck) =>
      onCommand('check-permission', (permission: string, origin: string) => handler(null, permission, origin)),
    setPermissionRequestHandler: (handler: PermissionRequest) =>
      onCommand(
        'request-permission',
        (permission: string, from: string) =>
          new Promise<boolean>((resolve) => handler({ getURL: () => from }, permission, resolve)),
      ),
  },
};

export const utilityProcess = {
  fork(file: string, args: string[]) {
    const child = fork(file, args, {
      execArgv: ['--import', new URL('./parent-port.ts', import.meta.url).href],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    report('fork', { pid: child.pid, args });
    const port = Object.assign(new EventEmitter(), {
      pid: child.pid,
      kill: () => child.kill(),
      postMessage: (message: object) => child.send(message),
    });
    child.on('message', (message) => port.emit('message', message));
    child.on('exit', (code) => {
      report('server-exit', code);
      port.emit('exit', code);
    });
    return port;
  },
};
