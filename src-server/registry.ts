import { ADMIN_AUDIT_ROUTES } from './features/accounts/audit-routes.ts';
import { ADMIN_KEY_ROUTES } from './features/accounts/key-routes.ts';
import {
  addPayingAccounts,
  createAccounts,
  createAudit,
  createKeys,
  createSessions,
  nameDevices,
} from './features/accounts/migrations.ts';
import { ADMIN_SESSION_ROUTES, LOGIN_ROUTES } from './features/accounts/routes.ts';
import type { ScopedAddress } from './features/accounts/service.ts';
import { createAlerts } from './features/alerts/migrations.ts';
import { ADMIN_ALERT_ROUTES } from './features/alerts/routes.ts';
import { generateAudio } from './features/audio/operation.ts';
import { ADMIN_VOICE_ROUTES, VOICE_ROUTES } from './features/audio/routes.ts';
import { addPaidBatches, createBatches, nameKeysOfBatches } from './features/batches/migrations.ts';
import { BATCH_ROUTES } from './features/batches/routes.ts';
import { correctAllFiles, createContributions, quoteWords } from './features/contributions/migrations.ts';
import { ADMIN_CONTRIBUTION_ROUTES, CONTRIBUTION_ROUTES } from './features/contributions/routes.ts';
import { crawl } from './features/crawl/operation.ts';
import { ADMIN_CRAWL_ROUTES } from './features/crawl/routes.ts';
import { ADMIN_EVENT_ROUTES } from './features/dashboard/events.ts';
import { ADMIN_ROUTES } from './features/dashboard/routes.ts';
import { createNetworkDoor } from './features/devices/migrations.ts';
import { ADMIN_DEVICE_ROUTES } from './features/devices/routes.ts';
import { extractDoc, extractPdf } from './features/documents/operation.ts';
import { createFeeds, forgetEntries, nameKeysOfFeeds } from './features/feeds/migrations.ts';
import { ADMIN_FEED_ROUTES } from './features/feeds/routes.ts';
import { addNodeAbilities, createCopies, createFleet } from './features/fleet/migrations.ts';
import { ADMIN_FLEET_ROUTES } from './features/fleet/routes.ts';
import { createFolderWatches } from './features/folders/migrations.ts';
import { ADMIN_FOLDER_ROUTES } from './features/folders/routes.ts';
import { ADMIN_JOB_ROUTES } from './features/jobs/admin-routes.ts';
import {
  addJobLife,
  addKeptJobs,
  addLabels,
  addWaitingJobs,
  addWatchedJobs,
  countEndedJobs,
  createIdempotencyKeys,
  createJobs,
  grantPrivateHosts,
  indexJobsByTime,
  markUncounted,
  moveChunksToFiles,
  nameNodes,
  numberRuns,
  traceJobs,
} from './features/jobs/migrations.ts';
import { JOB_ROUTES } from './features/jobs/routes.ts';
import { ADMIN_LIMIT_EVENT_ROUTES, ADMIN_LIMIT_ROUTES } from './features/limits/routes.ts';
import { DOCLING_ADDRESSES } from './features/loaders/docling.ts';
import { FIRECRAWL_ADDRESSES } from './features/loaders/firecrawl.ts';
import { TIKA_ADDRESSES } from './features/loaders/tika.ts';
import { WEBUI_ADDRESSES } from './features/loaders/webui.ts';
import { MCP_ADDRESSES } from './features/mcp/routes.ts';
import { createVoices } from './features/media/migrations.ts';
import { extractHostedVideo, extractVideo } from './features/media/operation.ts';
import { ADMIN_MEDIA_ROUTES, ADMIN_SPEAKER_ROUTES } from './features/media/routes.ts';
import { ADMIN_SUBTITLE_ROUTES } from './features/media/subtitle-routes.ts';
import { ADMIN_REMEMBERED_VOICE_ROUTES } from './features/media/voice-routes.ts';
import { METRICS_ADDRESSES } from './features/metrics/routes.ts';
import { ADMIN_MODEL_ROUTES, ADMIN_NEED_ROUTES } from './features/models/routes.ts';
import { OLLAMA_ADDRESSES } from './features/openai/ollama.ts';
import { OPENAI_ADDRESSES } from './features/openai/routes.ts';
import {
  addReplacedTransactions,
  createPayments,
  indexPaymentsByTime,
  indexSettledByMode,
  sumEarnings,
} from './features/payments/migrations.ts';
import { ADMIN_PAYMENT_ROUTES, FACILITATOR_ROUTES } from './features/payments/routes.ts';
import { DOCUMENT_ROUTES, OWNER_DOCUMENT_ROUTES } from './features/reference/routes.ts';
import { addSearchByMeaning, createSearch, queueSearch } from './features/search/migrations.ts';
import { search } from './features/search/operation.ts';
import { ADMIN_SEARCH_ROUTES } from './features/search/routes.ts';
import { generateText } from './features/text/operation.ts';
import { createSiteWatches, nameKeysOfWatches } from './features/watches/migrations.ts';
import { ADMIN_WATCH_ROUTES } from './features/watches/routes.ts';
import {
  addAlertEvents,
  addChangedEvent,
  createWebhooks,
  nameKeysOfWebhooks,
  nameWebhooks,
} from './features/webhooks/migrations.ts';
import { webhooks } from './features/webhooks/operation.ts';
import { ADMIN_WEBHOOK_ROUTES, WEBHOOK_ROUTES } from './features/webhooks/routes.ts';
import type { Operation } from './operation.ts';
import type { Migrations } from './platform/db/database.ts';
import { HEALTH_ROUTES } from './platform/http/health.ts';
import type { RouteDescription } from './platform/http/route.ts';

/** All operations in display order, one line each. */
export const OPERATIONS: readonly Operation[] = [
  crawl,
  extractHostedVideo,
  extractVideo,
  extractDoc,
  extractPdf,
  generateAudio,
  generateText,
  search,
  webhooks,
];

/** Validates the registry at start-up: ids are unique, and reroutes lead to existing operations. */
export function checkRegistry(operations: readonly Operation[]): void {
  const ids = new Set<string>();
  for (const { id } of operations) {
    if (ids.has(id)) throw new Error(`Two operations are called ${id}.`);
    ids.add(id);
  }
  for (const { id, source, mode, inline } of operations) {
    if ((mode === 'inline') !== (inline !== undefined)) throw new Error(`${id} must say how it answers inline.`);
    for (const target of Object.values(source?.reroutes ?? {})) {
      if (!ids.has(target)) throw new Error(`${id} sends sources to ${target}, which is no operation.`);
    }
  }
}

/** All migrations in order. A released one is never edited. */
export const MIGRATIONS: Migrations = {
  '001-jobs': { up: createJobs },
  '002-payments': { up: createPayments },
  '003-accounts': { up: createAccounts },
  '004-webhooks': { up: createWebhooks },
  '005-search': { up: createSearch },
  '006-contributions': { up: createContributions },
  '007-chunks-in-files': { up: moveChunksToFiles },
  '009-search-by-meaning': { up: addSearchByMeaning },
  '012-replaced-transactions': { up: addReplacedTransactions },
  '013-job-life': { up: addJobLife },
  '014-kept-jobs': { up: addKeptJobs },
  '015-payments-by-time': { up: indexPaymentsByTime },
  '017-paying-accounts': { up: addPayingAccounts },
  '018-sessions': { up: createSessions },
  '019-search-queue': { up: queueSearch },
  '021-waiting-jobs': { up: addWaitingJobs },
  '022-settled-by-mode': { up: indexSettledByMode },
  '023-ended-jobs': { up: countEndedJobs },
  '024-earnings': { up: sumEarnings },
  '025-webhook-names': { up: nameWebhooks },
  '026-jobs-by-time': { up: indexJobsByTime },
  '027-voices': { up: createVoices },
  '028-watched-sites': {
    up: async (db: Parameters<typeof createSiteWatches>[0]) => {
      await addWatchedJobs(db);
      await addChangedEvent(db);
      await createSiteWatches(db);
    },
  },
  '029-keys': { up: createKeys },
  '030-audit': { up: createAudit },
  '031-folders-and-feeds': {
    up: async (db: Parameters<typeof createFolderWatches>[0]) => {
      await createFolderWatches(db);
      await createFeeds(db);
    },
  },
  '032-batches': { up: createBatches },
  '033-labels': { up: addLabels },
  '034-idempotency': { up: createIdempotencyKeys },
  '035-runs': { up: numberRuns },
  '036-nodes': { up: nameNodes },
  '037-fleet': { up: createFleet },
  '038-alerts': {
    up: async (db: Parameters<typeof createAlerts>[0]) => {
      await createAlerts(db);
      await addAlertEvents(db);
    },
  },
  '039-traces': { up: traceJobs },
  '042-paid-batches': { up: addPaidBatches },
  '043-forgotten-entries': { up: forgetEntries },
  '044-node-abilities': { up: addNodeAbilities },
  '045-model-copies': { up: createCopies },
  '046-corrected-files': { up: correctAllFiles },
  '047-private-hosts': { up: grantPrivateHosts },
  '048-keys-of-makers': {
    up: async (db: Parameters<typeof nameKeysOfWebhooks>[0]) => {
      await nameKeysOfWebhooks(db);
      await nameKeysOfWatches(db);
      await nameKeysOfFeeds(db);
      await nameKeysOfBatches(db);
    },
  },
  '049-quoted-words': { up: quoteWords },
  '050-uncounted-results': { up: markUncounted },
  '051-devices': {
    up: async (db: Parameters<typeof nameDevices>[0]) => {
      await nameDevices(db);
      await createNetworkDoor(db);
    },
  },
};

/** Fixed routes that the public document describes. */
export const PUBLIC_ROUTES: readonly RouteDescription[] = [
  ...JOB_ROUTES,
  ...BATCH_ROUTES,
  ...WEBHOOK_ROUTES,
  ...CONTRIBUTION_ROUTES,
  ...VOICE_ROUTES,
  ...FACILITATOR_ROUTES,
  ...HEALTH_ROUTES,
  ...DOCUMENT_ROUTES,
];

/** Fixed routes that the owner's document describes. */
export const OWNER_ROUTES: readonly RouteDescription[] = [
  ...ADMIN_ROUTES,
  ...ADMIN_EVENT_ROUTES,
  ...ADMIN_ALERT_ROUTES,
  ...LOGIN_ROUTES,
  ...ADMIN_SESSION_ROUTES,
  ...ADMIN_DEVICE_ROUTES,
  ...ADMIN_KEY_ROUTES,
  ...ADMIN_AUDIT_ROUTES,
  ...ADMIN_JOB_ROUTES,
  ...ADMIN_CRAWL_ROUTES,
  ...ADMIN_WATCH_ROUTES,
  ...ADMIN_FOLDER_ROUTES,
  ...ADMIN_FEED_ROUTES,
  ...ADMIN_SEARCH_ROUTES,
  ...ADMIN_LIMIT_ROUTES,
  ...ADMIN_LIMIT_EVENT_ROUTES,
  ...ADMIN_FLEET_ROUTES,
  ...ADMIN_MODEL_ROUTES,
  ...ADMIN_NEED_ROUTES,
  ...ADMIN_VOICE_ROUTES,
  ...ADMIN_MEDIA_ROUTES,
  ...ADMIN_SPEAKER_ROUTES,
  ...ADMIN_REMEMBERED_VOICE_ROUTES,
  ...ADMIN_SUBTITLE_ROUTES,
  ...ADMIN_WEBHOOK_ROUTES,
  ...ADMIN_CONTRIBUTION_ROUTES,
  ...ADMIN_PAYMENT_ROUTES,
  ...OWNER_DOCUMENT_ROUTES,
];

/** Addresses of other tools' interfaces, with what a named key needs for each. */
export const SCOPED_ADDRESSES: readonly ScopedAddress[] = [
  ...OPENAI_ADDRESSES,
  ...OLLAMA_ADDRESSES,
  ...TIKA_ADDRESSES,
  ...WEBUI_ADDRESSES,
  ...DOCLING_ADDRESSES,
  ...FIRECRAWL_ADDRESSES,
  ...MCP_ADDRESSES,
  ...METRICS_ADDRESSES,
];
