/**
 * Signs a browser in. The token travels in the address's fragment, which browsers never send, and then once in a POST
 * to this origin, which opens a session: an HttpOnly cookie and a second secret, which the page keeps in the storage of
 * its origin. The desktop shell's page sends a sign-in code in place of the token.
 */

import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { ReadSmallJson } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import type { Identity } from './service.ts';
import type { Session, SessionStore, SignInCodes } from './sessions.ts';

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

interface LoginDeps {
  identity: Identity;
  sessions: SessionStore;
  codes: SignInCodes;
  readBody: ReadSmallJson;
  /** Counts a wrong token against the address it came from. Throws `rate_limited`. */
  countRefusal(context: Context<HttpEnv>): Promise<void>;
}

/** `POST /login` `{token}`: 200 `{secret, expiresAt}` and the session's cookie. A browser has one session at a time. */
export function loginRoutes({ identity, sessions, codes, readBody, countRefusal }: LoginDeps): Hono<HttpEnv> {
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
    const { session, cookie, secret } = sessions.create(context.req.header('user-agent') ?? '');
    if (replaced !== null) sessions.revoke((one) => one === replaced);
    identity.setSessionCookie(context, cookie);
    context.header('Cache-Control', 'no-store');
    return context.json({ secret, expiresAt: toIsoTime(sessions.expiresAt(session)) });
  });

  return routes;
}

interface AdminSessionDeps {
  sessions: SessionStore;
  codes: SignInCodes;
  identity: Pick<Identity, 'clearSessionCookie'>;
}

/** Browsers and systems by what their `User-Agent` holds; the first that fits counts, since many claim to be others. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bElectron\//, 'Quarry desktop'],
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * Browsers that are signed in as the owner. Mounted under `/admin`, behind the owner check.
 *
 * `GET /sessions`: `{sessions: [{sessionId, browser, createdAt, lastUsedAt, expiresAt, current}]}`, last used first;
 * `current` marks the one that asks. `DELETE /sessions/:sessionId`: revokes one at once, 204; `current` stands for the
 * one that asks, which signs out. `DELETE /sessions`: revokes all but the one that asks, 204. `POST /sign-in-codes`:
 * 201 `{code, expiresAt}`, a code that `POST /login` takes once, in place of the owner's token.
 */
export function adminSessionRoutes({ sessions, codes, identity }: AdminSessionDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/sessions', (context) => {
    const current = context.get('session');
    context.header('Cache-Control', 'no-store');
    return context.json({ sessions: sessions.list().map((session) => view(sessions, session, session === current)) });
  });

  routes.delete('/sessions/:sessionId', (context) => {
    const current = context.get('session');
    const name = context.req.param('sessionId');
    const sessionId = name === 'current' ? current?.id : name;
    const count = revoke(sessions, context, ({ id }) => id === sessionId);
    if (count === 0) throw new QuarryError('not_found', 'There is no such session. GET /admin/sessions lists them.');
    if (sessionId === current?.id) identity.clearSessionCookie(context);
    return context.body(null, 204);
  });

  routes.delete('/sessions', (context) => {
    const current = context.get('session');
    revoke(sessions, context, (session) => session !== current);
    return context.body(null, 204);
  });

  routes.post('/sign-in-codes', (context) => {
    const { code, expiresAt } = codes.create();
    context.header('Cache-Control', 'no-store');
    return context.json({ code, expiresAt: toIsoTime(expiresAt) }, 201);
  });

  return routes;
}

/** Revoking ends what is being sent to a session, but not the answer to this very request. */
function revoke(sessions: SessionStore, context: Context<HttpEnv>, isMeant: (session: Session) => boolean) {
  return sessions.revoke(isMeant, context.env.outgoing);
}

function view(sessions: SessionStore, session: Session, current: boolean) {
  return {
    sessionId: session.id,
    browser: browserOf(session.userAgent),
    createdAt: toIsoTime(session.createdAt),
    lastUsedAt: toIsoTime(session.lastUsedAt),
    expiresAt: toIsoTime(sessions.expiresAt(session)),
    current,
  };
}

/** `Firefox on Linux`, as far as the header tells. */
function browserOf(userAgent: string): string {
  const nameIn = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = nameIn(SYSTEMS);
  return (nameIn(BROWSERS) ?? 'Unknown browser') + (system === undefined ? '' : ` on ${system}`);
}
