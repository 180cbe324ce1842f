/** What the server's thread and the one that posts callbacks say to each other: many posts or answers in a message. */

import type { GuardedRequest } from './webhook-client.ts';
import type { PostedAnswer } from './webhook-exchange.ts';

export interface PostOrder extends GuardedRequest {
  id: number;
}

/** An answer as it arrives: a Buffer loses on the way what it is more than an array. */
export type TravelledAnswer = Omit<PostedAnswer, 'body'> & { body: Uint8Array<ArrayBuffer> };
export type PostResult = { id: number; answer: TravelledAnswer } | { id: number; error: Error };

/** `cancel`: posts that nobody waits for any more. */
export type ToWebhookThread = { posts: PostOrder[] } | { cancel: number[] } | 'close';
export type FromWebhookThread = PostResult[];
