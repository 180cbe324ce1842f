import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { ENVIRONMENTS, type EnvironmentName } from './contract/index.ts';
import { type Environment, INBOX_PATHS } from './environment.ts';
import { adminSessionRoutes } from './features/accounts/admin-sessions.ts';
import { loginRoutes } from './features/accounts/routes.ts';
import { createIdentity, type Identity } from './features/accounts/service.ts';
import type { SessionStore } from './features/accounts/sessions.ts';
import { SignInCodes } from './features/accounts/sign-in-codes.ts';
import { voiceRoutes } from './features/audio/routes.ts';
import type { AudioEngine } from './features/audio/service.ts';
import { adminContributionRoutes } from './features/contributions/admin-contributions.ts';
import { contributionRoutes } from './features/contributions/routes.ts';
import { adminEventRoutes } from './features/dashboard/events.ts';
import { type AdminParts, adminRoutes } from './features/dashboard/routes.ts';
import { dashboardRoutes, unknownPage } from './features/dashboard/static-files.ts';
import { adminJobRoutes } from './features/jobs/admin-routes.ts';
import { adminLimitEventRoutes } from './features/limits/admin-limit-events.ts';
import { countingRefusals, ownerOnly } from './features/limits/counted-refusals.ts';
import { limitByAddress, limitCaller } from './features/limits/rate-limit.ts';
import { adminLimitRoutes } from './features/limits/routes.ts';
import { adminMediaRoutes } from './features/media/routes.ts';
import { describeTools, type MediaTools } from './features/media/tools.ts';
import { adminModelRoutes } from './features/models/routes.ts';
import type { Models } from './features/models/service.ts';
import { openaiRoutes } from './features/openai/routes.ts';
import { adminPaymentRoutes } from './features/payments/routes.ts';
import { facilitatorRoutes } from './features/payments/routes-facilitator.ts';
import { unpaidFirst } from './features/payments/unpaid.ts';
import { FREE_ROUTES } from './features/reference/openapi-free-routes.ts';
import { referenceRoutes } from './features/reference/routes.ts';
import type { TextEngine } from './features/text/service.ts';
import { adminWebhookRoutes } from './features/webhooks/admin-webhooks.ts';
import { webhookRoutes } from './features/webhooks/routes.ts';
import { inboxRoutes } from './features/webhooks/routes-inbox.ts';
import type { Operation } from './operation.ts';
import type { Clock } from './platform/clock.ts';
import { createApp } from './platform/http/app.ts';
import type { HttpEnv } from './platform/http/env.ts';
import { healthRoutes } from './platform/http/health.ts';
import type { HostRules } from './platform/http/host-guard.ts';
import { adapterError } from './platform/http/malformed.ts';
import type { ReadSmallJson } from './platform/http/small-json.ts';
import { anonymousAccount } from './platform/net/client-address.ts';
import type { PoolFigures } from './platform/pool/worker-pool.ts';
import { VERSION } from './platform/version.ts';
import type { SettingsStore } from './storage-settings.ts';

export interface AppInputs {
  log: Logger;
  ownerToken: string;
  clock: Clock;
  sessions: SessionStore;
  operations: readonly Operation[];
  environments: Record<EnvironmentName, Environment>;
  settings: SettingsStore;
  models: Models;
  tools: MediaTools;
  audio: AudioEngine;
  textModels: TextEngine['list'];
  hosts: HostRules;
  isStopping(): boolean;
  origin(): string;
  pool(): PoolFigures;
  disk: AdminParts['disk'];
  /** Each readiness check by name; a failing one throws a public sentence. */
  checks: Record<string, () => Promise<void>>;
  rendererFolder: URL | null;
  guidesFolder: string;
}

/** What a server needs: how requests are answered, and which of them are the owner's. */
export interface AssembledApp {
  handle: RequestListener;
  isOwner: Identity['isOwner'];
}

/** Puts every route in its place: the versioned ones per environment, the owner's, and the open ones. */
export function assembleApp(inputs: AppInputs): AssembledApp {
  const { environments } = inputs;
  const ordered = ENVIRONMENTS.map((name) => environments[name]);
  const startedAt = performance.now();
  const uptimeSeconds = () => Math.floor((performance.now() - startedAt) / 1000);
  const readBody = environments.production.service.readSmallJson;
  const identity = createIdentity({
    ownerToken: inputs.ownerToken,
    sessions: inputs.sessions,
    port: () => inputs.hosts.address().port,
    anonymousAccount,
    walletOf: (header, context) => {
      const { payments, limits } = environmentOf(environments, context);
      return payments.verifySignIn(header, () => limitByAddress(limits)(context));
    },
  });
  const routed: Routed = {
    ordered,
    readBody,
    identity,
    codes: new SignInCodes(inputs.clock),
    ownerOnly: ownerOnly(identity.identify, environments.production.limits),
    uptimeSeconds,
  };
  const app = createApp({
    environments: ordered.map(({ service, limits, webhooks, contributions }) => ({
      service,
      limits,
      routes: [
        webhookRoutes({
          webhooks,
          readBody,
          jobJson: async (jobId) => service.jobs.json(await service.jobs.row(jobId)),
        }),
        contributionRoutes({ contributions, readBody }),
        voiceRoutes({ ...inputs.audio, baseUrl: service.baseUrl }),
      ],
    })),
    admin: ownerRoutes(inputs, routed),
    open: openRoutes(inputs, routed),
    unknownPage: unknownPage(inputs.rendererFolder),
    identity,
    ownerOnly: routed.ownerOnly,
    hosts: inputs.hosts,
    isStopping: inputs.isStopping,
    log: inputs.log,
  });
  const listener = getRequestListener(app.fetch, {
    hostname: inputs.hosts.address().host,
    errorHandler: adapterError,
  });
  const handle = unpaidFirst({ environments: ordered, hosts: inputs.hosts, log: inputs.log }, listener);
  return { handle, isOwner: identity.isOwner };
}

interface Routed {
  ordered: readonly Environment[];
  readBody: ReadSmallJson;
  identity: Identity;
  codes: SignInCodes;
  ownerOnly: MiddlewareHandler<HttpEnv>;
  uptimeSeconds(): number;
}

function ownerRoutes(inputs: AppInputs, routed: Routed): Hono<HttpEnv>[] {
  const { ordered, readBody, identity, codes, uptimeSeconds } = routed;
  const { environments, settings, sessions } = inputs;
  const { production, staging } = environments;
  const byName = <Value>(pick: (environment: Environment) => Value) => ({
    production: pick(production),
    staging: pick(staging),
  });
  const named = ordered.map(({ name, service, webhooks, inboxes, contributions }) => ({
    name,
    jobs: service.jobs,
    webhooks,
    inboxes,
    contributions,
  }));
  return [
    adminRoutes({
      version: VERSION,
      uptimeSeconds,
      environments: named,
      pool: inputs.pool,
      search: () =>
        Promise.all(ordered.map(async ({ name, search }) => ({ environment: name, ...(await search.figures()) }))),
      disk: inputs.disk,
      settings: () => settings.current,
      changeSettings: (fields) => settings.change(fields),
      readBody,
    }),
    adminSessionRoutes({ sessions, codes, identity }),
    adminEventRoutes({ environments: named }),
    adminJobRoutes(byName(({ service, payments }) => ({ service, payments }))),
    adminLimitRoutes(
      byName(({ limits }) => limits),
      readBody,
    ),
    adminLimitEventRoutes(byName(({ limits, service }) => ({ limits, jobs: service.jobs }))),
    adminModelRoutes(inputs.models),
    adminMediaRoutes({ tools: () => describeTools(inputs.tools), ytDlp: inputs.tools.ytDlpRelease }),
    adminWebhookRoutes({ environments, readBody }),
    adminContributionRoutes({ environments, readBody }),
    adminPaymentRoutes(
      byName(({ payments }) => payments),
      readBody,
    ),
  ];
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
  const reference = referenceRoutes({
    operations: inputs.operations,
    freeRoutes: FREE_ROUTES,
    version: VERSION,
    origin: inputs.origin,
    guidesFolder: inputs.guidesFolder,
  });
  const openai = openaiRoutes({
    service: inputs.environments.production.service,
    ownerOnly,
    textModels: inputs.textModels,
    installed: (kind) => inputs.models.installed(kind),
  });
  return [
    {
      path: '/',
      routes: loginRoutes({
        identity,
        sessions,
        codes,
        readBody,
        countRefusal: limitByAddress(inputs.environments.production.limits),
      }),
    },
    { path: '/openai/v1', routes: openai },
    { path: '/', routes: healthRoutes({ version: VERSION, uptimeSeconds, checks, isStopping }) },
    ...ordered.map(({ name, inboxes }) => ({ path: INBOX_PATHS[name], routes: inboxRoutes(inboxes) })),
    { path: '/facilitator', routes: facilitator(inputs.environments.production) },
    { path: '/staging/facilitator', routes: facilitator(inputs.environments.staging) },
    { path: '/', routes: reference },
    { path: '/', routes: dashboardRoutes(inputs.rendererFolder) },
  ];
}

/** A wallet signs in to the environment whose address it calls; the two share no nonces. */
function environmentOf(environments: Record<EnvironmentName, Environment>, context: Context<HttpEnv>): Environment {
  return context.req.path.startsWith('/staging/') ? environments.staging : environments.production;
}
