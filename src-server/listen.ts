import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AssembledApp } from './assemble-app.ts';
import { type ConnectionBounds, systemBounds } from './platform/http/connections.ts';
import { answerMalformed } from './platform/http/malformed.ts';
import { fairServer } from './platform/http/server.ts';
import { HOUR_MS, SECOND_MS } from './platform/units.ts';
import { listenError } from './start-error.ts';

/** Limits of the network edge. */
export interface EdgeOptions {
  /** From the opening of a connection, or the first byte of its next request, to the end of the header. */
  headersTimeoutMs: number;
  /** How often Node looks for connections that are over their time. */
  timeoutCheckMs: number;
  connections: ConnectionBounds;
}

const EDGE_DEFAULTS = { headersTimeoutMs: 15 * SECOND_MS, timeoutCheckMs: 5 * SECOND_MS };
/**
 * From a request's first byte to its last: 4 GB at 1 Mbit/s take nine hours. The body reader ends a sender that falls
 * silent much earlier.
 */
const REQUEST_TIMEOUT_MS = 12 * HOUR_MS;

/** Binds. A taken port is an error, never a silent move to another. Writes the true port into `address`. */
export async function listen(app: AssembledApp, address: { host: string; port: number }, given: Partial<EdgeOptions>) {
  const edge = { ...EDGE_DEFAULTS, connections: systemBounds(), ...given };
  const server = await new Promise<Server>((resolve, reject) => {
    const opened = fairServer(
      {
        headersTimeout: edge.headersTimeoutMs,
        requestTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: edge.timeoutCheckMs,
        // A request without a Host is refused by the host guard, which says why.
        requireHostHeader: false,
      },
      { isOwner: app.isOwner, handle: app.handle, connections: edge.connections },
    );
    answerMalformed(opened);
    opened.once('error', reject);
    opened.listen(address.port, address.host, () => resolve(opened));
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new PortTakenError(address) : listenError(error, address);
  });
  address.port = (server.address() as AddressInfo).port;
  return server;
}

export class PortTakenError extends Error {
  readonly port: number;

  constructor({ host, port }: { host: string; port: number }) {
    super(
      `Port ${port} on ${host} is taken. ` +
        'Stop the program that uses it, or choose another with --port (0: any free one).',
    );
    this.name = 'PortTakenError';
    this.port = port;
  }
}

/** Closes all connections too: event streams and held answers would keep the server open for ever. */
export async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export function originOf({ host, port }: { host: string; port: number }): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
