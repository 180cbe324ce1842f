/**
 * Which addresses may be reached for others. The threat is a URL that makes this machine talk to its own network: to
 * itself, to a router, to a cloud's metadata service. Only what is certainly public passes; everything else is refused.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public by its number, yet answered inside a cloud: Azure's metadata and agent endpoint. */
const METADATA_IPV4 = new Set(['168.63.129.16']);

/** The only block from which global unicast IPv6 addresses are given out (RFC 4291, IANA). */
const GLOBAL_UNICAST_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Addresses that stand for an IPv4 address behind a translator (RFC 6052). */
const NAT64_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

const NAT64_IPV4_OFFSET = 12;

/**
 * Whether the address belongs to the public internet. False for anything private, loopback, link-local, multicast,
 * carrier-grade NAT, reserved, for documentation or benchmarks, unique-local, IPv4-mapped or -compatible, 6to4 and
 * Teredo, for NAT64 of such an IPv4 address, and for text that is no plain IP address.
 */
export function isPublicAddress(ip: string): boolean {
  // isIP admits only the canonical forms (127.1 is none), and a zone index points at a local interface by definition.
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

/** Names that only ever stand for this machine or its own network (RFC 6761, 6762, 8375, and ICANN's .internal). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/;

/**
 * Whether an address names this machine or its own network by itself, before any name is looked up. `URL` makes every
 * notation of an IPv4 address (octal, decimal) one.
 * @param isPublicAddress judges an address literal.
 */
export function namesPrivateHost({ hostname }: URL, isPublicAddress: (ip: string) => boolean): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? LOCAL_NAME.test(host) : !isPublicAddress(host);
}
