/**
 * What every feature may ask for, built once by `app.ts`. It names no feature: a feature that needs another imports its
 * `service.ts`.
 */

import { totalmem } from 'node:os';
import type { Settings } from './config.ts';
import type { EnvironmentName } from './operation.ts';
import type { Clock } from './platform/clock.ts';
import type { Logger } from './platform/log.ts';
import { createGuardedClient, type GuardedClient, type GuardedClientDeps } from './platform/net/guarded-client.ts';
import { createWorkerPool, defaultMemoryLimitBytes, type WorkerPool } from './platform/pool/worker-pool.ts';
import type { StartChildProgram } from './platform/rpc/child-process.ts';
import { forkChildPrograms } from './platform/rpc/child-process.ts';
import { VERSION } from './platform/version.ts';

/** What the process that starts the server decides about features. */
export interface FeatureOptions {
  /** Folder of the models; `models` in the data folder by default. */
  modelsDir?: string | undefined;
  /** Key of the text server that the settings name; kept out of settings and logs. */
  textServerKey?: string | undefined;
  /** Key of the speech server that the settings name; as above. */
  speechServerKey?: string | undefined;
  /** Where text servers of this machine are looked for. */
  knownTextServers?: readonly string[];
  /** How long a request is held for clips of its opening seconds. */
  previewLimitMs?: number;
  /** Seam for tests: look-ups and connections that can be watched. */
  network?: Pick<GuardedClientDeps, 'resolver' | 'connector'>;
}

interface ContextDeps {
  dataDir: string;
  /** Entry of the worker threads: a source file, or its build. */
  workerEntry: URL;
  /** The product's data: guides of the reference, model catalogue, voices. */
  resourcesFolder: URL;
  clock: Clock;
  log: Logger;
  settings(): Readonly<Settings>;
  options: FeatureOptions;
  /** How child programs are started; they are forked by default. */
  startChild?: StartChildProgram | undefined;
  threads?: number | undefined;
}

type Close = () => Promise<void> | void;

export interface AppContext extends Omit<ContextDeps, 'startChild' | 'threads'> {
  startChild: StartChildProgram;
  /** Threads for everything that parses foreign bytes or burns CPU. */
  pool: WorkerPool;
  /** Fetches what others name, guarded. */
  client: GuardedClient;
  /** Registers what `close` ends, in the reverse order. */
  onClose(close: Close): void;
  /** Errors of one part keep no other from closing; they are logged. */
  close(): Promise<void>;
}

export function openContext(deps: ContextDeps): AppContext {
  const { clock, log, options, threads } = deps;
  const startChild = deps.startChild ?? forkChildPrograms(deps.workerEntry);
  const closers: Close[] = [];
  const pool = createWorkerPool({
    onThreadLost: (error) => log.error({ err: error }, 'A thread ended; the next task that needs one starts another.'),
    entry: deps.workerEntry,
    startChild,
    memoryLimitBytes: defaultMemoryLimitBytes(totalmem()),
    ...(threads === undefined ? {} : { threads }),
  });
  closers.push(() => pool.close());
  const client = createGuardedClient({ userAgent: `Quarry/${VERSION}`, clock, ...options.network });
  closers.push(() => client.close());
  return {
    ...deps,
    startChild,
    pool,
    client,
    onClose: (close) => closers.push(close),
    close: () => closeAll(closers, log),
  };
}

/** Calls each in the reverse order. One part that cannot close (its disk is full) keeps no other from closing. */
export async function closeAll(closers: Close[], log: Logger): Promise<void> {
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, 'A part of the server did not close as it should.');
    }
  }
}

/** A service that all environments share: made when a feature first asks for it, once per context. */
export function perContext<Service>(open: (context: AppContext) => Service): (context: AppContext) => Service {
  const opened = new WeakMap<AppContext, { service: Service }>();
  return (context) => {
    const known = opened.get(context) ?? { service: open(context) };
    opened.set(context, known);
    return known.service;
  };
}

/**
 * Who a request acts for (decisions 1). `accountId` is `owner`, a payer's wallet address in lower-case hex, or
 * `ip:<address>` for a caller who proved nothing (IPv6 by its /64).
 */
export type Principal =
  | { kind: 'owner'; accountId: 'owner' }
  | { kind: 'payer'; accountId: `0x${string}` }
  | { kind: 'anonymous'; accountId: `ip:${string}` };

export const OWNER: Principal = { kind: 'owner', accountId: 'owner' };

export const BASE_PATHS: Record<EnvironmentName, string> = { production: '/v1', staging: '/staging/v1' };

declare module './platform/http/env.ts' {
  interface HttpVariables {
    /** Set by the identification middleware on every `/v1` and `/admin` route. */
    principal: Principal;
  }
}
