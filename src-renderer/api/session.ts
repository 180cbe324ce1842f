import type { ShellBridge } from '../../src-server/platform/rpc/shell.ts';

declare global {
  interface Window {
    /** Put there by the desktop shell's preload; absent in a browser. */
    quarry?: ShellBridge;
  }
}

/** Where the login page of the server stores the session's second secret: `src-server/features/accounts/routes.ts`. */
const STORED_AS = 'quarry-session';
/** What every request of the owner carries beside the cookie: `src-server/features/accounts/service.ts`. */
export const SECRET_HEADER = 'x-quarry-session';

/** Whether this window signs itself in, as the desktop window does. */
export const SIGNS_ITSELF_IN = window.quarry !== undefined;

let signingIn: Promise<void> | null = null;

/** Read for each request: another tab may have opened a new session. */
export function sessionSecret(): string | null {
  return localStorage.getItem(STORED_AS);
}

export function forgetSession(): void {
  localStorage.removeItem(STORED_AS);
}

/**
 * In the desktop window, opens a session, unless another request has replaced `refused` meanwhile. Requests that arrive
 * together share one. A browser has the link instead.
 */
export function signIn(refused: string | null): Promise<void> {
  if (window.quarry === undefined || sessionSecret() !== refused) return Promise.resolve();
  signingIn ??= openSession(window.quarry).finally(() => {
    signingIn = null;
  });
  return signingIn;
}

async function openSession(shell: ShellBridge): Promise<void> {
  const body = JSON.stringify({ token: await shell.signInCode() });
  const answer = await fetch('/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!answer.ok) return;
  const { secret } = (await answer.json()) as { secret: string };
  localStorage.setItem(STORED_AS, secret);
}
