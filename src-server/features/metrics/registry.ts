import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { MINUTE_MS } from '../../platform/units.ts';
import { MoneyKind } from '../payments/schema.ts';
import type { EndedRun, Figure, MetricsSources } from './schema.ts';

/** Seconds: from a small document to an hour of video. */
const DURATION_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200];

const WAIT_BUCKETS = [0.01, 0.1, 1, 5, 30, 120, 600, 3600];

/** All hours in one span. */
const EVER_MS = 1_000_000 * 60 * MINUTE_MS;

const USDC_UNITS = 1_000_000;

/** The figures in the form of Prometheus. Loaded when they are first asked for. */
export class MetricRegistry {
  readonly #registry = new Registry();
  readonly #duration: Histogram<'environment' | 'operation' | 'status'>;
  readonly #wait: Histogram<'environment' | 'operation'>;

  /** Figures of the process, such as the lag of the event loop, are gathered from here on. */
  constructor(sources: MetricsSources) {
    const registers = [this.#registry];
    this.#duration = new Histogram({
      name: 'quarry_job_duration_seconds',
      help: 'From the start of the last run of a job to its end.',
      labelNames: ['environment', 'operation', 'status'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#wait = new Histogram({
      name: 'quarry_job_wait_seconds',
      help: 'From the acceptance of a job to the start of its last run.',
      labelNames: ['environment', 'operation'],
      buckets: WAIT_BUCKETS,
      registers,
    });
    collectDefaultMetrics({ register: this.#registry });
    addServer(this.#registry, sources);
    addEnvironments(this.#registry, sources);
  }

  observeRun({ environment, operation, status, durationSeconds, waitSeconds }: EndedRun): void {
    this.#duration.observe({ environment, operation, status }, durationSeconds);
    this.#wait.observe({ environment, operation }, waitSeconds);
  }

  async registryText(): Promise<{ text: string; contentType: string }> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }

  async registryFigures(): Promise<readonly Figure[]> {
    const all = await this.#registry.getMetricsAsJSON();
    return all.map((figure) => ({ ...figure, type: String(figure.type) })) as readonly Figure[];
  }
}

function addServer(registry: Registry, { version, pool, disk, droppedSpans }: MetricsSources): void {
  const registers = [registry];
  const build = { name: 'quarry_build_info', help: 'The version.', labelNames: ['version'] as const, registers };
  new Gauge(build).set({ version }, 1);
  new Gauge({
    name: 'quarry_worker_threads',
    help: 'Threads of the pool by state, and tasks that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      const { threads, busy, waiting } = pool();
      this.set({ state: 'busy' }, busy);
      this.set({ state: 'idle' }, threads - busy);
      this.set({ state: 'waited_for' }, waiting);
    },
  });
  new Gauge({
    name: 'quarry_disk_bytes',
    help: 'The disk of the data folder.',
    labelNames: ['kind'],
    registers,
    async collect() {
      const { freeBytes, totalBytes } = await disk();
      this.set({ kind: 'free' }, freeBytes);
      this.set({ kind: 'total' }, totalBytes);
    },
  });
  addDroppedSpans(registry, droppedSpans);
}

function addDroppedSpans(registry: Registry, droppedSpans: MetricsSources['droppedSpans']): void {
  new Counter({
    name: 'quarry_spans_dropped_total',
    help: 'Spans that the OpenTelemetry collector did not take, since the start.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedSpans());
    },
  });
}

function addEnvironments(registry: Registry, { environments }: MetricsSources): void {
  const registers = [registry];
  new Gauge({
    name: 'quarry_jobs',
    help: 'Jobs that have not ended, by state; counted up to 10,000.',
    labelNames: ['environment', 'status'],
    registers,
    collect() {
      for (const { name: environment, jobs } of environments) {
        const { queued, processing } = jobs.jobFigures().byStatus;
        this.set({ environment, status: 'queued' }, queued);
        this.set({ environment, status: 'processing' }, processing);
      }
    },
  });
  new Counter({
    name: 'quarry_jobs_ended_total',
    help: "Jobs that ended, without cancelled ones and the owner's own searches.",
    labelNames: ['environment', 'operation', 'status'],
    registers,
    collect() {
      this.reset();
      for (const { name: environment, jobs } of environments) {
        for (const { operationId: operation, completed, failed } of jobs.ended(0, EVER_MS)) {
          this.inc({ environment, operation, status: 'completed' }, completed);
          this.inc({ environment, operation, status: 'failed' }, failed);
        }
      }
    },
  });
  new Gauge({
    name: 'quarry_deliveries',
    help: 'Webhook deliveries that are pending, or failed for good; counted up to 10,000.',
    labelNames: ['environment', 'status'],
    registers,
    collect() {
      for (const { name: environment, webhooks } of environments) {
        for (const status of ['pending', 'exhausted'] as const) {
          this.set({ environment, status }, webhooks.countDeliveries(status));
        }
      }
    },
  });
  addPayments(registry, environments);
}

function addPayments(registry: Registry, environments: MetricsSources['environments']): void {
  const amount = new Counter({
    name: 'quarry_payments_usdc_total',
    help: 'Sum of the settled payments, in USDC.',
    labelNames: ['environment', 'money'],
    registers: [],
  });
  new Counter({
    name: 'quarry_payments_settled_total',
    help: 'Settled payments, of play money (sandbox) or real money.',
    labelNames: ['environment', 'money'],
    registers: [registry],
    collect() {
      this.reset();
      amount.reset();
      for (const { name: environment, payments } of environments) {
        for (const money of MoneyKind.options) {
          for (const span of payments.earned(money, 0, EVER_MS)) {
            this.inc({ environment, money }, span.payments);
            amount.inc({ environment, money }, span.amount / USDC_UNITS);
          }
        }
      }
    },
  });
  // After the counter that fills it.
  registry.registerMetric(amount);
}
