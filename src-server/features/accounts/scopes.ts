/**
 * What named keys may do. Each route and operation needs one scope. An address that is not declared is refused, so a
 * new route is closed to keys until it says what it needs.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { type FindKey, isDevice, type KeyIdentity, type KeyMark, type Principal } from '../../context.ts';
import type { ScopedAddress } from '../../feature.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { isForDevices, type KeyScope, neededScope, type RouteDescription } from '../../platform/http/route.ts';
import { say } from '../../platform/text/say.ts';

export interface ScopeSources {
  /** Where routes and operations of an environment are mounted: `/v1`, `/staging/v1`. */
  basePaths: readonly string[];
  operations: readonly { id: string; keyScope?: KeyScope; forDevices?: boolean }[];
  routes: readonly RouteDescription[];
  others: readonly ScopedAddress[];
}

/** An address that a request has, as it is declared. */
export interface KnownAddress {
  /** Scopes of which each allows it. */
  scopes: readonly KeyScope[];
  /** Whether a linked phone or computer may call it. */
  forDevices: boolean;
  /** Path with parameters in braces: `/admin/keys/{keyId}`. */
  pattern: string;
  /** The values of the parameters, in their order. */
  params: readonly string[];
}

/** The declared addresses that a request fits: several where patterns overlap (`/crawl/{id}`, `/crawl/all`). */
export type FindAddresses = (method: string, path: string) => KnownAddress[];

export function knownAddresses({ basePaths, operations, routes, others }: ScopeSources): FindAddresses {
  const router = new TrieRouter<Omit<KnownAddress, 'params'>>();
  const addScopedAddress = (method: string, path: string, scopes: readonly KeyScope[], forDevices = false) =>
    router.add(method, path, { scopes, forDevices, pattern: path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}') });
  for (const base of basePaths) {
    for (const operation of operations) {
      addScopedAddress('POST', `${base}/${operation.id}`, operationScopes(operation), operation.forDevices ?? true);
    }
  }
  for (const route of routes) {
    const bases = { environment: basePaths, owner: ['/admin'], origin: ['', '/staging'] }[route.scope];
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1') + (route.takesRest ? '{.+}' : '');
    for (const base of bases)
      addScopedAddress(route.method.toUpperCase(), base + path, [neededScope(route)], isForDevices(route));
  }
  for (const { method, path, keyScope } of others) addScopedAddress(method, path, [keyScope]);
  return (method, path) =>
    router
      .match(method === 'HEAD' ? 'GET' : method, path)[0]
      .map(([address, params]) => ({ ...address, params: Object.values(params).map(String) }));
}

/** Scopes of which each allows the operation. */
export function operationScopes({ id, keyScope }: { id: string; keyScope?: KeyScope }): KeyScope[] {
  return [...(keyScope === undefined ? [] : [keyScope]), `run:${id}`];
}

/** Errors: `forbidden` when the key may not send this request; `not_found`, `method_not_allowed`. */
export type CheckScope = (key: KeyIdentity, context: Context<HttpEnv>) => void;

const NOWHERE = 'There is nothing at this address. /reference lists every route.';

export function scopeCheck(find: FindAddresses): CheckScope {
  return (key, context) => {
    // Where patterns overlap, each of them must allow it.
    for (const { scopes } of declaredAt(find, context, NOWHERE)) requireScope(key, scopes);
  };
}

/** The same for a linked device: it may send what is declared `forDevices`, and nothing else. */
export function deviceCheck(find: FindAddresses): CheckScope {
  return (_, context) => {
    if (declaredAt(find, context, NOWHERE).every(({ forDevices }) => forDevices)) return;
    throw new QuarryError('forbidden', 'Linked devices cannot do this. Do it on the computer that Quarry runs on.');
  };
}

/** A device that is lost must not go on sending results elsewhere. Errors: `forbidden`. */
export function refuseCallbacksOfDevices(key: KeyIdentity | undefined): void {
  if (!isDevice(key)) return;
  throw new QuarryError('forbidden', 'Linked devices register no webhooks. Do it on the computer that Quarry runs on.');
}

/**
 * Closes the interface of another tool to addresses that it does not declare, before any credential is read: a
 * stranger, a key and the owner get the same 404.
 */
export function onlyDeclared(addresses: readonly ScopedAddress[], notHere: string): MiddlewareHandler<HttpEnv> {
  const find = knownAddresses({ basePaths: [], operations: [], routes: [], others: addresses });
  return async (context, next) => {
    declaredAt(find, context, notHere);
    await next();
  };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The declared addresses of a request. Errors: `not_found`; `method_not_allowed`, with `Allow`. */
function declaredAt(find: FindAddresses, context: Context<HttpEnv>, notHere: string): KnownAddress[] {
  const { method, path } = context.req;
  const addresses = find(method, path);
  if (addresses.length > 0) return addresses;
  const allowed = METHODS.filter((one) => find(one, path).length > 0);
  if (allowed.length === 0) throw new QuarryError('not_found', notHere);
  context.header('Allow', allowed.join(', '));
  throw new QuarryError('method_not_allowed', `This address takes ${allowed.join(', ')} only.`);
}

/** Whether the key's scopes include `needed`. `admin` includes all that a key can do, `run` every operation. */
export function holdsKeyScope({ scopes }: Pick<KeyIdentity, 'scopes'>, needed: KeyScope): boolean {
  if (needed === 'owner') return false;
  if (needed === 'none') return true;
  if (scopes.includes('admin') || scopes.includes(needed)) return true;
  if (needed === 'own-job') return scopes.some((scope) => scope === 'run' || scope.startsWith('run:'));
  return needed.startsWith('run:') && scopes.includes('run');
}

/** @param key absent for the owner */
export function allowsAnyScope(key: KeyIdentity | undefined, scopes: readonly KeyScope[]): boolean {
  return key === undefined || scopes.some((scope) => holdsKeyScope(key, scope));
}

/** Errors: `forbidden`. @param key absent for the owner @param scopes of which each is enough */
export function requireScope(key: KeyIdentity | undefined, scopes: readonly KeyScope[]): void {
  if (!allowsAnyScope(key, scopes)) throw missingScopeError(scopes[0] ?? 'owner');
}

function missingScopeError(needed: KeyScope): QuarryError {
  if (needed === 'owner') return new QuarryError('forbidden', 'No key may do this: send the owner token.');
  const scope = needed === 'own-job' ? 'run' : needed;
  return new QuarryError(
    'forbidden',
    `This key does not have the scope ${scope}. Ask the owner of this appliance for a key that has it.`,
  );
}

/**
 * For routes of one job that need `own-job`: a key without `admin` changes only the jobs that it made, a linked device
 * those of the owner.
 */
export function checkOwnJob(key: KeyIdentity | undefined, job: { key_id: string | null; account_id: string }): void {
  if (key === undefined || key.scopes.includes('admin') || job.key_id === key.id) return;
  if (isDevice(key)) {
    if (job.account_id === 'owner') return;
    throw new QuarryError('forbidden', 'Linked devices change only the jobs of the owner.');
  }
  throw new QuarryError('forbidden', 'This key may change only the jobs that it made.');
}

/** What a key made and what lasts: the columns of its row, null for what the owner made. */
interface Made {
  key_id: string | null;
  key_name: string | null;
}

export function madeBy(key: KeyMark | undefined): Made {
  return { key_id: key?.id ?? null, key_name: key?.name ?? null };
}

/** The key of a row, as its object names it; no fields for what the owner made. */
export function makerOf({ key_id: keyId, key_name: keyName }: Made): { keyId?: string; keyName?: string } {
  return keyId === null || keyName === null ? {} : { keyId, keyName };
}

/** @param key absent for the owner, and for all other callers */
export function keyOfPrincipal(principal: Principal): KeyIdentity | undefined {
  return principal.kind === 'owner' ? principal.key : undefined;
}

/**
 * A key changes only what it made, so that nothing else goes on for it after its end. With `admin` it also pauses,
 * resumes and deletes the rest. Errors: `forbidden`.
 */
export function checkOwnMade(key: KeyIdentity | undefined, made: Pick<Made, 'key_id'>, change: object = {}): void {
  if (key === undefined || made.key_id === key.id) return;
  const stops = Object.keys(change).every((name) => name === 'status');
  if (stops && key.scopes.includes('admin')) return;
  throw new QuarryError('forbidden', 'This key may change only what it made.');
}

/** Whether the key of a row has ended, or lost a scope that what it made needs: then it pauses. */
export function hasMakerKeyEnded(find: FindKey, { key_id: keyId }: Pick<Made, 'key_id'>, needed: KeyScope): boolean {
  if (keyId === null) return false;
  const key = find(keyId);
  return key === null || !holdsKeyScope(key, needed);
}

/** Why something pauses, and what the owner can do. */
export function keyEndedNotice({ key_name: name }: Made): string {
  return say`It pauses: its key ${name ?? ''} was revoked, has expired, or lost a scope. The owner may resume it
    as their own.`;
}
