/**
 * Who a request acts for. Threats: guessing the owner's token (256 random bits, compared in constant time) and using
 * what a browser holds. A browser sends its cookies to every port of a host, so a page or a program on another port of
 * 127.0.0.1 can get the session's cookie and send it here with any headers. The cookie is therefore worth nothing
 * alone: a request also needs the session's second secret, which only the storage of the dashboard's own origin holds.
 * See decisions/062-sessions.md.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { OWNER, type Principal } from '../../context.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { KEY_PREFIX, type KeyStore, type NamedKey } from './keys.ts';
import type { CheckScope } from './scopes.ts';
import {
  COOKIE,
  type Credentials,
  endWith,
  hasSecondSecret,
  recordUseWithAnswer,
  type SessionCookie,
  sessionCookie,
} from './session-use.ts';
import type { Session, SessionStore } from './sessions.ts';

export interface Identity extends SessionCookie {
  /**
   * Sets `principal` and `session`. Errors: `unauthorized` for a wrong bearer token, `forbidden` for a key without the
   * scope of the route, `not_found` for a key at an unknown address; no credential is no error.
   */
  identify: MiddlewareHandler<HttpEnv>;
  isOwnerToken(token: string): boolean;
  /** Whether a request acts for the owner: the same decision as that of `identify`. */
  isOwner(incoming: Credentials): boolean;
}

export interface IdentityDeps {
  ownerToken: string;
  sessions: SessionStore;
  keys: KeyStore;
  checkScope: CheckScope;
  /** Where the server listens: it is part of the cookie's name, so that two servers of one host have one each. */
  port(): number;
  /** Path of the public address, which the cookie is limited to; empty for the whole origin. */
  basePath(): string;
  /** The account of a caller without credentials, by its address. */
  anonymousAccount(address: string | undefined): `ip:${string}`;
  /** Recovers the wallet from a SIGN-IN-WITH-X header. Throws `unauthorized`. */
  walletOf(header: string, context: Context<HttpEnv>): Promise<`0x${string}`>;
}

export function createIdentity(deps: IdentityDeps): Identity {
  const { sessions, keys } = deps;
  const isOwnerToken = sameAs(deps.ownerToken);
  const cookieName = () => `quarry_session_${deps.port()}`;
  const cookieOf = (incoming: Credentials) => sessionCookie(incoming, cookieName());
  const sessionOfCookie = (incoming: Credentials): Session | null => {
    const cookie = cookieOf(incoming);
    return cookie === undefined ? null : sessions.findSessionByCookie(cookie);
  };
  const ownerSessionOf = (incoming: Credentials): Session | null => {
    const session = sessionOfCookie(incoming);
    return session !== null && hasSecondSecret(session, incoming) ? session : null;
  };
  const hasOwnerToken = (authorization: string): boolean => {
    const token = bearerOf(authorization);
    return token !== undefined && isOwnerToken(token);
  };
  const cookiePath = () => deps.basePath() || '/';
  const setSessionCookie = (context: Context<HttpEnv>, cookie: string): void => {
    const path = cookiePath();
    // One of the time before the public address had a path would be sent beside the new one.
    if (path !== '/') deleteCookie(context, cookieName());
    setCookie(context, cookieName(), cookie, { ...COOKIE, path });
  };
  /** Moves the session's end, and ends its answers when it is revoked. */
  const useOwnerSession = (session: Session, context: Context<HttpEnv>): void => {
    endWith(session, context);
    if (!sessions.isUseDue(session)) return;
    setSessionCookie(context, cookieOf(context.env.incoming) ?? '');
    recordUseWithAnswer(() => sessions.recordSessionUse(session), context);
  };
  const identifyPrincipal = async (context: Context<HttpEnv>): Promise<Principal> => {
    const { incoming } = context.env;
    const authorization = authorizationOf(incoming);
    context.set('session', null);
    if (authorization !== undefined) {
      if (hasOwnerToken(authorization)) return ownerIn(context);
      const key = useKey(deps, authorization, context);
      return { kind: 'owner', accountId: 'owner', key };
    }
    const session = ownerSessionOf(incoming);
    if (session !== null) {
      context.set('session', session);
      useOwnerSession(session, context);
      return ownerIn(context);
    }
    const wallet = context.req.header('sign-in-with-x');
    if (wallet !== undefined) return { kind: 'payer', accountId: await deps.walletOf(wallet, context) };
    return { kind: 'anonymous', accountId: deps.anonymousAccount(context.get('clientAddress')) };
  };
  return {
    identify: async (context, next) => {
      context.set('principal', await identifyPrincipal(context));
      await next();
    },
    isOwnerToken,
    isOwner: (incoming) => {
      const authorization = authorizationOf(incoming);
      if (authorization === undefined) return ownerSessionOf(incoming) !== null;
      return hasOwnerToken(authorization) || keyOfAuthorization(keys, authorization) !== null;
    },
    sessionOfCookie,
    setSessionCookie,
    clearSessionCookie: (context) => void deleteCookie(context, cookieName(), { path: cookiePath() }),
  };
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * The `Authorization` of a request. Clients that cannot set a bearer token send a named key as the password of Basic,
 * which many take from an address (`http://:qk_…@127.0.0.1`), or as `X-Api-Key`. Browsers are never asked for Basic,
 * so no page can use one that a browser holds. The owner token is taken as a bearer token only.
 */
function authorizationOf({ headers }: Pick<Credentials, 'headers'>): string | undefined {
  const { authorization } = headers;
  const given = authorization === undefined ? headers['x-api-key'] : passwordOf(authorization);
  return typeof given === 'string' && given.startsWith(KEY_PREFIX) ? `Bearer ${given}` : authorization;
}

function passwordOf(authorization: string): string | undefined {
  const basic = BASIC.exec(authorization)?.[1];
  return basic === undefined ? undefined : /^[^:]*:(\S+)$/.exec(Buffer.from(basic, 'base64').toString())?.[1];
}

function ownerIn(context: Context<HttpEnv>): Principal {
  context.set('actor', {});
  return OWNER;
}

function bearerOf(authorization: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

function keyOfAuthorization(keys: KeyStore, authorization: string): NamedKey | null {
  const token = bearerOf(authorization);
  return token?.startsWith(KEY_PREFIX) ? keys.findKeyBySecret(token) : null;
}

/** The named key of a request. Errors: `unauthorized`, and those of `checkScope`. */
function useKey({ keys, checkScope }: IdentityDeps, authorization: string, context: Context<HttpEnv>): NamedKey {
  const key = keyOfAuthorization(keys, authorization);
  if (key === null) {
    throw new QuarryError('unauthorized', 'The bearer token is neither the owner token nor a valid key.');
  }
  context.set('actor', { key });
  checkScope(key, context);
  endWith(key, context);
  if (keys.isUseDue(key)) recordUseWithAnswer(() => keys.recordKeyUse(key), context);
  return key;
}

/** Compares digests, so that neither content nor length shows in the time it takes. */
function sameAs(expected: string): (given: string) => boolean {
  const compareDigest = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  const wanted = compareDigest(expected);
  return (given) => timingSafeEqual(compareDigest(given), wanted);
}

declare module '../../platform/http/env.ts' {
  interface HttpVariables {
    /** Set with `principal`: the session of the owner's browser; null for every other caller. */
    session: Session | null;
  }
}

export { type Account, Accounts } from './accounts.ts';
export { browserOf } from './browser-names.ts';
export { createDeviceIdentity, type DeviceIdentity, deviceKey } from './device-identity.ts';
export {
  allowsAnyScope,
  checkOwnJob,
  checkOwnMade,
  hasMakerKeyEnded,
  keyEndedNotice,
  keyOfPrincipal,
  madeBy,
  makerOf,
  onlyDeclared,
  operationScopes,
  refuseCallbacksOfDevices,
  requireScope,
} from './scopes.ts';
export { fileTicket, SessionStore, SignInCodes } from './sessions.ts';
export { sendPage, signInPage } from './sign-in-page.ts';
