import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A household or host owns a whole /64, so limits on single IPv6 addresses would have no effect. */
const IPV6_GROUPS_KEPT = 4;
/** The account of all callers on this machine: each can use any address of 127.0.0.0/8, and ::1. */
const LOOPBACK_ACCOUNT = 'ip:127.0.0.1';
const LOOPBACK_V4 = '127.';

/** The account of an anonymous caller: its address group. All loopback addresses share one. */
export function anonymousAccount(address: string | undefined): `ip:${string}` {
  const group = addressGroup(address);
  return group === 'ip:::1' || group.startsWith(`ip:${LOOPBACK_V4}`) ? LOOPBACK_ACCOUNT : group;
}

/**
 * Groups addresses that count as one caller: IPv6 by its /64, an IPv4-mapped address as IPv4. A missing address (the
 * socket has closed) belongs to one common group.
 */
export function addressGroup(address: string | undefined): `ip:${string}` {
  if (address === undefined) return 'ip:unknown';
  // The common case in a flood: no parsing needed.
  if (isIPv4(address)) return `ip:${address}`;
  if (!ipaddr.isValid(address)) return 'ip:unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return `ip:${parsed.toString()}`;
  if (parsed.range() === 'loopback') return 'ip:::1';
  const network = parsed.parts.slice(0, IPV6_GROUPS_KEPT).map((part) => part.toString(16));
  return `ip:${network.join(':')}::/64`;
}
