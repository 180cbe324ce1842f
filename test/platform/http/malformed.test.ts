/** What never becomes a request is answered in the same words as what does. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const host = () => `Host: ${new URL(appliance.url).host}\r\n`;

/** Sends bytes as they are and reads until the server closes. */
async function exchange(bytes: string): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(appliance.url).port), '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', ...rest] = Buffer.concat(pieces).toString().split('\r\n\r\n');
  return { head, body: rest.join('\r\n\r\n') };
}

type Refused = [what: string, bytes: () => string, status: number, code: string];
const POST = () => `POST /v1/crawl HTTP/1.1\r\n${host()}`;
const REFUSED: Refused[] = [
  ['bytes that are no HTTP', () => '\u0016\u0003\u0001 hello\r\n\r\n', 400, 'invalid_request'],
  ['a method that nobody knows', () => `FOO /health HTTP/1.1\r\n${host()}\r\n`, 400, 'invalid_request'],
  ['two lengths', () => `${POST()}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400, 'invalid_request'],
  ['a header without end', () => `${POST()}X: ${'a'.repeat(40_000)}\r\n\r\n`, 431, 'header_too_large'],
  ['an expectation that nobody has', () => `${POST()}Expect: tea\r\n\r\n`, 400, 'invalid_request'],
  ['a Host that is no name', () => 'GET /health HTTP/1.1\r\nHost: a@b\r\n\r\n', 400, 'invalid_request'],
  ['no Host', () => 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 403, 'forbidden'],
];

describe('a problem, and then the end of the connection, answers', () => {
  test.each(REFUSED)('%s', async (_what, bytes, status, code) => {
    const { head, body } = await exchange(bytes());
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/^content-type: application\/problem\+json$/im);
    const problem = JSON.parse(body) as Problem;
    expect(problem).toMatchObject({ type: `/problems/${code}`, status, code });
    if (status === 400) expect(problem.errors).toHaveLength(1);
  });
});

test('garbage behind a request that is being answered does not get into its answer', async () => {
  const { head, body } = await exchange(`GET /openapi.json HTTP/1.1\r\n${host()}\r\n\u0016\u0003garbage\r\n\r\n`);
  expect(head).toMatch(/^HTTP\/1.1 [24]00 /);
  // Either the document or the problem, and nothing behind it.
  expect(() => JSON.parse(body) as unknown).not.toThrow();
});

test('an address that a route could take, and that names nothing, is not found rather than a wrong method', async () => {
  const answer = await appliance.anonymous('/problems/nobody-has-this');
  expect(answer.status).toBe(404);
  expect(answer.headers.has('allow')).toBe(false);
});

test('whoever needs a credential is told how it is sent', async () => {
  const answer = await appliance.anonymous('/v1/jobs');
  expect({ status: answer.status, scheme: answer.headers.get('www-authenticate') }).toEqual({
    status: 401,
    scheme: 'Bearer',
  });
});

test.each([
  ['/v1/extract/doc', 'The request needs a body: a JSON object, or a form with a file.'],
  ['/v1/generate/text', 'The request needs a body: a JSON object.'],
])('a call without a body is told what it takes: POST %s', async (path, detail) => {
  const answer = await appliance.owner(path, { method: 'POST' });
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 400, body: { detail } });
});

test.each([
  ['/v1/generate/text?steam=true', 'steam', 'did you mean stream'],
  ['/v1/crawl?depth=2', 'depth', 'not known'],
])('a slip in the query is named: %s', async (path, field, message) => {
  const body = JSON.stringify({ prompt: 'x' });
  const answer = await appliance.owner(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as Problem).errors).toEqual([
    { path: field, message: expect.stringContaining(message) },
  ]);
});
