/**
 * Issue 9, item 8. A request target in absolute form names its own host, which counts in place of the Host header. It is
 * compared as text: nothing looks the name up.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const own = () => new URL(appliance.url).host;

/** The status of a request whose target is sent as it is. */
async function statusOf(target: string, host = own()): Promise<number> {
  const socket = connect(Number(new URL(appliance.url).port), '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(pieces).toString())?.[1]);
}

describe('a target in absolute form', () => {
  test.each(['/', '/health', '/login', '/v1/voices', '/openapi.json'])(
    'that names another host is refused: %s',
    async (path) => {
      expect(await statusOf(`http://other.example${path}`)).toBe(403);
      expect(await statusOf(`https://other.example${path}`)).toBe(403);
      expect(await statusOf(`http://other.example:${new URL(appliance.url).port}${path}`)).toBe(403);
    },
  );

  test.each([
    'http://127.0.0.1:1/health',
    'http://127.0.0.1.other.example/health',
    'http://OWN@other.example/health',
    'HTTP://other.example/health',
    'ftp://other.example/health',
  ])('that names another host in disguise is refused: %s', async (target) => {
    expect([400, 403]).toContain(await statusOf(target.replace('OWN', own())));
  });

  test('that names this host is answered, and a foreign Host header beside it is not', async () => {
    expect(await statusOf(`http://${own()}/health`)).toBe(200);
    expect(await statusOf(`http://${own()}/health`, 'other.example')).toBe(403);
  });
});
