import type { Server } from 'node:net';

/** The port of a server that listens on one. Errors: Error where it does not. */
export function listeningPort(server: Pick<Server, 'address'>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.');
  return address.port;
}
