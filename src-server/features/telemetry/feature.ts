import { defineFeature } from '../../feature.ts';
import { VERSION } from '../../platform/version.ts';
import { jobs } from '../jobs/feature.ts';
import { metrics } from '../metrics/feature.ts';
import { webhooks } from '../webhooks/feature.ts';
import { Telemetry } from './service.ts';

declare module '../../context.ts' {
  interface FeatureOptions {
    /** Base URL of an OpenTelemetry collector. */
    otlpEndpoint?: string | undefined;
  }
}

/** OpenTelemetry: traces of jobs, and the figures of `/metrics`. */
export const telemetry = defineFeature({
  name: 'telemetry',
  uses: { jobs, metrics, webhooks },
  async openShared({ options, log, clock }, { metrics: { metrics } }) {
    const telemetry = await Telemetry.openTelemetry({
      endpoint: options.otlpEndpoint,
      version: VERSION,
      log,
      clock,
      figures: () => metrics.metricFigures(),
    });
    metrics.sources.droppedSpans = () => telemetry.droppedSpanCount;
    return { service: { telemetry }, close: () => telemetry.closeTelemetry() };
  },
  open({ name }, { jobs: { jobs, events }, webhooks: { listeners } }, { telemetry }) {
    events.on('ended', (_tx, job) => telemetry.jobEnded(name, job));
    listeners.attempts.push((attempt) => telemetry.recordAttempt(attempt, (jobId) => jobs.traceparentOf(jobId)));
    return { service: { telemetry } };
  },
});
