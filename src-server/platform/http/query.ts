import type { Context } from 'hono';
import { invalidRequest } from './validate.ts';

/** The parameters of a query, each given once: of two values one would be dropped without a word. */
export function queryOf(context: Context): Record<string, string> {
  const twice = Object.entries(context.req.queries()).filter(([, values]) => values.length > 1);
  if (twice.length > 0) throw invalidRequest(twice.map(([path]) => ({ path, message: 'Give this parameter once.' })));
  return context.req.query();
}
