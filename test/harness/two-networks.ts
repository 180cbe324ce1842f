/** A public site and a service inside, both on loopback, and names for them that need no resolver of the system. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Connector, Resolver } from '../../src-server/platform/net/guarded-connect.ts';

const PUBLIC = '93.184.216.34';

export interface TwoNetworks {
  /** For `startAppliance`: `turn…` is public for its first lookups, `inside…` private, every other name public. */
  network: { resolver: Resolver; connector: Connector };
  /** An address of the service inside. It stands for a router or a local tool. */
  insideUrl(path: string, host?: string): string;
  close(): void;
}

/** @param publicLookups of a name that begins with `turn` */
export async function openTwoNetworks(
  handlers: { inside: RequestListener; outside: RequestListener },
  publicLookups = 2,
): Promise<TwoNetworks> {
  const inside = await listen(createServer(handlers.inside));
  const outside = await listen(createServer(handlers.outside));
  const lookups = new Map<string, number>();
  const resolver: Resolver = async (name) => {
    const count = (lookups.get(name) ?? 0) + 1;
    lookups.set(name, count);
    const isPrivate = name.startsWith('inside') || (name.startsWith('turn') && count > publicLookups);
    return [{ address: isPrivate ? '127.0.0.1' : PUBLIC, family: 4 }];
  };
  // Connections to the public address end at the site of the stranger.
  const connector: Connector = ({ port }, addresses, callback) => {
    const isPublic = addresses[0]?.address === PUBLIC;
    const socket = connect(isPublic ? portOf(outside) : Number(port), '127.0.0.1');
    socket.once('connect', () => callback(null, socket));
    socket.once('error', (error) => callback(error, null));
  };
  return {
    network: { resolver, connector },
    insideUrl: (path, host = '127.0.0.1') => `http://${host}:${portOf(inside)}${path}`,
    close: () => {
      for (const server of [inside, outside]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
