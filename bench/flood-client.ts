/**
 * Sends unpaid requests as fast as they are answered, over as many connections as it is told, until its standard input
 * closes; then prints what the answers were. A process of its own, so that what it spends is not taken for the
 * server's, and on plain sockets, so that it spends little.
 */
import { connect } from 'node:net';

const [host, port, path, connections] = process.argv.slice(2) as [string, string, string, string];
const REQUEST = `POST ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nContent-Length: 0\r\n\r\n`;
const END_OF_HEAD = '\r\n\r\n';

const statuses: Record<string, number> = {};
const started = performance.now();

for (let index = 0; index < Number(connections); index += 1) open();

function open(): void {
  const socket = connect({ host, port: Number(port) });
  let read = '';
  socket.setEncoding('latin1');
  socket.once('connect', () => socket.write(REQUEST));
  // A server that ends connections gets new ones: a flood does not give up.
  socket.once('close', open);
  socket.on('error', () => {});
  socket.on('data', (part: string) => {
    read += part;
    const head = read.indexOf(END_OF_HEAD);
    if (head < 0) return;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(read.slice(0, head))?.[1] ?? 0);
    if (read.length < head + END_OF_HEAD.length + length) return;
    const status = read.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
    statuses[status] = (statuses[status] ?? 0) + 1;
    read = '';
    socket.write(REQUEST);
  });
}

process.stdin.resume().once('end', () => {
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`${JSON.stringify({ statuses, seconds })}\n`);
  process.exit(0);
});
