import type { Context } from 'hono';
import type { HttpEnv } from './env.ts';

/** Names a field that the answer does not depend on, in the header `X-Ignored-Fields`. */
export function ignoreField(context: Context<HttpEnv>, path: string): void {
  const named = context.get('ignoredFields') ?? new Set();
  if (named.has(path)) return;
  context.set('ignoredFields', named.add(path));
  context.header('X-Ignored-Fields', [...named].join(', '));
}

declare module './env.ts' {
  interface HttpVariables {
    /** The fields of a request that the answer does not depend on. */
    ignoredFields?: Set<string>;
  }
}
