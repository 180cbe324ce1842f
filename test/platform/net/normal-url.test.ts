import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalUrl } from '../../../src-server/platform/net/normal-url.ts';

test.each([
  ['HTTP://Example.COM:80', 'http://example.com/'],
  ['https://example.com:443/a/../b/./c', 'https://example.com/b/c'],
  ['https://example.com/?b=2&a=1&utm_source=x&gclid=y#top', 'https://example.com/?a=1&b=2'],
  ['https://example.com/?utm_medium=x', 'https://example.com/'],
  ['https://example.com/?', 'https://example.com/'],
  ['https://example.com/a;jsessionid=1A2B.node3/b;v=1?x=1', 'https://example.com/a/b;v=1?x=1'],
  ['https://example.com/?PHPSESSID=abc&t=5&sid=0123456789abcdef0123456789abcdef', 'https://example.com/?t=5'],
  ['https://example.com/?sid=12', 'https://example.com/?sid=12'],
  ['https://user:secret@example.com/', 'https://example.com/'],
  ['https://example.com/?q=a%20b&q=A+B', 'https://example.com/?q=A+B&q=a%20b'],
  ['https://example.com/%61%7e%2D?%71=%5f', 'https://example.com/a~-?q=_'],
  ['https://example.com/caf%c3%a9%2fb%2561?q=%e9', 'https://example.com/caf%C3%A9%2Fb%2561?q=%E9'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['http://0x7f000001/', 'http://127.0.0.1/'],
])('%s is %s', (address, normal) => {
  expect(normalUrl(address)).toBe(normal);
});

test.each([
  '',
  'example.com',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'mailto:a@b.example',
  `https://a.example/${'x'.repeat(3000)}`,
])('%j is no address of a page', (address) => {
  expect(normalUrl(address)).toBeNull();
});

test('a normal form is its own normal form', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
      const normal = normalUrl(address);
      expect(normal === null ? null : normalUrl(normal)).toBe(normal);
    }),
  );
});
