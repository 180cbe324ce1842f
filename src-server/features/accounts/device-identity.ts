/**
 * Who a request from the network acts for: a linked device, or nobody. This door never reads a token, a key or a
 * wallet's signature, so no guess of them is possible here. A device acts for the owner at the addresses that are
 * declared `forDevices`: it reads, makes, cancels and deletes the owner's jobs, searches, and edits results. It cannot
 * install, read or change settings, keys, sessions, payments and backups, watch folders or sites, register webhooks,
 * or name hosts of the private network. A device that is lost can do nothing that outlasts its sign-out.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import type { KeyIdentity } from '../../context.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { DEVICE_MARK } from '../../platform/named-key.ts';
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

/** Samples of voices are played by their address. They are part of the product, so the cookie alone opens them. */
const VOICE_SAMPLE = /^(?:\/staging)?\/v1\/voices\/samples\/[\w.-]+$/;

export interface DeviceIdentity extends SessionCookie {
  /**
   * Sets `principal` and `session`. Errors: `unauthorized` for all that is not linked, `forbidden` for what devices may
   * not do, `not_found`.
   */
  identify: MiddlewareHandler<HttpEnv>;
  /** Whether a request comes from a linked device: the same decision as that of `identify`. */
  isLinked(incoming: Credentials): boolean;
}

export interface DeviceIdentityDeps {
  sessions: SessionStore;
  /** `deviceCheck` of the addresses. */
  checkScope: CheckScope;
  /** Port of the door: it is part of the cookie's name. */
  port(): number;
}

/** What a linked device is to the rest of the server: a key with a mark. */
export function deviceKey({ id, device }: Session): KeyIdentity {
  const scopes = ['read', 'write', 'run', DEVICE_MARK];
  return { id, name: device ?? 'Device', scopes, requestsPerMinute: null, openJobs: null };
}

export function createDeviceIdentity({ sessions, checkScope, port }: DeviceIdentityDeps): DeviceIdentity {
  const cookieName = () => `quarry_device_${port()}`;
  const sessionOfCookie = (incoming: Credentials): Session | null => {
    const cookie = sessionCookie(incoming, cookieName());
    return cookie === undefined ? null : sessions.findSessionByCookie(cookie);
  };
  const deviceSessionOf = (incoming: Credentials): Session | null => {
    const session = sessionOfCookie(incoming);
    const isAllowed = session !== null && (hasSecondSecret(session, incoming) || isVoiceSample(incoming));
    return isAllowed ? session : null;
  };
  const setSessionCookie = (context: Context<HttpEnv>, cookie: string): void =>
    setCookie(context, cookieName(), cookie, { ...COOKIE, path: '/' });
  return {
    identify: async (context, next) => {
      const { incoming } = context.env;
      const session = deviceSessionOf(incoming);
      if (session === null) throw notLinked();
      const key = deviceKey(session);
      context.set('actor', { key });
      context.set('session', session);
      checkScope(key, context);
      endWith(session, context);
      if (sessions.isUseDue(session)) {
        setSessionCookie(context, sessionCookie(incoming, cookieName()) ?? '');
        recordUseWithAnswer(() => sessions.recordSessionUse(session), context);
      }
      context.set('principal', { kind: 'owner', accountId: 'owner', key });
      await next();
    },
    isLinked: (incoming) => deviceSessionOf(incoming) !== null,
    sessionOfCookie,
    setSessionCookie,
    clearSessionCookie: (context) => void deleteCookie(context, cookieName(), { path: '/' }),
  };
}

function isVoiceSample({ method, url = '' }: Credentials): boolean {
  return (method === 'GET' || method === 'HEAD') && VOICE_SAMPLE.test(url);
}

function notLinked(): QuarryError {
  return new QuarryError(
    'unauthorized',
    'This device is not linked. On the computer, open Settings, "Open on your phone", and scan the code.',
  );
}
