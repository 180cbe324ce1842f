/**
 * The thread that sends callbacks: canonical form, signatures, connections, TLS and HTTP are most of what a delivery
 * costs, and the server's thread has others to answer. It knows no database.
 */

import { parentPort } from 'node:worker_threads';
import {
  cancelled,
  createGuardedPools,
  type Exchange,
  type GuardedRequest,
  guardedRequest,
  type Settle,
} from '../../platform/net/guarded-post.ts';
import { toTaskError } from '../../platform/rpc/errors.ts';
import { isSealed, type MadeRequest, makeRequest } from './sender.ts';
import type { FromSenderThread, SendOrder, SendResult, ToSenderThread } from './sender-protocol.ts';

/**
 * Orders that are made ready before answers are looked at again: a batch made at once would leave receivers without
 * anything to do, and then this thread while they answer all of it.
 */
const ORDERS_PER_TURN = 8;

const pools = createGuardedPools({});

let waiting: SendOrder[] = [];

const underWay = new Map<number, Exchange>();

let told: Omit<FromSenderThread, 'bodies'> = { results: [], failed: [] };

let bodies: Uint8Array[] = [];

parentPort?.on('message', (message: ToSenderThread) => {
  if (message === 'close') void close();
  else if ('cancel' in message) cancel(new Set(message.cancel));
  else take(message.orders);
});

function take(orders: readonly SendOrder[]): void {
  if (waiting.length === 0) setImmediate(sendSome);
  waiting.push(...orders);
}

function sendSome(): void {
  for (const order of waiting.splice(0, ORDERS_PER_TURN)) send(order);
  if (waiting.length > 0) setImmediate(sendSome);
}

function cancel(ids: ReadonlySet<number>): void {
  waiting = waiting.filter(({ id }) => !ids.has(id));
  for (const id of ids) underWay.get(id)?.abort(cancelled());
}

function send(order: SendOrder): void {
  try {
    post(order, makeRequest(order.url, order.content));
  } catch (error) {
    tellSoon();
    told.failed.push({ id: order.id, error: toTaskError(error) });
  }
}

function post(order: SendOrder, { headers, body, ...kept }: MadeRequest): void {
  const settle = settler(order.id, kept, isSealed(order.content) ? null : body);
  let request: GuardedRequest;
  try {
    request = guardedRequest(order.url, { ...order, headers, body });
  } catch (error) {
    settle({ error });
    return;
  }
  const exchange = pools.send(request, settle);
  if (!exchange.isSettled) underWay.set(order.id, exchange);
}

/**
 * Apart from where it is used, so that it keeps nothing of the order alive.
 *
 * @param body of the request; null where the other side has it. Bodies are put down in the order they are read in.
 */
function settler(id: number, kept: Pick<SendResult, 'bodySha256' | 'keptHeaders'>, body: Uint8Array | null): Settle {
  return (outcome) => {
    underWay.delete(id);
    tellSoon();
    if (body !== null) bodies.push(body);
    told.results.push({ id, ...kept, bodyBytes: body?.length ?? null, answer: answerOf(outcome) });
  };
}

function answerOf(outcome: Parameters<Settle>[0]): SendResult['answer'] {
  if ('error' in outcome) return { error: toTaskError(outcome.error) };
  const { status, headers, truncated, body } = outcome.answer;
  if (body.length > 0) bodies.push(body);
  return { status, headers, truncated, bodyBytes: body.length };
}

/** What ends in one turn of this thread is told at once: a message costs more than what is in it. */
function tellSoon(): void {
  if (told.results.length === 0 && told.failed.length === 0) setImmediate(tell);
}

function tell(): void {
  const packed = packedBodies();
  parentPort?.postMessage({ ...told, bodies: packed } satisfies FromSenderThread, [packed]);
  told = { results: [], failed: [] };
  bodies = [];
}

function packedBodies(): ArrayBuffer {
  const bytes = new Uint8Array(bodies.reduce((sum, body) => sum + body.length, 0));
  let place = 0;
  for (const body of bodies) {
    bytes.set(body, place);
    place += body.length;
  }
  return bytes.buffer;
}

async function close(): Promise<void> {
  waiting = [];
  await pools.close();
  parentPort?.close();
}
