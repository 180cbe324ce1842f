import { connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { seededRandom } from './seeded-random.ts';

/** Another loopback address than that of the fleet, on which the network between a node and the fleet is bad. */
export const LOSSY_HOST = '127.0.0.2';

const HOST = '127.0.0.1';

interface LossyOptions {
  /** PEM of the broker. */
  certificate: string;
  key: string;
  brokerPort: number;
  filesPort: number;
  /** Of the messages that are lost, in both directions. */
  share: number;
}

export interface LossyNetwork extends AsyncDisposable {
  /** Messages that were lost. */
  lost(): number;
}

/** Loses messages between nodes and the broker, whose TLS it ends; files pass. */
export async function startLossyNetwork(options: LossyOptions): Promise<LossyNetwork> {
  const { brokerPort, filesPort, share } = options;
  // At a fixed interval, the same message of a repeated exchange would be lost each time.
  const random = seededRandom(1);
  let lost = 0;
  const isLost = () => {
    if (random() >= share) return false;
    lost += 1;
    return true;
  };
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    return socket;
  };
  const listen = (port: number, accept: (client: Socket) => void) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((socket) => accept(keep(socket))).once('error', reject);
      server.listen(port, LOSSY_HOST, () => resolve(server));
    });
  const servers = await Promise.all([
    listen(filesPort, (client) => {
      const upstream = keep(connect(filesPort, HOST));
      tie(client, upstream);
      client.pipe(upstream).pipe(client);
    }),
    listen(brokerPort, (client) => meet(client, keep(connect(brokerPort, HOST)), options, isLost)),
  ]);
  return {
    lost: () => lost,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** The broker speaks first, in the clear; then both sides of the connection become TLS. */
function meet(client: Socket, upstream: Socket, { certificate, key }: LossyOptions, isLost: () => boolean): void {
  tie(client, upstream);
  upstream.once('data', (info) => {
    const far = connectTls({ socket: upstream, ca: certificate, checkServerIdentity: () => undefined });
    client.write(info);
    const near = new TLSSocket(client, { isServer: true, cert: certificate, key });
    tie(near, far);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.on('data', losing(far, isLost));
    far.on('data', losing(near, isLost));
  });
}

function tie(one: Socket, other: Socket): void {
  one.once('close', () => other.destroy());
  other.once('close', () => one.destroy());
}

const WITH_PAYLOAD = ['PUB', 'HPUB', 'MSG', 'HMSG'];

const LINE_END = '\r\n';

/** Passes on whole messages of the NATS protocol, or loses them. */
function losing(to: Socket, isLost: () => boolean): (piece: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    for (;;) {
      const end = rest.indexOf(LINE_END);
      if (end < 0) return;
      const words = rest.subarray(0, end).toString().split(/\s+/);
      const hasPayload = WITH_PAYLOAD.includes(words[0]?.toUpperCase() ?? '');
      const payload = hasPayload ? Number(words.at(-1)) + LINE_END.length : 0;
      const size = end + LINE_END.length + payload;
      if (rest.length < size) return;
      if (!hasPayload || !isLost()) to.write(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
  };
}
