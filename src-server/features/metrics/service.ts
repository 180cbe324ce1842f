import { SECOND_MS } from '../../platform/units.ts';
import type { JobTimes } from '../jobs/schema.ts';
import type { MetricRegistry } from './registry.ts';
import type { EndedRun, Figure, MetricsSources } from './schema.ts';

/** Ended jobs that wait for the first reader of the figures. With more, the registry is opened without one. */
const MAX_WAITING_RUNS = 1000;

export class Metrics {
  readonly sources: MetricsSources;
  #registry: Promise<MetricRegistry> | null = null;
  #waitingRuns: EndedRun[] = [];

  constructor(sources: MetricsSources) {
    this.sources = sources;
  }

  /** Observes a job that ended. */
  observeEndedJob(
    environment: string,
    { operationId: operation, status, createdAt, startedAt, endedAt }: JobTimes,
  ): void {
    if (startedAt === null || endedAt === null) return;
    const durationSeconds = Math.max(0, endedAt - startedAt) / SECOND_MS;
    const waitSeconds = Math.max(0, startedAt - createdAt) / SECOND_MS;
    this.#waitingRuns.push({ environment, operation, status, durationSeconds, waitSeconds });
    if (this.#waitingRuns.length >= MAX_WAITING_RUNS) void this.#openRegistry();
  }

  async metricsText(): Promise<{ text: string; contentType: string }> {
    return (await this.#openRegistry()).registryText();
  }

  async metricFigures(): Promise<readonly Figure[]> {
    return (await this.#openRegistry()).registryFigures();
  }

  async #openRegistry(): Promise<MetricRegistry> {
    this.#registry ??= import('./registry.ts').then(({ MetricRegistry }) => new MetricRegistry(this.sources));
    const registry = await this.#registry;
    for (const run of this.#waitingRuns.splice(0)) registry.observeRun(run);
    return registry;
  }
}
