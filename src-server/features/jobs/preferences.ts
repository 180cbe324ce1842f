import type { Context } from 'hono';
import type { HttpEnv } from '../../platform/http/env.ts';
import type { InstallPreference } from './waiting.ts';

/** What a request prefers (RFC 7240). */

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

/** `install` of a Prefer header, which only the owner may use; null for an unknown value. */
export function installPreference(context: Context<HttpEnv>): InstallPreference | null {
  if (context.get('principal').kind !== 'owner') return null;
  const install = preferencesOf(context.req.header('prefer')).find((one) => /^\s*install\s*(?:[=;]|$)/i.test(one));
  const value = /^\s*install\s*(?:=\s*"?([^";]*?)"?\s*)?(?:;|$)/i.exec(install ?? '');
  if (value === null) return null;
  const named = value[1]?.toLowerCase() ?? '';
  if (named === '') return 'install';
  return named === 'ask' ? 'ask' : null;
}

function preferencesOf(header: string | undefined): string[] {
  return header?.replace(QUOTED, (quoted) => quoted.replaceAll(/[,;]/g, ' ')).split(',') ?? [];
}
