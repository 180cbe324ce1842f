/**
 * SSRF guard: decides which IP addresses may be contacted for callers. Threat: a URL that makes this machine contact
 * its own network, such as itself, a router or a cloud's metadata service. Only addresses that are certainly public
 * pass. All others are refused.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public by number, but served inside a cloud: Azure's metadata and agent endpoint. */
const METADATA_IPV4 = new Set(['168.63.129.16']);

/** The only block from which global unicast IPv6 addresses are assigned (RFC 4291, IANA). */
const GLOBAL_UNICAST_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** IPv6 addresses that embed an IPv4 address for a translator (RFC 6052). */
const NAT64_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

const NAT64_IPV4_OFFSET = 12;

/**
 * Whether an address belongs to the public internet. False for private, loopback, link-local, multicast, carrier-grade
 * NAT, reserved, documentation and benchmark addresses, for unique-local, IPv4-mapped, IPv4-compatible, 6to4 and Teredo
 * ones, for NAT64 of such an IPv4 address, and for text that is not an IP address.
 */
export function isPublicAddress(ip: string): boolean {
  // isIP accepts only canonical forms (not 127.1). A zone index refers to a local interface.
  if (isIP(ip) === 0 || ip.includes('%')) return false;
  const address = ipaddr.parse(ip);
  return address instanceof ipaddr.IPv4 ? isPublicIpv4(address) : isPublicIpv6(address as ipaddr.IPv6);
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !METADATA_IPV4.has(address.toString());
}

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  if (address.match(NAT64_IPV6)) {
    return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(NAT64_IPV4_OFFSET)));
  }
  return address.match(GLOBAL_UNICAST_IPV6) && address.range() === 'unicast';
}

/** Names reserved for this machine or its own network (RFC 6761, 6762, 8375, and ICANN's .internal). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/;

/**
 * Whether a URL names this machine or its own network even without a DNS lookup. `URL` normalises every notation of an
 * IPv4 address (octal, decimal).
 *
 * @param isPublicAddress judges an address literal.
 */
export function namesPrivateHost({ hostname }: URL, isPublicAddress: (ip: string) => boolean): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? LOCAL_NAME.test(host) : !isPublicAddress(host);
}
