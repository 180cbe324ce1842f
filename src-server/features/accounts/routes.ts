/**
 * Signs a browser in. The token travels in the address's fragment, which browsers never send, and then once in a POST
 * to this origin, which opens a session: an HttpOnly cookie and a second secret, which the page keeps in the storage of
 * its origin. The desktop shell's page sends a sign-in code in place of the token.
 */
import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { QuarryError } from '../../contract/index.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import type { ReadSmallJson } from '../../platform/http/small-json.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import type { Identity } from './service.ts';
import type { SessionStore } from './sessions.ts';
import type { SignInCodes } from './sign-in-codes.ts';

const LoginBody = z.strictObject({ token: z.string().min(1).max(200) });

/** The dashboard reads the second secret under this name: `src-renderer/api/session.ts`. */
const SCRIPT = `
const say = (text) => { document.querySelector('p').textContent = text; };
async function signIn() {
  const token = location.hash.slice(1);
  history.replaceState(null, '', '/login');
  if (!token) return say('This link has no token. Open the link that Quarry printed when it started.');
  const answer = await fetch('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  }).catch(() => null);
  if (answer === null) return say('Quarry does not answer. Is it running?');
  if (!answer.ok) return say('This link is not valid. Open the link that Quarry printed when it started.');
  const { secret } = await answer.json();
  try {
    localStorage.setItem('quarry-session', secret);
  } catch {
    return say('This browser stores nothing for this page. Allow it to store site data, then open the link again.');
  }
  location.replace('/');
}
// Changing only the fragment of this page's address does not reload it.
addEventListener('hashchange', signIn);
signIn();
`;
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Sign in to Quarry</title>
<main><h1>Quarry</h1><p role="status">Signing you in…</p></main>
<script>${SCRIPT}</script></html>`;

export interface LoginParts {
  identity: Identity;
  sessions: SessionStore;
  codes: SignInCodes;
  readBody: ReadSmallJson;
  /** Counts a wrong token against the address it came from. Throws `rate_limited`. */
  countRefusal(context: Context<HttpEnv>): Promise<void>;
}

/** `POST /login` `{token}`: 200 `{secret, expiresAt}` and the session's cookie. A browser has one session at a time. */
export function loginRoutes({ identity, sessions, codes, readBody, countRefusal }: LoginParts): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/login', (context) => {
    const policy = `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; connect-src 'self'; frame-ancestors 'none'`;
    context.header('Content-Security-Policy', policy);
    context.header('Cross-Origin-Opener-Policy', 'same-origin');
    context.header('Referrer-Policy', 'no-referrer');
    return context.html(PAGE);
  });

  routes.post('/login', async (context) => {
    const { token } = parseWithSchema(LoginBody, await readBody(context));
    if (!identity.isOwnerToken(token) && !codes.use(token)) {
      await countRefusal(context);
      throw new QuarryError('unauthorized', 'The token is not the owner token.');
    }
    const replaced = identity.sessionOfCookie(context.env.incoming);
    const { session, cookie, secret } = await sessions.create(context.req.header('user-agent') ?? '');
    if (replaced !== null) await sessions.revoke((one) => one === replaced);
    identity.setSessionCookie(context, cookie);
    context.header('Cache-Control', 'no-store');
    return context.json({ secret, expiresAt: toIsoTime(sessions.expiresAt(session)) });
  });

  return routes;
}
