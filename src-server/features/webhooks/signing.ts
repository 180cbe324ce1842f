/**
 * Makes and signs the request of a delivery. resources/reference/webhooks.md says the same for receivers, with test
 * vectors.
 *
 * The body is sent in RFC 8785 canonical form, so that a receiver without such a library can remove the `signature`
 * member from the raw bytes and has the signed text.
 */

import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { canonicalTextOf } from '../../platform/text/canonical-json.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { standardBase64 } from './schema.ts';

/** Takes one to five milliseconds to hash. */
const SLICE_BYTES = MIB;

/** The job object, ready to be signed: canonical values by name, in canonical order, without `signature`. */
export interface Payload {
  members: readonly Member[];
}

/** A long value may be UTF-8 bytes. */
type Member = readonly [name: string, value: string | Uint8Array];

export interface Secrets {
  current: string;
  /** The secret before a rotation, until it expires. */
  previous: string | null;
}

export interface SealedDelivery {
  body: Buffer;
  bodySha256: string;
  headers: Record<string, string>;
}

export interface Envelope {
  deliveryId: string;
  event: string;
  attempt: number;
  /** When the attempt begins, in milliseconds. */
  sentAt: number;
}

/**
 * Makes the members canonical.
 *
 * @param known members whose canonical JSON is known, such as a result
 */
export function payloadOf(
  object: Record<string, unknown>,
  known: Readonly<Record<string, string | Uint8Array>> = {},
): Payload {
  const members: Member[] = Object.keys(object)
    .filter((name) => name !== 'signature' && object[name] !== undefined)
    .map((name) => [name, canonicalTextOf(object[name])]);
  members.push(...Object.entries(known));
  return { members: members.sort(([one], [other]) => (one < other ? -1 : 1)) };
}

/** Makes the exact bytes and headers of an attempt. Without secrets nothing is signed. */
export function sealDelivery(payload: Payload, secrets: Secrets | null, envelope: Envelope): SealedDelivery {
  const steps = sealInSteps(payload, secrets, envelope);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does the same, and yields to the event loop after each megabyte that is hashed. */
export async function sealInTurns(
  payload: Payload,
  secrets: Secrets | null,
  envelope: Envelope,
): Promise<SealedDelivery> {
  const steps = sealInSteps(payload, secrets, envelope);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await yieldToEventLoop();
  }
}

/** Has the length of a signature, and its place in the body until the signature is known. */
const NO_SIGNATURE = '0'.repeat(64);

function* sealInSteps(
  { members }: Payload,
  secrets: Secrets | null,
  envelope: Envelope,
): Generator<void, SealedDelivery, void> {
  const first = members.filter(([name]) => name < 'signature');
  const rest = members.filter(([name]) => name > 'signature');
  const before = memberBytes(first, '{', '');
  const after = memberBytes(rest, first.length > 0 && rest.length > 0 ? ',' : '', '}');
  const member = secrets === null ? '' : signatureMember(first.length > 0, rest.length > 0);
  const body = Buffer.concat([...before, Buffer.from(member), ...after]);
  let signature: string | null = null;
  if (secrets !== null) {
    // The signed text is the body without this member.
    const start = before.reduce((sum, piece) => sum + piece.length, 0);
    const mac = payloadMac(secrets.current);
    yield* feedInSlices(body.subarray(0, start), mac);
    yield* feedInSlices(body.subarray(start + member.length), mac);
    signature = mac.digest('hex');
    body.write(signature, start + member.indexOf(NO_SIGNATURE), 'latin1');
  }
  const sha256 = createHash('sha256');
  const macs = keysOf(secrets).map((secret) => standardMac(secret, envelope.deliveryId, timestampOf(envelope)));
  yield* feedInSlices(body, sha256, ...macs);
  return {
    body,
    bodySha256: sha256.digest('hex'),
    headers: signedHeaders(envelope, signature, macs.map(markStandard)),
  };
}

/** Members as they follow each other in the body, between two texts. */
function memberBytes(members: readonly Member[], opening: string, ending: string): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let text = opening;
  for (const [index, [name, value]] of members.entries()) {
    text += `${index === 0 ? '' : ','}"${name}":`;
    if (typeof value === 'string') {
      text += value;
    } else {
      pieces.push(Buffer.from(text, 'utf8'), value);
      text = '';
    }
  }
  pieces.push(Buffer.from(text + ending, 'utf8'));
  return pieces;
}

/** The member with the comma that it adds. */
function signatureMember(isBehind: boolean, isBefore: boolean): string {
  const member = `"signature":"${NO_SIGNATURE}"`;
  if (isBehind) return `,${member}`;
  return isBefore ? `${member},` : member;
}

function* feedInSlices(bytes: Buffer, ...sinks: (Hash | Hmac)[]): Generator<void, void, void> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    const slice = bytes.subarray(start, start + SLICE_BYTES);
    for (const sink of sinks) sink.update(slice);
    if (slice.length === SLICE_BYTES) yield;
  }
}

/** Lower-case hex HMAC-SHA-256 under the UTF-8 bytes of any secret. */
export function payloadSignature(secret: string, text: string | Buffer): string {
  return payloadMac(secret).update(text).digest('hex');
}

function payloadMac(secret: string): Hmac {
  return createHmac('sha256', secret);
}

/**
 * The key of the Standard Webhooks signature: base64 after `whsec_`, else the UTF-8 bytes of the secret. Secrets that
 * were registered before the base64 was checked may have the prefix and no base64; they keep their key.
 */
export function standardKey(secret: string): { key: Buffer; encoding: 'base64' | 'utf8' } {
  const encoded = standardBase64(secret);
  if (encoded !== null) return { key: Buffer.from(encoded, 'base64'), encoding: 'base64' };
  return { key: Buffer.from(secret, 'utf8'), encoding: 'utf8' };
}

/** Signs the text of Standard Webhooks: `<webhook-id>.<webhook-timestamp>.<raw body>`. */
export function standardSignature(secret: string, id: string, timestamp: string, body: Buffer | string): string {
  return markStandard(standardMac(secret, id, timestamp).update(body));
}

function standardMac(secret: string, id: string, timestamp: string): Hmac {
  return createHmac('sha256', standardKey(secret).key).update(`${id}.${timestamp}.`);
}

function markStandard(mac: Hmac): string {
  return `v1,${mac.digest('base64')}`;
}

/** The secrets that sign: the current one first. */
function keysOf(secrets: Secrets | null): string[] {
  if (secrets === null) return [];
  return secrets.previous === null ? [secrets.current] : [secrets.current, secrets.previous];
}

/** Whole seconds, the unit of `webhook-timestamp`. */
function timestampOf(envelope: Envelope): string {
  return String(Math.floor(envelope.sentAt / SECOND_MS));
}

function signedHeaders(
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

// The log shows the headers of a request exactly as they were sent, but stores only what the rest of the attempt does
// not say: two rows of a short callback then fit on one page of the database.

/** The version of the stored form. */
const FORM = 1;

const USER_AGENT = 'Quarry-Webhooks/1';

interface KeptHeaders {
  form: typeof FORM;
  host: string;
  timestamp: string | undefined;
  standard: string | undefined;
  signature: string | undefined;
}

/** All headers of a request except `host` and `connection`, which the connection adds. */
export function requestHeaders({ headers, body }: SealedDelivery): Record<string, string> {
  return { ...fixedHeaders(body.length), ...headers };
}

function fixedHeaders(bodyBytes: number): Record<string, string> {
  return {
    'user-agent': USER_AGENT,
    accept: '*/*',
    // The answer is stored as it is received.
    'accept-encoding': 'identity',
    'content-length': String(bodyBytes),
  };
}

/** JSON for the column `request_headers`. */
export function keptHeaders(url: string, { headers }: SealedDelivery): string {
  const kept: KeptHeaders = {
    form: FORM,
    host: new URL(url).host,
    timestamp: headers['webhook-timestamp'],
    standard: headers['webhook-signature'],
    signature: headers['x-service-signature'],
  };
  return JSON.stringify(kept);
}

/** The headers of an attempt as they were sent. */
export function sentHeaders(
  attempt: { request_headers: string; request_body_bytes: number; number: number },
  delivery: { id: string; event: string },
): Record<string, string> {
  const kept = parseOwnJson<KeptHeaders | Record<string, string>>(attempt.request_headers);
  if (kept.form !== FORM) return kept as Record<string, string>;
  const { host, timestamp, standard, signature } = kept as KeptHeaders;
  return {
    host,
    connection: 'keep-alive',
    ...fixedHeaders(attempt.request_body_bytes),
    'content-type': 'application/json',
    'webhook-id': delivery.id,
    ...omitUndefined({ 'webhook-timestamp': timestamp }),
    'x-service-event': delivery.event,
    'x-service-attempt': String(attempt.number),
    ...omitUndefined({ 'webhook-signature': standard, 'x-service-signature': signature }),
  };
}
