import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A household or host is handed a whole /64: counting single IPv6 addresses would limit nobody. */
const IPV6_GROUPS_KEPT = 4;

/**
 * The account of a caller that proved nothing: its address, IPv6 by its /64, an IPv4 address written as IPv6 as the
 * IPv4 one. What is no address (the socket closed already) shares one account.
 */
export function anonymousAccount(address: string | undefined): `ip:${string}` {
  if (address === undefined) return 'ip:unknown';
  // Nothing to take apart, and asked for with every request of a flood.
  if (isIPv4(address)) return `ip:${address}`;
  if (!ipaddr.isValid(address)) return 'ip:unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6) {
    const network = parsed.parts.slice(0, IPV6_GROUPS_KEPT).map((part) => part.toString(16));
    return `ip:${network.join(':')}::/64`;
  }
  return `ip:${parsed.toString()}`;
}
