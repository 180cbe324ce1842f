/** A delivery on its way to whoever sends it: what its request is made of, and the request. */
import { canonicalText } from '../../platform/text/canonical-text.ts';
import { keptHeaders, requestHeaders } from './attempt-headers.ts';
import { type Envelope, payloadOf, type SealedDelivery, type Secrets, seal } from './signing.ts';

/** A job object that is not canonical yet, and what it is to be signed with. */
export interface UnsealedDelivery {
  /** All but the result. */
  head: Record<string, unknown>;
  /** JSON text of the result; null when it stands in `head`, or when there is none. */
  result: string | null;
  secrets: Secrets | null;
  envelope: Envelope;
}

/** A body that has changed threads is plain bytes. */
type SealedContent = Omit<SealedDelivery, 'body'> & { body: Uint8Array };
export type ParcelContent = UnsealedDelivery | SealedContent;

/** The request of a delivery, and what the log keeps of it. */
export interface MadeRequest {
  headers: Record<string, string>;
  body: Uint8Array;
  bodySha256: string;
  /** JSON for the column `request_headers`. */
  keptHeaders: string;
}

export function isSealed(content: ParcelContent): content is SealedContent {
  return 'body' in content;
}

/** Makes the body canonical and signs it, where that is not done yet. The objects of the head may be put in order. */
export function makeRequest(url: string, content: ParcelContent): MadeRequest {
  const sealed = isSealed(content) ? content : sealNow(content);
  const headers = requestHeaders(sealed.headers, sealed.body.length);
  return { headers, body: sealed.body, bodySha256: sealed.bodySha256, keptHeaders: keptHeaders(url, headers) };
}

function sealNow({ head, result, secrets, envelope }: UnsealedDelivery): SealedDelivery {
  return seal(payloadOf(head, result === null ? {} : { result: canonicalText(result) }), secrets, envelope);
}
