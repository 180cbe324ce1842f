/**
 * The address of a client behind a reverse proxy. Threat: a caller who writes `X-Forwarded-For` itself gets a new
 * address, and with it new limits, for each request. The header counts only on connections from a proxy that the owner
 * named, and is read from the right, where the proxies write.
 */

import { BlockList, type IPVersion, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address (`10.0.0.2`) or a network (`10.0.0.0/8`). */
export function isProxyEntry(text: string): boolean {
  return isIP(text) !== 0 || ipaddr.isValidCIDR(text);
}

/** What is read of a request. */
export interface ForwardedRequest {
  socket: { remoteAddress?: string | undefined };
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export class TrustedProxies {
  readonly #listed: () => readonly string[];
  #compiled: { from: readonly string[]; list: BlockList } | null = null;

  /** @param listed the entries; a new array when they change */
  constructor(listed: () => readonly string[]) {
    this.#listed = listed;
  }

  /** The address of the client; undefined when the connection has closed. */
  clientAddress({ socket, headers }: ForwardedRequest): string | undefined {
    const peer = socket.remoteAddress;
    const entries = this.#listed();
    if (peer === undefined || entries.length === 0 || !this.#isTrusted(peer, entries)) return peer;
    const byList = this.#clientOf(peer, hopsOfList(headers['x-forwarded-for']), entries);
    const byFields = this.#clientOf(peer, hopsOfFields(headers.forwarded), entries);
    if (byList === null || byFields === null) return byList ?? byFields ?? peer;
    // A proxy writes one of the two and passes the other on as the client wrote it. Which one is not known.
    return byList === byFields ? byList : peer;
  }

  /** The last hop, from the right, that is no trusted proxy; null without hops. */
  #clientOf(peer: string, hops: readonly string[], entries: readonly string[]): string | null {
    if (hops.length === 0) return null;
    let client = peer;
    for (const hop of hops.toReversed()) {
      const address = addressOfHop(hop);
      // What stands left of an unreadable hop was not written by a trusted proxy.
      if (address === null) return client;
      client = address;
      if (!this.#isTrusted(address, entries)) return client;
    }
    return client;
  }

  #isTrusted(address: string, entries: readonly string[]): boolean {
    if (this.#compiled?.from !== entries) this.#compiled = { from: entries, list: compileBlockList(entries) };
    const plain = plainAddress(address);
    return plain !== null && this.#compiled.list.check(plain, ipFamilyOf(plain));
  }
}

function compileBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [network = '', bits] = entry.split('/');
    if (bits === undefined) list.addAddress(network, ipFamilyOf(network));
    else list.addSubnet(network, Number(bits), ipFamilyOf(network));
  }
  return list;
}

function ipFamilyOf(address: string): IPVersion {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function hopsOfList(header: string | string[] | undefined): string[] {
  return splitHeaderParts(header, ',');
}

/** The `for` of each element of a `Forwarded` header (RFC 7239). An element without one is a hop that hides. */
function hopsOfFields(header: string | string[] | undefined): string[] {
  return splitHeaderParts(header, ',').map((element) => {
    const pair = element.split(';').find((part) => /^\s*for\s*=/i.test(part));
    return (pair?.slice(pair.indexOf('=') + 1) ?? '').trim().replace(/^"(.*)"$/, '$1');
  });
}

function splitHeaderParts(header: string | string[] | undefined, separator: string): string[] {
  if (header === undefined) return [];
  return [header].flat().join(separator).split(separator);
}

/** The address of `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::7`, `[2001:db8::7]` or `[2001:db8::7]:4711`. */
function addressOfHop(hop: string): string | null {
  const text = hop.trim();
  return plainAddress(/^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text);
}

/** An IPv4-mapped address as IPv4, without a zone; null for what is no address. */
function plainAddress(text: string): string | null {
  return isIP(text) === 0 ? null : ipaddr.process(text.replace(/%.*$/, '')).toString();
}
