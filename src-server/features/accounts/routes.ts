/**
 * Signs a browser in. The token travels in the address's fragment, which browsers never send, and then once in a POST
 * to this origin, which opens a session: an HttpOnly cookie and a second secret, which the page keeps in the storage of
 * its origin. The desktop shell's page sends a sign-in code in place of the token.
 */

import type { Context } from 'hono';
import { z } from 'zod';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { browserOf } from './browser-names.ts';
import type { Identity } from './service.ts';
import type { Session, SessionStore, SignInCodes } from './sessions.ts';
import { sendPage, signInPage } from './sign-in-page.ts';

const Time = z.iso.datetime({ precision: 3 });

const LoginBody = z.strictObject({ token: z.string().min(1).max(200) });

const PAGE = signInPage({
  title: 'Sign in to Quarry',
  path: 'login',
  field: 'token',
  doing: 'Signing you in…',
  absent: 'This link has no token. Open the link that Quarry printed when it started.',
  refused: 'This link is not valid. Open the link that Quarry printed when it started.',
});

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
    (_, { context }) => sendPage(context, PAGE),
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
      answers: {
        200: jsonAnswer('The second secret of the session.', z.object({ secret: z.string(), expiresAt: Time })),
      },
      errors: [...BODY_ERRORS, 'unauthorized', 'rate_limited'],
    },
    async ({ identity, sessions, codes, countRefusal }, { context, body, reply }) => {
      const { token } = await body();
      if (!identity.isOwnerToken(token) && !codes.redeemSignInCode(token)) {
        await countRefusal(context);
        throw new QuarryError('unauthorized', 'The token is not the owner token.');
      }
      context.set('actor', {});
      const replaced = identity.sessionOfCookie(context.env.incoming);
      const { session, cookie, secret } = await sessions.createUserSession(context.req.header('user-agent') ?? '');
      context.set('audited', { target: session.id });
      if (replaced !== null) await sessions.revokeSessions((one) => one === replaced);
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
      answers: { 200: jsonAnswer('All of them.', z.object({ sessions: z.array(OwnerSession) })) },
    },
    ({ sessions }, { context, reply }) => {
      const current = context.get('session');
      context.header('Cache-Control', 'no-store');
      return reply(200, {
        sessions: sessions.listUserSessions().map((session) => sessionView(sessions, session, session === current)),
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
      const count = await revokeMeantSessions(sessions, context, ({ id }) => id === sessionId);
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
      await revokeMeantSessions(sessions, context, (session) => session !== current);
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
      answers: { 201: jsonAnswer('The code.', z.object({ code: z.string(), expiresAt: Time })) },
    },
    ({ codes }, { context, reply }) => {
      const { code, expiresAt } = codes.issueSignInCode();
      context.header('Cache-Control', 'no-store');
      return reply(201, { code, expiresAt: toIsoTime(expiresAt) });
    },
  ),
];

/** Revoking ends what is being sent to a session, but not the answer to this very request. */
function revokeMeantSessions(
  sessions: SessionStore,
  context: Context<HttpEnv>,
  isMeant: (session: Session) => boolean,
) {
  return sessions.revokeSessions(isMeant, context.env.outgoing);
}

function sessionView(sessions: SessionStore, session: Session, current: boolean) {
  return {
    sessionId: session.id,
    browser: browserOf(session.userAgent),
    createdAt: toIsoTime(session.createdAt),
    lastUsedAt: toIsoTime(session.lastUsedAt),
    expiresAt: toIsoTime(sessions.expiresAt(session)),
    current,
  };
}
