import { contextBridge, ipcRenderer } from 'electron';
import type { ShellBridge } from '../src-server/platform/rpc/shell.ts';

/** The only functions the page can call in the shell. The main process checks the page's origin and decides. */
const bridge: ShellBridge = {
  signInCode: () => ipcRenderer.invoke('quarry:sign-in-code'),
  chooseFolder: () => ipcRenderer.invoke('quarry:choose-folder'),
  showFolder: (path) => ipcRenderer.invoke('quarry:show-folder', path),
  showLanguage: (language) => ipcRenderer.invoke('quarry:show-language', language),
};

contextBridge.exposeInMainWorld('quarry', bridge);
