/**
 * The one thing that a page may ask of the shell: a code that signs it in. The threat is a foreign page or frame that
 * got into the window. It asks by the same channel, so the address of the frame that asks decides.
 */
import { ipcMain } from 'electron';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';
import { isOwnAddress } from './window.ts';

export interface SignInDoorParts {
  session(): ShellSession | null;
  origin(): string | null;
  codeFor(session: ShellSession): Promise<string>;
}

export function openSignInDoor(parts: SignInDoorParts): void {
  ipcMain.handle('quarry:sign-in-code', (event): Promise<string> => {
    const session = parts.session();
    const sender = event.senderFrame;
    // A frame that was left or closed meanwhile is null.
    const trusted = sender !== null && sender.parent === null && isOwnAddress(sender.url, parts.origin());
    if (session === null || !trusted) throw new Error('This page gets no sign-in code.');
    return parts.codeFor(session);
  });
}
