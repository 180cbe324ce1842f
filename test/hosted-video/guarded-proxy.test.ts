import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openGuardedProxy } from '../../src-server/engines/hosted-video/guarded-proxy.ts';
import { type LocalSite, serveFiles } from '../harness/local-site.ts';

let site: LocalSite;
beforeAll(async () => {
  site = await serveFiles({ '/a': 'the answer' });
});
afterAll(() => site[Symbol.asyncDispose]());

/** What a proxy says to a raw request; the connection is closed by whoever is done first. */
function say(proxyUrl: string, lines: readonly string[], withPassword = true): Promise<string> {
  const { hostname, port, username, password } = new URL(proxyUrl);
  const proof = Buffer.from(`${username}:${password}`).toString('base64');
  const head = withPassword ? [...lines, `Proxy-Authorization: Basic ${proof}`] : lines;
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n`),
    );
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    socket.once('close', () => resolve(heard)).once('error', reject);
  });
}

describe('the proxy that yt-dlp is sent through', () => {
  test('passes on what the owner may reach', async () => {
    await using proxy = await openGuardedProxy({ allowPrivateNetworks: true });
    expect(await say(proxy.url, [`GET ${site.url}/a HTTP/1.1`, 'Host: x'])).toContain('the answer');
  });

  test.for([
    ['a plain request', (url: string) => [`GET ${url}/a HTTP/1.1`, 'Host: x']],
    ['a tunnel', (url: string) => [`CONNECT ${new URL(url).host} HTTP/1.1`, 'Host: x']],
  ] as const)('reaches no address inside for anybody else: %s', async ([, lines]) => {
    const before = site.requests.length;
    await using proxy = await openGuardedProxy({ allowPrivateNetworks: false });
    expect(await say(proxy.url, lines(site.url))).toMatch(/^HTTP\/1.1 403/);
    expect(site.requests.length).toBe(before);
  });

  test('refuses a name that leads inside, whatever its resolver said before', async () => {
    const resolver = async () => [{ address: '127.0.0.1', family: 4 }];
    await using proxy = await openGuardedProxy({ allowPrivateNetworks: false, resolver });
    expect(await say(proxy.url, ['CONNECT videos.example:443 HTTP/1.1', 'Host: x'])).toMatch(/^HTTP\/1.1 403/);
  });

  test('serves nobody without the password of its run', async () => {
    await using proxy = await openGuardedProxy({ allowPrivateNetworks: true });
    expect(await say(proxy.url, [`GET ${site.url}/a HTTP/1.1`, 'Host: x'], false)).toMatch(/^HTTP\/1.1 403/);
    expect(await say(proxy.url, [`CONNECT ${new URL(site.url).host} HTTP/1.1`, 'Host: x'], false)).toMatch(
      /^HTTP\/1.1 407/,
    );
  });
});
