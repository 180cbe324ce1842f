import { z } from 'zod';
import { ConfigError } from '../config.ts';
import { announcedUrl, readOwnerToken } from '../platform/files/data-folder.ts';
import { SECOND_MS } from '../platform/units.ts';
import { withDataFolder } from '../start-errors.ts';
import { nameFlags } from './flag-names.ts';

const ANSWER_TIMEOUT_MS = 30 * SECOND_MS;

const Problem = z.object({ detail: z.string() });

/** Sends one request and gives back the JSON of its answer. */
export type SendAsOwner = (method: string, path: string, body?: object) => Promise<unknown>;

/**
 * Requests to the running server of a data folder, with its owner token. Errors: ConfigError when no server answers, or
 * with what it refuses.
 */
export function ownerRequests(dataDir: string, base: string): SendAsOwner {
  return async (method, path, body) => {
    const token = withDataFolder(dataDir, () => readOwnerToken(dataDir));
    const url = await announcedUrl(dataDir);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const answer =
      url === null ? null : await fetch(url + base + path, { method, headers, signal, ...sent }).catch(() => null);
    if (answer === null) {
      throw new ConfigError(
        `No server answers for the data folder ${dataDir}. Start it with "quarry serve", or give --data-dir.`,
      );
    }
    const said: unknown = answer.status === 204 ? null : await answer.json().catch(() => null);
    if (answer.ok) return said;
    const problem = Problem.safeParse(said);
    throw new ConfigError(problem.success ? nameFlags(problem.data.detail) : `The server answered ${answer.status}.`);
  };
}
