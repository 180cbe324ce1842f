/**
 * The life of the features: opens, mounts and starts them in their order, and ends them in the reverse one (graceful
 * shutdown).
 */

import type { IncomingMessage } from 'node:http';
import type { Context, Hono } from 'hono';
import { BASE_PATHS, endInTime, requireOwner } from './context.ts';
import type { AnyFeature, Door, Environment, MountParts, Opened, QuickAnswer, ServerContext } from './feature.ts';
import { ENVIRONMENTS, type EnvironmentName } from './operation.ts';
import type { QuarryError } from './platform/errors.ts';
import { refuseWhenStopping } from './platform/http/app.ts';
import type { HttpEnv } from './platform/http/env.ts';
import { problemResponse } from './platform/http/problem.ts';
import { isForDevices, mountRoutes, type RouteDescription } from './platform/http/route.ts';

type OpenedBy = Map<AnyFeature, Opened<unknown>>;

export class OpenFeatures {
  readonly #features: readonly AnyFeature[];
  readonly #server: ServerContext;
  readonly #shared: OpenedBy = new Map();
  readonly #environments: Record<EnvironmentName, OpenedBy> = { production: new Map(), staging: new Map() };
  readonly #readers = new Map<EnvironmentName, Environment['readBody']>();

  constructor(features: readonly AnyFeature[], server: ServerContext) {
    this.#features = features;
    this.#server = server;
  }

  /** Opens what both environments share. */
  async openShared(): Promise<void> {
    for (const feature of this.#features) {
      this.#shared.set(feature, await feature.openShared(this.#server, servicesOf(feature, this.#shared)));
    }
  }

  async openEnvironment(environment: Environment): Promise<void> {
    const opened = this.#environments[environment.name];
    this.#readers.set(environment.name, environment.readBody);
    for (const feature of this.#features) {
      const shared = this.#shared.get(feature);
      const own = await feature.open?.(environment, servicesOf(feature, opened), shared?.service);
      opened.set(feature, own ?? { service: shared?.service });
    }
  }

  /** Repairs what a killed process left in an environment, then starts its work. */
  async startEnvironment(name: EnvironmentName): Promise<void> {
    for (const { recover } of this.#environments[name].values()) await recover?.();
    for (const { start } of this.#environments[name].values()) await start?.();
  }

  /** Starts what both environments share. Call it once they have started. */
  async startShared(): Promise<void> {
    for (const { start } of this.#shared.values()) await start?.();
  }

  /** The server takes no new work. */
  announceStopping(): void {
    for (const { stopping } of [...this.#shared.values()].reverse()) stopping?.();
  }

  /** Ends the work of an environment within the deadline, then closes it. All hooks run. Errors: AggregateError. */
  async closeEnvironment(name: EnvironmentName, deadlineMs: number): Promise<void> {
    const opened = this.#environments[name];
    await runAll([...endsOf(opened, ({ stop }) => stop?.(deadlineMs)), ...endsOf(opened, ({ close }) => close?.())]);
  }

  /** Ends the work of what both environments share, before the server closes. */
  async stopShared(deadlineMs: number): Promise<void> {
    await runAll(endsOf(this.#shared, ({ stop }) => stop?.(deadlineMs)));
  }

  /** Closes what both environments share. */
  async closeShared(): Promise<void> {
    await runAll(endsOf(this.#shared, ({ close }) => close?.()));
  }

  /** Mounts the checks of all features, then their routes: floods stop before a body is read. */
  mountFeatures(app: Hono<HttpEnv>): void {
    for (const feature of this.#features) feature.guard(app, this.#mountPartsFor(feature));
    const open = refuseWhenStopping(this.#server.isStopping);
    for (const base of this.#features.flatMap(({ errorForms }) => Object.keys(errorForms))) {
      for (const path of [`/${base}`, `/${base}/*`]) app.use(path, open);
    }
    closeToStrangers(app);
    for (const feature of this.#features) this.#mountDeclared(app, feature);
    for (const feature of this.#features) {
      for (const { path, routes } of feature.mount(this.#mountPartsFor(feature))) app.route(path, routes);
    }
  }

  /** What answers requests before the app. */
  quickAnswers(): readonly QuickAnswer[] {
    return this.#features.flatMap((feature) => feature.quickAnswer(this.#mountPartsFor(feature)) ?? []);
  }

  /** The same for another listener, with the owner's routes that are meant for it. */
  mountAtDoor(app: Hono<HttpEnv>, door: Door): void {
    for (const feature of this.#features) feature.guard(app, this.#mountPartsFor(feature, door));
    closeToStrangers(app);
    for (const feature of this.#features) this.#mountDeclared(app, feature, isForDevices);
    for (const feature of this.#features) {
      for (const { path, routes } of feature.mountAtDoor(this.#mountPartsFor(feature, door))) app.route(path, routes);
    }
  }

  /** @param isKept leaves out others of the owner's */
  #mountDeclared(app: Hono<HttpEnv>, feature: AnyFeature, isKept: (route: RouteDescription) => boolean = () => true) {
    const { environment, owner, shared } = feature.routes;
    const parts = this.#mountPartsFor(feature);
    const { readBody } = this.#server;
    for (const name of ENVIRONMENTS) {
      const reader = this.#readers.get(name) ?? readBody;
      app.route(BASE_PATHS[name], mountRoutes(environment, parts.environments[name], reader, requireOwner));
    }
    app.route('/admin', mountRoutes(owner.filter(isKept), parts.environments, readBody));
    app.route('/admin', mountRoutes(shared.filter(isKept), parts.shared, readBody));
  }

  /** The response to an error: that of a feature, or of the form below its address. */
  async errorResponse(context: Context<HttpEnv>, error: QuarryError): Promise<Response> {
    for (const feature of this.#features) {
      const response = await feature.refuse(context, error, this.#mountPartsFor(feature));
      if (response !== null) return response;
    }
    const [, base = ''] = context.req.path.split('/');
    const owner = this.#features.find(({ errorForms }) => Object.hasOwn(errorForms, base));
    return (owner?.errorForms[base] ?? problemResponse)(context, error);
  }

  /** Whether a request acts for the owner, which a feature decides. */
  isOwner(incoming: IncomingMessage): boolean {
    return this.#features.some((feature) => feature.isOwner(incoming, this.#shared.get(feature)?.service));
  }

  #mountPartsFor(feature: AnyFeature, door: Door | null = null): MountParts<unknown, unknown> {
    const ownOf = (name: EnvironmentName) => this.#environments[name].get(feature)?.service;
    return {
      // Another listener has no path of a proxy.
      server: door === null ? this.#server : { ...this.#server, basePath: () => '' },
      door,
      environments: { production: ownOf('production'), staging: ownOf('staging') },
      shared: this.#shared.get(feature)?.service,
    };
  }
}

/** The owner's routes stay closed if the guard of no feature identifies the caller. */
function closeToStrangers(app: Hono<HttpEnv>): void {
  app.use('/admin/*', requireOwner);
}

function servicesOf({ uses }: AnyFeature, opened: OpenedBy): Record<string, unknown> {
  return Object.fromEntries(Object.entries(uses).map(([name, used]) => [name, opened.get(used)?.service]));
}

type Hook = () => Promise<void>;

/** A hook of what is open, the last opened first. Errors: those of the hook, and one that does not end. */
function endsOf(opened: OpenedBy, end: (one: Opened<unknown>) => Promise<void> | void): Hook[] {
  return [...opened].reverse().map(
    ([{ name }, one]) =>
      () =>
        endInTime(`The feature ${name}`, () => end(one)),
  );
}

/** Runs all hooks in turn. Errors: AggregateError after the last. */
async function runAll(hooks: readonly Hook[]): Promise<void> {
  const errors: unknown[] = [];
  for (const run of hooks) await run().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, 'Parts of the server failed to close.');
}
