import { contextBridge, ipcRenderer } from 'electron';
import type { ShellBridge } from '../src-server/platform/rpc/shell.ts';

/**
 * The only function the page can call in the shell. It returns a one-time sign-in code. The main process checks the
 * page's origin and decides.
 */
const bridge: ShellBridge = { signInCode: () => ipcRenderer.invoke('quarry:sign-in-code') };

contextBridge.exposeInMainWorld('quarry', bridge);
