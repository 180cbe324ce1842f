/** A reverse proxy on loopback that does to requests what nginx, Caddy and Traefik do. */
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxyOptions {
  /** Origin of the server behind. */
  target: string;
  /** Path that it serves below; empty for the whole origin. */
  path?: string;
  /** Whether the path is removed: nginx with a URI in `proxy_pass`, Caddy's `handle_path`. */
  strips?: boolean;
  /** Whether the client's Host is passed on. Without it, as nginx by default, the server's own is sent. */
  keepsHost?: boolean;
  /** Address of the client that it reports. */
  clientAddress?: string;
}

export interface ReverseProxy extends AsyncDisposable {
  /** Origin and path. */
  url: string;
}

export async function startProxy(options: ProxyOptions): Promise<ReverseProxy> {
  const { path = '', strips = false } = options;
  const server = createServer((incoming, outgoing) => {
    const { method, url = '' } = incoming;
    if (!url.startsWith(path)) return void outgoing.writeHead(404).end('another site');
    const passed = strips ? url.slice(path.length) || '/' : url;
    const headers = headersOf(incoming.headers, options);
    const sent = request(options.target + passed, { method, headers, setHost: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Both append the client to what it sent itself, as `$proxy_add_x_forwarded_for` does. */
function headersOf(received: IncomingHttpHeaders, options: ProxyOptions): IncomingHttpHeaders {
  const { target, keepsHost = true, clientAddress = '203.0.113.9' } = options;
  const before = received['x-forwarded-for'];
  return {
    ...received,
    ...(keepsHost ? {} : { host: new URL(target).host }),
    'x-forwarded-for': before === undefined ? clientAddress : `${before}, ${clientAddress}`,
  };
}
