import type { ShellBridge } from '../../src-server/contract/shell.ts';

declare global {
  interface Window {
    /** Put there by the desktop shell's preload; absent in a browser. */
    quarry?: ShellBridge;
  }
}

export interface Health {
  status: string;
  version: string;
  uptimeSeconds: number;
}

export interface OwnerOverview {
  queues: { environment: string; running: number; byStatus: Record<string, number> }[];
  pool: { threads: number; busy: number; waiting: number };
  memory: { residentBytes: number };
  disk: { freeBytes: number };
}

let signingIn: Promise<void> | null = null;

/**
 * In the desktop window, trades the shell's token for the owner's cookie, once. A browser has its own way: the link.
 */
function signIn(): Promise<void> {
  signingIn ??= (async () => {
    if (window.quarry === undefined) return;
    const { ownerToken } = await window.quarry.session();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch('/login', { method: 'POST', headers, body: JSON.stringify({ token: ownerToken }) });
    if (!answer.ok) throw new Error('The server did not take the desktop app’s sign-in.');
  })();
  // A failed attempt is not kept: the next question tries again.
  signingIn.catch(() => {
    signingIn = null;
  });
  return signingIn;
}

export async function readHealth(): Promise<Health> {
  const answer = await fetch('/health');
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return (await answer.json()) as Health;
}

/** Null where this browser is not signed in as the owner. */
export async function readOverview(): Promise<OwnerOverview | null> {
  await signIn();
  const answer = await fetch('/admin/overview');
  if (answer.status === 401) return null;
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return (await answer.json()) as OwnerOverview;
}
