import { isIP } from 'node:net';

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
