/**
 * Opens connections, and is the only place that decides whether they are allowed. A name is resolved once, all its
 * addresses are checked, and the socket connects to one of exactly these: no second lookup can return another address
 * (DNS rebinding), and one forbidden address refuses the whole name.
 */

import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { QuarryError } from '../errors.ts';
import { say } from '../text/say.ts';
import { SECOND_MS } from '../units.ts';
import { isPublicAddress } from './address-policy.ts';
import type { PrivateHost, ResolvedAddress } from './private-host.ts';

/** Limit for the lookup, and again for the connection with its TLS handshake. */
const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;

/** Resolves all addresses of a host name. */
export type Resolver = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Opens a socket to one of the addresses, with TLS if the protocol requires it. */
export type Connector = (
  target: buildConnector.Options,
  addresses: readonly ResolvedAddress[],
  callback: buildConnector.Callback,
) => void;

export type { ResolvedAddress };

export interface ConnectDeps {
  /** The private host that may be contacted; `any` for addresses that only the owner sets. */
  privateHost: PrivateHost | 'any' | null;
  resolver?: Resolver | undefined;
  connector?: Connector | undefined;
}

export const systemResolver: Resolver = (hostname) => lookup(hostname, { all: true });

/** Connects only to the checked addresses. */
const systemConnector: Connector = (target, addresses, callback) => {
  const [first] = addresses;
  const lookupCheckedAddress: LookupFunction = (_hostname, options, answer) => {
    if (options.all) answer(null, [...addresses]);
    else answer(null, first?.address ?? '', first?.family);
  };
  // HTTP/2 would need its own limits for little gain: sources are fetched one at a time.
  buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, lookup: lookupCheckedAddress })(target, callback);
};

/** An undici connector. It refuses what the policy does not allow with `source_forbidden`. */
export function createGuardedConnect(deps: ConnectDeps): buildConnector.connector {
  const { privateHost, resolver = systemResolver, connector = systemConnector } = deps;
  return (target, callback) => {
    resolveAllowed(target, resolver, privateHost).then(
      (addresses) => {
        // Node throws synchronously for impossible targets, such as port 99999. That would end the server.
        try {
          connector(target, addresses, callback);
        } catch (error) {
          callback(error as Error, null);
        }
      },
      (error: Error) => callback(error, null),
    );
  };
}

async function resolveAllowed(
  { hostname, port, protocol }: buildConnector.Options,
  resolver: Resolver,
  privateHost: ConnectDeps['privateHost'],
): Promise<readonly ResolvedAddress[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const lookUp = () => resolveHost(host, resolver);
  if (privateHost === 'any') return lookUp();
  const pinned = privateHost?.coversAddress(hostname, port, protocol) ? await privateHost.pinAddresses(lookUp) : null;
  if (pinned !== null) return pinned;
  const addresses = await lookUp();
  const refused = addresses.find(({ address }) => !isPublicAddress(address));
  if (refused === undefined) return addresses;
  // The address stays private: it would reveal the layout of the local network.
  const message = say`The host ${host} is not on the public internet, so it is not fetched; give a public address.`;
  throw new QuarryError('source_forbidden', message, { cause: new Error(`Refused address ${refused.address}`) });
}

async function resolveHost(host: string, resolver: Resolver): Promise<readonly ResolvedAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await withDeadline(resolver(host), host) : [{ address: host, family }];
  if (addresses.length > 0) return addresses;
  throw new QuarryError('source_unreachable', say`The host ${host} has no address.`, { retryable: true });
}

function withDeadline<Result>(work: Promise<Result>, host: string): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const message = say`The name of the host ${host} could not be looked up in time; try again later.`;
  const timer = setTimeout(
    () => late.reject(new QuarryError('timeout', message, { retryable: true })),
    CONNECT_TIMEOUT_MS,
  );
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
