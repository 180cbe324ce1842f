/**
 * The answer to a request that brings neither proof nor credential: 402, or 429. It costs its sender nothing, so it
 * must cost next to nothing here. The steps are those of the app (host, limit, gate) and so are its words, but no
 * request and answer objects are built around them: that would be four fifths of the work, and all of the garbage.
 * Whatever has more to be looked at is left to the app.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { BASE_PATHS } from '../../context.ts';
import type { Operation } from '../../operation.ts';
import { type HostRules, isOwnHost } from '../../platform/http/host-guard.ts';
import { problemOf } from '../../platform/http/problem.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { anonymousAccount } from '../../platform/net/client-address.ts';
import { KIB } from '../../platform/units.ts';
import type { JobService } from '../jobs/service.ts';
import { overLimit, rateFields } from './rate-limit.ts';
import type { Limits } from './service.ts';

/** A credential, a proof, or a page of another origin: the app's business. */
const HEADERS_OF_THE_APP = [
  'authorization',
  'cookie',
  'sign-in-with-x',
  'x-payment',
  'payment-signature',
  'origin',
  'transfer-encoding',
] as const;

/** A body that Node may read to its end, and throw away, behind an answer that did not look at it. */
const IGNORED_BODY_BYTES_MAX = 64 * KIB;

export interface UnpaidDeps {
  environments: readonly { service: JobService; limits: Limits }[];
  hosts: HostRules;
  log: Logger;
}

interface Offer {
  service: JobService;
  limits: Limits;
  operation: Operation;
}

/** Answers what is unpaid, and hands the rest to `app`. */
export function unpaidFirst(deps: UnpaidDeps, app: RequestListener): RequestListener {
  const offers = new Map<string, Offer>();
  for (const { service, limits } of deps.environments) {
    for (const operation of service.operations) {
      if (operation.price === null) continue;
      offers.set(`${BASE_PATHS[service.name]}/${operation.id}`, { service, limits, operation });
    }
  }
  return (incoming, outgoing) => {
    const offer = incoming.method === 'POST' ? offers.get(incoming.url ?? '') : undefined;
    if (!offer || !isPlain(incoming) || !isOwnHost(incoming.headers.host, deps.hosts)) return app(incoming, outgoing);
    // What fails here fails in the app too, which can say how.
    answer(offer, deps.log, incoming, outgoing).catch(() => app(incoming, outgoing));
  };
}

function isPlain({ headers }: IncomingMessage): boolean {
  if (HEADERS_OF_THE_APP.some((name) => headers[name] !== undefined)) return false;
  return Number(headers['content-length'] ?? 0) <= IGNORED_BODY_BYTES_MAX;
}

async function answer(offer: Offer, log: Logger, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { service, limits, operation } = offer;
  const startedAt = performance.now();
  const accountId = anonymousAccount(incoming.socket.remoteAddress);
  const decision = await limits.take({ kind: 'anonymous', accountId });
  const requestId = newId('req');
  const headers = {
    'X-Request-Id': requestId,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    ...rateFields(decision),
  };
  if (decision.allowed) {
    const get = (name: string) => incoming.headers[name] as string | undefined;
    const opening = await service.gate.open(operation, { get, raw: incoming.rawHeaders });
    if (opening.kind !== 'refused') throw new Error('There was no proof, and it was taken.');
    const more = { ...opening.headers, 'Content-Type': 'application/json' };
    send(outgoing, 402, Object.assign(headers, more), opening.challenge);
  } else {
    const error = overLimit(decision);
    const problem = problemOf(error);
    const more = { 'Content-Type': 'application/problem+json', 'Retry-After': String(error.retryAfterSeconds) };
    send(outgoing, problem.status, Object.assign(headers, more), problem);
  }
  const tookMs = Math.round(performance.now() - startedAt);
  const { method, url } = incoming;
  log.debug({ requestId, method, path: url, status: outgoing.statusCode, tookMs }, 'request');
}

function send(outgoing: ServerResponse, status: number, headers: Record<string, string>, value: object): void {
  const body = JSON.stringify(value);
  outgoing.writeHead(status, Object.assign(headers, { 'Content-Length': Buffer.byteLength(body) })).end(body);
}
