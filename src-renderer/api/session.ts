import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { ShellBridge } from '../../src-server/platform/rpc/shell.ts';
import { serverPath } from './base-path.ts';

declare global {
  interface Window {
    /** Set by the preload script of the desktop app; absent in a browser. */
    quarry?: ShellBridge;
  }
}

/** Where the login page stores the second secret of the session: `src-server/features/accounts/routes.ts`. */
const STORED_AS = 'quarry-session';
/** Header the owner's requests need besides the cookie: `src-server/features/accounts/service.ts`. */
export const SECRET_HEADER = 'x-quarry-session';

/** Whether this window signs in by itself, like the desktop window. */
export const SIGNS_ITSELF_IN = window.quarry !== undefined;

/** Whether this window is open on a phone or computer that the owner linked. The server says so in its page. */
export const IS_DEVICE = document.querySelector('meta[name="quarry-device"]') !== null;

let signingIn: Promise<void> | null = null;

/** Read for each request, because another tab may have opened a new session. */
export function sessionSecret(): string | null {
  return localStorage.getItem(STORED_AS);
}

export function forgetSession(): void {
  localStorage.removeItem(STORED_AS);
}

/**
 * Opens a session in the desktop window, unless another request has already replaced `refused`. Concurrent requests
 * share one sign-in. Browsers use the sign-in link.
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
  const answer = await fetch(serverPath('/login'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (!answer.ok) return;
  const { secret } = parseOwnJson<{ secret: string }>(await answer.text());
  localStorage.setItem(STORED_AS, secret);
}
