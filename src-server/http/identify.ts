/**
 * Who a request acts for. Threats: guessing the owner's token (256 random bits, compared in constant time), stealing it
 * through a page (the browser holds a derived value in an HttpOnly, SameSite=Strict cookie, never the token), and using
 * the owner's cookie from a foreign page (refused by the host guard).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, MiddlewareHandler } from 'hono';
import { setCookie } from 'hono/cookie';
import { parse as parseCookies } from 'hono/utils/cookie';
import { OWNER, type Principal, QuarryError } from '../contract/index.ts';
import type { HttpEnv } from './context.ts';

const OWNER_COOKIE = 'quarry_owner';
/** A year: a local appliance asks its owner to sign in once. */
const COOKIE_MAX_AGE_SECONDS = 365 * 24 * 3600;

export interface Identity {
  /** Sets `principal`. Errors: `unauthorized` for a credential that is wrong; none at all is no error. */
  identify: MiddlewareHandler<HttpEnv>;
  isOwnerToken(token: string): boolean;
  /** Whether a request carries the owner's token or cookie: the same look as `identify` takes. */
  isOwner(headers: Credentials): boolean;
  setOwnerCookie(context: Context<HttpEnv>): void;
}

/** The headers in which the owner's credential can be. */
interface Credentials {
  authorization?: string | undefined;
  cookie?: string | undefined;
}

export interface IdentityParts {
  ownerToken: string;
  /** The account of a caller without credentials, by its address. */
  anonymousAccount(address: string | undefined): `ip:${string}`;
  /** Recovers the wallet from a SIGN-IN-WITH-X header. Throws `unauthorized`. */
  walletOf(header: string, context: Context<HttpEnv>): Promise<`0x${string}`>;
}

export function createIdentity(parts: IdentityParts): Identity {
  const cookieValue = createHmac('sha256', parts.ownerToken).update('owner cookie').digest('base64url');
  const isOwnerToken = sameAs(parts.ownerToken);
  const isOwnerCookie = sameAs(cookieValue);
  const isOwner = ({ authorization, cookie }: Credentials): boolean => {
    if (authorization !== undefined) {
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
      return token !== undefined && isOwnerToken(token);
    }
    const value = cookie === undefined ? undefined : parseCookies(cookie, OWNER_COOKIE)[OWNER_COOKIE];
    return value !== undefined && isOwnerCookie(value);
  };
  const principalOf = async (context: Context<HttpEnv>): Promise<Principal> => {
    const authorization = context.req.header('authorization');
    if (isOwner({ authorization, cookie: context.req.header('cookie') })) return OWNER;
    if (authorization !== undefined) {
      throw new QuarryError('unauthorized', 'The bearer token is not the owner token of this appliance.');
    }
    const wallet = context.req.header('sign-in-with-x');
    if (wallet !== undefined) return { kind: 'payer', accountId: await parts.walletOf(wallet, context) };
    return { kind: 'anonymous', accountId: parts.anonymousAccount(getConnInfo(context).remote.address) };
  };
  return {
    identify: async (context, next) => {
      context.set('principal', await principalOf(context));
      await next();
    },
    isOwnerToken,
    isOwner,
    setOwnerCookie: (context) =>
      setCookie(context, OWNER_COOKIE, cookieValue, {
        httpOnly: true,
        sameSite: 'Strict',
        path: '/',
        maxAge: COOKIE_MAX_AGE_SECONDS,
      }),
  };
}

/** For routes that only the owner may use. */
export const requireOwner: MiddlewareHandler<HttpEnv> = async (context, next) => {
  if (context.get('principal').kind !== 'owner') {
    throw new QuarryError('unauthorized', 'Only the owner may do this: send Authorization: Bearer <owner token>.');
  }
  await next();
};

/** Compares digests, so that neither content nor length shows in the time it takes. */
function sameAs(expected: string): (given: string) => boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  const wanted = digest(expected);
  return (given) => timingSafeEqual(digest(given), wanted);
}
