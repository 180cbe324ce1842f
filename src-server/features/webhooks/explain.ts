/**
 * Explains a signature: the signed text, the expected signature, the received ones, and whether they match. It serves
 * the person whose receiver refuses a callback, so it names each step.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../../platform/text/canonical-json.ts';
import { KIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { SignatureExplanation, Verdict, WebhookExplanation } from './schema.ts';
import { payloadSignature, standardKey, standardSignature } from './signing.ts';

/** How much of a text to sign is shown; the rest is only counted. */
const MAX_SHOWN_CHARS = 64 * KIB;
/** Standard Webhooks: receivers refuse a timestamp that is further away. */
export const TOLERANCE_MS = 5 * MINUTE_MS;

interface ReceivedRequest {
  /** Names in any case. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** @param secret null: the receiver knows of none */
export function explainSignature(request: ReceivedRequest, secret: string | null, now: number): WebhookExplanation {
  const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const payload = explainPayload(headers, request.body, secret);
  const standard = explainStandard(headers, request.body, secret, now);
  return { verdict: overallVerdict([payload.verdict, standard.verdict]), payload, standard };
}

function overallVerdict(verdicts: readonly Verdict[]): Verdict {
  const order: readonly Verdict[] = ['invalid', 'missing', 'unsigned'];
  return order.find((verdict) => verdicts.includes(verdict)) ?? 'valid';
}

function unexplainedSignature(verdict: Verdict, reason: string, received: string[]): SignatureExplanation {
  const unknown = { stringToSign: null, stringToSignBytes: null, keyEncoding: null, expected: null };
  return { verdict, reason, ...unknown, received };
}

function explainPayload(headers: Map<string, string>, body: Buffer, secret: string | null): SignatureExplanation {
  const object = parsedObject(body);
  const field = typeof object?.signature === 'string' ? object.signature : undefined;
  const received = [field, headers.get('x-service-signature')].filter((value) => value !== undefined);
  if (secret === null)
    return unexplainedSignature('unsigned', 'No secret is known, so nothing can be checked.', received);
  if (object === null) return unexplainedSignature('invalid', 'The body is not a JSON object in UTF-8.', received);
  const { signature: _removed, ...rest } = object;
  const text = canonicalOrNull(rest);
  if (text === null)
    return unexplainedSignature('invalid', 'The body holds text that has no canonical form.', received);
  const hex = payloadSignature(secret, text);
  const expected = { hex, base64: Buffer.from(hex, 'hex').toString('base64') };
  const shown = { ...shownText(text), keyEncoding: 'utf8', expected, received } as const;
  if (received.length === 0) {
    return { verdict: 'missing', reason: 'There is neither a signature field nor X-Service-Signature.', ...shown };
  }
  if (received.every((value) => isSameSecretText(value, hex))) {
    return { verdict: 'valid', reason: 'The signature is that of this body under this secret.', ...shown };
  }
  return { verdict: 'invalid', reason: payloadMismatch(received, secret, text), ...shown };
}

/** The usual slips, tried out one by one, so that the answer names the one that was made. */
function payloadMismatch(received: readonly string[], secret: string, text: string): string {
  const { hex, base64 } = macEncodings(standardKey(secret).key, text);
  if (received.some((value) => isSameSecretText(value, hex) || isSameSecretText(value, base64))) {
    return 'This was signed with the base64-decoded secret; the signature field uses the secret as UTF-8 text.';
  }
  const own = payloadSignature(secret, text);
  if (received.some((value) => isSameSecretText(value.toLowerCase(), own))) return 'The hex digits must be lower-case.';
  if (received.some((value) => isSameSecretText(value, Buffer.from(own, 'hex').toString('base64')))) {
    return 'This is base64; the signature field is lower-case hex.';
  }
  const slip = secretSlip(secret, (other) =>
    received.some((value) => isSameSecretText(value, payloadSignature(other, text))),
  );
  return slip ?? 'The secret is another one, or the body was changed after it was signed.';
}

const SECRET_SLIPS: readonly { mend(secret: string): string; reason: string }[] = [
  { mend: (secret) => secret.trim(), reason: 'The secret has white space around it that does not belong to it.' },
  {
    mend: (secret) => `whsec_${secret.trim()}`,
    reason: 'The secret lacks whsec_ at its beginning, which is part of it.',
  },
];

/** What usually happens to a secret on its way into a receiver, by whether the signature fits the mended one. */
function secretSlip(secret: string, fits: (other: string) => boolean): string | null {
  return SECRET_SLIPS.find(({ mend }) => mend(secret) !== secret && fits(mend(secret)))?.reason ?? null;
}

function macEncodings(key: Buffer, text: string): { hex: string; base64: string } {
  const mac = createHmac('sha256', key).update(text).digest();
  return { hex: mac.toString('hex'), base64: mac.toString('base64') };
}

function explainStandard(
  headers: Map<string, string>,
  body: Buffer,
  secret: string | null,
  now: number,
): WebhookExplanation['standard'] {
  const id = headers.get('webhook-id');
  const timestamp = headers.get('webhook-timestamp');
  const received = (headers.get('webhook-signature') ?? '').split(' ').filter((part) => part !== '');
  const time = timestampOf(timestamp, now);
  if (secret === null) {
    return { ...unexplainedSignature('unsigned', 'No secret is known, so nothing can be checked.', received), ...time };
  }
  if (id === undefined || timestamp === undefined || received.length === 0) {
    const reason = 'One of webhook-id, webhook-timestamp and webhook-signature is not there.';
    return { ...unexplainedSignature('missing', reason, received), ...time };
  }
  const { encoding } = standardKey(secret);
  const base64 = standardSignature(secret, id, timestamp, body).slice('v1,'.length);
  const expected = { hex: Buffer.from(base64, 'base64').toString('hex'), base64 };
  const prefix = `${id}.${timestamp}.`;
  const text = shownText(prefix + body.toString('utf8', 0, MAX_SHOWN_CHARS));
  const shown = { ...text, stringToSignBytes: Buffer.byteLength(prefix) + body.length, keyEncoding: encoding } as const;
  const matches = received.some((value) => isSameSecretText(value, `v1,${base64}`));
  const signOtherBytes = (other: string, raw: Buffer) => standardSignature(other, id, timestamp, raw);
  const reason = matches
    ? freshnessReason(time.timestampFresh)
    : standardMismatch(received, { secret, body, sign: signOtherBytes });
  const verdict = matches && time.timestampFresh ? 'valid' : 'invalid';
  return { verdict, reason, ...shown, expected, received, ...time };
}

function freshnessReason(fresh: boolean | null): string {
  if (fresh) return 'One of the signatures is that of this body under this secret.';
  return 'The signature is right, but webhook-timestamp is more than five minutes away: it may be a replay.';
}

interface Mismatch {
  secret: string;
  body: Buffer;
  sign(secret: string, body: Buffer): string;
}

function standardMismatch(received: readonly string[], { secret, body, sign }: Mismatch): string {
  if (received.every((value) => !value.startsWith('v1,'))) return 'No signature has the form v1,<base64>.';
  const slip = secretSlip(secret, (other) => received.some((value) => isSameSecretText(value, sign(other, body))));
  if (slip !== null) return slip;
  const canonical = canonicalOrNull(parsedObject(body));
  const isRewritten =
    canonical !== null && received.some((value) => isSameSecretText(value, sign(secret, Buffer.from(canonical))));
  if (isRewritten) {
    return 'The body was serialised again, or has an extra line end: check the raw bytes, not the parsed JSON.';
  }
  const { encoding } = standardKey(secret);
  const key = encoding === 'base64' ? 'what follows whsec_, base64-decoded' : "the secret's UTF-8 bytes";
  return `The secret is another one, or the raw body is not the one that was sent. The key is ${key}.`;
}

function timestampOf(timestamp: string | undefined, now: number) {
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    return { timestampAgeSeconds: null, timestampFresh: null };
  const ageMs = now - Number(timestamp) * SECOND_MS;
  return { timestampAgeSeconds: Math.floor(ageMs / SECOND_MS), timestampFresh: Math.abs(ageMs) <= TOLERANCE_MS };
}

function shownText(text: string): { stringToSign: string; stringToSignBytes: number } {
  return { stringToSign: text.slice(0, MAX_SHOWN_CHARS), stringToSignBytes: Buffer.byteLength(text) };
}

function isSameSecretText(one: string, other: string): boolean {
  const left = Buffer.from(one);
  const right = Buffer.from(other);
  return left.length === right.length && timingSafeEqual(left, right);
}

function parsedObject(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function canonicalOrNull(value: unknown): string | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}
