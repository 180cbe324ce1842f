/**
 * Signs a browser in. The token travels in the address's fragment, which browsers never send, and then once in a POST
 * to this origin, which opens a session: an HttpOnly cookie and a second secret, which the page keeps in the storage of
 * its origin. The desktop shell's page sends a sign-in code in place of the token.
 */

import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { z } from 'zod';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { BODY_ERRORS, json, routesOf } from '../../platform/http/route.ts';
import type { Identity } from './service.ts';
import type { Session, SessionStore, SignInCodes } from './sessions.ts';

const Time = z.iso.datetime({ precision: 3 });

const LoginBody = z.strictObject({ token: z.string().min(1).max(200) });

/** The dashboard reads the second secret under this name: `src-renderer/api/session.ts`. */
const SCRIPT = `
const say = (text) => { document.querySelector('p').textContent = text; };
async function signIn() {
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  if (!token) return say('This link has no token. Open the link that Quarry printed when it started.');
  const answer = await fetch('login', {
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
  location.replace('./');
}
// Changing only the fragment of this page's address does not reload it.
addEventListener('hashchange', signIn);
signIn();
`;

/** The sign-in page as the dashboard has it: one face on the bed. */
const STYLE = `
:root {
  color-scheme: light dark;
  font: 100%/1.5 'IBM Plex Sans Variable', 'IBM Plex Sans', system-ui, 'Segoe UI', Roboto, sans-serif;
  background: light-dark(#f5f6f3, #151c1c);
  color: light-dark(#16201d, #e8eeeb);
}
body { display: grid; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box; place-items: center; }
main {
  width: min(100%, 32.5rem); padding: 2rem; box-sizing: border-box;
  border: 1px solid light-dark(#b9c0b7, #3b4846); border-radius: 10px;
  background: light-dark(#fff, #1c2525);
}
h1 { margin: 0 0 0.5rem; font-size: 1.375rem; line-height: 1.3; }
p { margin: 0; }
`;

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Sign in to Quarry</title>
<style>${STYLE}</style>
<main><h1>Quarry</h1><p role="status">Signing you in…</p></main>
<script>${SCRIPT}</script></html>`;

interface LoginDeps {
  identity: Identity;
  sessions: SessionStore;
  codes: SignInCodes;
  /** Counts a wrong token against the address it came from. Throws `rate_limited`. */
  countRefusal(context: Context<HttpEnv>): Promise<void>;
}

const login = routesOf<LoginDeps>();

const common = { scope: 'origin', tag: 'Sessions', auth: 'none' } as const;

export const LOGIN_ROUTES = [
  login(
    {
      ...common,
      method: 'get',
      path: '/login',
      operationId: 'getLoginPage',
      summary: 'The page that signs a browser in',
      description: 'It takes the token from the fragment of its address.',
      answers: { 200: { description: 'The page.', content: { mediaType: 'text/html', schema: null } } },
    },
    (_, { context }) => {
      context.header('Content-Security-Policy', POLICY);
      context.header('Cross-Origin-Opener-Policy', 'same-origin');
      context.header('Referrer-Policy', 'no-referrer');
      return context.html(PAGE);
    },
  ),
  login(
    {
      ...common,
      method: 'post',
      path: '/login',
      operationId: 'signIn',
      summary: 'Open a session',
      description: 'Sets the cookie of the session, and replaces the session that the browser has.',
      request: { schema: LoginBody },
      answers: { 200: json('The second secret of the session.', z.object({ secret: z.string(), expiresAt: Time })) },
      errors: [...BODY_ERRORS, 'unauthorized', 'rate_limited'],
    },
    async ({ identity, sessions, codes, countRefusal }, { context, body, reply }) => {
      const { token } = await body();
      if (!identity.isOwnerToken(token) && !codes.use(token)) {
        await countRefusal(context);
        throw new QuarryError('unauthorized', 'The token is not the owner token.');
      }
      context.set('actor', {});
      const replaced = identity.sessionOfCookie(context.env.incoming);
      const { session, cookie, secret } = await sessions.create(context.req.header('user-agent') ?? '');
      context.set('audited', { target: session.id });
      if (replaced !== null) await sessions.revoke((one) => one === replaced);
      identity.setSessionCookie(context, cookie);
      context.header('Cache-Control', 'no-store');
      return reply(200, { secret, expiresAt: toIsoTime(sessions.expiresAt(session)) });
    },
  ),
];

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

const OwnerSession = z
  .object({
    sessionId: z.string(),
    browser: z.string().describe('Browser and system, as far as the header tells.'),
    createdAt: Time,
    lastUsedAt: Time,
    expiresAt: Time,
    current: z.boolean().describe('Whether the request belongs to it.'),
  })
  .meta({ id: 'OwnerSession' });

const route = routesOf<AdminSessionDeps>();

/** A key opens no session: that would outlive it. */
const owner = { scope: 'owner', tag: 'Sessions', auth: 'owner', keyScope: 'owner' } as const;

/** Browsers that are signed in as the owner. Mounted under `/admin`, behind the owner check. */
export const ADMIN_SESSION_ROUTES = [
  route(
    {
      ...owner,
      method: 'get',
      path: '/sessions',
      operationId: 'listSessions',
      summary: 'List the sessions',
      description: 'Last used first.',
      answers: { 200: json('All of them.', z.object({ sessions: z.array(OwnerSession) })) },
    },
    ({ sessions }, { context, reply }) => {
      const current = context.get('session');
      context.header('Cache-Control', 'no-store');
      return reply(200, {
        sessions: sessions.list().map((session) => view(sessions, session, session === current)),
      });
    },
  ),
  route(
    {
      ...owner,
      method: 'delete',
      path: '/sessions/{sessionId}',
      operationId: 'revokeSession',
      summary: 'Revoke a session',
      description: 'Takes effect at once. `current` is the session of the request, which signs out.',
      params: { sessionId: z.string().describe('Identifier of the session, or `current`.') },
      answers: { 204: { description: 'Revoked.' } },
      errors: ['not_found'],
    },
    async ({ sessions, identity }, { context, param, end }) => {
      const current = context.get('session');
      const name = param('sessionId');
      const sessionId = name === 'current' ? current?.id : name;
      const count = await revoke(sessions, context, ({ id }) => id === sessionId);
      if (count === 0) throw new QuarryError('not_found', 'There is no such session. GET /admin/sessions lists them.');
      if (sessionId === current?.id) identity.clearSessionCookie(context);
      return end(204);
    },
  ),
  route(
    {
      ...owner,
      method: 'delete',
      path: '/sessions',
      operationId: 'revokeOtherSessions',
      summary: 'Revoke all other sessions',
      description: 'All but the session of the request.',
      answers: { 204: { description: 'Revoked.' } },
    },
    async ({ sessions }, { context, end }) => {
      const current = context.get('session');
      await revoke(sessions, context, (session) => session !== current);
      return end(204);
    },
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/sign-in-codes',
      operationId: 'createSignInCode',
      summary: 'Create a sign-in code',
      description: '`POST /login` takes it once, in place of the owner token.',
      answers: { 201: json('The code.', z.object({ code: z.string(), expiresAt: Time })) },
    },
    ({ codes }, { context, reply }) => {
      const { code, expiresAt } = codes.create();
      context.header('Cache-Control', 'no-store');
      return reply(201, { code, expiresAt: toIsoTime(expiresAt) });
    },
  ),
];

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
