/**
 * A stand-in for the `electron` module that only writes down what it is told, so that the shell's guards can be looked
 * at one by one, in a mutated copy too. Names and shapes are those of electron.d.ts; what is not needed is not there.
 */
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Handler = (...args: never[]) => unknown;

/** What the code under test has told Electron since `startRecording`. */
export interface Recording {
  windows: { webPreferences?: Record<string, unknown> }[];
  /** In the order of the calls. */
  calls: string[];
  opened: string[];
  handlers: Map<string, Handler>;
  exposed: Map<string, Record<string, unknown>>;
  permissionCheck: Handler | null;
  permissionRequest: Handler | null;
  spellChecker: boolean | null;
  crashReporter: object | null;
}

function nothing(): Recording {
  const lists = { windows: [], calls: [], opened: [] };
  const asked = { permissionCheck: null, permissionRequest: null, spellChecker: null, crashReporter: null };
  return { ...lists, handlers: new Map(), exposed: new Map(), ...asked };
}

export let recording = nothing();

export function startRecording(): Recording {
  recording = nothing();
  app.removeAllListeners();
  return recording;
}

class WebContents extends EventEmitter {
  openHandler: ((details: { url: string }) => { action: string }) | null = null;

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler;
  }
}

export class BrowserWindow extends EventEmitter {
  static fromWebContents(): BrowserWindow | null {
    return null;
  }

  readonly webContents = new WebContents();

  constructor(options: Recording['windows'][number]) {
    super();
    recording.windows.push(options);
    app.emit('web-contents-created', {}, this.webContents);
  }
}

const say =
  (name: string) =>
  (...args: unknown[]) => {
    recording.calls.push([name, ...args.filter((one) => typeof one === 'string')].join(' '));
  };

let folder: string | null = null;

/** A folder that is gone with the process. */
function userFolder(): string {
  if (folder !== null) return folder;
  const made = mkdtempSync(join(tmpdir(), 'quarry recording '));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}

export const app = Object.assign(new EventEmitter(), {
  isPackaged: false,
  enableSandbox: say('enableSandbox'),
  setAppUserModelId: say('setAppUserModelId'),
  setAsDefaultProtocolClient: say('setAsDefaultProtocolClient'),
  getPath: userFolder,
  commandLine: { hasSwitch: () => false },
  setPath: say('setPath'),
  requestSingleInstanceLock: () => {
    recording.calls.push('requestSingleInstanceLock');
    return true;
  },
  // Never: what comes after it opens windows and starts servers.
  whenReady: () => {
    recording.calls.push('whenReady');
    return new Promise<void>(() => undefined);
  },
  quit: say('quit'),
  exit: say('exit'),
});

export const shell = {
  openExternal: async (url: string) => void recording.opened.push(url),
  showItemInFolder: (path: string) => void recording.calls.push(`show ${path}`),
  openPath: async () => '',
};
export const clipboard = { writeText: say('writeText') };
export const crashReporter = {
  start: (options: object) => {
    recording.crashReporter = options;
  },
};
export const ipcMain = { handle: (channel: string, handler: Handler) => void recording.handlers.set(channel, handler) };
export const ipcRenderer = { invoke: say('invoke'), send: say('send'), on: say('on') };
export const contextBridge = {
  exposeInMainWorld: (name: string, value: Record<string, unknown>) => void recording.exposed.set(name, value),
};
export const session = {
  defaultSession: {
    setSpellCheckerEnabled: (isOn: boolean) => {
      recording.spellChecker = isOn;
    },
    setPermissionCheckHandler: (handler: Handler) => {
      recording.permissionCheck = handler;
    },
    setPermissionRequestHandler: (handler: Handler) => {
      recording.permissionRequest = handler;
    },
  },
};
export const screen = { getDisplayMatching: () => ({ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }) };
export const powerMonitor = new EventEmitter();
export const powerSaveBlocker = { start: () => 1, stop: () => undefined };
export const utilityProcess = { fork: () => new EventEmitter() };
export const dialog = {
  showErrorBox: say('showErrorBox'),
  showMessageBox: async () => ({ response: 0 }),
  showOpenDialog: async () => ({ canceled: false, filePaths: ['/chosen'] }),
};
export const Menu = { buildFromTemplate: () => ({ popup: () => undefined }), setApplicationMenu: () => undefined };
export const nativeImage = { createFromPath: () => ({}) };
export class Tray extends EventEmitter {}
export class Notification extends EventEmitter {}
