/** What a request must carry to use a session, and what using one does. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { parse as parseCookies } from 'hono/utils/cookie';
import type { HttpEnv } from '../../platform/http/env.ts';
import { DAY_MS, SECOND_MS } from '../../platform/units.ts';
import { isFileTicket, isSecretOf, SESSION_DAYS, type Session } from './sessions.ts';

const SECRET_HEADER = 'x-quarry-session';

/** Files of a job: what a page shows or saves by their address, to which it cannot add a header. */
const JOB_FILE = /^(?:\/staging)?\/(?:v1|admin)\/jobs\/([\w-]+)\/(?:files\/[^/?]+|source)\?(.*)$/;

const COOKIE_MAX_AGE_SECONDS = (SESSION_DAYS * DAY_MS) / SECOND_MS;

/** What a request is judged by, as Node received it. */
export type Credentials = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

export const COOKIE = { httpOnly: true, sameSite: 'Strict', maxAge: COOKIE_MAX_AGE_SECONDS } as const;

/** The cookie of one listener. */
export interface SessionCookie {
  /** The session whose cookie a request carries, with or without its second secret. */
  sessionOfCookie(incoming: Credentials): Session | null;
  setSessionCookie(context: Context<HttpEnv>, cookie: string): void;
  clearSessionCookie(context: Context<HttpEnv>): void;
}

/** The value of the session's cookie. */
export function sessionCookie({ headers }: Credentials, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookies(headers.cookie, name)[name];
}

/** Revoking the credential ends the answer. */
export function endWith({ answers }: Pick<Session, 'answers'>, { env: { outgoing } }: Context<HttpEnv>): void {
  answers.add(outgoing);
  outgoing.once('close', () => answers.delete(outgoing));
}

/** A use that could not be recorded refuses no request. */
export function recordUseWithAnswer(record: () => void, context: Context<HttpEnv>): void {
  try {
    record();
  } catch (error) {
    context.get('log').error({ err: error }, 'The last use of a session or key could not be recorded.');
  }
}

/**
 * The second secret comes in a header, or as a ticket in the address of a job's file. `Sec-Fetch-Site` names
 * the origin of the page: all origins but the dashboard's are refused.
 */
export function hasSecondSecret(session: Session, { method, url = '', headers }: Credentials): boolean {
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  const secret = headers[SECRET_HEADER];
  if (typeof secret === 'string') return site === 'same-origin' && isSecretOf(session, secret);
  if (method !== 'GET' && method !== 'HEAD') return false;
  const [, jobId, query] = JOB_FILE.exec(url) ?? [];
  const ticket = new URLSearchParams(query).get('ticket');
  // `none`: the user opened the address, for example from the list of downloads.
  const fromHere = site === 'same-origin' || site === 'none';
  return jobId !== undefined && ticket !== null && fromHere && isFileTicket(session, jobId, ticket);
}
