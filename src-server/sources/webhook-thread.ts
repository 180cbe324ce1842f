/**
 * The thread that posts callbacks: connections, TLS and HTTP cost more than anything else of a delivery, and the
 * server's thread has others to answer. It knows no database and no secret, only what is to be sent where.
 */
import { parentPort } from 'node:worker_threads';
import { toTaskError } from '../contract/task-error.ts';
import { cancelled, createGuardedPools } from './webhook-client.ts';
import type { Exchange } from './webhook-exchange.ts';
import type { FromWebhookThread, PostOrder, PostResult, ToWebhookThread } from './webhook-protocol.ts';

const pools = createGuardedPools({});
const underWay = new Map<number, Exchange>();
let results: PostResult[] = [];

parentPort?.on('message', (message: ToWebhookThread) => {
  if (message === 'close') void close();
  else if ('cancel' in message) for (const id of message.cancel) underWay.get(id)?.abort(cancelled());
  else for (const order of message.posts) post(order);
});

function post(order: PostOrder): void {
  const { id } = order;
  const exchange = pools.send(order, (outcome) => {
    underWay.delete(id);
    if ('error' in outcome) tell({ id, error: toTaskError(outcome.error) });
    // A copy: a window on memory that others use as well would be sent with all of it.
    else tell({ id, answer: { ...outcome.answer, body: new Uint8Array(outcome.answer.body) } });
  });
  if (!exchange.isSettled) underWay.set(id, exchange);
}

/** What ends in one turn of this thread is told at once: a message costs more than what is in it. */
function tell(result: PostResult): void {
  if (results.length === 0) setImmediate(tellAll);
  results.push(result);
}

function tellAll(): void {
  parentPort?.postMessage(results satisfies FromWebhookThread);
  results = [];
}

async function close(): Promise<void> {
  await pools.close();
  parentPort?.close();
}
