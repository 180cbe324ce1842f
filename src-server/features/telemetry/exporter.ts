/** Sends spans and figures over OTLP/HTTP as JSON. The packages are loaded with this file. */

import { ROOT_CONTEXT, SpanStatusCode, TraceFlags, type Tracer, trace, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { parseOwnJson } from '../../platform/own-json.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { Figure } from '../metrics/schema.ts';
import type { SpanFacts } from './spans.ts';

/** Spans that wait for the collector. Further ones are dropped. */
const QUEUE_MAX = 2048;

const SEND_EVERY_MS = SECOND_MS;

/** How long the end of the server waits for the collector. */
const CLOSE_LIMIT_MS = 2 * SECOND_MS;

export interface ExporterDeps {
  /** Base URL: `/v1/traces` and `/v1/metrics` follow. */
  endpoint: string;
  version: string;
  /** The time in milliseconds. */
  now(): number;
  /** The figures of `/metrics`. */
  figures(): Promise<readonly Figure[]>;
  /** So many spans were lost. */
  onDropped(spans: number): void;
  /** The collector took spans. */
  onTaken(): void;
}

export class Exporter {
  readonly #deps: ExporterDeps;
  readonly #ids = { traceId: '', spanId: '' };
  readonly #traces: TracerProvider;
  readonly #tracer: Tracer;
  readonly #meters: MeterProvider;
  #waiting = 0;

  constructor(deps: ExporterDeps) {
    this.#deps = deps;
    const own = { 'service.name': 'quarry', 'service.version': deps.version };
    const resource = resourceFromAttributes(own).merge(detectResources({ detectors: [envDetector] }));
    const base = deps.endpoint.replace(/\/+$/, '');
    this.#traces = new TracerProvider({
      resource,
      idGenerator: { generateTraceId: () => this.#ids.traceId, generateSpanId: () => this.#ids.spanId },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: this.#countingExporter(new OTLPTraceExporter({ url: `${base}/v1/traces` })),
          maxQueueSize: QUEUE_MAX,
          scheduledDelayMillis: SEND_EVERY_MS,
        }),
      ],
    });
    this.#tracer = this.#traces.getTracer('quarry', deps.version);
    const startedAt = deps.now();
    const collectMetricData = async (): Promise<CollectionResult> => {
      const metrics = (await deps.figures()).flatMap((figure) => metricOf(figure, startedAt, deps.now()));
      const scope = { name: 'quarry', version: deps.version };
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    };
    const exporter = new OTLPMetricExporter({ url: `${base}/v1/metrics` });
    const reader = new PeriodicExportingMetricReader({ exporter, metricProducers: [{ collect: collectMetricData }] });
    this.#meters = new MeterProvider({ resource, readers: [reader] });
  }

  /** Drops the spans of a job as a whole, so that no trace has gaps. */
  exportSpans(spans: readonly SpanFacts[]): void {
    const sampled = spans.filter(({ parent }) => parent?.isSampled !== false);
    if (this.#waiting + sampled.length > QUEUE_MAX) {
      this.#deps.onDropped(sampled.length);
      return;
    }
    this.#waiting += sampled.length;
    for (const span of sampled) this.#recordSpan(span);
  }

  /** Sends what waits, within a bound. */
  async closeExporter(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_LIMIT_MS);
    });
    await Promise.race([Promise.allSettled([this.#traces.shutdown(), this.#meters.shutdown()]), limit]);
    clearTimeout(timer);
  }

  #recordSpan({ traceId, spanId, parent, name, startedAt, endedAt, attributes, error }: SpanFacts): void {
    Object.assign(this.#ids, { traceId, spanId });
    const context =
      parent === null
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: TraceFlags.SAMPLED });
    const span = this.#tracer.startSpan(name, { startTime: new Date(startedAt), attributes }, context);
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    span.end(new Date(endedAt));
  }

  #countingExporter(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          this.#waiting -= spans.length;
          if (result.error === undefined) this.#deps.onTaken();
          else this.#deps.onDropped(spans.length);
          done(result);
        }),
      shutdown: () => exporter.shutdown(),
    };
  }
}

/** Counters, gauges and histograms. Prometheus has no other type here. */
function metricOf(figure: Figure, startedAt: number, now: number): MetricData[] {
  const { name, help: description, type } = figure;
  const span = { startTime: hrTime(startedAt), endTime: hrTime(now) };
  const descriptor = { name, description, unit: metricUnit(name), valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram') {
    return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(figure, span) }];
  }
  const dataPoints = figure.values.map(({ labels, value }) => ({ ...span, attributes: { ...labels }, value }));
  if (type === 'counter') return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }];
  return type === 'gauge' ? [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints }] : [];
}

type Span = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

/** Prometheus counts up to each bound; OTLP counts between them. */
function histogramsOf({ name, values }: Figure, span: Span): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...series].map(([labels, all]) => {
    const buckets = all.filter(({ metricName }) => metricName === `${name}_bucket`);
    const totalOf = (suffix: string) => all.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
    const boundaries = buckets.flatMap(({ labels: { le } }) => (le === '+Inf' ? [] : [Number(le)]));
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const value = { buckets: { boundaries, counts }, sum: totalOf('sum'), count: totalOf('count') };
    return { ...span, attributes: parseOwnJson<Record<string, string>>(labels), value };
  });
}

function metricUnit(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  return /_bytes(_total)?$/.test(name) ? 'By' : '1';
}

function hrTime(milliseconds: number): [number, number] {
  return [Math.trunc(milliseconds / SECOND_MS), (milliseconds % SECOND_MS) * 1_000_000];
}
