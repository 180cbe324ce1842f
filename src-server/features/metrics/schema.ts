import type { Jobs } from '../jobs/service.ts';
import type { Payments } from '../payments/service.ts';
import type { Webhooks } from '../webhooks/service.ts';

/**
 * Figures for Prometheus. Totals come from the database and survive a restart; durations are counted since the start.
 * The cost of a scrape does not grow with the jobs.
 */
export interface MetricsSources {
  version: string;
  environments: { name: string; jobs: Jobs; payments: Payments; webhooks: Webhooks }[];
  pool(): { threads: number; busy: number; waiting: number };
  disk(): Promise<{ freeBytes: number; totalBytes: number }>;
  /** Spans that an OpenTelemetry collector did not take. */
  droppedSpans(): number;
}

/** A figure with its values by labels. */
export interface Figure {
  name: string;
  help: string;
  type: string;
  values: readonly { value: number; labels: Readonly<Record<string, string | number>>; metricName?: string }[];
}

/** A job that ended, as the histograms count it. */
export interface EndedRun {
  environment: string;
  operation: string;
  status: string;
  durationSeconds: number;
  waitSeconds: number;
}
