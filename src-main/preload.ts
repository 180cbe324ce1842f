import { contextBridge, ipcRenderer } from 'electron';
import type { ShellBridge } from '../src-server/contract/shell.ts';

/**
 * Everything the page can ask of the shell: one function. It hands over the address and the owner's token, and nothing
 * of Electron with them. Whether this page may have them is decided in the main process, which knows where it came
 * from.
 */
const bridge: ShellBridge = { session: () => ipcRenderer.invoke('quarry:session') };

contextBridge.exposeInMainWorld('quarry', bridge);
