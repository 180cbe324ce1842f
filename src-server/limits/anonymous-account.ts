import ipaddr from 'ipaddr.js';
import type { Principal } from '../contract/account.ts';

/** A household or host is handed a whole /64: counting single IPv6 addresses would limit nobody. */
const IPV6_GROUPS_KEPT = 4;

/**
 * Who a caller is that proved nothing: its address, IPv6 by its /64, an IPv4 address written as IPv6 as the IPv4 one.
 * A socket without an address (it closed already) shares the account of all such.
 */
export function anonymousPrincipal(address: string | undefined): Principal {
  if (address === undefined || !ipaddr.isValid(address)) return { kind: 'anonymous', accountId: 'ip:unknown' };
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6) {
    const network = parsed.parts.slice(0, IPV6_GROUPS_KEPT).map((part) => part.toString(16));
    return { kind: 'anonymous', accountId: `ip:${network.join(':')}::/64` };
  }
  return { kind: 'anonymous', accountId: `ip:${parsed.toString()}` };
}
