/**
 * A stand-in for the `electron` module, so that the built shell runs for real where Electron's binary is not to be had.
 * Windows are pages of a real Chromium, with the real preload; utility processes are forked; what has no counterpart
 * (tray, dialogs, power) is reported to the test. It enforces what Electron enforces, as far as the shell leans on it.
 */
import { fork, type StdioOptions } from 'node:child_process';
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

const isPackaged = process.env.SHELL_TEST_PACKAGED === '1';
// A packaged app's arguments begin right after the program; here the bundle's own path stands between.
if (isPackaged) process.argv.splice(1, 1);
Object.defineProperty(process, 'resourcesPath', { value: process.env.SHELL_TEST_RESOURCES ?? '' });

class App extends EventEmitter {
  readonly isPackaged = isPackaged;
  #userData = process.env.SHELL_TEST_USER_DATA ?? '';
  #handingOver: Promise<void> = Promise.resolve();

  getPath(name: string): string {
    if (name === 'appData') return join(this.#userData, 'app-data');
    if (name !== 'userData') throw new Error(`The stand-in has no path ${name}.`);
    mkdirSync(this.#userData, { recursive: true });
    return this.#userData;
  }

  setPath(name: string, folder: string): void {
    if (name === 'userData') this.#userData = folder;
    else report('path', { name, folder });
  }

  readonly commandLine = {
    hasSwitch: (name: string): boolean => (process.env.SHELL_TEST_SWITCHES ?? '').split(' ').includes(name),
  };

  /** An exclusive file decides; a socket beside it brings what the later instance passes on to the first. */
  requestSingleInstanceLock(passedOn: unknown): boolean {
    const lock = join(this.getPath('userData'), 'instance.lock');
    const socket = join(this.getPath('userData'), 'instance.sock');
    try {
      writeFileSync(lock, '', { flag: 'wx' });
    } catch {
      this.#handingOver = new Promise((resolve) => {
        connect(socket).end(JSON.stringify(passedOn)).once('close', resolve).once('error', resolve);
      });
      return false;
    }
    const server = createServer((from) => {
      from.setEncoding('utf8').on('data', (text) =>
        // Electron adds to the arguments and orders them anew, so the shell cannot go by them.
        this.emit('second-instance', {}, ['--reordered'], '/', JSON.parse(String(text))),
      );
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

  setAppUserModelId(id: string): void {
    report('app-id', id);
  }

  setAsDefaultProtocolClient(scheme: string): void {
    report('scheme', scheme);
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
openHooks.allClosed = () => app.emit('window-all-closed');
onCommand('quit', () => app.quit());
onCommand('open-link', (link: string) => app.emit('open-url', cancelable(), link));
onCommand('open-file', (file: string) => app.emit('open-file', cancelable(), file));

export const powerMonitor = new EventEmitter();
onCommand('shutdown', () => {
  const event = cancelable();
  powerMonitor.emit('shutdown', event);
  report('shutdown-waits', event.defaultPrevented);
});
export const crashReporter = { start: (options: object) => report('crash-reporter', options) };
export const clipboard = { writeText: (text: string) => report('clipboard', text) };

export const ipcMain = {
  handle: (channel: string, handler: (event: unknown, ...args: unknown[]) => unknown) =>
    ipcHandlers.set(channel, handler),
};

/** Any time does: only that there is a timer counts. */
const STANDING_MS = 60_000;

interface MessageBox {
  buttons?: string[];
  cancelId?: number;
}

/** The button that is pressed in the next box that the app waits for; null closes it as Escape does. */
let nextAnswer: string | null = null;
onCommand('answer-next', (label: string | null) => {
  nextAnswer = label;
});

export const dialog = {
  showErrorBox: (title: string, content: string) => report('error-box', { title, content }),
  /**
   * Stands until the test presses one of its buttons; `null` closes it as Escape does. The app runs as long as it stands,
   * also when nothing else keeps it running.
   */
  showMessageBox(box: MessageBox): Promise<{ response: number }> {
    return new Promise((resolve) => {
      const standing = setInterval(() => undefined, STANDING_MS);
      onCommand('press', (label: string | null) => {
        const response = label === null ? (box.cancelId ?? 0) : (box.buttons ?? []).indexOf(label);
        if (response === -1) throw new Error(`The box has no button ${label}.`);
        clearInterval(standing);
        resolve({ response });
      });
      report('message-box', box);
    });
  },
  showMessageBoxSync(_window: unknown, box: MessageBox): number {
    report('message-box', box);
    return nextAnswer === null ? (box.cancelId ?? 0) : (box.buttons ?? []).indexOf(nextAnswer);
  },
};

export class Notification extends EventEmitter {
  static isSupported = (): boolean => true;
  readonly #options: { title: string; body: string };

  constructor(options: { title: string; body: string }) {
    super();
    this.#options = options;
  }

  show(): void {
    onCommand('notification-click', () => this.emit('click'));
    report('notification', this.#options);
  }
}

export const shell = {
  openExternal: async (url: string) => report('open-external', url),
  openPath: async (path: string) => report('open-path', path),
};
export const screen = { getDisplayMatching: () => ({ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }) };

export const nativeImage = { createFromPath: (file: string) => ({ file, found: existsSync(file) }) };

interface MenuItem {
  label?: string;
  role?: string;
  submenu?: MenuItem[];
  type?: string;
  checked?: boolean;
  click?(): void;
}

const nameOf = ({ label, role }: MenuItem): string => label ?? role ?? '-';

export const Menu = {
  buildFromTemplate: (items: MenuItem[]) =>
    Object.assign([...items], { popup: () => report('context-menu', items.map(nameOf)) }),
  setApplicationMenu(items: MenuItem[]): void {
    const parts = items.map((item) => [nameOf(item), (item.submenu ?? []).map(nameOf)] as const);
    report('application-menu', Object.fromEntries(parts));
    onCommand('menu', (name: string) => {
      const item = items.flatMap(({ submenu = [] }) => submenu).find((one) => nameOf(one) === name);
      if (item?.click === undefined) throw new Error(`The menu has no entry ${name} that the app handles.`);
      item.click();
    });
  },
};

export class Tray extends EventEmitter {
  constructor(image: { found: boolean }) {
    super();
    report('tray', { iconFound: image.found });
    onCommand('tray-click', () => this.emit('click'));
  }

  setToolTip(text: string): void {
    report('tray-tip', text);
  }

  setContextMenu(items: MenuItem[]): void {
    const named = items.filter(({ type }) => type !== 'separator');
    report('tray-items', Object.fromEntries(named.map(({ label, checked }) => [label, checked ?? null])));
    onCommand('drop-on-tray', (files: string[]) => this.emit('drop-files', {}, files));
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
type PermissionRequest = (
  contents: unknown,
  permission: string,
  answer: (allow: boolean) => void,
  details: { requestingUrl: string; isMainFrame: boolean },
) => void;
export const session = {
  defaultSession: {
    setSpellCheckerEnabled: (isOn: boolean) => report('spell-checker', isOn),
    setPermissionCheckHandler: (handler: PermissionCheck) =>
      onCommand('check-permission', (permission: string, origin: string) => handler(null, permission, origin)),
    setPermissionRequestHandler: (handler: PermissionRequest) =>
      onCommand(
        'request-permission',
        (permission: string, from: string) =>
          new Promise<boolean>((resolve) =>
            handler(null, permission, resolve, { requestingUrl: from, isMainFrame: true }),
          ),
      ),
  },
};

export const utilityProcess = {
  fork(file: string, args: string[], options: { serviceName: string; stdio: StdioOptions; env?: NodeJS.ProcessEnv }) {
    const { serviceName, stdio, env = process.env } = options;
    const [input, output, errors] = Array.isArray(stdio) ? stdio : (['ignore', stdio, stdio] as const);
    const child = fork(file, args, {
      execArgv: ['--import', new URL('./parent-port.ts', import.meta.url).href],
      stdio: [input, output, errors, 'ipc'],
      // Structured clone, as in Electron.
      serialization: 'advanced',
      env,
    });
    const isServer = serviceName === 'Quarry server';
    report(isServer ? 'fork' : 'child-fork', { pid: child.pid, args, serviceName, file });
    const port = Object.assign(new EventEmitter(), {
      pid: child.pid,
      stderr: child.stderr,
      kill: () => child.kill(),
      postMessage: (message: object) => child.send(message),
    });
    child.on('message', (message) => port.emit('message', message));
    child.on('exit', (code) => {
      report(isServer ? 'server-exit' : 'child-exit', isServer ? code : { pid: child.pid });
      port.emit('exit', code);
    });
    return port;
  },
};
