/** Passes bytes on between connections, without reading them. */

import { createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { listeningPort } from './listening-port.ts';

/** Both ways. The end of one is that of the other. */
export function joinStreams(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.once('close', () => to.end(() => to.destroy()));
  }
}

/** A port on loopback. Each connection to it is joined to one that `dial` opens. */
export async function openRelay(dial: () => Promise<Duplex>): Promise<{ host: string } & AsyncDisposable> {
  const sockets = new Set<Duplex>();
  let isOver = false;
  const trackRelaySocket = (socket: Duplex) => {
    // A connection that was being opened when the relay ended.
    if (isOver) socket.destroy();
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    trackRelaySocket(near);
    dial().then(
      (far) => {
        trackRelaySocket(far);
        joinStreams(near, far);
      },
      () => near.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    host: `127.0.0.1:${listeningPort(server)}`,
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
