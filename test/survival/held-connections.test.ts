/** Connections that a client holds open: a server that stops does not wait for them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startAppliance } from '../harness/appliance.ts';

/** A client that never closes its half, and reads nothing. */
async function heldConnection(url: string, says: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (says !== '') socket.write(says);
  return socket;
}

test.each([
  ['says nothing', ''],
  ['speaks no HTTP', 'NOT HTTP AT ALL\r\n\r\n'],
  ['sends half a header', 'GET /v1/jobs HTTP/1.1\r\nHost: '],
  ['asks for another protocol', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['asks for a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'],
  ['sends half a body', 'POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{'],
  ['keeps its connection', 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'],
])(
  'a client that %s',
  async (_, says) => {
    const appliance = await startAppliance();
    const held = await Promise.all([1, 2, 3].map(() => heldConnection(appliance.url, says)));
    try {
      await appliance.anonymous('/health');
      await appliance.close();
      await expect(appliance.anonymous('/health')).rejects.toThrow();
    } finally {
      for (const socket of held) socket.destroy();
    }
  },
  30_000,
);
