/**
 * What a feature declares. `features.ts` lists the features; `app.ts` opens, mounts, starts and closes them in that
 * order and knows none of them. Operations, routes, scopes, error forms and migrations follow from the declarations.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Settings, SettingsStore } from './config.ts';
import type { AppContext } from './context.ts';
import type { EnvironmentName, Operation } from './operation.ts';
import type { Clock } from './platform/clock.ts';
import type { Migrations, Storage } from './platform/db/database.ts';
import type { QuarryError } from './platform/errors.ts';
import type { FreeDisk } from './platform/files/uploads.ts';
import type { BodyReading } from './platform/http/bodies-in-flight.ts';
import type { ReadSmallJson } from './platform/http/body.ts';
import type { HttpEnv } from './platform/http/env.ts';
import type { KeyScope, Route, RouteDescription } from './platform/http/route.ts';
import type { Logger } from './platform/log.ts';

/** An address that no OpenAPI document describes: another tool's interface. */
export interface ScopedAddress {
  method: string;
  /** As Hono writes it: `/openai/v1/models/:id{.+}`. */
  path: string;
  keyScope: KeyScope;
}

/** The routes of all features, for the OpenAPI documents and the scopes of keys. */
export interface DeclaredRoutes {
  publicRoutes: readonly RouteDescription[];
  ownerRoutes: readonly RouteDescription[];
  addresses: readonly ScopedAddress[];
}

/** A second listener, for callers that a feature identifies. It serves the routes that are declared `forDevices`. */
export interface Door {
  place: Place;
  /** Sets `principal`, and refuses strangers. */
  identify: MiddlewareHandler<HttpEnv>;
  /** Whether a request comes from a caller that is let in. */
  isOwner(incoming: IncomingMessage): boolean;
  /** Addresses that the audit log knows. */
  routes: readonly RouteDescription[];
}

export interface Place {
  host: string;
  port: number;
}

/** What both environments share. */
export interface ServerContext extends AppContext {
  operations: readonly Operation[];
  declared: DeclaredRoutes;
  /** The database of production, which also holds what both environments share. */
  storage: Storage;
  settingsStore: SettingsStore;
  ownerToken: string;
  /** Where the server listens. */
  address(): Place;
  /** Origin for absolute URLs. */
  origin(): string;
  /** Path of the public address; empty for the whole origin. */
  basePath(): string;
  isStopping(): boolean;
  uptimeSeconds(): number;
  /** The disk of the data folder. Its path is shown only to the owner. */
  disk(): Promise<{ folder: string; freeBytes: number; totalBytes: number }>;
  /** Free space of the disk with a folder. */
  freeDiskOf(folder: string): FreeDisk;
  /** Reads a small JSON body, under the limits of production. */
  readBody: ReadSmallJson;
  /** Opens another listener. Errors: those of Node's `listen`. */
  openDoor(door: Door): Promise<{ close(): Promise<void> }>;
  /** The built dashboard; null where it was not built. */
  rendererFolder: URL | null;
}

/** Production or staging. Both share code, threads and the process, but no data. */
export interface Environment {
  name: EnvironmentName;
  context: ServerContext;
  /** Folder of this environment inside the data folder. */
  folder: string;
  storage: Storage;
  /** Database file, for read-only connections. */
  databasePath: string;
  workerEntry: URL;
  clock: Clock;
  log: Logger;
  operations: readonly Operation[];
  /** HMAC key of deterministic ids. */
  idKey: Buffer;
  freeDisk: FreeDisk;
  /** Reads request bodies. */
  body: BodyReading;
  /** Reads a small JSON body. */
  readBody: ReadSmallJson;
  settings(): Readonly<Settings>;
  /** Absolute, ends with the version prefix: `http://127.0.0.1:8402/v1`. */
  baseUrl(): string;
  retentionMs(): number;
}

/** What opening a feature gives. All hooks but `recover` and `start` run in the reverse order of the features. */
export interface Opened<Service> {
  /** What features that use it, and its routes, see. */
  service: Service;
  /** Repairs what a killed process left, before anything starts. */
  recover?(): Promise<void> | void;
  start?(): Promise<void> | void;
  /** The server stops: takes no new work. Runs before the environments stop. */
  stopping?(): void;
  /** Ends its work within the deadline. Other features are still open. */
  stop?(deadlineMs: number): Promise<void> | void;
  close?(): Promise<void> | void;
}

/** Routes at a path of the origin. */
export interface Mounted {
  path: string;
  routes: Hono<HttpEnv>;
}

/** Answers a request at once; false leaves it to the checks and routes. */
export type QuickAnswer = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  clientAddress: (incoming: IncomingMessage) => string | undefined,
) => boolean;

type ByEnvironment<Service> = Record<EnvironmentName, Service>;

/** What a feature mounts beyond its declared routes. */
export interface MountParts<Service, Shared> {
  server: ServerContext;
  environments: ByEnvironment<Service>;
  shared: Shared;
  /** Null for the server's own listener. */
  door: Door | null;
}

/** The response to an error, for the clients of one address. */
export type ErrorForm = (context: Context<HttpEnv>, error: QuarryError) => Response;

/** A feature, whatever it holds. */
export type AnyFeature = Feature<unknown, unknown>;

/** The features that a feature uses, by the names of its own code. They are opened before it. */
export type Uses = Readonly<Record<string, AnyFeature>>;

/** The service of a used feature in one environment: its own, or the one that both share. */
export type ServiceOf<Used> =
  Used extends Feature<infer Service, infer Shared> ? (unknown extends Service ? Shared : Service) : never;

type SharedOf<Used> = Used extends Feature<infer _Service, infer Shared> ? Shared : never;

export interface Feature<Service, Shared> {
  name: string;
  uses: Uses;
  /** Steps of the schema, by their numbered names. A released one is never edited. */
  migrations: Migrations;
  operations: readonly Operation[];
  routes: {
    /** Under `/v1` and `/staging/v1`. */
    environment: readonly Route<Service>[];
    /** Under `/admin`, with the services of both environments. */
    owner: readonly Route<ByEnvironment<Service>>[];
    /** Under `/admin`, with what both environments share. */
    shared: readonly Route<Shared>[];
    /** Described in the public document, or in the owner's, and mounted by `mount`. */
    described: { public: readonly RouteDescription[]; owner: readonly RouteDescription[] };
  };
  /** Other tools' interfaces, with what a named key needs for each. */
  addresses: readonly ScopedAddress[];
  /** The form of errors below `/<base>`, by base. */
  errorForms: Readonly<Record<string, ErrorForm>>;
  openShared(server: ServerContext, used: Record<string, unknown>): Promise<Opened<Shared>> | Opened<Shared>;
  open?(environment: Environment, used: Record<string, unknown>, shared: Shared): OpenedNow<Service>;
  /** Adds checks that run before all routes, at each listener. */
  guard(app: Hono<HttpEnv>, parts: MountParts<Service, Shared>): void;
  mount(parts: MountParts<Service, Shared>): readonly Mounted[];
  /** Answers some requests to the server's own listener before all checks, as these and the routes would. */
  quickAnswer(parts: MountParts<Service, Shared>): QuickAnswer | null;
  /** What another listener gets beside the declared routes. */
  mountAtDoor(parts: MountParts<Service, Shared>): readonly Mounted[];
  /** Answers an error of any address in its own way; null leaves it to the others. */
  refuse(context: Context<HttpEnv>, error: QuarryError, parts: MountParts<Service, Shared>): MaybeResponse;
  /** Whether a request acts for the owner. */
  isOwner(incoming: IncomingMessage, shared: Shared): boolean;
}

type MaybeResponse = Response | null | Promise<Response | null>;

type OpenedNow<Service> = Promise<Opened<Service>> | Opened<Service>;

interface Declaration<Used extends Uses, Service, Shared> {
  name: string;
  uses?: Used;
  migrations?: Migrations;
  operations?: readonly Operation[];
  /** Opens what both environments share, once. */
  openShared?(
    server: ServerContext,
    used: { [Name in keyof Used]: SharedOf<Used[Name]> },
  ): Promise<Opened<Shared>> | Opened<Shared>;
  /** Opens the feature in one environment. */
  open?(
    environment: Environment,
    used: { [Name in keyof Used]: ServiceOf<Used[Name]> },
    shared: Shared,
  ): OpenedNow<Service>;
  routes?: {
    environment?: readonly Route<NoInfer<Service>>[];
    owner?: readonly Route<ByEnvironment<NoInfer<Service>>>[];
    shared?: readonly Route<NoInfer<Shared>>[];
    described?: { public?: readonly RouteDescription[]; owner?: readonly RouteDescription[] };
  };
  addresses?: readonly ScopedAddress[];
  errorForms?: Readonly<Record<string, ErrorForm>>;
  guard?(app: Hono<HttpEnv>, parts: MountParts<Service, Shared>): void;
  mount?(parts: MountParts<Service, Shared>): readonly Mounted[];
  quickAnswer?(parts: MountParts<Service, Shared>): QuickAnswer | null;
  mountAtDoor?(parts: MountParts<Service, Shared>): readonly Mounted[];
  refuse?(context: Context<HttpEnv>, error: QuarryError, parts: MountParts<Service, Shared>): MaybeResponse;
  isOwner?(incoming: IncomingMessage, shared: Shared): boolean;
}

/** Type-checks a declaration and fills in what it leaves out. */
export function defineFeature<const Used extends Uses, Service, Shared>(
  declaration: Declaration<Used, Service, Shared>,
): Feature<Service, Shared> {
  const { routes = {}, ...rest } = declaration;
  return {
    uses: {},
    migrations: {},
    operations: [],
    addresses: [],
    errorForms: {},
    openShared: () => ({ service: undefined as Shared }),
    guard: () => undefined,
    mount: () => [],
    quickAnswer: () => null,
    mountAtDoor: () => [],
    refuse: () => null,
    isOwner: () => false,
    ...rest,
    routes: {
      environment: routes.environment ?? [],
      owner: routes.owner ?? [],
      shared: routes.shared ?? [],
      described: { public: routes.described?.public ?? [], owner: routes.described?.owner ?? [] },
    },
  } as Feature<Service, Shared>;
}
