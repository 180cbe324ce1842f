/**
 * What every feature may use, built once by `app.ts`. It names no feature: a feature that needs another imports its
 * `service.ts`.
 */

import { totalmem } from 'node:os';
import type { Settings } from './config.ts';
import type { EnvironmentName } from './operation.ts';
import type { Clock } from './platform/clock.ts';
import { QuarryError } from './platform/errors.ts';
import type { HttpMiddleware } from './platform/http/env.ts';
import type { Logger } from './platform/log.ts';
import type { KeyIdentity } from './platform/named-key.ts';
import type { GuardedClient, GuardedClientDeps } from './platform/net/guarded-client.ts';
import { openGuardedClient } from './platform/net/lazy-clients.ts';
import { OriginKey } from './platform/net/origin-key.ts';
import { createWorkerPool, defaultMemoryLimitBytes, type WorkerPool } from './platform/pool/worker-pool.ts';
import type { StartChildProgram } from './platform/rpc/child-process.ts';
import { forkChildPrograms } from './platform/rpc/child-process.ts';
import { MINUTE_MS } from './platform/units.ts';
import { VERSION } from './platform/version.ts';

/** Options of features that the starting process sets. */
export interface FeatureOptions {
  /** Models folder. Default: `models` in the data folder. */
  modelsDir?: string | undefined;
  /** Key of the text server in the settings. It is kept out of settings and logs. */
  textServerKey?: string | undefined;
  /** Key of the speech server in the settings. It is kept out of settings and logs. */
  speechServerKey?: string | undefined;
  /** URLs where local text servers are searched. */
  knownTextServers?: readonly string[];
  /** Longest time a request waits for its audio preview. */
  previewLimitMs?: number;
  /** Test hook for DNS lookups and connections. */
  network?: Pick<GuardedClientDeps, 'resolver' | 'connector'>;
}

interface ContextDeps {
  dataDir: string;
  /** Entry file of the worker threads, source or build. */
  workerEntry: URL;
  /** The product's data: reference guides, model catalogue, voices. */
  resourcesFolder: URL;
  clock: Clock;
  log: Logger;
  settings(): Readonly<Settings>;
  options: FeatureOptions;
  /** Starts child programs. The default forks them. */
  startChild?: StartChildProgram | undefined;
  threads?: number | undefined;
}

export type Close = () => Promise<void> | void;

export interface AppContext extends Omit<ContextDeps, 'startChild' | 'threads'> {
  startChild: StartChildProgram;
  /** Threads that parse foreign bytes and do CPU work. */
  pool: WorkerPool;
  /** Fetches untrusted URLs under the address policy. */
  client: GuardedClient;
  /** Keys of the servers in the settings. */
  serverKeys: { text: OriginKey; speech: OriginKey };
  /** Registers a function that `close` runs. They run in reverse order. */
  onClose(close: Close): void;
  /** Closes all parts. Errors are logged and do not stop the others. */
  close(): Promise<void>;
}

export function openAppContext(deps: ContextDeps): AppContext {
  const { clock, log, options, threads } = deps;
  const startChild = deps.startChild ?? forkChildPrograms(deps.workerEntry);
  const closers: Close[] = [];
  const pool = createWorkerPool({
    onThreadLost: (error) => log.error({ err: error }, 'A worker thread died. The next task starts another one.'),
    entry: deps.workerEntry,
    startChild,
    memoryLimitBytes: defaultMemoryLimitBytes(totalmem()),
    ...(threads === undefined ? {} : { threads }),
  });
  closers.push(() => endInTime('The pool of threads', () => pool.close()));
  const client = openGuardedClient({ userAgent: `Quarry/${VERSION}`, clock, ...options.network });
  closers.push(() => endInTime('The client', () => client.close()));
  const { textServerUrl, speechServerUrl } = deps.settings();
  return {
    ...deps,
    startChild,
    pool,
    client,
    serverKeys: {
      text: new OriginKey(deps.dataDir, 'text', options.textServerKey, textServerUrl).keepKeyBond(),
      speech: new OriginKey(deps.dataDir, 'speech', options.speechServerKey, speechServerUrl).keepKeyBond(),
    },
    onClose: (close) => closers.push(close),
    close: () => closeAll(closers, log),
  };
}

/** Runs all closers in reverse order. A part that fails to close (on a full disk) does not stop the others. */
export async function closeAll(closers: Close[], log: Logger): Promise<void> {
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log.fatal({ err: error }, 'A part of the server failed to close.');
    }
  }
}

/** No part of the server takes this long to end: the others are ended without it. */
const END_LIMIT_MS = 2 * MINUTE_MS;

/** Ends a part of the server. Errors: those of the part, and Error where it does not end. */
export async function endInTime(name: string, end: () => Promise<void> | void): Promise<void> {
  const late = Promise.withResolvers<never>();
  const limit = setTimeout(() => late.reject(new Error(`${name} does not end.`)), END_LIMIT_MS);
  try {
    await Promise.race([end(), late.promise]);
  } finally {
    clearTimeout(limit);
  }
}

/** A service that all environments share: created on first use, once per context. */
export function perContext<Service>(open: (context: AppContext) => Service): (context: AppContext) => Service {
  const opened = new WeakMap<AppContext, { service: Service }>();
  return (context) => {
    const known = opened.get(context) ?? { service: open(context) };
    opened.set(context, known);
    return known.service;
  };
}

/**
 * The identity of a request (decisions 1). `accountId` is `owner`, a payer's wallet address in lower-case hex, or
 * `ip:<address>` for an anonymous caller (IPv6 by its /64).
 */
export type Principal =
  | { kind: 'owner'; accountId: 'owner'; key?: KeyIdentity }
  | { kind: 'payer'; accountId: `0x${string}` }
  | { kind: 'anonymous'; accountId: `ip:${string}` };

/** The scope of keys that may name hosts of the private network. `admin` does not include it. */
export const PRIVATE_NETWORK_SCOPE = 'private-network';

export const OWNER: Principal = { kind: 'owner', accountId: 'owner' };

/** For routes that only the owner may use. A caller that nothing has identified is none. */
export const requireOwner: HttpMiddleware = async (context, next) => {
  const principal: Principal | undefined = context.get('principal');
  if (principal?.kind !== 'owner') {
    throw new QuarryError('unauthorized', 'Only the owner may do this: send Authorization: Bearer <owner token>.');
  }
  await next();
};

export const BASE_PATHS: Record<EnvironmentName, string> = { production: '/v1', staging: '/staging/v1' };

export { type FindKey, isDevice, type KeyIdentity, type KeyMark } from './platform/named-key.ts';

declare module './platform/http/env.ts' {
  interface HttpVariables {
    /** Set by the identity middleware on every `/v1` and `/admin` route. */
    principal: Principal;
  }
}
