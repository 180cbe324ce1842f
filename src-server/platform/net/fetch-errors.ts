/** Maps fetch failures to public errors, each one sentence with what to do next. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../clock.ts';
import { QuarryError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { recordOf } from '../records.ts';
import { type Said, say } from '../text/say.ts';
import { DAY_MS, describeBytes, SECOND_MS } from '../units.ts';

const MAX_RETRY_AFTER_MS = DAY_MS;

const FORBIDDEN_STATUSES = new Set([401, 402, 403, 407, 451]);

/** Statuses of temporary failures (RFC 9110, RFC 6585). */
const PASSING_STATUSES = new Set([408, 425, 429]);

const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_FAIL', 'ENODATA', 'ESERVFAIL', 'EBADNAME']);

const REFUSED_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);

const RESET_CODES = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_ABORTED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Codes of undici and its parser for oversized response headers. */
const LONG_HEAD_CODES = new Set(['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW']);

/** Code of undici for a response that switches to a protocol that was not requested. */
const NO_HTTP_CODES = new Set(['ERR_ASSERTION']);

/** Messages of undici's socket errors for 100 Continue and protocol upgrades. The host did not close the connection. */
const UNASKED = new Set(['bad response', 'bad upgrade']);

/** Whether the connection ended within a response, or its body has another length than stated. */
export function isCutOff(error: unknown): boolean {
  return error instanceof Error && (RESET_CODES.has(causeCodeOf(error)) || causeCodeOf(error).startsWith('HPE_'));
}

/** Maps network, TLS and decoding failures to public errors. Other errors pass unchanged. */
export function explainFetchError(error: unknown, host: string): unknown {
  if (error instanceof QuarryError || !(error instanceof Error)) return error;
  const code = causeCodeOf(error);
  const sourceUnreachable = (message: Said, retryable = true) =>
    new QuarryError('source_unreachable', message, { cause: error, retryable });

  if (TIMEOUT_CODES.has(code)) return timedOut(host, error);
  if (DNS_CODES.has(code)) return sourceUnreachable(say`The host ${host} was not found; check the address.`);
  if (REFUSED_CODES.has(code)) return sourceUnreachable(say`The host ${host} refused the connection. Try again later.`);
  if (code === 'UND_ERR_SOCKET' && UNASKED.has(error.message)) {
    return sourceUnreachable(
      say`The host ${host} answered 100 or 101, which was not asked for; have it give a final status.`,
    );
  }
  if (RESET_CODES.has(code)) return brokenOff(host, error);
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return serviceStopping(error);
  if (LONG_HEAD_CODES.has(code))
    return sourceUnreachable(say`The host ${host} answered with more headers than are read.`, false);
  if (error.name === 'HTTPParserError' || NO_HTTP_CODES.has(code)) return notHttp(host, error);
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|INVALID_|HOSTNAME_MISMATCH|EPROTO)/.test(code)) {
    return sourceUnreachable(say`The host ${host} has no valid certificate, or cannot speak TLS.`, false);
  }
  if (/^(Z_|ERR__ERROR|ERR_BROTLI|ERR_PADDING|ERR_ZLIB)/.test(code)) {
    return sourceUnreachable(say`The host ${host} sent compressed content that is damaged; try again later.`);
  }
  if (recordOf(error).syscall !== undefined) {
    return sourceUnreachable(say`The host ${host} could not be reached; try again later.`);
  }
  return error;
}

export function brokenOff(host: string, cause?: unknown): QuarryError {
  const message = say`The host ${host} broke the connection off; try again later.`;
  return new QuarryError('source_unreachable', message, { cause, retryable: true });
}

export function notHttp(host: string, cause: unknown): QuarryError {
  return new QuarryError('source_unreachable', say`The host ${host} did not answer in valid HTTP.`, { cause });
}

export function serviceStopping(cause?: unknown): QuarryError {
  return new QuarryError('interrupted', say`The service is stopping; try again later.`, { cause, retryable: true });
}

export function timedOut(host: string, cause?: unknown): QuarryError {
  return new QuarryError('timeout', say`The host ${host} did not answer in time; try again later.`, {
    cause,
    retryable: true,
  });
}

export function sourceTooLarge(maxBytes: number): QuarryError {
  return new QuarryError('source_too_large', say`The source is larger than the limit of ${describeBytes(maxBytes)}.`);
}

/** The error for a response that is not a success, addressed to the caller that gave the URL. */
export function statusError(status: number, headers: IncomingHttpHeaders, host: string, clock: Clock): QuarryError {
  if (FORBIDDEN_STATUSES.has(status)) {
    const message = say`The host ${host} refused access with status ${status}; give a public or signed URL.`;
    return new QuarryError('source_forbidden', message);
  }
  const retryable = PASSING_STATUSES.has(status) || status >= 500;
  const retryAfterSeconds = retryable ? retryAfter(headers['retry-after'], clock) : undefined;
  const message = retryable
    ? say`The host ${host} answered with status ${status}; try again later.`
    : say`The host ${host} answered with status ${status}; check the address.`;
  return new QuarryError('source_unreachable', message, {
    retryable,
    ...omitUndefined({ retryAfterSeconds }),
  });
}

/** Retry-After in whole seconds, from seconds or a date, bounded. */
function retryAfter(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - clock.now();
  if (!Number.isFinite(waitMs)) return undefined;
  return Math.ceil(Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS) / SECOND_MS);
}

/** The code of an error or of its cause: both happy eyeballs and undici wrap errors. */
function causeCodeOf(error: Error): string {
  const { code, cause } = recordOf(error);
  if (code !== undefined) return String(code);
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return causeCodeOf(error.errors[0]);
  return cause instanceof Error ? causeCodeOf(cause) : '';
}
