import { contextBridge, ipcRenderer } from 'electron';
import type { ShellBridge } from '../src-server/platform/rpc/shell.ts';

/**
 * Everything the page can ask of the shell: one function. It returns a code that signs the page in once, and nothing of
 * Electron. The main process knows where the page came from, and decides whether it gets one.
 */
const bridge: ShellBridge = { signInCode: () => ipcRenderer.invoke('quarry:sign-in-code') };

contextBridge.exposeInMainWorld('quarry', bridge);
