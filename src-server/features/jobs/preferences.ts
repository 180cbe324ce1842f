/** What a request prefers (RFC 7240). */

import type { Context } from 'hono';
import type { HttpEnv } from '../../platform/http/env.ts';
import { allowsAnyScope } from '../accounts/service.ts';
import type { InstallPreference } from './waiting.ts';

/** Longest wait, in seconds (decisions 2). */
const WAIT_SECONDS_MAX = 60;

/** Separators within quotes do not count. An unclosed quote extends to the end. */
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;

/**
 * `wait` of a Prefer header (RFC 7240), bounded; null when it is absent or invalid, as the RFC demands. The first one
 * counts.
 */
export function preferredWaitSeconds(header: string | undefined): number | null {
  const wait = preferencesOf(header).find((preference) => /^\s*wait\s*(?:[=;]|$)/i.test(preference));
  const seconds = /=\s*"?(\d+)"?\s*(?:;|$)/.exec(wait ?? '')?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds), WAIT_SECONDS_MAX);
}

/**
 * `install` of a Prefer header; null for an unknown value. A key needs for it what the install route needs; without, it
 * is ignored as a stranger's is, since a preference is no demand (RFC 7240): the error then lists what to install.
 * `ask` installs nothing: it is for the owner and every key.
 */
export function installPreference(context: Context<HttpEnv>): InstallPreference | null {
  const principal = context.get('principal');
  if (principal.kind !== 'owner') return null;
  const install = preferencesOf(context.req.header('prefer')).find((one) => /^\s*install\s*(?:[=;]|$)/i.test(one));
  const value = /^\s*install\s*(?:=\s*"?([^";]*?)"?\s*)?(?:;|$)/i.exec(install ?? '');
  if (value === null) return null;
  const named = value[1]?.toLowerCase() ?? '';
  if (named === '') return allowsAnyScope(principal.key, ['admin']) ? 'install' : null;
  return named === 'ask' ? 'ask' : null;
}

function preferencesOf(header: string | undefined): string[] {
  return header?.replace(QUOTED, (quoted) => quoted.replaceAll(/[,;]/g, ' ')).split(',') ?? [];
}
