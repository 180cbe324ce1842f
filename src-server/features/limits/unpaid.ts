/**
 * The 402 of a plain request, answered before the app: a flood of them costs a third of what the app takes. A request
 * is plain when no check has more to say about it: it names this server, brings no credential, proof or origin, and its
 * address is within its limit. All others pass the app, whose answer to a plain one has the same fields and body.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { BASE_PATHS } from '../../context.ts';
import type { QuickAnswer, ServerContext } from '../../feature.ts';
import { ENVIRONMENTS, type EnvironmentName, type Operation } from '../../operation.ts';
import { EVERY_ANSWER } from '../../platform/http/app.ts';
import { isOwnHost } from '../../platform/http/host-guard.ts';
import { newId } from '../../platform/ids.ts';
import { anonymousAccount } from '../../platform/net/client-address.ts';
import { KIB } from '../../platform/units.ts';
import type { PaymentGate } from '../jobs/service.ts';
import { rateFields } from './rate-limit.ts';
import type { Limits } from './service.ts';

/** Headers that a check or the app reads before it answers 402, and those that change how Node reads the request. */
const READ_HEADERS = [
  ...['authorization', 'x-api-key', 'cookie', 'sign-in-with-x', 'x-payment', 'payment-signature', 'origin'],
  ...['transfer-encoding', 'expect', 'upgrade'],
] as const;

/** Node reads the rest of a body to its end, and drops it, once the answer is sent. */
const DROPPED_BODY_MAX_BYTES = 64 * KIB;

interface Seller {
  limits: Limits;
  gate: PaymentGate;
  operations: readonly Operation[];
}

/** By environment: what is sold there, and the limits of its callers. */
export function answerUnpaid(server: ServerContext, sellers: Record<EnvironmentName, Seller>): QuickAnswer {
  // Requests to the public address pass the app.
  const rules = { address: server.address, publicUrl: () => null, allowedOrigins: () => [] };
  const offers = new Map<string, Seller & { operationId: string }>();
  for (const name of ENVIRONMENTS) {
    for (const { id, price } of sellers[name].operations) {
      if (price !== null) offers.set(`${BASE_PATHS[name]}/${id}`, { ...sellers[name], operationId: id });
    }
  }
  return (incoming, outgoing, clientAddress) => {
    const { method, url: path = '', headers } = incoming;
    const offer = method === 'POST' ? offers.get(path) : undefined;
    if (offer === undefined || server.isStopping() || !isPlain(headers) || !isOwnHost(headers.host, rules))
      return false;
    const accountId = anonymousAccount(clientAddress(incoming));
    if (!offer.limits.wouldPass(accountId)) return false;
    const startedAt = performance.now();
    const decision = offer.limits.takeRateToken({ kind: 'anonymous', accountId });
    const { prefer } = headers;
    const refusal = offer.gate.refuseUnpaid({ operationId: offer.operationId }, prefer?.toString());
    const body = JSON.stringify(refusal.challenge);
    const requestId = newId('req');
    outgoing.writeHead(402, {
      'x-request-id': requestId,
      ...EVERY_ANSWER,
      ...rateFields(decision),
      ...refusal.headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    outgoing.end(body);
    const tookMs = Math.round(performance.now() - startedAt);
    server.log.debug({ requestId, method, path, status: 402, tookMs }, 'request');
    return true;
  };
}

function isPlain(headers: IncomingHttpHeaders): boolean {
  if (READ_HEADERS.some((name) => headers[name] !== undefined)) return false;
  return Number(headers['content-length'] ?? 0) <= DROPPED_BODY_MAX_BYTES;
}
