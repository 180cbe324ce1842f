/**
 * How a delivery is made and signed. resources/reference/webhooks.md says the same for receivers, with test vectors.
 *
 * The body is sent in RFC 8785 canonical form, so that a receiver without such a library can take the `signature`
 * member out of the raw bytes and has the signed text in hand.
 */

import { createHash, createHmac, createSecretKey, type Hash, type Hmac, hash } from 'node:crypto';
import { remember } from '../../platform/memoize.ts';
import { canonicalTextOf } from '../../platform/text/canonical-json.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { standardBase64 } from './schema.ts';

const MAX_KEPT_KEYS = 1000;

/** The job object in pieces, so that one canonical form serves the signed text and the body. */
interface Payload {
  /** Canonical `"name":value` by name, in canonical order, without `signature`. */
  members: readonly (readonly [name: string, text: string])[];
}

export interface Secrets {
  current: string;
  /** The one before a rotation, while it still counts. */
  previous: string | null;
}

export interface SealedDelivery {
  body: Buffer;
  bodySha256: string;
  headers: Record<string, string>;
}

/**
 * The job object, ready to be signed. Its objects may be put in order on the way.
 *
 * @param texts members whose canonical JSON text is known, such as a result
 */
export function payloadOf(object: Record<string, unknown>, texts: Readonly<Record<string, string>> = {}): Payload {
  const members = Object.keys(object)
    .filter((name) => name !== 'signature' && object[name] !== undefined)
    .map((name): [string, string] => [name, `"${name}":${canonicalTextOf(object[name])}`]);
  for (const [name, text] of Object.entries(texts)) members.push([name, `"${name}":${text}`]);
  return { members: members.sort(([one], [other]) => (one < other ? -1 : 1)) };
}

/** What `signature` signs. */
export function signedText(payload: Payload): string {
  return `{${payload.members.map(([, text]) => text).join(',')}}`;
}

/** Lower-case hex HMAC-SHA-256 under the secret's UTF-8 bytes, whatever the secret looks like. */
export function payloadSignature(secret: string, text: string | Buffer): string {
  return payloadMac(secret).update(text).digest('hex');
}

/** A payload signature to be fed with the signed text. */
function payloadMac(secret: string): Hmac {
  return createHmac('sha256', keysFor(secret).plain);
}

/**
 * The key of the Standard Webhooks signature: base64 after `whsec_`, else the secret's UTF-8 bytes. Secrets registered
 * before the base64 was checked may have the prefix and no base64; they keep their key.
 */
export function standardKey(secret: string): { key: Buffer; encoding: 'base64' | 'utf8' } {
  const encoded = standardBase64(secret);
  if (encoded !== null) return { key: Buffer.from(encoded, 'base64'), encoding: 'base64' };
  return { key: Buffer.from(secret, 'utf8'), encoding: 'utf8' };
}

/** Making a key of bytes costs five times what signing a callback does, so keys are kept ready. */
const keysFor = remember(
  (secret) => ({ plain: createSecretKey(secret, 'utf8'), standard: createSecretKey(standardKey(secret).key) }),
  MAX_KEPT_KEYS,
);

/** The text of the Standard Webhooks signature: `<webhook-id>.<webhook-timestamp>.<raw body>`. */
export function standardSignature(secret: string, id: string, timestamp: string, body: Buffer | string): string {
  return markStandard(standardMac(secret, id, timestamp).update(body));
}

/** A standard signature to be fed with the raw body and then handed to `markStandard`. */
function standardMac(secret: string, id: string, timestamp: string): Hmac {
  return createHmac('sha256', keysFor(secret).standard).update(`${id}.${timestamp}.`);
}

function markStandard(mac: Hmac): string {
  return `v1,${mac.digest('base64')}`;
}

export interface Envelope {
  deliveryId: string;
  event: string;
  attempt: number;
  /** When the attempt begins, in milliseconds. */
  sentAt: number;
}

/** As long as a signature, whose place it holds in the body until that is known. */
const NO_SIGNATURE = '0'.repeat(64);

/** The exact bytes and headers of an attempt. Without secrets there is no signature anywhere. */
export function seal(payload: Payload, secrets: Secrets | null, envelope: Envelope): SealedDelivery {
  if (secrets === null) return sealed(Buffer.from(signedText(payload), 'utf8'), null, secrets, envelope);
  const { before, member, after } = aroundSignature(payload);
  const body = Buffer.from(`${before}${member}${after}`, 'utf8');
  const place = Buffer.byteLength(before);
  // What is signed is the body without the member: the same bytes, so they are made once.
  const mac = payloadMac(secrets.current).update(body.subarray(0, place));
  const signature = mac.update(body.subarray(place + member.length)).digest('hex');
  body.write(signature, place + member.indexOf(NO_SIGNATURE), 'latin1');
  return sealed(body, signature, secrets, envelope);
}

function sealed(body: Buffer, signature: string | null, secrets: Secrets | null, envelope: Envelope): SealedDelivery {
  const timestamp = timestampOf(envelope);
  const signatures = keysOf(secrets).map((secret) => standardSignature(secret, envelope.deliveryId, timestamp, body));
  return { body, bodySha256: hash('sha256', body), headers: headersOf(envelope, signature, signatures) };
}

/** The member `signature` at its place, with the comma that it brings, and the text on both sides of it. */
function aroundSignature({ members }: Payload): { before: string; member: string; after: string } {
  let before = '';
  let after = '';
  for (const [name, text] of members) {
    if (name < 'signature') before += before === '' ? text : `,${text}`;
    else after += after === '' ? text : `,${text}`;
  }
  const member = `"signature":"${NO_SIGNATURE}"`;
  if (before === '') return { before: '{', member: after === '' ? member : `${member},`, after: `${after}}` };
  return { before: `{${before}`, member: `,${member}`, after: after === '' ? '}' : `,${after}}` };
}

/** The secrets that count: the one of today first. */
function keysOf(secrets: Secrets | null): string[] {
  if (secrets === null) return [];
  return secrets.previous === null ? [secrets.current] : [secrets.current, secrets.previous];
}

/** Whole seconds, as `webhook-timestamp` says it. */
function timestampOf(envelope: Envelope): string {
  return String(Math.floor(envelope.sentAt / SECOND_MS));
}

function headersOf(
  envelope: Envelope,
  signature: string | null,
  standardSignatures: readonly string[],
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': envelope.deliveryId,
    'webhook-timestamp': timestampOf(envelope),
    'x-service-event': envelope.event,
    'x-service-attempt': String(envelope.attempt),
  };
  if (signature !== null) {
    headers['webhook-signature'] = standardSignatures.join(' ');
    headers['x-service-signature'] = signature;
  }
  return headers;
}

/**
 * Signing what is too long to be signed at once. Hashing tens of megabytes takes a good part of a second, and this is
 * the thread that answers requests: so it is done a slice at a time, and others have their turn in between.
 */

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
