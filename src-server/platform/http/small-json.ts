import type { Context } from 'hono';
import { KIB } from '../units.ts';
import { type BodyParts, readRequestBody } from './body.ts';
import type { HttpEnv } from './env.ts';

/** Settings, plans and sign-ins are small; what is larger is not one of them. */
const SMALL_BODY_BYTES = 256 * KIB;

export type ReadSmallJson = (context: Context<HttpEnv>) => Promise<Record<string, unknown>>;

/** Reads the JSON object of a route that takes no files. Errors: `invalid_request`, `body_too_large`, 415. */
export function smallJsonReader(parts: BodyParts): ReadSmallJson {
  const rules = { allowsFile: false, maxFileBytes: 0, maxJsonBytes: SMALL_BODY_BYTES };
  return async (context) => (await readRequestBody(context.env.incoming, rules, parts)).value;
}
