import { extname } from 'node:path';
import { perContext } from '../../context.ts';
import { QuarryError } from '../../platform/errors.ts';
import { createWebhookClient } from '../../platform/net/guarded-post.ts';
import { reviveError } from '../../platform/rpc/errors.ts';
import { threadLine } from '../../platform/rpc/lines.ts';
import { OnDemand } from '../../platform/rpc/rpc.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { createSender, isSealed, type Parcel, type SentParcel, type WebhookSender } from './sender.ts';
import type { SenderThread } from './webhook-thread.ts';

/** How long the thread may take to end its connections: a name that is being looked up would keep it for seconds. */
const CLOSE_GRACE_MS = SECOND_MS;

const NO_BYTES = Buffer.alloc(0);

/**
 * The sender with a thread of its own, which the first parcel starts, and again should it end. Errors beside those of
 * `WebhookSender`: `cancelled`, `interrupted` (closed, or the thread ended or could not be started).
 */
export class ThreadSender implements WebhookSender {
  readonly #thread: OnDemand<SenderThread>;
  #isClosed = false;

  /** @param entry the thread's file: `webhook-thread` */
  constructor(entry: URL) {
    const line = threadLine(entry, { name: 'webhooks' }, { graceMs: CLOSE_GRACE_MS });
    this.#thread = new OnDemand(line, { ended: interrupted });
  }

  async send({ signal, ...order }: Parcel): Promise<SentParcel> {
    if (this.#isClosed) throw interrupted();
    if (signal.aborted) throw cancelled();
    // A body that was sealed here stays here; of any other nothing is kept meanwhile.
    const ownBody = isSealed(order.content) ? order.content.body : NO_BYTES;
    try {
      const { body, answer, ...made } = await this.#thread.remote.send(order, signal);
      const sent = { ...made, body: body === null ? ownBody : bytesOf(body) };
      if ('error' in answer) return { ...sent, answer: { error: reviveError(answer.error) ?? answer.error } };
      return { ...sent, answer: { response: { ...answer.response, body: bytesOf(answer.response.body) } } };
    } catch (error) {
      if (signal.aborted) throw cancelled();
      throw this.#isClosed ? interrupted(error) : error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread.close();
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function cancelled(): QuarryError {
  return new QuarryError('cancelled', 'The delivery was cancelled.');
}

function interrupted(cause?: unknown): QuarryError {
  return new QuarryError('interrupted', 'The service is stopping; try again later.', { cause, retryable: true });
}

/** Sends deliveries. A connector that tests inject stays on the thread it comes from. */
export const webhookSenderOf = perContext((context): WebhookSender => {
  const { workerEntry, options } = context;
  if (options.network !== undefined) {
    const client = createWebhookClient(options.network);
    context.onClose(() => client.close());
    return createSender(client);
  }
  const ending = extname(workerEntry.pathname);
  const sender = new ThreadSender(new URL(`../src-server/features/webhooks/webhook-thread${ending}`, workerEntry));
  context.onClose(() => sender.close());
  return sender;
});
