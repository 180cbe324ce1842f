import { PRIVATE_NETWORK_SCOPE } from '../../context.ts';
import { defineFeature, type Environment } from '../../feature.ts';
import { ENVIRONMENTS, type EnvironmentName } from '../../operation.ts';
import type { FindKey } from '../../platform/named-key.ts';
import { isPublicAddress } from '../../platform/net/address-policy.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { accounts } from '../accounts/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { endedJob, type Jobs, SUBSCRIBABLE_JOBS } from '../jobs/service.ts';
import { Inboxes } from './inbox.ts';
import { addAlertEvents, addChangedEvent, createWebhooks, nameKeysOfWebhooks, nameWebhooks } from './migrations.ts';
import { webhooks as registerWebhook } from './operation.ts';
import { ADMIN_WEBHOOK_ROUTES, inboxRoutes, WEBHOOK_ROUTES } from './routes.ts';
import type { DeliveryAttempt, EndpointListener, JobPieces, WebhookRequest } from './schema.ts';
import { Webhooks, webhookClientOf } from './service.ts';

/** Time limit for canonicalising a callback body, for the largest results on a busy machine. */
const CALLBACK_BODY_LIMIT_MS = MINUTE_MS;

/** Paths of the built-in inboxes. */
const INBOX_PATHS: Record<EnvironmentName, string> = { production: '/inbox', staging: '/staging/inbox' };

/** What other features add to webhooks when they open. */
export interface WebhookListeners {
  /** Bodies of deliveries that are about no job, by the id of their subject. */
  presenters: ((ids: readonly string[]) => ReadonlyMap<string, JobPieces>)[];
  /** Hear how the account-level webhooks of the owner fare. */
  endpoints: EndpointListener[];
  /** Receive each attempt of a delivery that is no test, before it is recorded. */
  attempts: ((attempt: DeliveryAttempt) => void)[];
}

/** Webhooks: subscriptions, the outbox, deliveries and inboxes. */
export const webhooks = defineFeature({
  name: 'webhooks',
  uses: { accounts, jobs },
  migrations: {
    '004-webhooks': { up: createWebhooks },
    '025-webhook-names': { up: nameWebhooks },
    '028-watched-sites': { up: addChangedEvent },
    '038-alerts': { up: addAlertEvents },
    '048-keys-of-makers': { up: nameKeysOfWebhooks },
  },
  operations: [registerWebhook],
  open(environment, { accounts, jobs }) {
    const { storage, clock, context, name } = environment;
    const listeners: WebhookListeners = { presenters: [], endpoints: [], attempts: [] };
    const webhooks = openWebhooks(environment, { jobs: jobs.jobs, keyOf: accounts.keyOf, listeners });
    const { events, ports, services } = jobs;
    events.on('accepted', (tx, jobId, draft, subscribed) => {
      subscribed.push(...webhooks.subscribeJob(tx, jobId, draft.accountId, draft.subscriptions, draft.key));
    });
    events.on('ended', (tx, job) => {
      const ended = endedJob(job);
      if (ended !== null) webhooks.onTerminal(tx, ended);
    });
    events.on('removed', (tx, jobId) => webhooks.onJobRemoved(tx, jobId));
    events.on('committed', () => webhooks.kick());
    ports.checkTargets = (...of) => webhooks.checkTargets(...of);
    ports.admitWebhook = (maker, request) => webhooks.admitAccountWebhook(maker, request as WebhookRequest);
    services.provideService('webhooks', async () => webhooks);
    const inboxes = new Inboxes({ storage, clock, baseUrl: () => context.origin() + INBOX_PATHS[name] });
    return {
      service: { webhooks, inboxes, listeners, jobs: jobs.jobs },
      start: () => webhooks.startWebhooks(),
      close: () => webhooks.closeWebhooks(),
    };
  },
  routes: { environment: WEBHOOK_ROUTES, owner: ADMIN_WEBHOOK_ROUTES },
  mount: ({ environments }) =>
    ENVIRONMENTS.map((name) => ({ path: INBOX_PATHS[name], routes: inboxRoutes(environments[name].inboxes) })),
});

interface WebhookParts {
  jobs: Pick<Jobs, 'presentMany' | 'resultBytes'>;
  keyOf: FindKey;
  listeners: WebhookListeners;
}

function openWebhooks(environment: Environment, { jobs, keyOf, listeners }: WebhookParts): Webhooks {
  const { storage, clock, log, context, settings } = environment;
  return new Webhooks({
    storage,
    clock,
    log,
    client: webhookClientOf(context),
    jobs: SUBSCRIBABLE_JOBS,
    presentMany: (ids, maxResultBytes) =>
      new Map([
        ...jobs.presentMany(ids, maxResultBytes),
        ...listeners.presenters.flatMap((presentMany) => [...presentMany(ids)]),
      ]),
    canonicalResult: async (jobId, fileUrls) => {
      const bytes = await jobs.resultBytes(jobId);
      if (bytes === null) return null;
      const options = { accountId: 'webhooks', timeLimitMs: CALLBACK_BODY_LIMIT_MS };
      return (await context.pool.run('canonical-result', { bytes, fileUrls }, options)).bytes;
    },
    policyFor: ({ accountId, key }) => {
      const { allowHttpWebhooks, allowPrivateNetworks } = settings();
      if (accountId !== 'owner') return { allowHttp: allowHttpWebhooks, allowPrivateNetworks: false };
      const mayReachPrivate = key === undefined || keyOf(key.id)?.scopes.includes(PRIVATE_NETWORK_SCOPE) === true;
      return { allowHttp: true, allowPrivateNetworks: allowPrivateNetworks && mayReachPrivate };
    },
    keyOf,
    endpoints: {
      onEndpointFailing: (tx, endpoint) => {
        for (const listener of listeners.endpoints) listener.onEndpointFailing(tx, endpoint);
      },
      onEndpointMended: (tx, webhookId) => {
        for (const listener of listeners.endpoints) listener.onEndpointMended(tx, webhookId);
      },
    },
    onAttempt: (attempt) => {
      for (const receive of listeners.attempts) receive(attempt);
    },
    isPublicAddress,
    random: Math.random,
  });
}
