/**
 * What named keys may do. Each route and operation needs one scope. An address that is not declared is refused, so a
 * new route is closed to keys until it says what it needs.
 */
import { TrieRouter } from 'hono/router/trie-router';
import type { KeyIdentity } from '../../context.ts';
import { QuarryError } from '../../platform/errors.ts';
import { type KeyScope, neededScope, type RouteDescription } from '../../platform/http/route.ts';

/** An address that no OpenAPI document describes: another tool's interface. */
export interface ScopedAddress {
  method: string;
  /** As Hono writes it: `/openai/v1/models/:id{.+}`. */
  path: string;
  keyScope: KeyScope;
}

export interface ScopeSources {
  /** Where routes and operations of an environment are mounted: `/v1`, `/staging/v1`. */
  basePaths: readonly string[];
  operations: readonly { id: string; keyScope?: KeyScope }[];
  routes: readonly RouteDescription[];
  others: readonly ScopedAddress[];
}

/** Throws `forbidden` when the key may not send this request. */
export type CheckScope = (key: KeyIdentity, method: string, path: string) => void;

export function scopeCheck({ basePaths, operations, routes, others }: ScopeSources): CheckScope {
  const router = new TrieRouter<KeyScope>();
  for (const base of basePaths) {
    for (const { id, keyScope } of operations) router.add('POST', `${base}/${id}`, keyScope ?? `run:${id}`);
  }
  for (const route of routes) {
    const bases = { environment: basePaths, owner: ['/admin'], origin: ['', '/staging'] }[route.scope];
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1') + (route.takesRest ? '{.+}' : '');
    for (const base of bases) router.add(route.method.toUpperCase(), base + path, neededScope(route));
  }
  for (const { method, path, keyScope } of others) router.add(method, path, keyScope);
  return (key, method, path) => {
    const needed = router.match(method === 'HEAD' ? 'GET' : method, path)[0].map(([scope]) => scope);
    // Where patterns overlap (`/crawl/:id`, `/crawl/all`), each of them must allow it.
    if (needed.length > 0 && needed.every((scope) => holds(key, scope))) return;
    throw refusal(needed.find((scope) => !holds(key, scope)) ?? 'owner');
  };
}

/** Whether the key's scopes include `needed`. `admin` includes all that a key can do, `run` every operation. */
export function holds({ scopes }: Pick<KeyIdentity, 'scopes'>, needed: KeyScope): boolean {
  if (needed === 'owner') return false;
  if (needed === 'none') return true;
  if (scopes.includes('admin') || scopes.includes(needed)) return true;
  if (needed === 'own-job') return scopes.some((scope) => scope === 'run' || scope.startsWith('run:'));
  return needed.startsWith('run:') && scopes.includes('run');
}

/** For what has no address of its own, such as a tool. Errors: `forbidden`. @param key absent for the owner */
export function requireScope(key: KeyIdentity | undefined, needed: KeyScope): void {
  if (key !== undefined && !holds(key, needed)) throw refusal(needed);
}

function refusal(needed: KeyScope): QuarryError {
  if (needed === 'owner') return new QuarryError('forbidden', 'No key may do this: send the owner token.');
  const scope = needed === 'own-job' ? 'run' : needed;
  return new QuarryError(
    'forbidden',
    `This key does not have the scope ${scope}. Ask the owner of this appliance for a key that has it.`,
  );
}

/** For routes of one job that need `own-job`: a key without `admin` changes only the jobs that it made. */
export function checkOwnJob(key: KeyIdentity | undefined, job: { key_id: string | null }): void {
  if (key === undefined || key.scopes.includes('admin') || job.key_id === key.id) return;
  throw new QuarryError('forbidden', 'This key may change only the jobs that it made.');
}
