import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openGuardedProxy } from '../../../src-server/platform/net/guarded-proxy.ts';
import { type LocalSite, serveFiles, serveWith } from '../../harness/local-site.ts';

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

/** Opens a tunnel, says something through it, and resolves when the proxy has closed it, however that is. */
function tunnelled(proxyUrl: string, lines: readonly string[], text: string): Promise<void> {
  const { hostname, port, username, password } = new URL(proxyUrl);
  const proof = Buffer.from(`${username}:${password}`).toString('base64');
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${[...lines, `Proxy-Authorization: Basic ${proof}`].join('\r\n')}\r\n\r\n`),
    );
    socket.once('data', () => socket.write(text)).once('error', () => {});
    socket.once('close', () => resolve());
  });
}

describe('the proxy that yt-dlp is sent through', () => {
  test('passes on what the owner may reach', async () => {
    await using proxy = await openGuardedProxy({ privateHost: 'any' });
    expect(await say(proxy.url, [`GET ${site.url}/a HTTP/1.1`, 'Host: x'])).toContain('the answer');
  });

  test('drops an answer that comes after its browser has ended', async () => {
    const asked = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    await using slow = await serveWith(async (_, response) => {
      asked.resolve();
      await ended.promise;
      response.end('too late');
    });
    await using proxy = await openGuardedProxy({ privateHost: 'any' });
    const { hostname, port, username, password } = new URL(proxy.url);
    const proof = Buffer.from(`${username}:${password}`).toString('base64');
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${slow.url}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${proof}\r\n\r\n`);
    await asked.promise;
    socket.resetAndDestroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    ended.resolve();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await say(proxy.url, [`GET ${site.url}/a HTTP/1.1`, 'Host: x'])).toContain('the answer');
  });

  test.for([
    ['a plain request', (url: string) => [`GET ${url}/a HTTP/1.1`, 'Host: x']],
    ['a tunnel', (url: string) => [`CONNECT ${new URL(url).host} HTTP/1.1`, 'Host: x']],
  ] as const)('reaches no address inside for anybody else: %s', async ([, lines]) => {
    const before = site.requests.length;
    await using proxy = await openGuardedProxy({ privateHost: null });
    expect(await say(proxy.url, lines(site.url))).toMatch(/^HTTP\/1.1 403/);
    expect(site.requests.length).toBe(before);
  });

  test('refuses a name that leads inside, whatever its resolver said before', async () => {
    const resolver = async () => [{ address: '127.0.0.1', family: 4 }];
    await using proxy = await openGuardedProxy({ privateHost: null, resolver });
    expect(await say(proxy.url, ['CONNECT videos.example:443 HTTP/1.1', 'Host: x'])).toMatch(/^HTTP\/1.1 403/);
  });

  test('serves nobody without the password of its run', async () => {
    await using proxy = await openGuardedProxy({ privateHost: 'any' });
    expect(await say(proxy.url, [`GET ${site.url}/a HTTP/1.1`, 'Host: x'], false)).toMatch(/^HTTP\/1.1 407/);
    expect(await say(proxy.url, [`CONNECT ${new URL(site.url).host} HTTP/1.1`, 'Host: x'], false)).toMatch(
      /^HTTP\/1.1 407/,
    );
  });

  test.for([
    ['with a status below all there are', 'HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\nok', ''],
    ['with no status', 'HTTP/1.1 000 Odd\r\ncontent-length: 2\r\n\r\nok', ''],
    ['that changes the protocol', 'HTTP/1.1 101 Other\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nok', ''],
    ['that is cut off', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nok', 'ok'],
    [
      'that announces a trailer beside its length',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntrailer: x\r\n\r\nok',
      'ok',
    ],
  ] as const)('an answer %s ends the line at most, and never the server', async ([, bytes, heard]) => {
    await using proxy = await openGuardedProxy({ privateHost: 'any' });
    const strange = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(bytes)));
    await new Promise<void>((resolve) => strange.listen(0, '127.0.0.1', resolve));
    const { port } = strange.address() as AddressInfo;
    const said = await say(proxy.url, [`GET http://127.0.0.1:${port}/ HTTP/1.1`, 'Host: x']);
    expect(said.split('\r\n\r\n')[1] ?? '').toBe(heard);
    await new Promise((resolve) => strange.close(resolve));
  });

  test.for(['127.0.0.1/:99999', '127.0.0.1?:99999'])('a tunnel to %s is refused, and ends nothing', async (target) => {
    await using proxy = await openGuardedProxy({ privateHost: 'any' });
    expect(await say(proxy.url, [`CONNECT ${target} HTTP/1.1`, 'Host: x'])).toMatch(/^HTTP\/1.1 403/);
  });

  test('a tunnel whose host breaks off ends at once', async () => {
    await using proxy = await openGuardedProxy({ privateHost: 'any' });
    const rude = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
    const { port } = rude.address() as AddressInfo;
    const lines = [`CONNECT 127.0.0.1:${port} HTTP/1.1`, 'Host: x'];
    await tunnelled(proxy.url, lines, 'hello');
    await new Promise((resolve) => rude.close(resolve));
  });
});
