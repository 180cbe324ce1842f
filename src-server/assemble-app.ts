import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { ENVIRONMENTS, type EnvironmentName } from './contract/index.ts';
import type { AudioEngine } from './engines/audio-engine.ts';
import type { TextEngine } from './engines/text-model.ts';
import type { PoolFigures } from './engines/worker-pool.ts';
import { type Environment, INBOX_PATHS } from './environment.ts';
import { createApp } from './http/app.ts';
import type { HttpEnv } from './http/context.ts';
import { countingRefusals, ownerOnly } from './http/counted-refusals.ts';
import type { HostRules } from './http/host-guard.ts';
import { createIdentity, type Identity } from './http/identify.ts';
import { adapterError } from './http/malformed.ts';
import { FREE_ROUTES } from './http/openapi-free-routes.ts';
import { limitByAddress, limitCaller } from './http/rate-limit.ts';
import { type AdminParts, adminRoutes } from './http/routes/admin.ts';
import { adminContributionRoutes } from './http/routes/admin-contributions.ts';
import { adminEventRoutes } from './http/routes/admin-events.ts';
import { adminJobRoutes } from './http/routes/admin-jobs.ts';
import { adminLimitEventRoutes } from './http/routes/admin-limit-events.ts';
import { adminLimitRoutes } from './http/routes/admin-limits.ts';
import { adminMediaRoutes } from './http/routes/admin-media.ts';
import { adminModelRoutes } from './http/routes/admin-models.ts';
import { adminPaymentRoutes } from './http/routes/admin-payments.ts';
import { adminSessionRoutes } from './http/routes/admin-sessions.ts';
import { adminWebhookRoutes } from './http/routes/admin-webhooks.ts';
import { contributionRoutes } from './http/routes/contributions.ts';
import { dashboardRoutes, unknownPage } from './http/routes/dashboard.ts';
import { facilitatorRoutes } from './http/routes/facilitator.ts';
import { healthRoutes } from './http/routes/health.ts';
import { inboxRoutes } from './http/routes/inbox.ts';
import { loginRoutes } from './http/routes/login.ts';
import { openaiRoutes } from './http/routes/openai.ts';
import { referenceRoutes } from './http/routes/reference.ts';
import { voiceRoutes } from './http/routes/voices.ts';
import { webhookRoutes } from './http/routes/webhooks.ts';
import { SignInCodes } from './http/sign-in-codes.ts';
import type { ReadSmallJson } from './http/small-json.ts';
import { unpaidFirst } from './http/unpaid.ts';
import type { Clock } from './lib/clock.ts';
import { anonymousAccount } from './limits/anonymous-account.ts';
import { describeTools, type MediaTools } from './media-tools.ts';
import type { Models } from './models/models.ts';
import type { Operation } from './operations/operation.ts';
import type { SessionStore } from './storage/sessions.ts';
import type { SettingsStore } from './storage/settings.ts';
import { VERSION } from './version.ts';

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
