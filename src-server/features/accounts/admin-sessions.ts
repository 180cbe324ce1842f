import { type Context, Hono } from 'hono';
import { QuarryError } from '../../contract/index.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import type { Identity } from './service.ts';
import type { Session, SessionStore } from './sessions.ts';
import type { SignInCodes } from './sign-in-codes.ts';

export interface AdminSessionParts {
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
export function adminSessionRoutes({ sessions, codes, identity }: AdminSessionParts): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/sessions', (context) => {
    const current = context.get('session');
    context.header('Cache-Control', 'no-store');
    return context.json({ sessions: sessions.list().map((session) => view(sessions, session, session === current)) });
  });

  routes.delete('/sessions/:sessionId', async (context) => {
    const current = context.get('session');
    const name = context.req.param('sessionId');
    const sessionId = name === 'current' ? current?.id : name;
    const count = await revoke(sessions, context, ({ id }) => id === sessionId);
    if (count === 0) throw new QuarryError('not_found', 'There is no such session. GET /admin/sessions lists them.');
    if (sessionId === current?.id) identity.clearSessionCookie(context);
    return context.body(null, 204);
  });

  routes.delete('/sessions', async (context) => {
    const current = context.get('session');
    await revoke(sessions, context, (session) => session !== current);
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
