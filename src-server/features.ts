/** The features of the server, one line each: opened, mounted and started in this order, closed in the reverse one. */

import type { AnyFeature, ScopedAddress } from './feature.ts';
import { accounts } from './features/accounts/feature.ts';
import { alerts } from './features/alerts/feature.ts';
import { audio } from './features/audio/feature.ts';
import { backup } from './features/backup/feature.ts';
import { batches } from './features/batches/feature.ts';
import { contributions } from './features/contributions/feature.ts';
import { crawl } from './features/crawl/feature.ts';
import { dashboard } from './features/dashboard/feature.ts';
import { devices } from './features/devices/feature.ts';
import { disk } from './features/disk/feature.ts';
import { documents } from './features/documents/feature.ts';
import { feeds } from './features/feeds/feature.ts';
import { fields } from './features/fields/feature.ts';
import { fleet } from './features/fleet/feature.ts';
import { folders } from './features/folders/feature.ts';
import { health } from './features/health/feature.ts';
import { jobs } from './features/jobs/feature.ts';
import { library } from './features/library/feature.ts';
import { limits } from './features/limits/feature.ts';
import { listen } from './features/listen/feature.ts';
import { loaders } from './features/loaders/feature.ts';
import { mcp } from './features/mcp/feature.ts';
import { media } from './features/media/feature.ts';
import { metrics } from './features/metrics/feature.ts';
import { models } from './features/models/feature.ts';
import { openai } from './features/openai/feature.ts';
import { payments } from './features/payments/feature.ts';
import { reference } from './features/reference/feature.ts';
import { search } from './features/search/feature.ts';
import { telemetry } from './features/telemetry/feature.ts';
import { text } from './features/text/feature.ts';
import { watches } from './features/watches/feature.ts';
import { webhooks } from './features/webhooks/feature.ts';
import type { Operation } from './operation.ts';
import type { Migrations } from './platform/db/database.ts';
import type { RouteDescription } from './platform/http/route.ts';

export const FEATURES: readonly AnyFeature[] = [
  payments,
  accounts,
  devices,
  models,
  jobs,
  webhooks,
  search,
  contributions,
  alerts,
  crawl,
  media,
  library,
  disk,
  documents,
  audio,
  listen,
  text,
  fields,
  watches,
  folders,
  feeds,
  batches,
  fleet,
  limits,
  metrics,
  telemetry,
  openai,
  loaders,
  mcp,
  backup,
  health,
  reference,
  dashboard,
];

/** All operations in display order. */
export const OPERATIONS: readonly Operation[] = FEATURES.flatMap(({ operations }) => operations).sort(
  ({ order: one = 0 }, { order: other = 0 }) => one - other,
);

/** Fixed routes that the public document describes. */
export const PUBLIC_ROUTES: readonly RouteDescription[] = FEATURES.flatMap(({ routes }) => [
  ...routes.environment,
  ...routes.described.public,
]);

/** Fixed routes that the owner's document describes. */
export const OWNER_ROUTES: readonly RouteDescription[] = FEATURES.flatMap(({ routes }) => [
  ...routes.described.owner,
  ...routes.owner,
  ...routes.shared,
]);

/** Addresses of other tools' interfaces, with what a named key needs for each. */
export const SCOPED_ADDRESSES: readonly ScopedAddress[] = FEATURES.flatMap(({ addresses }) => addresses);

/** All steps of the schema. Features that share a step each make their part of it, in the order of the features. */
export const MIGRATIONS: Migrations = mergedMigrations();

function mergedMigrations(): Migrations {
  const steps = FEATURES.flatMap(({ migrations }) => Object.entries(migrations));
  const byName = Map.groupBy(steps, ([name]) => name);
  return Object.fromEntries(
    [...byName]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, parts]) => [
        name,
        {
          up: async (db: Parameters<Migrations[string]['up']>[0]) => {
            for (const [, part] of parts) await part.up(db);
          },
        },
      ]),
  );
}

/**
 * Checks the declarations at the start: names of features and ids of operations are unique, a feature is listed after
 * all that it uses (so none uses itself through others), and reroutes lead to existing operations.
 */
export function checkFeatures(features: readonly AnyFeature[], operations: readonly Operation[]): void {
  const listed = new Set<AnyFeature>();
  for (const feature of features) {
    for (const used of Object.values(feature.uses)) {
      if (!listed.has(used))
        throw new Error(`The feature ${feature.name} uses ${used.name}, which must stand before it.`);
    }
    if ([...listed].some(({ name }) => name === feature.name))
      throw new Error(`Two features are called ${feature.name}.`);
    listed.add(feature);
  }
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
