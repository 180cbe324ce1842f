/**
 * OpenTelemetry: a trace for each job, and the figures of `/metrics`, sent to a collector that the owner names. Without
 * one nothing is loaded and nothing is sent. A collector that is down or slow costs spans, never work.
 */

import type { EnvironmentName } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { Figure } from '../metrics/schema.ts';
import type { DeliveryAttempt } from '../webhooks/schema.ts';
import type { Exporter } from './exporter.ts';
import { type SpanFacts, spanOfAttempt, spansOfJob, type TracedJob } from './spans.ts';

export interface TelemetryDeps {
  /** Base URL of a collector; undefined for none. */
  endpoint: string | undefined;
  version: string;
  log: Pick<Logger, 'error' | 'warn' | 'info'>;
  clock: Clock;
  figures(): Promise<readonly Figure[]>;
}

export class Telemetry {
  readonly #log: TelemetryDeps['log'];
  #exporter: Exporter | null = null;
  #dropped = 0;
  #isDropping = false;

  private constructor(log: TelemetryDeps['log']) {
    this.#log = log;
  }

  static async openTelemetry({ endpoint, version, log, clock, figures }: TelemetryDeps): Promise<Telemetry> {
    const telemetry = new Telemetry(log);
    if (endpoint === undefined) return telemetry;
    const { Exporter } = await import('./exporter.ts');
    telemetry.#exporter = new Exporter({
      endpoint,
      version,
      figures,
      now: () => clock.now(),
      onDropped: (spans) => telemetry.#onDropped(spans),
      onTaken: () => telemetry.#onTaken(),
    });
    return telemetry;
  }

  async closeTelemetry(): Promise<void> {
    await this.#exporter?.closeExporter();
  }

  /** Spans that the collector did not take, since the start. */
  get droppedSpanCount(): number {
    return this.#dropped;
  }

  /** Runs in the transaction that ends the job, so it never throws. */
  jobEnded(environment: EnvironmentName, job: TracedJob): void {
    this.#addSpansSafely(() => spansOfJob(environment, job));
  }

  /** @param traceparentOf the stored header of a job; undefined for one that is gone */
  recordAttempt(attempt: DeliveryAttempt, traceparentOf: (jobId: string) => string | null | undefined): void {
    this.#addSpansSafely(() => {
      const traceparent = traceparentOf(attempt.jobId);
      return traceparent === undefined ? [] : [spanOfAttempt(attempt, traceparent)];
    });
  }

  #addSpansSafely(make: () => SpanFacts[]): void {
    if (this.#exporter === null) return;
    try {
      this.#exporter.exportSpans(make());
    } catch (error) {
      this.#log.error({ err: error }, 'Spans could not be made.');
    }
  }

  #onDropped(spans: number): void {
    this.#dropped += spans;
    if (this.#isDropping) return;
    this.#isDropping = true;
    this.#log.warn({}, 'The OpenTelemetry collector does not take spans: they are dropped until it does.');
  }

  #onTaken(): void {
    if (!this.#isDropping) return;
    this.#isDropping = false;
    this.#log.info({ dropped: this.#dropped }, 'The OpenTelemetry collector takes spans again.');
  }
}
