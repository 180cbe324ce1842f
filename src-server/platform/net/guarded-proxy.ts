/**
 * A proxy on loopback for one run of yt-dlp or one browser. Threat: a URL, from a caller or a page, that leads into the
 * owner's network. Every connection follows the rules of the server's own client. The password of the run keeps other
 * local programs from using the proxy.
 */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline, type Readable } from 'node:stream';
import { type ConnectDeps, createGuardedConnect } from './guarded-connect.ts';
import { listeningPort } from './listening-port.ts';

export interface ProxyConnectDeps extends ConnectDeps {
  /** Called with the size of each piece that a host has sent. */
  onBytes?(bytes: number): void;
}

export interface GuardedProxy extends AsyncDisposable {
  /** Contains the password. A request for this address itself is answered with 204. */
  url: string;
}

export async function openGuardedProxy(deps: ProxyConnectDeps): Promise<GuardedProxy> {
  const secret = randomBytes(24).toString('hex');
  const expected = `Basic ${Buffer.from(`quarry:${secret}`).toString('base64')}`;
  const isAuthorizedClient = (message: IncomingMessage) => message.headers['proxy-authorization'] === expected;
  const connect = connectorOf(deps);
  const countSourceBytes = (source: Readable) =>
    deps.onBytes && source.on('data', (bytes: Buffer) => deps.onBytes?.(bytes.length));
  const sockets = new Set<Duplex>();
  let isOver = false;
  const trackProxySocket = (socket: Duplex) => {
    // A connection that was being opened when the run ended.
    if (isOver) socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const ownOrigin = () => `http://127.0.0.1:${listeningPort(server)}`;
  const server = createServer((message, answer) => {
    if (!isAuthorizedClient(message)) answer.writeHead(407, { 'proxy-authenticate': CHALLENGE }).end();
    else if (URL.parse(message.url ?? '')?.origin === ownOrigin()) answer.writeHead(204).end();
    else forwardProxyRequest(message, answer, { connect, track: trackProxySocket, count: countSourceBytes });
  });
  server.on('connection', trackProxySocket);
  server.on('connect', (message: IncomingMessage, client: Duplex, head: Buffer) => {
    if (isAuthorizedClient(message))
      void openTunnel(message.url ?? '', client, head, { connect, track: trackProxySocket, count: countSourceBytes });
    else client.end(`HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: ${CHALLENGE}\r\n\r\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    url: ownOrigin().replace('//', `//quarry:${secret}@`),
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Browsers send the password after this answer only. */
const CHALLENGE = 'Basic realm="Quarry"';

type Connect = (hostname: string, port: string) => Promise<Socket>;

function connectorOf(deps: ConnectDeps): Connect {
  const connector = createGuardedConnect(deps);
  return (hostname, port) =>
    new Promise((resolve, reject) => {
      connector({ hostname, host: `${hostname}:${port}`, port, protocol: 'http:' }, (error, socket) => {
        if (error !== null) reject(error);
        else resolve(socket as Socket);
      });
    });
}

interface Passing {
  connect: Connect;
  track(socket: Duplex): void;
  /** Called once the stream is read. */
  count(source: Readable): void;
}

async function openTunnel(address: string, client: Duplex, head: Buffer, passing: Passing): Promise<void> {
  const { connect, track, count } = passing;
  const target = URL.parse(`http://${address}`);
  try {
    if (target === null) throw new Error('No address.');
    const socket = await connect(target.hostname, portOf(address));
    track(socket);
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    socket.write(head);
    // Closing one side closes the other: the downloader would otherwise wait for a lost host.
    pipeline(socket, client, () => undefined);
    count(socket);
    pipeline(client, socket, () => undefined);
  } catch {
    // The downloader reports an unreachable host and learns nothing else.
    client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  }
}

/** `URL` drops port 80, so the port is read from the text. */
function portOf(address: string): string {
  return /:(\d{1,5})$/.exec(address)?.[1] ?? '443';
}

function forwardProxyRequest(
  message: IncomingMessage,
  answer: ServerResponse,
  { connect, track, count }: Passing,
): void {
  const target = URL.parse(message.url ?? '');
  if (target === null || target.protocol !== 'http:') {
    refuseProxyRequest(answer);
    return;
  }
  connect(target.hostname, target.port === '' ? '80' : target.port)
    .then(
      (socket) => {
        track(socket);
        const { 'proxy-authorization': _secret, 'proxy-connection': _hop, ...headers } = message.headers;
        const options = { method: message.method ?? 'GET', path: target.pathname + target.search, headers };
        const outgoing = request({ ...options, createConnection: () => socket });
        let answered = false;
        outgoing.on('response', (incoming) => {
          answered = true;
          passOn(incoming, answer, count);
        });
        outgoing.on('error', () => answer.destroy());
        // Closed without a response, for example after a protocol switch.
        outgoing.on('close', () => answered || answer.destroy());
        message.pipe(outgoing);
      },
      () => refuseProxyRequest(answer),
    )
    .catch(() => answer.destroy());
}

/**
 * Relays a response. Untrusted servers send what Node cannot send again: status 99, a trailer without chunked encoding.
 * An exception here would be uncaught and end the server. The downloader gets a broken response instead.
 */
function passOn(incoming: IncomingMessage, answer: ServerResponse, count: Passing['count']): void {
  const { trailer: _hop, ...headers } = incoming.headers;
  try {
    answer.writeHead(incoming.statusCode ?? 502, headers);
    // A truncated response is truncated here too. Throws where the browser has ended meanwhile.
    pipeline(incoming, answer, () => undefined);
  } catch {
    incoming.destroy();
    answer.destroy();
    return;
  }
  count(incoming);
}

function refuseProxyRequest(answer: ServerResponse): void {
  answer.writeHead(403).end();
}
