import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { createGuardedClient, type GuardedClient } from '../../../src-server/platform/net/guarded-client.ts';
import type { ResolvedAddress } from '../../../src-server/platform/net/guarded-connect.ts';
import { MIB } from '../../../src-server/platform/units.ts';

/** What anybody may do, and what the owner may. */
export const GUARDED = { allowHttp: false, privateHost: null };
export const OWNER = { allowHttp: true, privateHost: 'any' } as const;

export const PUBLIC_ADDRESS = '93.184.216.34';

/**
 * A guarded client whose names and connections are ours: a name resolves as the test says, and a connection to whatever
 * address passed the guard ends at a server on loopback, with no TLS between. Nothing else is ever reached.
 */
export interface Harness {
  client: GuardedClient;
  server: Server;
  port: number;
  /** `host address` of each connection that was tried, in order. */
  connects: string[];
  /** Host names that were looked up, in order. */
  lookups: string[];
  /** Answers of the resolver, used up in order; the last one stays. */
  names: Map<string, string[][]>;
  path: string;
  files(): Promise<string[]>;
  close(): Promise<void>;
}

export async function startHarness(listener: RequestListener): Promise<Harness> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const folder = await mkdtemp(join(tmpdir(), 'quarry sources '));
  const connects: string[] = [];
  const lookups: string[] = [];
  const names = new Map<string, string[][]>([['site.example', [[PUBLIC_ADDRESS]]]]);
  const client = createGuardedClient({
    userAgent: 'QuarryTest/1',
    async resolver(hostname) {
      lookups.push(hostname);
      const answers = names.get(hostname);
      if (answers === undefined) throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
      return asAddresses((answers.length > 1 ? answers.shift() : answers[0]) ?? []);
    },
    connector(target, addresses, callback) {
      connects.push(`${target.hostname} ${addresses.map(({ address }) => address).join(',')}`);
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => callback(null, socket));
      socket.once('error', (error) => callback(error, null));
    },
  });
  return {
    client,
    server,
    port,
    connects,
    lookups,
    names,
    path: join(folder, 'source'),
    files: () => readdir(folder),
    async close() {
      await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function asAddresses(ips: readonly string[]): ResolvedAddress[] {
  return ips.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

export const BOUNDS = { policy: GUARDED, totalTimeoutMs: 20_000, maxResponseBytes: MIB };

/** The public error a promise fails with. */
export async function failure(promise: Promise<unknown>): Promise<QuarryError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof QuarryError) return error;
    throw error;
  }
  throw new Error('The promise was kept.');
}
