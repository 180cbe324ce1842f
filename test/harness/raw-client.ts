/** Plain sockets, for what no HTTP client sends: half a header, hundreds of requests at once, another source address. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /g;
const STATUS_LINE_LENGTH = 'HTTP/1.1 200 '.length;
const KEPT_LENGTH = 10_000;

export interface RawClient extends AsyncDisposable {
  socket: Socket;
  /** What the server has sent so far: the beginning, where it is much. */
  received(): string;
  /** Statuses of all answers so far. */
  statuses: readonly number[];
  /** Resolves when the connection is closed, by either side. */
  closed: Promise<void>;
}

/** @param from the source address: one of 127.0.0.0/8. */
export async function openRawClient(url: string, from = '127.0.0.1'): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  const statuses: number[] = [];
  let text = '';
  let rest = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    if (text.length < KEPT_LENGTH) text += part;
    rest += part;
    let end = 0;
    for (const found of rest.matchAll(STATUS_LINE)) {
      statuses.push(Number(found[1]));
      end = found.index + found[0].length;
    }
    // A status line may be cut in two.
    rest = rest.slice(Math.max(end, rest.length - STATUS_LINE_LENGTH + 1));
  });
  // The server may reset what it refuses; `closed` tells of it.
  const connected = once(socket, 'connect');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await connected;
  socket.on('error', () => {});
  return {
    socket,
    received: () => text,
    statuses,
    closed,
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      await closed;
    },
  };
}

/** One GET on a connection of its own. */
export function getFrom(from: string, url: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { localAddress: from, agent: false, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    outgoing.once('error', reject).end();
  });
}
