import { defineFeature } from '../../feature.ts';
import { VERSION } from '../../platform/version.ts';
import { jobs } from '../jobs/feature.ts';
import { limits } from '../limits/feature.ts';
import { payments } from '../payments/feature.ts';
import { webhooks } from '../webhooks/feature.ts';
import { METRICS_ADDRESSES, metricsRoutes } from './routes.ts';
import type { MetricsSources } from './schema.ts';
import { Metrics } from './service.ts';

/** Figures for Prometheus, over both environments. */
export const metrics = defineFeature({
  name: 'metrics',
  uses: { jobs, limits, payments, webhooks },
  openShared({ pool, disk }) {
    const sources: MetricsSources = {
      version: VERSION,
      environments: [],
      pool: pool.figures,
      disk,
      droppedSpans: () => 0,
    };
    return { service: { metrics: new Metrics(sources) } };
  },
  open(
    { name },
    { jobs: { jobs, events }, limits: { ownerOnly }, payments: { payments }, webhooks: { webhooks } },
    shared,
  ) {
    const { metrics } = shared;
    metrics.sources.environments.push({ name, jobs, payments, webhooks });
    events.on('ended', (_tx, job) => {
      const { operation_id: operationId, status, created_at: createdAt, started_at, ended_at } = job;
      metrics.observeEndedJob(name, { operationId, status, createdAt, startedAt: started_at, endedAt: ended_at });
    });
    return { service: { ...shared, ownerOnly } };
  },
  addresses: METRICS_ADDRESSES,
  mount: ({ environments: { production }, shared: { metrics } }) => [
    { path: '/', routes: metricsRoutes(metrics, production.ownerOnly) },
  ],
});
