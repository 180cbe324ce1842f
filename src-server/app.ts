import { mkdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { announce } from './announce.ts';
import { assembleApp } from './assemble-app.ts';
import { type Engines, openEngines } from './context.ts';
import { ENVIRONMENTS, type EnvironmentName } from './contract/index.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { SessionStore } from './features/accounts/sessions.ts';
import type { DiskView } from './features/dashboard/routes.ts';
import { Isolation } from './features/jobs/isolation.ts';
import type { FixedPaymentSettings } from './features/payments/settings.ts';
import { closeServer, type EdgeOptions, listen, originOf } from './listen.ts';
import type { Operation } from './operation.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { openStorage, type Storage } from './platform/db/database.ts';
import { assertNoneMissing } from './platform/db/missing-database.ts';
import { checkDataFolder, type DataFolder, openDataFolder } from './platform/files/data-folder.ts';
import type { FreeDisk } from './platform/files/uploads.ts';
import { createLog } from './platform/log.ts';
import type { GuardedClientParts } from './platform/net/guarded-client.ts';
import type { StartChildProgram } from './platform/rpc/child-process.ts';
import { MIB, SECOND_MS } from './platform/units.ts';
import { checkRegistry, OPERATIONS } from './registry.ts';
import { openError, withDataFolder } from './start-error.ts';
import { SettingsStore } from './storage-settings.ts';

/** What a stopping server has to give its jobs back and end its connections. */
const STOP_DEADLINE_MS = 8 * SECOND_MS;
/** With less room than this the server says that it is not ready. */
const FREE_DISK_MIN_BYTES = 200 * MIB;

export interface ServerOptions {
  host?: string;
  /** 0 picks a free one. */
  port?: number;
  dataDir: string;
  /** Where models are kept, for example on another disk; `models` in the data folder when it is not said. */
  modelsDir?: string | undefined;
  /** Entry of the worker threads: a source file, or its build. */
  workerEntry: URL;
  /** How child programs are started; they are forked when it is not said. */
  startChild?: StartChildProgram;
  /** The built dashboard; null where there is none. */
  rendererFolder: URL | null;
  /** The product's data: guides of the reference, model catalogue. */
  resourcesFolder: URL;
  /** Settlement as flags and environment variables fix it; the rest is the owner's to set. */
  payment?: FixedPaymentSettings;
  logLevel?: string;
  /** Key of the text server that the settings name; kept out of settings and logs. */
  textServerKey?: string | undefined;
  /** Key of the speech server that the settings name; as above. */
  speechServerKey?: string | undefined;
  /** Seams for tests: time that can be moved, look-ups and connections that can be watched. */
  clock?: Clock;
  network?: Pick<GuardedClientParts, 'resolver' | 'connector'>;
  operations?: readonly Operation[];
  threads?: number;
  /** Where text servers of this machine are looked for. */
  knownTextServers?: readonly string[];
  /** How long a request is held for clips of its opening seconds. */
  previewLimitMs?: number;
  edge?: Partial<EdgeOptions>;
  /** What the disk of the data folder holds. */
  freeDisk?: FreeDisk;
}

export interface RunningServer {
  /** Origin: `http://127.0.0.1:8402`. */
  url: string;
  ownerToken: string;
  dataDir: string;
  close(): Promise<void>;
}

/**
 * The composition root: the one place that knows all parts. Opens in order, and closes in the reverse order, each with
 * a deadline. Throws DataFolderInUseError when another server holds the data folder, PortTakenError, and ConfigError
 * where it was told something that it cannot do.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const operations = options.operations ?? OPERATIONS;
  checkRegistry(operations);
  const log = createLog(options.logLevel ?? 'info');
  const folder = withDataFolder(options.dataDir, () => openDataFolder(options.dataDir));
  const closers: (() => Promise<void> | void)[] = [() => folder.release()];
  try {
    return await open({ ...options, operations }, { log, folder, closers });
  } catch (error) {
    await closeAll(closers, log);
    throw openError(error, options.dataDir);
  }
}

interface Opening {
  log: Logger;
  folder: DataFolder;
  closers: (() => Promise<void> | void)[];
}

async function open(options: ServerOptions & { operations: readonly Operation[] }, opening: Opening) {
  const { log, folder, closers } = opening;
  const clock = options.clock ?? systemClock;
  const storages = await openStorages(folder.root, options.workerEntry, closers);
  const settings = await SettingsStore.open(storages.production, clock);
  const sessions = await SessionStore.open(storages.production, clock);
  const engines = await openEngines({
    options,
    dataDir: folder.root,
    clock,
    log,
    settings: () => settings.current,
    closers,
  });
  const address = { host: options.host ?? '127.0.0.1', port: options.port ?? 0 };
  const origin = () => settings.current.publicUrl?.replace(/\/+$/, '') ?? originOf(address);
  const isolation = new Isolation();
  const openOne = (name: EnvironmentName) =>
    openEnvironment({
      name,
      isolation,
      folder: join(folder.root, name),
      freeDisk: options.freeDisk ?? (() => diskOf(folder.root)),
      storage: storages[name],
      databasePath: databasePathOf(folder.root, name),
      workerEntry: options.workerEntry,
      clock,
      log: log.child({ environment: name }),
      operations: options.operations,
      engines,
      payment: options.payment ?? {},
      idKey: folder.idKey,
      settings: () => settings.current,
      origin,
    });
  const environments = { production: await openOne('production'), staging: await openOne('staging') };
  const state = { isStopping: false };
  const shared = { state, options, log, clock, folder, storages, settings, sessions, engines, environments };
  const app = appOf({ ...shared, address, origin });
  const server = await listen(app, address, options.edge ?? {});
  closers.push(() => closeServer(server));
  const started: Environment[] = [];
  closers.push(() => closeTogether(started));
  for (const name of ENVIRONMENTS) {
    started.push(environments[name]);
    await environments[name].start();
  }
  await announce(folder.root, originOf(address), closers);
  // First of all, while whoever asks is still answered.
  closers.push(() => {
    state.isStopping = true;
  });
  const close = async () => closeAll(closers, log);
  return { url: originOf(address), ownerToken: folder.ownerToken, dataDir: folder.root, close };
}

interface AppParts {
  state: { isStopping: boolean };
  options: ServerOptions & { operations: readonly Operation[] };
  log: Logger;
  clock: Clock;
  folder: DataFolder;
  storages: Record<EnvironmentName, Storage>;
  settings: SettingsStore;
  sessions: SessionStore;
  engines: Engines;
  environments: Record<EnvironmentName, Environment>;
  address: { host: string; port: number };
  origin(): string;
}

function appOf(parts: AppParts) {
  const { state, options, folder, storages, settings, engines, environments, address } = parts;
  const disk = () => diskOf(folder.root);
  return assembleApp({
    ...parts,
    ownerToken: folder.ownerToken,
    operations: options.operations,
    models: engines.models,
    tools: engines.tools,
    audio: engines.audio,
    textModels: engines.textModels,
    hosts: {
      address: () => address,
      publicUrl: () => settings.current.publicUrl,
      allowedOrigins: () => settings.current.allowedOrigins,
    },
    isStopping: () => state.isStopping,
    pool: engines.pool.figures,
    disk,
    checks: {
      database: () => checkDatabase(storages.production),
      disk: () => checkDataFolder(folder.root).then(async () => checkDisk(await disk())),
      settlement: () => checkSettlement(environments.production),
    },
    rendererFolder: options.rendererFolder,
    guidesFolder: fileURLToPath(new URL('reference/', options.resourcesFolder)),
  });
}

async function openStorages(root: string, workerEntry: URL, closers: Opening['closers']) {
  const ending = extname(workerEntry.pathname);
  const checkpointEntry = new URL(`../src-server/platform/db/checkpoint-thread${ending}`, workerEntry);
  const openOne = async (name: EnvironmentName) => {
    mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
    assertNoneMissing(root, name);
    const storage = await openStorage(databasePathOf(root, name), { checkpointEntry });
    closers.push(() => storage.close());
    return storage;
  };
  return { production: await openOne('production'), staging: await openOne('staging') };
}

function databasePathOf(root: string, name: EnvironmentName): string {
  return join(root, name, 'quarry.db');
}

/** Each may wait for its own jobs and receivers; one after the other they would outlast who waits for the server. */
async function closeTogether(environments: readonly Environment[]): Promise<void> {
  const ends = await Promise.allSettled(environments.map((environment) => environment.close(STOP_DEADLINE_MS)));
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  if (errors.length > 0) throw new AggregateError(errors, 'An environment did not close as it should.');
}

/** One part that cannot close (its disk is full) keeps no other from closing. */
async function closeAll(closers: (() => Promise<void> | void)[], log: Logger): Promise<void> {
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, 'A part of the server did not close as it should.');
    }
  }
}

/** The disk that a folder lies on. Its path is for the owner alone. */
async function diskOf(folder: string): Promise<DiskView> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

async function checkDatabase({ db }: Storage): Promise<void> {
  await db.selectFrom('settings').select('name').limit(1).execute();
}

async function checkSettlement({ payments }: Environment): Promise<void> {
  const { checks } = await payments.status();
  const failing = checks.find(({ ok }) => !ok);
  if (failing) throw new Error(failing.detail);
}

function checkDisk({ freeBytes }: { freeBytes: number }): void {
  if (freeBytes < FREE_DISK_MIN_BYTES) throw new Error('The disk of the data folder is almost full: free some space.');
}
