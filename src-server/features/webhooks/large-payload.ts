/**
 * Signing what is too long to be signed at once. Hashing tens of megabytes takes a good part of a second, and this is
 * the thread that answers requests: so it is done a slice at a time, and others have their turn in between.
 */
import { createHash, type Hash, type Hmac } from 'node:crypto';
import { MIB } from '../../platform/units.ts';
import {
  type Envelope,
  headersOf,
  keysOf,
  markStandard,
  type Payload,
  payloadMac,
  type SealedDelivery,
  type Secrets,
  standardMac,
  timestampOf,
} from './signing.ts';

/** Takes one to five milliseconds to hash. */
const SLICE_BYTES = MIB;

export interface LargePayload extends Payload {
  /** Canonical JSON of the result, UTF-8: belongs behind the text of the member `result`. */
  result: Uint8Array;
}

/** The same bytes and headers that `seal` makes, a slice at a time. */
export async function sealLarge(
  payload: LargePayload,
  secrets: Secrets | null,
  envelope: Envelope,
): Promise<SealedDelivery> {
  let signature: string | null = null;
  if (secrets !== null) {
    const mac = payloadMac(secrets.current);
    await feed([mac], partsOf(payload, null));
    signature = mac.digest('hex');
  }
  const parts = partsOf(payload, signature);
  const body = await join(parts);
  const sha256 = createHash('sha256');
  const macs = keysOf(secrets).map((secret) => standardMac(secret, envelope.deliveryId, timestampOf(envelope)));
  await feed([sha256, ...macs], [body]);
  return { body, bodySha256: sha256.digest('hex'), headers: headersOf(envelope, signature, macs.map(markStandard)) };
}

function partsOf(payload: LargePayload, signature: string | null): Uint8Array[] {
  const members = payload.members.map(([name, text]) => ({ name, text, bytes: name === 'result' }));
  if (signature !== null) members.push({ name: 'signature', text: `"signature":"${signature}"`, bytes: false });
  members.sort((one, other) => (one.name < other.name ? -1 : 1));
  const texts = members.flatMap(({ text, bytes }, index) => {
    const before = Buffer.from(`${index === 0 ? '{' : ','}${text}`, 'utf8');
    return bytes ? [before, payload.result] : [before];
  });
  return [...texts, Buffer.from('}')];
}

async function join(parts: readonly Uint8Array[]): Promise<Buffer> {
  // Memory that threads share: the one that sends it has it without a copy.
  const body = Buffer.from(new SharedArrayBuffer(parts.reduce((sum, part) => sum + part.length, 0)));
  let place = 0;
  for await (const slice of slicesOf(parts)) {
    body.set(slice, place);
    place += slice.length;
  }
  return body;
}

async function feed(sinks: readonly (Hash | Hmac)[], parts: readonly Uint8Array[]): Promise<void> {
  for await (const slice of slicesOf(parts)) {
    for (const sink of sinks) sink.update(slice);
  }
}

/** Slice by slice, with a turn for everybody else after each long one. */
async function* slicesOf(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    for (let start = 0; start < part.length; start += SLICE_BYTES) {
      const slice = part.subarray(start, start + SLICE_BYTES);
      yield slice;
      if (slice.length === SLICE_BYTES) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
