/** What the server's thread and the one that sends deliveries tell each other: many orders or results in a message. */

import type { MadeRequest, Parcel, PostResponse } from './sender.ts';

export interface SendOrder extends Omit<Parcel, 'signal'> {
  id: number;
}

/** The bodies of a message lie one behind the other in one piece of memory, which changes threads without a copy. */
export interface SendResult extends Omit<MadeRequest, 'headers' | 'body'> {
  id: number;
  /** Of the request; null where the other side has it. */
  bodyBytes: number | null;
  /** An `error` as `toTaskError` makes it. */
  answer: (Omit<PostResponse, 'body'> & { bodyBytes: number }) | { error: Error };
}

/** `cancel`: what nobody waits for any more. */
export type ToSenderThread = { orders: SendOrder[] } | { cancel: number[] } | 'close';

/** `failed`: what could not be made into a request. */
export interface FromSenderThread {
  results: SendResult[];
  bodies: ArrayBuffer;
  failed: { id: number; error: Error }[];
}
