import { mkdirSync, readFileSync } from 'node:fs';
import { rename, rm, statfs, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { ConfigError, fixedSettings, type Locations, PAYMENT_VARIABLES, SettingsStore } from './config.ts';
import { BASE_PATHS, type Close, closeAll, endInTime, type FeatureOptions, openAppContext } from './context.ts';
import type { AnyFeature, Door, Environment, Place, ServerContext } from './feature.ts';
import {
  checkFeatures,
  FEATURES,
  MIGRATIONS,
  OPERATIONS,
  OWNER_ROUTES,
  PUBLIC_ROUTES,
  SCOPED_ADDRESSES,
} from './features.ts';
import { OpenFeatures } from './open-features.ts';
import { ENVIRONMENTS, type EnvironmentName, type Operation } from './operation.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { OtherVersionError, openStorage, type Storage } from './platform/db/database.ts';
import { assertNoneMissing, MissingDatabaseError } from './platform/db/missing-database.ts';
import { isDiskFull, QuarryError, systemCodeOf } from './platform/errors.ts';
import { carryOutMove } from './platform/files/carry-out-move.ts';
import { type DataFolder, openDataFolder } from './platform/files/data-folder.ts';
import type { FreeDisk } from './platform/files/uploads.ts';
import { createApp } from './platform/http/app.ts';
import { basePathOf, withoutBasePath } from './platform/http/base-path.ts';
import { type BodyReading, bodyParts } from './platform/http/bodies-in-flight.ts';
import { smallJsonReader } from './platform/http/body.ts';
import { type ConnectionBounds, systemBounds } from './platform/http/connection.ts';
import { problemResponse } from './platform/http/problem.ts';
import { adapterError, answerMalformed, fairServer } from './platform/http/server.ts';
import { createLog, type Logger } from './platform/log.ts';
import { listeningPort } from './platform/net/listening-port.ts';
import { TrustedProxies } from './platform/net/trusted-proxies.ts';
import { watchIdleMemory } from './platform/process/idle-memory.ts';
import type { StartChildProgram } from './platform/rpc/child-process.ts';
import { HOUR_MS, SECOND_MS } from './platform/units.ts';
import { VERSION } from './platform/version.ts';
import { listenError, PortTakenError, withDataFolder } from './start-errors.ts';

/** Time for a stopping server to return its jobs to the queue and close its connections. */
const STOP_DEADLINE_MS = 8 * SECOND_MS;

export interface ServerOptions extends FeatureOptions, Locations {
  host?: string;
  /** 0 selects a free port. */
  port?: number;
  dataDir: string;
  /** Starts child programs. The default forks them. */
  startChild?: StartChildProgram;
  /** Settings fixed by flags and environment variables, which win over the owner's. */
  publicUrl?: string | undefined;
  trustedProxies?: string[] | undefined;
  logLevel?: string;
  /** Whether log lines are for people. Default: on a terminal. */
  readableLog?: boolean;
  /** Test hooks. */
  clock?: Clock;
  operations?: readonly Operation[];
  features?: readonly AnyFeature[];
  threads?: number;
  edge?: Partial<EdgeOptions>;
  /** Free space of the disk with the data folder. */
  freeDisk?: FreeDisk;
}

export interface RunningServer {
  /** Origin, such as `http://127.0.0.1:8402`. */
  url: string;
  /** Address of the proxy in front, without a trailing slash; null where there is none. */
  publicUrl(): string | null;
  ownerToken: string;
  dataDir: string;
  close(): Promise<void>;
}

/**
 * The composition root: opens the data folder, the databases and the features, and serves them. Knows no feature.
 * Throws DataFolderInUseError when another server holds the data folder, PortTakenError, and ConfigError for unusable
 * options.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const operations = options.operations ?? OPERATIONS;
  checkFeatures(options.features ?? FEATURES, operations);
  const log = await createLog(options.logLevel ?? 'info', options.readableLog);
  const closers: Close[] = [];
  try {
    const folder = await openFolderInForce(options, log);
    closers.push(() => folder.release());
    return await openRunningServer({ ...options, operations }, { log, folder, closers });
  } catch (error) {
    await closeAll(closers, log);
    throw openError(error, options.dataDir);
  }
}

/** Carries out a move that the owner asked for, and opens where the data is then. */
async function openFolderInForce({ dataDir, modelsDir }: ServerOptions, log: Logger): Promise<DataFolder> {
  const open = () => withDataFolder(dataDir, () => openDataFolder(dataDir));
  const folder = open();
  try {
    if (!(await carryOutMove({ root: folder.root, modelsDir, log }))) return folder;
  } catch (error) {
    folder.release();
    throw error;
  }
  folder.release();
  return open();
}

interface Opening {
  log: Logger;
  folder: DataFolder;
  /** Run in the reverse order. */
  closers: Close[];
}

type GivenOptions = ServerOptions & { operations: readonly Operation[] };

async function openRunningServer(options: GivenOptions, opening: Opening): Promise<RunningServer> {
  const { folder, closers } = opening;
  const storages = await openStorages(folder.root, options.resourcesFolder, closers);
  const state = { isStopping: false };
  const address = { host: options.host ?? '127.0.0.1', port: options.port ?? 0 };
  const openDoor = (door: Door) => listenAtDoor(server, features, door, options.edge ?? {});
  const server = await openServer(options, opening, { storage: storages.production, address, state, openDoor });
  const features: OpenFeatures = new OpenFeatures(options.features ?? FEATURES, server);
  closers.push(() => features.closeShared());
  await features.openShared();
  for (const name of ENVIRONMENTS) await features.openEnvironment(environmentOf(name, server, storages[name]));
  const http = await listenOnPort(handlerOf(server, features), address, options.edge ?? {});
  const started: EnvironmentName[] = [];
  closers.push(
    () => endInTime('The HTTP server', () => closeServer(http)),
    () => features.stopShared(STOP_DEADLINE_MS),
    // In parallel: each may wait for jobs and webhook endpoints, and in sequence they could exceed the deadline.
    () => allEnded(started.map((name) => features.closeEnvironment(name, STOP_DEADLINE_MS))),
  );
  for (const name of ENVIRONMENTS) {
    started.push(name);
    await features.startEnvironment(name);
  }
  await features.startShared();
  await announceServerUrl(folder.root, httpOriginOf(address), closers);
  // Registered last, so that it runs first: requests are still answered and see that the server is stopping.
  closers.push(() => {
    state.isStopping = true;
    features.announceStopping();
  });
  return {
    url: httpOriginOf(address),
    publicUrl: server.publicUrl,
    ownerToken: folder.ownerToken,
    dataDir: folder.root,
    close: () => closeAll(closers, opening.log),
  };
}

async function openStorages(
  root: string,
  resourcesFolder: URL,
  closers: Close[],
): Promise<Record<EnvironmentName, Storage>> {
  const firstSchema = readFileSync(new URL('database/schema.sql', resourcesFolder), 'utf8');
  const openOne = async (name: EnvironmentName) => {
    mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
    assertNoneMissing(root, name);
    const storage = await openStorage(databasePathOf(root, name), { migrations: MIGRATIONS, firstSchema });
    closers.push(() => storage.close());
    return storage;
  };
  return { production: await openOne('production'), staging: await openOne('staging') };
}

function databasePathOf(root: string, name: EnvironmentName): string {
  return join(root, name, 'quarry.db');
}

interface ServerParts {
  storage: Storage;
  address: Place;
  state: { isStopping: boolean };
  openDoor: ServerContext['openDoor'];
}

interface OpenServer extends ServerContext {
  idKey: Buffer;
  bodies: Record<EnvironmentName, BodyReading>;
  publicUrl(): string | null;
  allowedOrigins(): readonly string[];
}

async function openServer(
  options: GivenOptions,
  { log, folder, closers }: Opening,
  { storage, address, state, openDoor }: ServerParts,
): Promise<OpenServer> {
  const clock = options.clock ?? systemClock;
  const settingsStore = SettingsStore.openSettingsStore(storage, clock, fixedSettings(options));
  const currentSettings = () => settingsStore.currentValues;
  const context = openAppContext({ ...options, options, clock, log, dataDir: folder.root, settings: currentSettings });
  closers.push(() => context.close());
  const { pool } = context;
  closers.push(watchIdleMemory({ isWorking: () => pool.figures().busy + pool.figures().waiting > 0 }));
  const freeDiskOf = (path: string) => options.freeDisk ?? (() => diskOf(path));
  const environmentBodyParts = (name: EnvironmentName) =>
    bodyParts({ folder: join(folder.root, name), freeDisk: freeDiskOf(folder.root), runTask: context.pool.run });
  const bodies = {
    production: await environmentBodyParts('production'),
    staging: await environmentBodyParts('staging'),
  };
  const publicUrl = () => currentSettings().publicUrl?.replace(/\/+$/, '') ?? null;
  const startedAt = performance.now();
  return {
    ...context,
    operations: options.operations,
    declared: { publicRoutes: PUBLIC_ROUTES, ownerRoutes: OWNER_ROUTES, addresses: SCOPED_ADDRESSES },
    storage,
    settingsStore,
    ownerToken: folder.ownerToken,
    idKey: folder.idKey,
    bodies,
    readBody: smallJsonReader(bodies.production),
    openDoor,
    rendererFolder: options.rendererFolder,
    address: () => address,
    publicUrl,
    allowedOrigins: () => currentSettings().allowedOrigins,
    origin: () => publicUrl() ?? httpOriginOf(address),
    basePath: () => basePathOf(currentSettings().publicUrl),
    isStopping: () => state.isStopping,
    uptimeSeconds: () => Math.floor((performance.now() - startedAt) / SECOND_MS),
    disk: () => diskOf(folder.root),
    freeDiskOf,
  };
}

function environmentOf(name: EnvironmentName, server: OpenServer, storage: Storage): Environment {
  const { dataDir, workerEntry, clock, operations, idKey, settings, origin, bodies } = server;
  return {
    name,
    context: server,
    folder: join(dataDir, name),
    storage,
    databasePath: databasePathOf(dataDir, name),
    workerEntry,
    clock,
    log: server.log.child({ environment: name }),
    operations,
    idKey,
    freeDisk: server.freeDiskOf(dataDir),
    body: bodies[name],
    readBody: smallJsonReader(bodies[name]),
    settings,
    baseUrl: () => origin() + BASE_PATHS[name],
    retentionMs: () => settings().retentionHours * HOUR_MS,
  };
}

/** The disk of a folder. */
async function diskOf(folder: string): Promise<{ folder: string; freeBytes: number; totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

async function allEnded(ends: readonly Promise<void>[]): Promise<void> {
  const settled = await Promise.allSettled(ends);
  const errors = settled.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (errors.length > 0) throw new AggregateError(errors, 'An environment failed to close.');
}

/** The request handler, and the test for owner requests. */
interface Handler {
  handle: RequestListener;
  isOwner(incoming: IncomingMessage): boolean;
  /** Address of the client, also behind a trusted proxy. */
  clientAddress(incoming: IncomingMessage): string | undefined;
}

function handlerOf(server: OpenServer, features: OpenFeatures): Handler {
  const proxies = new TrustedProxies(() => server.settings().trustedProxies);
  const clientAddress = (incoming: IncomingMessage) => proxies.clientAddress(incoming);
  const app = createApp({
    hosts: server,
    clientAddress,
    log: server.log,
    mount: (hono) => features.mountFeatures(hono),
    errorResponse: (context, error) => features.errorResponse(context, error),
  });
  const listener = getRequestListener(app.fetch, { hostname: server.address().host, errorHandler: adapterError });
  const quickAnswers = features.quickAnswers();
  const handleOnBasePath: RequestListener = (incoming, outgoing) => {
    incoming.url = withoutBasePath(incoming.url ?? '', server.basePath());
    if (quickAnswers.some((answer) => answer(incoming, outgoing, clientAddress))) return;
    return listener(incoming, outgoing);
  };
  return { handle: handleOnBasePath, clientAddress, isOwner: (incoming) => features.isOwner(incoming) };
}

/**
 * Writes the server's URL to the data folder, for local tools and for a desktop app that starts later. The write is
 * atomic.
 */
async function announceServerUrl(root: string, url: string, closers: Close[]): Promise<void> {
  const path = join(root, 'server.json');
  const baseUrls = { baseUrl: url + BASE_PATHS.production, stagingBaseUrl: url + BASE_PATHS.staging };
  const told = { url, ...baseUrls, version: VERSION, pid: process.pid };
  await writeFile(`${path}.part`, `${JSON.stringify(told)}\n`, { mode: 0o600 });
  await rename(`${path}.part`, path);
  closers.push(() => rm(path, { force: true }));
}

/** SQLite's codes for a file that is damaged or not a database. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/** Maps errors of opening the data folder or the payment settings to messages for the user. Others pass unchanged. */
function openError(error: unknown, folder: string): unknown {
  const reason = dataReasonOf(error);
  return reason === null
    ? settlementError(error)
    : new ConfigError(`The data folder ${folder} cannot be used: ${reason}`);
}

function dataReasonOf(error: unknown): string | null {
  if (error instanceof OtherVersionError) {
    return 'another version of Quarry has written it. Start that one, or give another folder with --data-dir.';
  }
  if (error instanceof MissingDatabaseError) {
    return `${error.message} Put back a copy of the folder, or give another with --data-dir.`;
  }
  if (isDiskFull(error)) return 'its disk is full. Free some space, then start again.';
  const code = systemCodeOf(error);
  if (!code.startsWith('SQLITE_')) return null;
  return DAMAGED.test(code)
    ? `a database in it is damaged (${code}). Put back a copy of the folder, or give another with --data-dir.`
    : `a database in it does not open (${code}). Close what else uses it and see to its disk, then start again.`;
}

/** Maps incomplete payment variables to a message that names each missing one. Other errors pass unchanged. */
function settlementError(error: unknown): unknown {
  if (!(error instanceof QuarryError) || error.fields === undefined) return error;
  const missing = error.fields.map(({ path, message }) => {
    const names = PAYMENT_VARIABLES.filter(({ field }) => field === path || field.startsWith(`${path}.`));
    return `${names.map(({ name }) => name).join(', ') || path}: ${message}`;
  });
  return new ConfigError([error.message, ...missing].join('\n'));
}

/** Another listener, with an app of its own: the owner token is not among its parts. */
async function listenAtDoor(server: OpenServer, features: OpenFeatures, door: Door, given: Partial<EdgeOptions>) {
  const { place, isOwner } = door;
  const clientAddress = ({ socket }: IncomingMessage) => socket.remoteAddress;
  const app = createApp({
    // Any IP address with this port, which no foreign name can be rebound to.
    hosts: { address: () => place, publicUrl: () => null, allowedOrigins: () => [] },
    clientAddress,
    log: server.log,
    mount: (hono) => features.mountAtDoor(hono, door),
    errorResponse: problemResponse,
  });
  const handle = getRequestListener(app.fetch, { hostname: place.host, errorHandler: adapterError });
  const http = await bindPort({ handle, isOwner, clientAddress }, place, given);
  return { close: () => closeServer(http) };
}

/** Limits for connections. */
interface EdgeOptions {
  /** From the start of a connection, or of its next request, to the end of the header. */
  headersTimeoutMs: number;
  /** Interval at which Node checks for expired connections. */
  timeoutCheckMs: number;
  connections: ConnectionBounds;
}

const EDGE_DEFAULTS = { headersTimeoutMs: 15 * SECOND_MS, timeoutCheckMs: 5 * SECOND_MS };

/**
 * Limit for receiving one request: 4 GB at 1 Mbit/s take nine hours. The body reader ends a silent sender much earlier.
 */
const REQUEST_TIMEOUT_MS = 12 * HOUR_MS;

/** Binds the port. A taken port is an error. Writes the actual port into `address`. */
async function listenOnPort(handler: Handler, address: Place, given: Partial<EdgeOptions>): Promise<Server> {
  const server = await bindPort(handler, address, given).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new PortTakenError(address) : listenError(error, address);
  });
  address.port = listeningPort(server);
  return server;
}

function bindPort(handler: Handler, { host, port }: Place, given: Partial<EdgeOptions>): Promise<Server> {
  const edge = { ...EDGE_DEFAULTS, connections: systemBounds(), ...given };
  return new Promise<Server>((resolve, reject) => {
    const opened = fairServer(
      {
        headersTimeout: edge.headersTimeoutMs,
        requestTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: edge.timeoutCheckMs,
        // The host guard refuses a request without a Host and explains why.
        requireHostHeader: false,
      },
      { ...handler, connections: edge.connections },
    );
    answerMalformed(opened);
    opened.once('error', reject);
    opened.listen(port, host, () => resolve(opened));
  });
}

/** Also closes open connections: event streams and long polls would keep the server open. */
async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function httpOriginOf({ host, port }: { host: string; port: number }): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
