import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { explainSignature } from '../../src-server/features/webhooks/explain.ts';
import { payloadOf, sealDelivery, sealInTurns, standardKey } from '../../src-server/features/webhooks/signing.ts';
import { systemClock } from '../../src-server/platform/clock.ts';

interface Vector {
  name: string;
  secret: string;
  payload: string;
  signedText: string;
  signature: string;
  body: string;
  headers: Record<string, string>;
}

const REFERENCE = join(import.meta.dirname, '../../resources/reference/webhooks.md');
const vectors = publishedVectors();

function publishedVectors(): Vector[] {
  const block = /```json\n(.*?)\n```/s.exec(readFileSync(REFERENCE, 'utf8'))?.[1];
  return JSON.parse(block ?? '') as Vector[];
}

function sealed(object: Record<string, unknown>, secret: string, previous: string | null = null) {
  const envelope = { deliveryId: 'dlv_test', event: 'job.completed', attempt: 1, sentAt: systemClock.now() };
  return sealDelivery(payloadOf(object), { current: secret, previous }, envelope);
}

/** The verifier in another language, written from the reference page. */
function verifyInPython(cases: readonly object[]): Record<string, unknown>[] {
  const input = cases.map((one) => JSON.stringify(one)).join('\n');
  const { stdout, stderr, status } = spawnSync('python3', [join(import.meta.dirname, 'verify.py')], {
    input,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Python failed: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the published test vectors', () => {
  test.each(vectors)('$name: the product signs exactly as published', ({ secret, payload, headers, ...expected }) => {
    const pieces = payloadOf(JSON.parse(payload) as Record<string, unknown>);
    const sentAt = Number(headers['webhook-timestamp']) * 1000;
    const envelope = { deliveryId: headers['webhook-id'] ?? '', event: 'job.completed', attempt: 1, sentAt };
    const made = sealDelivery(pieces, { current: secret, previous: null }, envelope);
    expect(sealDelivery(pieces, null, envelope).body.toString('utf8')).toBe(expected.signedText);
    expect(made.body.toString('utf8')).toBe(expected.body);
    expect(made.headers).toMatchObject({ ...headers, 'x-service-signature': expected.signature });
  });

  test('a Python verifier written from the reference page alone agrees with every vector', () => {
    const answers = verifyInPython(vectors);
    for (const [index, vector] of vectors.entries()) {
      const { signedText: text } = vector;
      expect(answers[index]).toEqual({
        signedText: text,
        payloadText: text,
        shortcutText: text,
        signature: true,
        standard: true,
      });
    }
  });

  test('the Python verifier on the page takes each of them at its time, and nothing that is old or was changed', () => {
    const block = /```python\n(.*?)\n```/s.exec(readFileSync(REFERENCE, 'utf8'))?.[1] ?? '';
    const driver = `
import json, sys
for case in map(json.loads, sys.stdin):
    key = bytes.fromhex(case["key"])
    body, headers, at = case["body"].encode(), case["headers"], int(case["headers"]["webhook-timestamp"])
    rotated = {**headers, "webhook-signature": "v1,bmV3ZXI= " + headers["webhook-signature"]}
    print(is_genuine(headers, body, key, lambda: at + 300), is_genuine(rotated, body, key, lambda: at),
          is_genuine(headers, body, key, lambda: at + 301), is_genuine(headers, body + b" ", key, lambda: at),
          is_genuine({}, body, key))
`;
    const cases = vectors.map(({ secret, body, headers }) =>
      JSON.stringify({ key: standardKey(secret).key.toString('hex'), body, headers }),
    );
    const { stdout, stderr } = spawnSync('python3', ['-c', block + driver], {
      input: cases.join('\n'),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual(vectors.map(() => 'True True False False False'));
  });

  test('they hold non-ASCII text, the numbers that differ between languages, and nested arrays', () => {
    const text = vectors.map((vector) => vector.payload).join('\n');
    for (const piece of ['1e21', '0.1', '-0', '9007199254740993', '[[],[[1,[2', '日本語'])
      expect(text).toContain(piece);
  });
});

describe('a verifier of another make', () => {
  const object = { jobId: 'job_1', status: 'completed', result: { text: 'Grüße 😀', numbers: [1e21, 0.1, -0] } };

  test.each([
    ['base64 after whsec_', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', undefined],
    ['any text, as UTF-8 bytes', 'Schlüssel-鍵', 'raw'],
    ['whsec_ with what is no base64, as UTF-8 bytes', 'whsec_test_secret', 'raw'],
  ] as const)('standardwebhooks verifies a delivery whose secret is %s', (_name, secret, format) => {
    const { body, headers } = sealed(object, secret);
    const verifier = format ? new Webhook(Buffer.from(secret, 'utf8'), { format }) : new Webhook(secret);
    expect(verifier.verify(body.toString('utf8'), headers)).toMatchObject({ jobId: 'job_1' });
    expect(() => verifier.verify(body.toString('utf8').replace('job_1', 'job_2'), headers)).toThrow();
  });

  test('during a rotation the old and the new secret both verify, and the payload signature is the new one', () => {
    const { body, headers } = sealed(object, 'whsec_bmV3IHNlY3JldCE=', 'whsec_b2xkIHNlY3JldCE=');
    for (const secret of ['whsec_bmV3IHNlY3JldCE=', 'whsec_b2xkIHNlY3JldCE=']) {
      expect(() => new Webhook(secret).verify(body.toString('utf8'), headers)).not.toThrow();
    }
    const now = systemClock.now();
    expect(explainSignature({ headers, body }, 'whsec_bmV3IHNlY3JldCE=', now).payload.verdict).toBe('valid');
    expect(explainSignature({ headers, body }, 'whsec_b2xkIHNlY3JldCE=', now).payload.verdict).toBe('invalid');
  });

  test('the published key rule holds with and without padding', () => {
    expect(standardKey('whsec_AQI=').key).toEqual(Buffer.from([1, 2]));
    expect(standardKey('whsec_AQI').key).toEqual(Buffer.from([1, 2]));
    expect(standardKey('whsec_').encoding).toBe('utf8');
    expect(standardKey('whsec_A').encoding).toBe('utf8');
  });
});

describe('what cannot be signed as it is', () => {
  test('half a surrogate pair becomes U+FFFD and the delivery verifies', () => {
    const { body, headers } = sealed({ text: 'broken \ud800 text', '\udc00': [{ deep: '\udfff' }] }, 'secret');
    expect(body.toString('utf8')).toContain('broken \ufffd text');
    expect(explainSignature({ headers, body }, 'secret', systemClock.now()).verdict).toBe('valid');
  });

  test('a member called signature in the job itself is replaced, never signed', () => {
    const { body } = sealed({ signature: 'forged', a: 1 }, 'secret');
    expect(JSON.parse(body.toString('utf8'))).toEqual({ a: 1, signature: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});

describe('the explainer', () => {
  const object = { jobId: 'job_1', status: 'completed' };
  const now = systemClock.now();

  test('names the slip: base64-decoded key, upper-case hex, another secret, a changed body', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const { body, headers } = sealed(object, secret);
    const right = explainSignature({ headers, body }, secret, now);
    expect(right).toMatchObject({
      verdict: 'valid',
      payload: { stringToSign: '{"jobId":"job_1","status":"completed"}' },
    });
    expect(Buffer.from(right.payload.expected?.hex ?? '', 'hex').toString('base64')).toBe(
      right.payload.expected?.base64,
    );
    const upper = { ...headers, 'X-Service-Signature': (headers['x-service-signature'] ?? '').toUpperCase() };
    delete (upper as Record<string, string>)['x-service-signature'];
    expect(explainSignature({ headers: upper, body }, secret, now).payload.reason).toContain('lower-case');
    expect(explainSignature({ headers, body }, 'other', now)).toMatchObject({ verdict: 'invalid' });
    const changed = Buffer.from(body.toString('utf8').replace('job_1', 'job_2'));
    expect(explainSignature({ headers, body: changed }, secret, now).payload.verdict).toBe('invalid');
  });

  test('names a body that went through a JSON parser or gained a line end, and a secret that lost or gained something', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const { body, headers } = sealed(object, secret);
    const text = body.toString('utf8');
    for (const other of [`${text}\n`, JSON.stringify(JSON.parse(text), null, 2), `\ufeff${text}`]) {
      const { payload, standard } = explainSignature({ headers, body: Buffer.from(other) }, secret, now);
      expect(payload.verdict).toBe('valid');
      expect(standard).toMatchObject({ verdict: 'invalid', reason: expect.stringContaining('line end') });
    }
    for (const [other, slip] of [
      [`${secret}\n`, 'white space'],
      [secret.slice('whsec_'.length), 'whsec_'],
    ] as const) {
      const { payload, standard } = explainSignature({ headers, body }, other, now);
      expect(payload).toMatchObject({ verdict: 'invalid', reason: expect.stringContaining(slip) });
      expect(standard).toMatchObject({ verdict: 'invalid', reason: expect.stringContaining(slip) });
    }
    const padded = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, ` ${value}\t`]));
    expect(explainSignature({ headers: padded, body }, secret, now).verdict).toBe('valid');
  });

  test('an old timestamp is told apart from a wrong signature', () => {
    const { body, headers } = sealed(object, 'secret');
    const later = explainSignature({ headers, body }, 'secret', now + 600_000).standard;
    expect(later).toMatchObject({ verdict: 'invalid', timestampFresh: false });
    expect(later.reason).toContain('five minutes');
  });

  test('what is not JSON, not there, or not signed is said in words', () => {
    const { headers } = sealed(object, 'secret');
    expect(explainSignature({ headers, body: Buffer.from('{"a":') }, 'secret', now).payload.reason).toContain('JSON');
    expect(explainSignature({ headers: {}, body: Buffer.from('{}') }, 'secret', now).verdict).toBe('missing');
    expect(explainSignature({ headers, body: Buffer.from('{}') }, null, now).verdict).toBe('unsigned');
  });
});

describe('a body of megabytes', () => {
  test('is signed to the same bytes and headers in turns as at once', async () => {
    const object = { jobId: 'job_1', status: 'completed', updatedAt: 'later' };
    const result = JSON.stringify({ chunks: ['é'.repeat(1_200_000), 'end'] });
    const secrets = { current: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', previous: 'older' };
    const envelope = { deliveryId: 'dlv_1', event: 'job.completed', attempt: 2, sentAt: 1_772_443_800_000 };
    const large = payloadOf({ ...object }, { result: Buffer.from(result) });
    const atOnce = payloadOf({ ...object }, { result });
    expect(await sealInTurns(large, secrets, envelope)).toEqual(sealDelivery(atOnce, secrets, envelope));
    expect(await sealInTurns(large, null, envelope)).toEqual(sealDelivery(atOnce, null, envelope));
  });
});
