/**
 * The log shows the headers of a request exactly as they were sent, but keeps only what the rest of the attempt does
 * not say already: two rows of a short callback then fit on one page of the database, and writing pages is what
 * recording an attempt costs most of.
 */
import { remember } from '../../platform/memoize.ts';
import type { AttemptRow, DeliveryRow } from './webhooks-outbox-reader.ts';

/** Says by which rules the headers were left out. Form 1 is what this file does; another Quarry adds form 2. */
const FORM = 1;
const USER_AGENT = 'Quarry-Webhooks/1';

const MAX_KEPT_HOSTS = 1000;
const hostOf = remember((url) => new URL(url).host, MAX_KEPT_HOSTS);

interface KeptHeaders {
  form: typeof FORM;
  host: string;
  timestamp: string | undefined;
  standard: string | undefined;
  signature: string | undefined;
}

/** What is sent beside `host` and `connection`, which the connection adds. */
export function requestHeaders(signed: Record<string, string>, bodyBytes: number): Record<string, string> {
  return { ...fixedHeaders(bodyBytes), ...signed };
}

function fixedHeaders(bodyBytes: number): Record<string, string> {
  return {
    'user-agent': USER_AGENT,
    accept: '*/*',
    // The answer is kept as it came; nobody wants to inflate 4 kB of it first.
    'accept-encoding': 'identity',
    'content-length': String(bodyBytes),
  };
}

/** JSON for the column `request_headers`. */
export function keptHeaders(url: string, headers: Record<string, string>): string {
  const kept: KeptHeaders = {
    form: FORM,
    host: hostOf(url),
    timestamp: headers['webhook-timestamp'],
    standard: headers['webhook-signature'],
    signature: headers['x-service-signature'],
  };
  return JSON.stringify(kept);
}

/** The headers as they were sent. */
export function sentHeaders(
  attempt: Pick<AttemptRow, 'request_headers' | 'request_body_bytes' | 'number'>,
  delivery: Pick<DeliveryRow, 'id' | 'event'>,
): Record<string, string> {
  const kept = JSON.parse(attempt.request_headers) as KeptHeaders | Record<string, string>;
  if (kept.form !== FORM) return kept as Record<string, string>;
  const { host, timestamp, standard, signature } = kept as KeptHeaders;
  return {
    host,
    connection: 'keep-alive',
    ...fixedHeaders(attempt.request_body_bytes),
    'content-type': 'application/json',
    'webhook-id': delivery.id,
    ...(timestamp === undefined ? {} : { 'webhook-timestamp': timestamp }),
    'x-service-event': delivery.event,
    'x-service-attempt': String(attempt.number),
    ...(standard === undefined ? {} : { 'webhook-signature': standard }),
    ...(signature === undefined ? {} : { 'x-service-signature': signature }),
  };
}
