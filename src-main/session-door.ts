/**
 * The one thing that a page may ask of the shell: its session. The threat is a page or a frame of somebody else's that
 * got into the window: it asks by the same channel, so what counts is where the asking frame really came from.
 */
import { ipcMain } from 'electron';
import type { ShellSession } from '../src-server/contract/shell.ts';
import { isOwnAddress } from './window.ts';

export function openSessionDoor(parts: { session(): ShellSession | null; origin(): string | null }): void {
  ipcMain.handle('quarry:session', (event): ShellSession => {
    const session = parts.session();
    const sender = event.senderFrame;
    // A frame that was left or closed meanwhile is null.
    const trusted = sender !== null && sender.parent === null && isOwnAddress(sender.url, parts.origin());
    if (session === null || !trusted) throw new Error('This page has no session.');
    return session;
  });
}
