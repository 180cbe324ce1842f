/**
 * The thread that sends callbacks: canonical form, signatures, connections, TLS and HTTP are most of what a delivery
 * costs, and the server's thread has requests to answer. It knows no database.
 */

import type { SerializedError } from '../../platform/errors.ts';
import { createWebhookClient } from '../../platform/net/guarded-post.ts';
import { serializeError } from '../../platform/rpc/errors.ts';
import { ownerLine } from '../../platform/rpc/lines.ts';
import { serve, transfer } from '../../platform/rpc/rpc.ts';
import { createSender, isSealed, type Parcel, type PostResponse, type SentParcel } from './sender.ts';

export interface SenderThread {
  send(order: Omit<Parcel, 'signal'>, signal: AbortSignal): Promise<ThreadParcel>;
}

/** `body` is null where the caller has it. */
interface ThreadParcel extends Omit<SentParcel, 'body' | 'answer'> {
  body: Uint8Array | null;
  answer: { response: PostResponse } | { error: SerializedError };
}

const client = createWebhookClient({});

const sender = createSender(client);

serve<SenderThread>({ send }, ownerLine, () => client.close());

async function send(order: Omit<Parcel, 'signal'>, signal: AbortSignal): Promise<ThreadParcel> {
  const { answer, ...sent } = await sender.send({ ...order, signal });
  // Copies: what changes threads must not share its memory with other buffers.
  const body = isSealed(order.content) ? null : new Uint8Array(sent.body);
  const moved = body === null ? [] : [body.buffer];
  if ('error' in answer) return transfer({ ...sent, body, answer: { error: serializeError(answer.error) } }, moved);
  const response = { ...answer.response, body: new Uint8Array(answer.response.body) };
  return transfer({ ...sent, body, answer: { response } }, [...moved, response.body.buffer]);
}
