import { mkdirSync } from 'node:fs';
import { rename, rm, statfs, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import {
  ConfigError,
  type FixedSettings,
  fixedSettings,
  type Locations,
  PAYMENT_VARIABLES,
  type Settings,
  SettingsStore,
} from './config.ts';
import {
  type AppContext,
  BASE_PATHS,
  closeAll,
  type FeatureOptions,
  type KeyIdentity,
  openContext,
  PRIVATE_NETWORK_SCOPE,
} from './context.ts';
import { AuditLog, auditRequests } from './features/accounts/audit.ts';
import { ADMIN_AUDIT_ROUTES } from './features/accounts/audit-routes.ts';
import { ADMIN_KEY_ROUTES } from './features/accounts/key-routes.ts';
import { KeyStore } from './features/accounts/keys.ts';
import { ADMIN_SESSION_ROUTES, LOGIN_ROUTES } from './features/accounts/routes.ts';
import { deviceCheck, type FindAddresses, knownAddresses, scopeCheck } from './features/accounts/scopes.ts';
import {
  createDeviceIdentity,
  createIdentity,
  type DeviceIdentity,
  deviceKey,
  type Identity,
} from './features/accounts/service.ts';
import { SessionStore, SignInCodes } from './features/accounts/sessions.ts';
import { offerSignIn, WalletSignIn } from './features/accounts/wallet-sign-in.ts';
import { ADMIN_ALERT_ROUTES } from './features/alerts/routes.ts';
import { Alerts, type AlertsDeps } from './features/alerts/service.ts';
import { ADMIN_VOICE_ROUTES, VOICE_ROUTES, type VoiceOfferDeps } from './features/audio/routes.ts';
import { ScheduledBackups } from './features/backup/service.ts';
import { orderOfRequest } from './features/batches/order.ts';
import { BATCH_ROUTES } from './features/batches/routes.ts';
import { Batches } from './features/batches/service.ts';
import { ADMIN_CONTRIBUTION_ROUTES, CONTRIBUTION_ROUTES } from './features/contributions/routes.ts';
import { Contributions } from './features/contributions/service.ts';
import { browserNeed } from './features/crawl/browser.ts';
import { BrowserPlaces } from './features/crawl/browser-places.ts';
import { ADMIN_CRAWL_ROUTES } from './features/crawl/routes.ts';
import type { CrawlSoFar } from './features/crawl/schema.ts';
import { ADMIN_EVENT_ROUTES } from './features/dashboard/events.ts';
import { ADMIN_ROUTES, type AdminDeps, type DiskView } from './features/dashboard/routes.ts';
import { dashboardRoutes, unknownPage } from './features/dashboard/static-files.ts';
import { LINK_ROUTES, UNLINK_ROUTES } from './features/devices/link-routes.ts';
import { ADMIN_DEVICE_ROUTES } from './features/devices/routes.ts';
import { Devices, type Door } from './features/devices/service.ts';
import { ADMIN_FEED_ROUTES } from './features/feeds/routes.ts';
import { Feeds } from './features/feeds/service.ts';
import { ADMIN_FLEET_ROUTES } from './features/fleet/routes.ts';
import { FleetService } from './features/fleet/service.ts';
import { ADMIN_FOLDER_ROUTES } from './features/folders/routes.ts';
import { Folders } from './features/folders/service.ts';
import { ADMIN_JOB_ROUTES } from './features/jobs/admin-routes.ts';
import { bodyParts } from './features/jobs/bodies-in-flight.ts';
import { acceptanceHooks } from './features/jobs/execute.ts';
import { IdempotencyKeys } from './features/jobs/idempotency.ts';
import { deriveRouter } from './features/jobs/operation-routes.ts';
import { paymentGate } from './features/jobs/payment-gate.ts';
import { JOBS_OF_WEBHOOKS } from './features/jobs/present.ts';
import { JOB_ROUTES } from './features/jobs/routes.ts';
import {
  earlierCrawl,
  Isolation,
  JobChanges,
  type JobService,
  type Jobs,
  type JobsDeps,
  openJobs,
  recoverFolders,
} from './features/jobs/service.ts';
import { Submission } from './features/jobs/submit.ts';
import { openForPayer, payerWindow } from './features/limits/payer-window.ts';
import { countingRefusals, limitByAddress, limitCaller, ownerOnly, rateLimit } from './features/limits/rate-limit.ts';
import { ADMIN_LIMIT_EVENT_ROUTES, ADMIN_LIMIT_ROUTES } from './features/limits/routes.ts';
import { Limits } from './features/limits/service.ts';
import { WorkBudget } from './features/limits/work-budget.ts';
import { doclingErrorResponse, doclingRoutes } from './features/loaders/docling.ts';
import { firecrawlErrorResponse, firecrawlRoutes } from './features/loaders/firecrawl.ts';
import { textErrorResponse } from './features/loaders/load.ts';
import { TIKA_BASES, tikaRoutes } from './features/loaders/tika.ts';
import { webuiRoutes } from './features/loaders/webui.ts';
import { mcpErrorResponse } from './features/mcp/errors.ts';
import { mcpRoutes } from './features/mcp/routes.ts';
import { JobSubtitles } from './features/media/job-subtitles.ts';
import { LateDigests } from './features/media/late-digest.ts';
import { RememberedVoices } from './features/media/remembered-voices.ts';
import { ADMIN_MEDIA_ROUTES, ADMIN_SPEAKER_ROUTES } from './features/media/routes.ts';
import { SpeakerNames } from './features/media/speaker-names.ts';
import { speakerFilesOf } from './features/media/speakers.ts';
import { ADMIN_SUBTITLE_ROUTES } from './features/media/subtitle-routes.ts';
import { describeTools, mediaNeeds, toolsOf } from './features/media/tools.ts';
import { ADMIN_REMEMBERED_VOICE_ROUTES } from './features/media/voice-routes.ts';
import { createSoundPeaks } from './features/media/waveform.ts';
import { metricsRoutes } from './features/metrics/routes.ts';
import { Metrics, type MetricsSources } from './features/metrics/service.ts';
import { InstallNeeds } from './features/models/needs.ts';
import { ADMIN_MODEL_ROUTES, ADMIN_NEED_ROUTES, type NeedDeps } from './features/models/routes.ts';
import type { Needs } from './features/models/schema.ts';
import { type Models, modelsFolder, modelsOf } from './features/models/service.ts';
import { openaiErrorResponse } from './features/openai/errors.ts';
import { ollamaErrorResponse, ollamaRoutes } from './features/openai/ollama.ts';
import { openaiRoutes } from './features/openai/routes.ts';
import { ADMIN_PAYMENT_ROUTES, facilitatorRoutes } from './features/payments/routes.ts';
import { type FixedPaymentSettings, isBatchId } from './features/payments/schema.ts';
import { createPayments, type Payments } from './features/payments/service.ts';
import {
  documentRoutes,
  ownerDocumentRoutes,
  type ReferenceDeps,
  referenceRoutes,
} from './features/reference/routes.ts';
import { embeddingsOf } from './features/search/embedding-model.ts';
import { ADMIN_SEARCH_ROUTES } from './features/search/routes.ts';
import { openSearch, type SearchFeature } from './features/search/service.ts';
import { Telemetry, type TelemetryDeps } from './features/telemetry/service.ts';
import { ADMIN_WATCH_ROUTES } from './features/watches/routes.ts';
import { SiteWatches } from './features/watches/service.ts';
import { Inboxes } from './features/webhooks/inbox.ts';
import { ADMIN_WEBHOOK_ROUTES, inboxRoutes, WEBHOOK_ROUTES } from './features/webhooks/routes.ts';
import { Webhooks, webhookClientOf } from './features/webhooks/service.ts';
import {
  ENVIRONMENTS,
  type EnvironmentName,
  type Operation,
  type ServiceName,
  type Services,
  type UseService,
} from './operation.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { Mutex } from './platform/concurrency.ts';
import { OtherVersionError, openStorage, type Storage } from './platform/db/database.ts';
import { assertNoneMissing, MissingDatabaseError } from './platform/db/missing-database.ts';
import { isDiskFull, QuarryError } from './platform/errors.ts';
import { checkDataFolder, type DataFolder, openDataFolder } from './platform/files/data-folder.ts';
import { JobFolders } from './platform/files/job-folders.ts';
import { makeFolder } from './platform/files/make-folder.ts';
import { SecretFile } from './platform/files/private-files.ts';
import type { FreeDisk } from './platform/files/uploads.ts';
import { createApp, refuseWhenStopping } from './platform/http/app.ts';
import { basePathOf, withoutBasePath } from './platform/http/base-path.ts';
import { type ReadSmallJson, smallJsonReader } from './platform/http/body.ts';
import { type ConnectionBounds, systemBounds } from './platform/http/connection.ts';
import type { HttpEnv } from './platform/http/env.ts';
import { HEALTH_ROUTES } from './platform/http/health.ts';
import type { HostRules } from './platform/http/host-guard.ts';
import { problemResponse } from './platform/http/problem.ts';
import { isForDevices, mountRoutes, type Route, type RouteDescription } from './platform/http/route.ts';
import { adapterError, answerMalformed, fairServer } from './platform/http/server.ts';
import { createLog, type Logger } from './platform/log.ts';
import { isPublicAddress } from './platform/net/address-policy.ts';
import { anonymousAccount } from './platform/net/client-address.ts';
import { TrustedProxies } from './platform/net/trusted-proxies.ts';
import type { PoolFigures } from './platform/pool/worker-pool.ts';
import { findGpu } from './platform/process/gpu.ts';
import type { StartChildProgram } from './platform/rpc/child-process.ts';
import { HOUR_MS, MIB, MINUTE_MS, SECOND_MS } from './platform/units.ts';
import { VERSION } from './platform/version.ts';
import { checkRegistry, MIGRATIONS, OPERATIONS, OWNER_ROUTES, PUBLIC_ROUTES, SCOPED_ADDRESSES } from './registry.ts';
import { listenError, PortTakenError, withDataFolder, withModelsFolder } from './start-errors.ts';

/** Time for a stopping server to return its jobs to the queue and close its connections. */
const STOP_DEADLINE_MS = 8 * SECOND_MS;

/** With less free space the server is not ready. */
const FREE_DISK_MIN_BYTES = 200 * MIB;

export interface ServerOptions extends FeatureOptions, Locations {
  host?: string;
  /** 0 selects a free port. */
  port?: number;
  dataDir: string;
  /** Starts child programs. The default forks them. */
  startChild?: StartChildProgram;
  /** Payment settings fixed by flags and environment variables. The owner can set the others. */
  payment?: FixedPaymentSettings;
  /** Settings fixed by flags and environment variables, which win over the owner's. */
  publicUrl?: string | undefined;
  trustedProxies?: string[] | undefined;
  logLevel?: string;
  /** Whether log lines are for people. Default: on a terminal. */
  readableLog?: boolean;
  /** Base URL of an OpenTelemetry collector. */
  otlpEndpoint?: string | undefined;
  /** Test hooks. */
  clock?: Clock;
  operations?: readonly Operation[];
  threads?: number;
  edge?: Partial<EdgeOptions>;
  /** Free space of the disk with the data folder. */
  freeDisk?: FreeDisk;
  /** Heartbeats of nodes, and how long one may miss. */
  fleetTiming?: { beatMs: number; leaseMs: number };
  /** IPv4 addresses of this computer in its networks. */
  networkAddresses?: () => readonly string[];
  /** Name of the graphics processor. */
  gpu?: () => Promise<string | null>;
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
 * The composition root: the one place that knows all parts. Opens them in order and closes them in reverse order, each
 * with a deadline. Throws DataFolderInUseError when another server holds the data folder, PortTakenError, and
 * ConfigError for unusable options.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const operations = options.operations ?? OPERATIONS;
  checkRegistry(operations);
  const log = createLog(options.logLevel ?? 'info', options.readableLog);
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
  const storages = await openStorages(folder.root, closers);
  const stores = openStores(storages.production, clock, opening, fixedSettings(options));
  const { settings } = stores;
  const given = { ...options, options, clock, log };
  const context = openContext({ ...given, dataDir: folder.root, settings: () => settings.current });
  closers.push(() => context.close());
  withModelsFolder(modelsFolder(context), () => makeFolder(modelsFolder(context)));
  const models = await modelsOf(context);
  // Each needs the other: the fleet hears of new models here, and a browser of a node counts as installed.
  const watchModels = (onChange: () => void) => needs.watchFolder(onChange);
  const fleet = openFleet(context, storages.production, { models, watchModels }, options);
  const browsers = new BrowserPlaces(fleet.browsers);
  const needs: InstallNeeds = openNeeds(context, models, fleet, options);
  const address = { host: options.host ?? '127.0.0.1', port: options.port ?? 0 };
  const publicUrl = () => settings.current.publicUrl?.replace(/\/+$/, '') ?? null;
  const origin = () => publicUrl() ?? originOf(address);
  const isolation = new Isolation();
  const metrics = new Metrics();
  const telemetry = await openTelemetry(options, { log, clock, closers, figures: () => metrics.figures(sources) });
  const openOne = (name: EnvironmentName) =>
    openEnvironment({
      name,
      ...{ isolation, fleet, browsers, metrics, telemetry },
      folder: join(folder.root, name),
      freeDisk: options.freeDisk ?? (() => diskOf(folder.root)),
      storage: storages[name],
      databasePath: databasePathOf(folder.root, name),
      workerEntry: options.workerEntry,
      clock,
      log: log.child({ environment: name }),
      operations: options.operations,
      context,
      needs,
      payment: options.payment ?? {},
      idKey: folder.idKey,
      keyOf: (keyId) => stores.keys.current(keyId) ?? keyOfDevice(stores.deviceSessions, keyId),
      settings: () => settings.current,
      origin,
    });
  const environments = { production: await openOne('production'), staging: await openOne('staging') };
  const disk = () => diskOf(folder.root);
  const sources = metricsSources({ pool: context.pool.figures, disk, telemetry, environments });
  const state = { isStopping: false };
  const shared = { state, options, log, clock, folder, storages, ...stores, context, models, needs, fleet };
  const devices: Devices = openDevices({ ...shared, address }, (place) => deviceApp(deps, place));
  const deps: AppDeps = { ...shared, devices, metrics, sources, environments, address, origin };
  const server = await listen(assembleApp(inputsOf(deps)), address, options.edge ?? {});
  const started: Environment[] = [];
  closers.push(...[() => closeServer(server), () => devices.close()]);
  closers.push(...[() => fleet.close(), () => closeTogether(started)]);
  for (const name of ENVIRONMENTS) {
    started.push(environments[name]);
    await environments[name].start();
  }
  fleet.start();
  await devices.start();
  startBackups(context, options, environments.production.alerts, closers);
  await announce(folder.root, originOf(address), closers);
  // Registered last, so that it runs first: requests are still answered and see that the server is stopping.
  closers.push(() => {
    state.isStopping = true;
    fleet.stopping();
  });
  const close = async () => closeAll(closers, log);
  return { url: originOf(address), publicUrl, ownerToken: folder.ownerToken, dataDir: folder.root, close };
}

function startBackups(
  { dataDir, clock, log, settings }: AppContext,
  { workerEntry }: ServerOptions,
  alerts: Alerts,
  closers: Opening['closers'],
): void {
  const onOutcome = (failure: string | null) => alerts.backupEnded(failure);
  const backups = new ScheduledBackups({ dataDir, clock, log, settings, workerEntry, onOutcome });
  closers.push(() => backups.close());
  backups.start();
}

async function openTelemetry(
  { otlpEndpoint: endpoint }: ServerOptions,
  { closers, ...deps }: Pick<Opening, 'closers'> & Pick<TelemetryDeps, 'log' | 'clock' | 'figures'>,
): Promise<Telemetry> {
  const telemetry = await Telemetry.open({ endpoint, version: VERSION, ...deps });
  closers.push(() => telemetry.close());
  return telemetry;
}

/** What the production database holds for both environments. */
function openStores(storage: Storage, clock: Clock, { log, closers }: Opening, fixed: FixedSettings) {
  const audit = new AuditLog(storage, clock, log);
  closers.push(() => audit.close());
  const settings = SettingsStore.open(storage, clock, fixed);
  const sessions = SessionStore.open(storage, clock);
  const deviceSessions = SessionStore.open(storage, clock, 'devices');
  return { settings, sessions, deviceSessions, keys: KeyStore.open(storage, clock), audit };
}

/** What a device made goes on while it is linked. */
function keyOfDevice(sessions: SessionStore, id: string): KeyIdentity | null {
  const session = sessions.list().find((one) => one.id === id);
  return session === undefined ? null : deviceKey(session);
}

/** IPv4 addresses of this computer that others of its networks can reach. */
function addressesInNetworks(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.flatMap(({ address, family, internal }) => (family === 'IPv4' && !internal ? [address] : []));
}

function openFleet(
  context: AppContext,
  storage: Storage,
  { models, watchModels }: { models: Models; watchModels(onChange: () => void): () => void },
  { fleetTiming: timing }: ServerOptions,
): FleetService {
  const { dataDir, clock, log, pool } = context;
  return new FleetService({
    storage,
    dataDir,
    clock,
    log,
    models,
    timing,
    version: VERSION,
    watchModels,
    threads: () => pool.figures().threads,
  });
}

interface AppDeps {
  deviceSessions: SessionStore;
  state: { isStopping: boolean };
  options: ServerOptions & { operations: readonly Operation[] };
  log: Logger;
  clock: Clock;
  folder: DataFolder;
  storages: Record<EnvironmentName, Storage>;
  settings: SettingsStore;
  sessions: SessionStore;
  keys: KeyStore;
  devices: Devices;
  audit: AuditLog;
  context: AppContext;
  models: Models;
  needs: InstallNeeds;
  fleet: FleetService;
  metrics: Metrics;
  sources: MetricsSources;
  environments: Record<EnvironmentName, Environment>;
  address: { host: string; port: number };
  origin(): string;
}

function inputsOf(deps: AppDeps): AppInputs {
  const { state, options, folder, storages, settings, context, environments, address } = deps;
  const disk = () => diskOf(folder.root);
  return {
    ...deps,
    ownerToken: folder.ownerToken,
    operations: options.operations,
    hosts: {
      address: () => address,
      publicUrl: () => settings.current.publicUrl,
      allowedOrigins: () => settings.current.allowedOrigins,
    },
    isStopping: () => state.isStopping,
    pool: context.pool.figures,
    disk,
    checks: {
      database: async () => checkDatabase(storages.production),
      disk: () => checkDataFolder(folder.root).then(async () => checkDisk(await disk())),
      settlement: () => checkSettlement(environments.production),
    },
    basePath: () => basePathOf(settings.current.publicUrl),
    rendererFolder: options.rendererFolder,
    guidesFolder: fileURLToPath(new URL('reference/', options.resourcesFolder)),
  };
}

function openNeeds(
  context: AppContext,
  models: Models,
  { browsers }: FleetService,
  { freeDisk, gpu }: ServerOptions,
): InstallNeeds {
  const folder = modelsFolder(context);
  let found: Promise<string | null> | null = null;
  return new InstallNeeds({
    ...{ models, folder, tools: [...mediaNeeds(toolsOf(context)), browserNeed(browsers)] },
    freeDiskBytes: async () => (await (freeDisk ?? (() => diskOf(folder)))()).freeBytes,
    elsewhere: async (need) => {
      if (need !== 'text') return [];
      return (await (await openText(context)).list()).flatMap(({ name, from }) => (from === 'server' ? name : []));
    },
    gpu: () => {
      // It does not change while the machine runs.
      found ??= (gpu ?? findGpu)();
      return found;
    },
    onWatchFailed: (error) => {
      context.log.warn(
        { err: error },
        'The models folder cannot be watched. Open the Models page after adding a file.',
      );
    },
  });
}

async function openStorages(root: string, closers: Opening['closers']) {
  const openOne = async (name: EnvironmentName) => {
    mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
    assertNoneMissing(root, name);
    const storage = await openStorage(databasePathOf(root, name), { migrations: MIGRATIONS });
    closers.push(async () => storage.close());
    return storage;
  };
  return { production: await openOne('production'), staging: await openOne('staging') };
}

function databasePathOf(root: string, name: EnvironmentName): string {
  return join(root, name, 'quarry.db');
}

/**
 * In parallel: each environment may wait for jobs and webhook endpoints, and in sequence they could exceed the
 * deadline.
 */
async function closeTogether(environments: readonly Environment[]): Promise<void> {
  const ends = await Promise.allSettled(environments.map((environment) => environment.close(STOP_DEADLINE_MS)));
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  if (errors.length > 0) throw new AggregateError(errors, 'An environment failed to close.');
}

/** The disk of a folder. Its path is shown only to the owner. */
async function diskOf(folder: string): Promise<DiskView> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function checkDatabase({ db }: Storage): void {
  db.all(db.selectFrom('settings').select('name').limit(1));
}

async function checkSettlement({ payments }: Environment): Promise<void> {
  const { checks } = await payments.status();
  const failing = checks.find(({ ok }) => !ok);
  if (failing) throw new Error(failing.detail);
}

function checkDisk({ freeBytes }: { freeBytes: number }): void {
  if (freeBytes < FREE_DISK_MIN_BYTES) throw new Error('The disk of the data folder is almost full: free some space.');
}

interface AppInputs {
  log: Logger;
  ownerToken: string;
  clock: Clock;
  sessions: SessionStore;
  keys: KeyStore;
  devices: Devices;
  audit: AuditLog;
  operations: readonly Operation[];
  environments: Record<EnvironmentName, Environment>;
  settings: SettingsStore;
  context: AppContext;
  models: Models;
  needs: InstallNeeds;
  fleet: FleetService;
  metrics: Metrics;
  sources: MetricsSources;
  hosts: HostRules;
  /** Path of the public address. */
  basePath(): string;
  isStopping(): boolean;
  origin(): string;
  pool(): PoolFigures;
  disk: AdminDeps['disk'];
  /** Readiness checks by name. A failing check throws a public sentence. */
  checks: Record<string, () => Promise<void>>;
  rendererFolder: URL | null;
  guidesFolder: string;
}

/** The request handler, and the test for owner requests. */
interface AssembledApp {
  handle: RequestListener;
  isOwner: Identity['isOwner'];
  /** Address of the client, also behind a trusted proxy. */
  clientAddress(incoming: IncomingMessage): string | undefined;
}

/** Mounts all routes: versioned ones per environment, the owner's, and the open ones. */
function assembleApp(inputs: AppInputs): AssembledApp {
  const { environments } = inputs;
  const ordered = ENVIRONMENTS.map((name) => environments[name]);
  const uptimeSeconds = uptime();
  const readBody = environments.production.service.readSmallJson;
  const find = addressesOf(inputs);
  const identity = createIdentity({
    ownerToken: inputs.ownerToken,
    sessions: inputs.sessions,
    keys: inputs.keys,
    checkScope: scopeCheck(find),
    port: () => inputs.hosts.address().port,
    basePath: inputs.basePath,
    anonymousAccount,
    walletOf: (header, context) => {
      const { signIn, limits } = environmentOf(environments, context);
      return signIn.verify(header, () => limitByAddress(limits)(context));
    },
  });
  const routed: Routed = {
    ordered,
    readBody,
    find,
    identity,
    codes: new SignInCodes(inputs.clock),
    ownerOnly: ownerOnly(identity.identify, environments.production.limits),
    uptimeSeconds,
  };
  const proxies = new TrustedProxies(() => inputs.settings.current.trustedProxies);
  const clientAddress = (incoming: IncomingMessage) => proxies.clientAddress(incoming);
  const app = createApp({
    hosts: inputs.hosts,
    clientAddress,
    log: inputs.log,
    mount: (hono) => mountAll(hono, inputs, routed),
    errorResponse: (context, error) => errorResponse(ordered, context, error),
    unknownPage: unknownPage(inputs.rendererFolder, inputs.basePath),
  });
  const listener = getRequestListener(app.fetch, {
    hostname: inputs.hosts.address().host,
    errorHandler: adapterError,
  });
  const handle: RequestListener = (incoming, outgoing) => {
    incoming.url = withoutBasePath(incoming.url ?? '', inputs.basePath());
    return listener(incoming, outgoing);
  };
  return { handle, clientAddress, isOwner: identity.isOwner };
}

function addressesOf({ operations }: Pick<AppInputs, 'operations'>, others: readonly RouteDescription[] = []) {
  return knownAddresses({
    basePaths: Object.values(BASE_PATHS),
    operations,
    routes: [...PUBLIC_ROUTES, ...OWNER_ROUTES, ...others],
    others: SCOPED_ADDRESSES,
  });
}

function openDevices(
  {
    options,
    storages,
    clock,
    log,
    deviceSessions,
    address,
  }: Pick<AppDeps, 'options' | 'storages' | 'clock' | 'log' | 'deviceSessions' | 'address'>,
  appAt: (place: Place) => AssembledApp,
): Devices {
  return new Devices({
    ...{ storage: storages.production, clock, log, sessions: deviceSessions },
    addresses: options.networkAddresses ?? addressesInNetworks,
    ownPort: () => address.port,
    openDoor: (place) => openDoor(appAt(place), place, options.edge ?? {}),
  });
}

/** The app of the listener for devices. The owner token is not among its parts. */
function deviceApp(deps: AppDeps, { host, port }: { host: string; port: number }): AssembledApp {
  const { devices, deviceSessions: sessions } = deps;
  const inputs = { ...inputsOf(deps), basePath: () => '' };
  const ordered = ENVIRONMENTS.map((name) => inputs.environments[name]);
  const find = addressesOf(inputs, [...LINK_ROUTES, ...UNLINK_ROUTES]);
  const identity = createDeviceIdentity({ sessions, checkScope: deviceCheck(find), port: () => port });
  const app = createApp({
    // Any IP address with this port, which no foreign name can be rebound to.
    hosts: { address: () => ({ host, port }), publicUrl: () => null, allowedOrigins: () => [] },
    clientAddress: ({ socket }) => socket.remoteAddress,
    log: inputs.log,
    mount: (hono) => mountForDevices(hono, inputs, { ordered, find, identity, devices }),
    errorResponse: problemResponse,
    unknownPage: async () => null,
  });
  const handle = getRequestListener(app.fetch, { hostname: host, errorHandler: adapterError });
  return { handle, isOwner: identity.isLinked, clientAddress: ({ socket }) => socket.remoteAddress };
}

interface DeviceDoor extends Pick<Routed, 'ordered' | 'find'> {
  identity: DeviceIdentity;
  devices: Devices;
}

/**
 * Strangers get the window's files, which hold no data, and the page that links a device. All else is behind the check
 * of the device.
 */
function mountForDevices(
  app: Hono<HttpEnv>,
  inputs: AppInputs,
  { ordered, find, identity, devices }: DeviceDoor,
): void {
  const { checks, isStopping } = inputs;
  const { limits, service } = inputs.environments.production;
  const readBody = service.readSmallJson;
  const uptimeSeconds = uptime();
  app.use(auditRequests(inputs.audit, find));
  app.route('/', mountRoutes(LINK_ROUTES, { devices, identity }, readBody));
  app.route('/', dashboardRoutes(inputs.rendererFolder, inputs.basePath, true));
  app.use(countingRefusals(identity.identify, limits));
  app.use(refuseWhenStopping(isStopping));
  mountEnvironments(app, inputs, { ordered, readBody });
  for (const routes of workRoutes(inputs, { ordered, readBody, uptimeSeconds }, isForDevices)) {
    app.route('/admin', routes);
  }
  app.route('/', mountRoutes(HEALTH_ROUTES, { version: VERSION, uptimeSeconds, checks, isStopping }));
  app.route('/', documentRoutes(describedBy(inputs)));
  app.route('/', mountRoutes(UNLINK_ROUTES, { devices, identity }));
}

function uptime(): () => number {
  const startedAt = performance.now();
  return () => Math.floor((performance.now() - startedAt) / 1000);
}

/** Floods stop here: identity and rate limits are checked before a body is read. */
function mountAll(app: Hono<HttpEnv>, inputs: AppInputs, routed: Routed): void {
  const open = refuseWhenStopping(inputs.isStopping);
  app.use(auditRequests(inputs.audit, routed.find));
  for (const { service, limits } of routed.ordered) {
    app.use(`${BASE_PATHS[service.name]}/*`, countingRefusals(routed.identity.identify, limits));
  }
  mountEnvironments(app, inputs, routed);
  const tools = ['openai', 'ollama', ...TIKA_BASES, 'webui', 'docling', 'firecrawl'];
  const others = [...tools.flatMap((tool) => [`/${tool}`, `/${tool}/*`]), '/mcp'];
  for (const base of others) app.use(base, open);
  app.use('/admin/*', routed.ownerOnly);
  for (const routes of ownerRoutes(inputs, routed)) app.route('/admin', routes);
  for (const { path, routes } of openRoutes(inputs, routed)) app.route(path, routes);
}

/** The versioned API of both environments, for callers who are identified already. */
function mountEnvironments(
  app: Hono<HttpEnv>,
  inputs: AppInputs,
  { ordered, readBody }: Pick<Routed, 'ordered' | 'readBody'>,
): void {
  const open = refuseWhenStopping(inputs.isStopping);
  for (const { service, limits, webhooks, contributions, batches } of ordered) {
    const base = BASE_PATHS[service.name];
    for (const operation of service.operations) {
      const order = { operationId: operation.id };
      if (operation.price !== null)
        app.post(
          `${base}/${operation.id}`,
          payerWindow(service.gate, limits, () => order),
        );
    }
    app.post(`${base}/batches`, payerWindow(service.gate, limits, orderOfRequest(service.operations)));
    app.use(`${base}/*`, rateLimit(limits), open);
    app.route(base, deriveRouter(service));
    app.route(base, mountRoutes(JOB_ROUTES, { service, webhooks }, service.readSmallJson));
    app.route(base, mountRoutes(BATCH_ROUTES, { batches }));
    app.route(base, mountRoutes(WEBHOOK_ROUTES, { webhooks }, readBody));
    app.route(base, mountRoutes(CONTRIBUTION_ROUTES, { contributions }, readBody));
    const voices = {
      voices: async () => (await openAudio(inputs.context)).voices(),
      samplePath: async (slug: string) => (await openAudio(inputs.context)).samplePath(slug),
      baseUrl: service.baseUrl,
    };
    app.route(base, mountRoutes(VOICE_ROUTES, voices));
  }
}

/** Clients of other tools' interfaces read only the errors of those. */
const ERROR_FORMS: Readonly<Record<string, (context: Context<HttpEnv>, error: QuarryError) => Response>> = {
  openai: openaiErrorResponse,
  mcp: mcpErrorResponse,
  ollama: ollamaErrorResponse,
  ...Object.fromEntries(TIKA_BASES.map((base) => [base, textErrorResponse])),
  webui: textErrorResponse,
  docling: doclingErrorResponse,
  firecrawl: firecrawlErrorResponse,
};

function errorResponse(environments: readonly Environment[], context: Context<HttpEnv>, error: QuarryError): Response {
  const signIn = error.code === 'unauthorized' ? offerSignIn(environments, context) : null;
  if (signIn !== null) return signIn;
  const [, base = ''] = context.req.path.split('/');
  const respond = Object.hasOwn(ERROR_FORMS, base) ? ERROR_FORMS[base] : undefined;
  return (respond ?? problemResponse)(context, error);
}

interface Routed {
  ordered: readonly Environment[];
  readBody: ReadSmallJson;
  find: FindAddresses;
  identity: Identity;
  codes: SignInCodes;
  ownerOnly: MiddlewareHandler<HttpEnv>;
  uptimeSeconds(): number;
}

/**
 * The owner's routes about jobs and their results, search, and what the window shows of both.
 * @param isKept leaves the others out
 */
function workRoutes(
  inputs: AppInputs,
  { ordered, readBody, uptimeSeconds }: Pick<Routed, 'ordered' | 'readBody' | 'uptimeSeconds'>,
  isKept: (route: RouteDescription) => boolean = () => true,
): Hono<HttpEnv>[] {
  const { environments, settings } = inputs;
  const mount = <Deps>(routes: readonly Route<Deps>[], deps: Deps, read?: ReadSmallJson) =>
    mountRoutes(routes.filter(isKept), deps, read);
  const named = ordered.map((environment) => ({ ...environment, jobs: environment.service.jobs }));
  const overview = {
    version: VERSION,
    uptimeSeconds,
    environments: named,
    pool: inputs.pool,
    search: () =>
      Promise.all(ordered.map(async ({ name, search }) => ({ environment: name, ...(await search.figures()) }))),
    disk: inputs.disk,
    settings: () => settings.current,
    changeSettings: settingsChange(inputs),
  };
  return [
    mount(ADMIN_ROUTES, overview, readBody),
    mount(ADMIN_EVENT_ROUTES, { environments: named }),
    mount(ADMIN_JOB_ROUTES, environments, readBody),
    mount(ADMIN_CRAWL_ROUTES, environments),
    mount(
      ADMIN_SEARCH_ROUTES,
      byNameOf(environments)(({ search }) => search),
    ),
    mount(ADMIN_SPEAKER_ROUTES, environments, readBody),
    mount(ADMIN_REMEMBERED_VOICE_ROUTES, environments, readBody),
    mount(ADMIN_SUBTITLE_ROUTES, environments, readBody),
    mount(ADMIN_CONTRIBUTION_ROUTES, environments, readBody),
    mount(ADMIN_MODEL_ROUTES, inputs.models),
    mount(ADMIN_NEED_ROUTES, needRouteDeps(inputs.needs, ordered)),
  ];
}

function byNameOf({ production, staging }: AppInputs['environments']) {
  return <Value>(pick: (environment: Environment) => Value) => ({
    production: pick(production),
    staging: pick(staging),
  });
}

function ownerRoutes(inputs: AppInputs, routed: Routed): Hono<HttpEnv>[] {
  const { ordered, readBody } = routed;
  const { environments } = inputs;
  const tools = toolsOf(inputs.context);
  const byName = byNameOf(environments);
  return [
    ...workRoutes(inputs, routed),
    ...accessRoutes(inputs, routed),
    mountRoutes(
      ADMIN_ALERT_ROUTES,
      ordered.map(({ alerts }) => alerts),
    ),
    mountRoutes(ADMIN_WATCH_ROUTES, environments, readBody),
    mountRoutes(ADMIN_FOLDER_ROUTES, environments, readBody),
    mountRoutes(ADMIN_FEED_ROUTES, environments, readBody),
    mountRoutes(
      ADMIN_LIMIT_ROUTES,
      byName(({ limits, payments }) => ({ limits, payments })),
      readBody,
    ),
    mountRoutes(
      ADMIN_LIMIT_EVENT_ROUTES,
      byName(({ limits, service }) => ({ limits, jobs: service.jobs })),
    ),
    mountRoutes(ADMIN_FLEET_ROUTES, inputs.fleet, readBody),
    mountRoutes(ADMIN_VOICE_ROUTES, voiceOfferDeps(inputs), readBody),
    mountRoutes(ADMIN_MEDIA_ROUTES, {
      tools: () => describeTools(tools),
      ytDlp: tools.ytDlpRelease,
      ffmpeg: tools.ffmpegRelease,
      whisperCli: tools.whisperCliInstall,
    }),
    mountRoutes(ADMIN_WEBHOOK_ROUTES, environments, readBody),
    mountRoutes(
      ADMIN_PAYMENT_ROUTES,
      byName(({ payments }) => payments),
      readBody,
    ),
    ownerDocumentRoutes(describedBy(inputs)),
  ];
}

/** Changes settings. The keys of servers stay with the addresses that they were given for. */
function settingsChange({ settings, context }: AppInputs): AdminDeps['changeSettings'] {
  const { text, speech } = context.serverKeys;
  return (fields, isByTool) => {
    const { textServerUrl, speechServerUrl } = fields;
    if (textServerUrl !== undefined) text.named(textServerUrl, isByTool);
    if (speechServerUrl !== undefined) speech.named(speechServerUrl, isByTool);
    return settings.change(fields);
  };
}

/** Sessions, keys, and what was done with them. */
function accessRoutes(
  { sessions, keys, devices, audit, operations, clock }: AppInputs,
  { identity, codes, readBody }: Routed,
): Hono<HttpEnv>[] {
  return [
    mountRoutes(ADMIN_DEVICE_ROUTES, { devices }, readBody),
    mountRoutes(ADMIN_SESSION_ROUTES, { sessions, codes, identity }),
    mountRoutes(ADMIN_KEY_ROUTES, { keys, operations, now: () => clock.now() }, readBody),
    mountRoutes(ADMIN_AUDIT_ROUTES, { audit }),
  ];
}

/** A program that was installed by hand since the last look is found, though no event reports it. */
function voiceOfferDeps({ context, needs }: AppInputs): VoiceOfferDeps {
  return {
    missingVoice: async (text) => (await openAudio(context)).missingVoice(text),
    choicesFor: async (missing) => (await needs.lookAt(missing)).choices,
  };
}

function needRouteDeps(needs: InstallNeeds, environments: readonly Environment[]): NeedDeps {
  const waiting = environments.map(({ service }) => service.jobs.waiting);
  return {
    machine: () => needs.machine(),
    needs: async () => {
      await Promise.all(waiting.map((jobs) => jobs.look()));
      return needs.list((need) => waiting.reduce((sum, jobs) => sum + jobs.countFor(need), 0));
    },
  };
}

function openRoutes(inputs: AppInputs, { ordered, readBody, identity, codes, ownerOnly, uptimeSeconds }: Routed) {
  const { checks, isStopping, sessions } = inputs;
  const facilitator = ({ payments, limits }: Environment) =>
    facilitatorRoutes({
      payments,
      identify: countingRefusals(identity.identify, limits),
      readBody,
      limit: limitCaller(limits),
    });
  const openai = openaiRoutes({
    service: inputs.environments.production.service,
    ownerOnly,
    speaker: () => openAudio(inputs.context),
    soundEncoder: async () => (await import('./features/media/service.ts')).soundEncoderOf(inputs.context),
    textModels: () => textModelsOf(inputs),
    installed: (kind) => inputs.models.installed(kind),
    embeddings: () => embeddingsOf(inputs.context),
  });
  const { service, crawlSoFar } = inputs.environments.production;
  const ollama = ollamaRoutes({
    service,
    ownerOnly,
    version: VERSION,
    textModels: () => textModelsOf(inputs),
    loadedModels: async () => (await openText(inputs.context)).loaded(),
    reader: async (name) => (await openText(inputs.context)).service.reader(name),
    installed: (kind) => inputs.models.installed(kind),
    embeddings: () => embeddingsOf(inputs.context),
  });
  const countRefusal = limitByAddress(inputs.environments.production.limits);
  return [
    { path: '/', routes: mountRoutes(LOGIN_ROUTES, { identity, sessions, codes, countRefusal }, readBody) },
    { path: '/openai/v1', routes: openai },
    { path: '/ollama', routes: ollama },
    { path: '/', routes: tikaRoutes({ service, ownerOnly, version: VERSION }) },
    { path: '/', routes: metricsRoutes(inputs.metrics, inputs.sources, ownerOnly) },
    { path: '/webui', routes: webuiRoutes({ service, ownerOnly }) },
    { path: '/docling', routes: doclingRoutes({ service, ownerOnly, version: VERSION }) },
    { path: '/firecrawl', routes: firecrawlRoutes({ service, ownerOnly, crawlSoFar }) },
    { path: '/mcp', routes: mcpOf(inputs.environments.production, identity) },
    { path: '/', routes: mountRoutes(HEALTH_ROUTES, { version: VERSION, uptimeSeconds, checks, isStopping }) },
    ...ordered.map(({ name, inboxes }) => ({ path: INBOX_PATHS[name], routes: inboxRoutes(inboxes) })),
    { path: '/', routes: facilitator(inputs.environments.production) },
    { path: '/staging', routes: facilitator(inputs.environments.staging) },
    { path: '/', routes: referenceRoutes(describedBy(inputs)) },
    { path: '/', routes: dashboardRoutes(inputs.rendererFolder, inputs.basePath) },
  ];
}

/** Those of this machine, and of nodes that are there. */
async function textModelsOf({ context, fleet }: AppInputs): Promise<{ name: string }[]> {
  const here = (await (await openText(context)).list()).map(({ name }) => name);
  return [...new Set([...here, ...fleet.modelNames('text')])].map((name) => ({ name }));
}

function mcpOf({ service, limits }: Environment, identity: Identity) {
  return mcpRoutes({
    service,
    admit: [countingRefusals(identity.identify, limits), rateLimit(limits)],
    openPayment: (operation, from) => openForPayer(service.gate, limits, operation, from),
  });
}

interface MeasuredDeps extends Pick<AppInputs, 'pool' | 'disk' | 'environments'> {
  telemetry: Telemetry;
}

function metricsSources({ pool, disk, telemetry, environments: byName }: MeasuredDeps): MetricsSources {
  const environments = ENVIRONMENTS.map((name) => {
    const { service, payments, webhooks } = byName[name];
    return { name, jobs: service.jobs, payments, webhooks };
  });
  return { version: VERSION, environments, pool, disk, droppedSpans: () => telemetry.dropped };
}

function describedBy({ operations, origin, guidesFolder, rendererFolder }: AppInputs): ReferenceDeps {
  const routes = { publicRoutes: PUBLIC_ROUTES, ownerRoutes: OWNER_ROUTES };
  return { operations, ...routes, version: VERSION, origin, guidesFolder, rendererFolder };
}

/** A wallet signs in to the environment whose address it calls; the two share no nonces. */
function environmentOf(environments: Record<EnvironmentName, Environment>, context: Context<HttpEnv>): Environment {
  return context.req.path.startsWith('/staging/') ? environments.staging : environments.production;
}

/** Time limit for canonicalising a callback body, for the largest results on a busy machine. */
const CALLBACK_BODY_LIMIT_MS = MINUTE_MS;

/** Paths of the built-in inboxes. */
const INBOX_PATHS: Record<EnvironmentName, string> = { production: '/inbox', staging: '/staging/inbox' };

interface EnvironmentDeps {
  name: EnvironmentName;
  /** Folder of this environment inside the data folder. */
  folder: string;
  storage: Storage;
  /** Database file, for read-only connections. */
  databasePath: string;
  workerEntry: URL;
  clock: Clock;
  log: Logger;
  operations: readonly Operation[];
  context: AppContext;
  needs: Needs;
  freeDisk: FreeDisk;
  isolation: Isolation;
  fleet: FleetService;
  browsers: BrowserPlaces;
  metrics: Metrics;
  telemetry: Telemetry;
  payment: FixedPaymentSettings;
  /** HMAC key of deterministic ids. */
  idKey: Buffer;
  /** Null for a named key that was revoked or has expired. */
  keyOf(keyId: string): KeyIdentity | null;
  settings(): Readonly<Settings>;
  /** Origin for absolute URLs. */
  origin(): string;
}

/** All services of production or of staging. Both share code, threads and the process, but no data. */
interface Environment {
  name: EnvironmentName;
  service: JobService;
  alerts: Alerts;
  limits: Limits;
  payments: Payments;
  signIn: WalletSignIn;
  webhooks: Webhooks;
  inboxes: Inboxes;
  contributions: Contributions;
  siteWatches: SiteWatches;
  folders: Folders;
  feeds: Feeds;
  batches: Batches;
  speakerNames: SpeakerNames;
  voices: RememberedVoices;
  lateDigests: LateDigests;
  subtitles: JobSubtitles;
  search: SearchFeature;
  crawlSoFar(jobId: string): Promise<CrawlSoFar>;
  /** Repairs the state that a killed process left, then starts the work. */
  start(): Promise<void>;
  close(deadlineMs: number): Promise<void>;
}

/** What hears of the end of a job, in the transaction that ends it. */
function onJobEnded(
  { name, metrics, telemetry }: EnvironmentDeps,
  { watchers, alerts, contributions }: Pick<EnvironmentServices, 'watchers' | 'alerts' | 'contributions'>,
  ...ended: EndedJobArgs
): void {
  contributions.onJobEnded(ended[0], ended[1]);
  watchers.onJobEnded(...ended);
  alerts.jobEnded(...ended);
  telemetry.jobEnded(name, ended[1]);
  const [, { operation_id: operationId, status, created_at: createdAt, started_at, ended_at }] = ended;
  metrics.ended(name, { operationId, status, createdAt, startedAt: started_at, endedAt: ended_at });
}

type EndedJobArgs = Parameters<Parameters<typeof openJobs>[0]['onEnded']>;

/** What hears that a job is removed, in the transaction that removes its result. */
function onJobRemoved(
  { contributions, alerts }: Pick<EnvironmentServices, 'contributions' | 'alerts'>,
  ...removed: Parameters<JobsDeps['onRemoved']>
): void {
  contributions.onJobRemoved(...removed);
  alerts.jobRemoved(...removed);
}

async function openEnvironment(deps: EnvironmentDeps): Promise<Environment> {
  const { storage, clock, log, operations } = deps;
  const baseUrl = () => deps.origin() + BASE_PATHS[deps.name];
  const folders = new JobFolders(`${deps.folder}/jobs`);
  const inlineOperationIds = operations.filter(({ mode }) => mode === 'inline').map(({ id }) => id);
  const body = await bodyParts({ ...deps, runTask: deps.context.pool.run });
  const limits = new Limits({ storage, clock, log, inlineOperationIds });
  const payments = await openPayments(deps, baseUrl);
  // Before requests are accepted: later marks belong to running submissions.
  await recoverFolders(folders, storage, payments.openDraftJobIds());
  const search = await openSearchOf(deps, folders, () => contributions);
  const changes = new JobChanges();
  const shownFiles = finishedJobs(deps, folders, changes, () => watchers);
  const contributions = new Contributions({ ...deps, ...shownFiles, search });
  search.prepare();
  const watchers = await openWatchers(deps, payments, () => ({ webhooks, service }));
  const voices = await openVoices(deps, folders);
  const use: UseService = openServices(deps, { ...watchers, folders, search, voices, webhooks: () => webhooks });
  const jobs: Jobs = openJobs({
    ...deps,
    client: deps.context.client,
    fleetOf: (local) => deps.fleet.fleetOf({ name: deps.name, storage, folders, operations, use, local }),
    retentionMs: retentionOf(deps),
    concurrencyOf: (accountId) => limits.concurrencyOf(accountId),
    onEnded: (...ended) => onJobEnded(deps, { watchers, alerts, contributions }, ...ended),
    onRetried: (tx, jobId) => watchers.batches.onJobRetried(tx, jobId),
    onRemoved: (...removed) => onJobRemoved({ contributions, alerts }, ...removed),
    ...{ folders, search, changes, payments, baseUrl, use },
    webhooks: () => webhooks,
  });
  const alerts = openAlerts(deps, { jobs: () => jobs, webhooks: () => webhooks });
  const webhooks = openWebhooks(deps, { jobs, batches: watchers.batches, alerts });
  const retentionMs = retentionOf(deps);
  const submission = new Submission({ storage, clock, folders, jobs, webhooks, operations, retentionMs });

  const subtitles = new JobSubtitles({ ...deps, ...shownFiles, tools: toolsOf(deps.context), folders });
  const rooms = { payments, webhooks, limits, jobs, submission, search, contributions, subtitles, watchers, alerts };
  const service: JobService = {
    ...serviceOf(deps, rooms),
    ...acceptanceHooks({ ...deps, folders, use, baseUrl, onNodes: deps.fleet.onNodesIn(deps.name) }),
    ...resultHooks(deps.context, folders),
    baseUrl,
    body,
    readSmallJson: smallJsonReader(body),
    ...jobFilesIn(folders),
  };
  return {
    name: deps.name,
    limits,
    payments,
    signIn: new WalletSignIn({ storage, clock, payments, baseUrl }),
    alerts,
    webhooks,
    contributions,
    speakerNames: new SpeakerNames({ ...deps, ...shownFiles, search }),
    voices,
    lateDigests: new LateDigests({ ...deps, ...shownFiles, use }),
    subtitles,
    search,
    crawlSoFar: (jobId) => crawlSoFar(folders.workOf(jobs.row(jobId).id)),
    inboxes: new Inboxes({ storage, clock, baseUrl: () => deps.origin() + INBOX_PATHS[deps.name] }),
    service,
    ...watchers,
    ...lifeOf(rooms, log),
  };
}

function jobFilesIn(folders: JobFolders): Pick<JobService, 'filePathOf' | 'fileNamesOf' | 'sourcePathOf'> {
  return {
    filePathOf: (jobId, name) => folders.fileOf(jobId, name),
    fileNamesOf: (jobId) => folders.fileNames(jobId),
    sourcePathOf: (jobId) => folders.sourceOf(jobId),
  };
}

async function openVoices(deps: EnvironmentDeps, folders: JobFolders): Promise<RememberedVoices> {
  const { storage, clock, context } = deps;
  const speakers = speakerFilesOf(await modelsOf(context));
  const { media } = toolsOf(context);
  return new RememberedVoices({ storage, clock, runTask: context.pool.run, media, speakers, folders });
}

/** What changes the results and files of finished jobs has in common. */
function finishedJobs(
  { context }: EnvironmentDeps,
  folders: JobFolders,
  changes: JobChanges,
  watchers: () => Pick<Watchers, 'folders'>,
) {
  return {
    jobChanged: (jobId: string) => {
      changes.changed(jobId);
      watchers().folders.onResultChanged(jobId);
    },
    filesOf: (jobId: string) => folders.filesOf(jobId),
    writing: new Mutex(),
    runTask: context.pool.run,
  };
}

type WatcherRooms = Pick<EnvironmentServices, 'webhooks'> & { service: JobService };

/** What submits jobs by itself. */
interface Watchers {
  siteWatches: SiteWatches;
  folders: Folders;
  feeds: Feeds;
  batches: Batches;
  onJobEnded: JobsDeps['onEnded'];
}

/** @param rooms what is opened later */
async function openWatchers(deps: EnvironmentDeps, payments: Payments, rooms: () => WatcherRooms): Promise<Watchers> {
  const { storage, clock, log, context } = deps;
  const service = () => rooms().service;
  const source = { storage, clock, log, service, keyOf: deps.keyOf };
  const siteWatches = new SiteWatches({ ...source, root: join(deps.folder, 'watches'), settings: deps.settings });
  const folders = new Folders({ ...source, dataFolder: context.dataDir });
  const feeds = new Feeds({ ...source, client: context.client, runTask: context.pool.run });
  const batches = new Batches({
    ...source,
    root: join(deps.folder, 'batches'),
    webhooks: () => rooms().webhooks,
    payments,
    retentionMs: retentionOf(deps),
  });
  await batches.recover();
  const all = [siteWatches, folders, feeds, batches];
  return {
    siteWatches,
    folders,
    feeds,
    batches,
    onJobEnded: (tx, job) => {
      for (const one of all) one.onJobEnded(tx, job);
    },
  };
}

async function crawlSoFar(workFolder: string): Promise<CrawlSoFar> {
  return (await import('./features/crawl/service.ts')).crawlSoFar(workFolder);
}

async function openSearchOf(
  deps: EnvironmentDeps,
  folders: JobFolders,
  contributions: () => Contributions,
): Promise<SearchFeature> {
  const embeddings = await embeddingsOf(deps.context);
  const indexPath = join(deps.folder, 'search.db');
  const text = async () => (await openText(deps.context)).service;
  return openSearch({ ...deps, indexPath, embeddings, folders, contributions, text, runTask: deps.context.pool.run });
}

interface ServiceDeps {
  folders: JobFolders;
  search: SearchFeature;
  siteWatches: SiteWatches;
  voices: RememberedVoices;
  /** A function, since webhooks are opened after jobs. */
  webhooks(): Webhooks;
}

/** The services of one environment. A service is loaded when an operation first uses it. */
function openServices({ context, storage, log, browsers }: EnvironmentDeps, deps: ServiceDeps): UseService {
  const { folders, search, siteWatches, voices, webhooks } = deps;
  const voicesOf = ({ accountId }: { accountId: string }) => voices.of(accountId);
  const openers: { [Name in ServiceName]: () => Promise<Services[Name]> } = {
    documents: async () => (await import('./features/documents/service.ts')).documentsOf(context),
    media: async () => (await import('./features/media/service.ts')).openMedia(context, voicesOf),
    hostedVideo: async () => (await import('./features/media/hosted-video.ts')).openHostedVideo(context, voicesOf),
    audio: () => openAudio(context),
    fields: async () => (await import('./features/fields/service.ts')).fieldsOf(context),
    text: async () => (await openText(context)).service,
    crawler: async () => {
      const { createCrawls } = await import('./features/crawl/service.ts');
      return createCrawls({
        context,
        log,
        folders,
        browsers,
        earlierCrawl: (accountId, rootUrl, jobId) => earlierCrawl(storage.db, accountId, rootUrl, jobId),
        baselineOf: (jobId) => siteWatches.baselineOf(jobId),
      });
    },
    search: async () => search.service,
    webhooks: async () => webhooks(),
  };
  return (name) => openers[name]();
}

async function openAudio(context: AppContext) {
  return (await import('./features/audio/service.ts')).audioOf(context);
}

async function openText(context: AppContext) {
  return (await import('./features/text/service.ts')).textOf(context);
}

/** Bytes of documents that are chunked again for an account in a minute. */
const FREE_CHUNKING_BYTES = 32 * MIB;

/** Hooks for pages that show the result of a job. */
function resultHooks(
  context: AppContext,
  folders: JobFolders,
): Pick<JobService, 'rechunk' | 'drawPage' | 'soundPeaks'> {
  const documents = () => import('./features/documents/service.ts');
  const measurePeaks = createSoundPeaks(toolsOf(context).media);
  const budget = new WorkBudget(context.clock, FREE_CHUNKING_BYTES);
  return {
    rechunk: async (jobId, accountId, { segmentLength, language = null }) => {
      const how = { folder: folders.filesOf(jobId), segmentLength, language };
      const { rechunk, documentBytes } = await documents();
      if (accountId !== 'owner') budget.spend(accountId, await documentBytes(how.folder));
      return rechunk(context.pool.run, accountId, how);
    },
    drawPage: async (jobId, how) => (await documents()).drawPage(context.pool.run, folders.sourceOf(jobId), how),
    soundPeaks: (jobId, wish, signal) => measurePeaks(folders.sourceOf(jobId), signal, wish),
  };
}

interface EnvironmentServices {
  payments: Payments;
  webhooks: Webhooks;
  limits: Limits;
  jobs: Jobs;
  submission: Submission;
  search: SearchFeature;
  contributions: Contributions;
  subtitles: JobSubtitles;
  watchers: Watchers;
  alerts: Alerts;
}

function serviceOf(deps: EnvironmentDeps, { payments, webhooks, limits, jobs, submission }: EnvironmentServices) {
  const gate = paymentGate(payments, submission, jobs);
  return {
    idempotency: new IdempotencyKeys(deps.storage, () => deps.clock.now(), gate.openPurchases),
    name: deps.name,
    operations: deps.operations,
    settings: deps.settings,
    jobs,
    submission,
    gate,
    checkTargets: (...targets: Parameters<Webhooks['checkTargets']>) => webhooks.checkTargets(...targets),
    admitWebhook: (...registration: Parameters<Webhooks['admit']>) => webhooks.admit(...registration),
    acquireInline: (accountId: string) => limits.acquireInline(accountId),
  };
}

/** Payments start first, since a settled payment may still owe a job. Closing runs in reverse. */
function lifeOf(rooms: EnvironmentServices, log: Logger): Pick<Environment, 'start' | 'close'> {
  const { payments, webhooks, limits, jobs, submission, search, contributions, subtitles, watchers, alerts } = rooms;
  const { siteWatches, folders, feeds, batches } = watchers;
  return {
    start: async () => {
      await payments.reconcile(
        (tx, draft, paymentId) => (isBatchId(draft.jobId) ? batches : submission).insertPaid(tx, draft, paymentId),
        (jobId) => {
          if (!isBatchId(jobId)) submission.announce(jobId, true);
        },
      );
      webhooks.start();
      siteWatches.start();
      jobs.start();
      folders.start();
      feeds.start();
      batches.start();
      search.start();
      await contributions.start();
      alerts.start();
    },
    close: async (deadlineMs) => {
      await alerts.close();
      await siteWatches.close();
      await folders.close();
      await feeds.close();
      await batches.close();
      await jobs.close(deadlineMs);
      await subtitles.close();
      await search.close();
      await contributions.close();
      await webhooks.close();
      await payments.close();
      limits.accounts.close();
      log.debug('The environment is closed.');
    },
  };
}

function openPayments(deps: EnvironmentDeps, baseUrl: () => string): Promise<Payments> {
  const operations = deps.operations.flatMap(({ id, summary, price, example }) =>
    price === null ? [] : [{ operationId: id, summary, price, example: example.request }],
  );
  const { storage, clock, log } = deps;
  const keyFile = new SecretFile(`${deps.folder}/settlement-key`);
  const offerKeyFile = new SecretFile(`${deps.folder}/offer-key`);
  const fixed = deps.payment;
  const files = { keyFile, offerKeyFile };
  return createPayments({ storage, environment: deps.name, clock, fixed, ...files, operations, baseUrl, log });
}

/** Both environments share the disk: production looks at it. */
function openAlerts(deps: EnvironmentDeps, opened: Pick<AlertsDeps, 'jobs' | 'webhooks'>): Alerts {
  const { name: environment, storage, clock, log, operations, needs, settings } = deps;
  const freeDisk = environment === 'production' ? deps.freeDisk : null;
  return new Alerts({ environment, storage, clock, log, operations, needs, settings, freeDisk, ...opened });
}

interface PresentedDeps {
  jobs: Jobs;
  batches: Batches;
  alerts: Alerts;
}

function openWebhooks(deps: EnvironmentDeps, { jobs, batches, alerts }: PresentedDeps): Webhooks {
  const { storage, clock, log } = deps;
  return new Webhooks({
    storage,
    clock,
    log,
    client: webhookClientOf(deps.context),
    jobs: JOBS_OF_WEBHOOKS,
    presentMany: (ids, maxResultBytes) =>
      new Map([...jobs.presentMany(ids, maxResultBytes), ...batches.presentMany(ids), ...alerts.presentMany(ids)]),
    canonicalResult: async (jobId, fileUrls) => {
      const bytes = await jobs.resultBytes(jobId);
      if (bytes === null) return null;
      const options = { accountId: 'webhooks', timeLimitMs: CALLBACK_BODY_LIMIT_MS };
      return (await deps.context.pool.run('canonical-result', { bytes, fileUrls }, options)).bytes;
    },
    policyFor: ({ accountId, key }) => {
      const { allowHttpWebhooks, allowPrivateNetworks } = deps.settings();
      if (accountId !== 'owner') return { allowHttp: allowHttpWebhooks, allowPrivateNetworks: false };
      const mayReachPrivate = key === undefined || deps.keyOf(key.id)?.scopes.includes(PRIVATE_NETWORK_SCOPE) === true;
      return { allowHttp: true, allowPrivateNetworks: allowPrivateNetworks && mayReachPrivate };
    },
    keyOf: deps.keyOf,
    endpoints: alerts,
    onAttempt: (attempt) => deps.telemetry.attempted(attempt, (jobId) => jobs.traceparentOf(jobId)),
    isPublicAddress,
    random: Math.random,
  });
}

function retentionOf(deps: EnvironmentDeps): () => number {
  return () => deps.settings().retentionHours * HOUR_MS;
}

/**
 * Writes the server's URL to the data folder, for local tools and for a desktop app that starts later. The write is
 * atomic.
 */
async function announce(root: string, url: string, closers: (() => Promise<void> | void)[]): Promise<void> {
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
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return null;
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

/** Limits for connections. */
interface EdgeOptions {
  /** From the start of a connection, or of its next request, to the end of the header. */
  headersTimeoutMs: number;
  /** Interval at which Node checks for expired connections. */
  timeoutCheckMs: number;
  connections: ConnectionBounds;
}

interface Place {
  host: string;
  port: number;
}

const EDGE_DEFAULTS = { headersTimeoutMs: 15 * SECOND_MS, timeoutCheckMs: 5 * SECOND_MS };

/**
 * Limit for receiving one request: 4 GB at 1 Mbit/s take nine hours. The body reader ends a silent sender much earlier.
 */
const REQUEST_TIMEOUT_MS = 12 * HOUR_MS;

/** Binds the port. A taken port is an error. Writes the actual port into `address`. */
async function listen(app: AssembledApp, address: Place, given: Partial<EdgeOptions>) {
  const server = await bind(app, address, given).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new PortTakenError(address) : listenError(error, address);
  });
  address.port = (server.address() as AddressInfo).port;
  return server;
}

/** Opens the listener for devices. Errors: those of Node's `listen`. */
async function openDoor(app: AssembledApp, place: Place, given: Partial<EdgeOptions>): Promise<Door> {
  const server = await bind(app, place, given);
  return { close: () => closeServer(server) };
}

function bind(app: AssembledApp, { host, port }: Place, given: Partial<EdgeOptions>): Promise<Server> {
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
      { ...app, connections: edge.connections },
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

function originOf({ host, port }: { host: string; port: number }): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
