import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number; doubleValue?: number };
}

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: number };
}

interface Metric {
  name: string;
  unit: string;
  sum?: { isMonotonic: boolean; dataPoints: Point[] };
  gauge?: { dataPoints: Point[] };
  histogram?: { dataPoints: (Point & { count: number; bucketCounts: number[]; explicitBounds: number[] })[] };
}

interface Point {
  attributes: Attribute[];
  asDouble?: number;
}

const received: { path: string; body: string }[] = [];
let answer = (response: ServerResponse): void => void response.writeHead(200).end('{}');

const collector = createServer(async (request: IncomingMessage, response) => {
  received.push({ path: request.url ?? '', body: await text(request) });
  answer(response);
});
let appliance: Appliance;

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const otlpEndpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`;
  appliance = await startAppliance({ otlpEndpoint });
});

afterAll(async () => {
  await appliance.close();
  collector.closeAllConnections();
  await new Promise((resolve) => collector.close(resolve));
});

function spans(): Span[] {
  return received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
}

function valuesOf({ attributes }: { attributes: Attribute[] }): Record<string, string | number | undefined> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
  );
}

const FILE = `data:text/plain;base64,${Buffer.from('The harbour at noon.').toString('base64')}`;

async function read(headers: Record<string, string> = {}, fields: object = {}): Promise<string> {
  const init = postJson({ file: FILE, sourceName: 'secret-name.txt', ...fields });
  const sent = await appliance.anonymous('/v1/extract/doc', {
    ...init,
    headers: { authorization: `Bearer ${appliance.ownerToken}`, ...(init.headers as object), ...headers },
  });
  expect(sent.status).toBe(202);
  const { jobId } = (await sent.json()) as { jobId: string };
  await finished(appliance.owner, jobId);
  return jobId;
}

const TRACE = 'aaaabbbbccccddddeeeeffff00001111';
const CALLER = '1234567890abcdef';

test('a job is one trace below that of its caller: its wait, its stages and its deliveries', async () => {
  const scopes = ['run:extract/doc', 'private-network'];
  const made = await appliance.owner('/admin/keys', postJson({ name: 'Narrator', scopes }));
  const { key } = (await made.json()) as { key: string };
  const inbox = (await (await appliance.owner('/admin/inboxes', postJson({}))).json()) as { url: string };
  await read({ traceparent: `00-${'9'.repeat(32)}-${CALLER}-00` });
  const headers = { authorization: `Bearer ${key}`, traceparent: `00-${TRACE}-${CALLER}-01` };
  const jobId = await read(headers, { webhookUrl: inbox.url });
  const own = () => spans().filter(({ traceId }) => traceId === TRACE);
  await until(() => own().some(({ name }) => name === 'delivery job.completed'));
  const root = own().find(({ parentSpanId }) => parentSpanId === CALLER);
  expect(root).toMatchObject({ name: 'extract/doc', status: { code: 0 } });
  expect(root && valuesOf(root)).toEqual({
    ...{ 'quarry.environment': 'production', 'quarry.operation': 'extract/doc', 'quarry.status': 'completed' },
    ...{ 'quarry.attempts': 1, 'quarry.key': 'Narrator' },
  });
  const children = own().filter(({ parentSpanId }) => parentSpanId === root?.spanId);
  expect(children.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['queued', 'starting', 'delivery job.completed']),
  );
  expect(own()).toHaveLength(children.length + 1);
  const delivery = children.find(({ name }) => name === 'delivery job.completed');
  expect(delivery && valuesOf(delivery)).toMatchObject({ 'http.response.status_code': 204 });
  for (const { startTimeUnixNano, endTimeUnixNano } of own()) {
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  }
  // The caller of the first job asked for no trace.
  expect(spans().some(({ traceId }) => traceId.startsWith('999'))).toBe(false);
  const all = received.map(({ body }) => body).join();
  for (const secret of [jobId, 'secret-name', 'harbour', key, appliance.ownerToken]) expect(all).not.toContain(secret);
});

test('a job without the header has a trace of its own, and its failure is an error', async () => {
  const bad = `data:application/pdf;base64,${Buffer.from('%PDF-1.7 broken').toString('base64')}`;
  await read({ traceparent: 'nonsense' }, { file: bad });
  await until(() => spans().some(({ status }) => status.code === 2));
  const root = spans().find(({ status }) => status.code === 2);
  expect(root?.parentSpanId ?? '').toBe('');
  expect(root && valuesOf(root)).toMatchObject({ 'quarry.status': 'failed', 'error.type': expect.any(String) });
});

async function dropped(): Promise<number> {
  const figures = await (await appliance.owner('/metrics')).text();
  return Number(/^quarry_spans_dropped_total (\d+)/m.exec(figures)?.[1]);
}

test('a collector that refuses or hangs costs spans, which are counted, and no work', async () => {
  answer = (response) => void response.writeHead(400).end();
  await read();
  await until(async () => (await dropped()) > 0);
  answer = () => undefined;
  const before = received.length;
  await read();
  await until(() => received.length > before);
  await read();
  collector.closeAllConnections();
  answer = (response) => void response.writeHead(200).end('{}');
  const taken = spans().length;
  await read();
  await until(() => spans().length > taken);
});

test('the figures are sent at the latest when the server stops', async () => {
  await appliance.restart();
  const metrics = received
    .filter(({ path }) => path === '/v1/metrics')
    .map(({ body }) => JSON.parse(body) as { resourceMetrics: { scopeMetrics: { metrics: Metric[] }[] }[] })
    .flatMap(({ resourceMetrics }) => resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics))
    .flatMap((scope) => scope.metrics);
  const named = (name: string) => metrics.findLast((metric) => metric.name === name);
  const ended = named('quarry_jobs_ended_total')?.sum;
  expect(ended?.isMonotonic).toBe(true);
  expect(ended?.dataPoints.map((point) => [valuesOf(point).status, point.asDouble])).toContainEqual(['completed', 6]);
  const durations = named('quarry_job_duration_seconds');
  expect(durations?.unit).toBe('s');
  const completed = durations?.histogram?.dataPoints.find((point) => valuesOf(point).status === 'completed');
  expect(completed?.count).toBe(6);
  expect(completed?.bucketCounts.reduce((sum, count) => sum + Number(count), 0)).toBe(6);
  expect(completed?.bucketCounts.length).toBe((completed?.explicitBounds.length ?? 0) + 1);
  expect(named('quarry_disk_bytes')?.gauge?.dataPoints.length).toBe(2);
});
