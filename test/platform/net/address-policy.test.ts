import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../src-server/platform/net/address-policy.ts';

describe('an address may be reached', () => {
  test.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '223.255.255.255',
  ])('when it is public IPv4: %s', (ip) => expect(isPublicAddress(ip)).toBe(true));
  test.each(['2606:4700:4700::1111', '2a00:1450:4001:800::200e', '64:ff9b::1.1.1.1', '64:ff9b::101:101'])(
    'when it is public IPv6, or NAT64 of public IPv4: %s',
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );
});

describe('an address may not be reached', () => {
  test.each([
    ['unspecified', '0.0.0.0'],
    ['"this network"', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT (a cloud metadata service)', '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local', '169.254.0.1'],
    ['metadata', '169.254.169.254'],
    ['metadata', '168.63.129.16'],
    ['protocol assignments, metadata', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped', '::ffff:8.8.8.8'],
    ['IPv4-mapped', '::ffff:7f00:1'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
    ['NAT64 of private', '64:ff9b::a00:1'],
    ['NAT64 of metadata', '64:ff9b::169.254.169.254'],
    ['local NAT64', '64:ff9b:1::1.1.1.1'],
    ['discard-only', '100::1'],
    ['Teredo', '2001::1'],
    ['benchmarking', '2001:2::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['6to4 of private', '2002:a00:1::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['segment routing', '5f00::1'],
    ['not given out', '4000::1'],
    ['unique-local', 'fc00::1'],
    ['unique-local, metadata', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['global with a zone', '2606:4700:4700::1111%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
  ])('when it is %s: %s', (_kind, ip) => expect(isPublicAddress(ip)).toBe(false));

  test.each(['', 'localhost', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', '1.1.1.1 ', '[::1]', '1.1.1.1:80'])(
    'when it is no plain IP address: "%s"',
    (text) => expect(isPublicAddress(text)).toBe(false),
  );

  test('when it is any address of a private network, written as IPv4 or inside IPv6', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.constantFrom('10', '127', '0'), byte, byte, byte, (first, ...rest) => {
        const ip = [first, ...rest].join('.');
        const forms = [ip, `::${ip}`, `::ffff:${ip}`, `64:ff9b::${ip}`];
        expect(forms.filter((form) => isPublicAddress(form))).toEqual([]);
      }),
    );
  });
});
