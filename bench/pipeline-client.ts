/**
 * Pipelines requests over many connections of one address: each connection sends a batch, and the next batch once all
 * answers are there. Prints what the answers were when its standard input closes. A process of its own, so that its work
 * does not count as the server's.
 */
import { connect } from 'node:net';

const [host, port, path, address, connections, batch] = process.argv.slice(2) as [
  host: string,
  port: string,
  path: string,
  address: string,
  connections: string,
  batch: string,
];
const BATCH = `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`.repeat(Number(batch));
const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /g;
/** A status line that a packet cuts in two is counted with the next packet. */
const STATUS_LINE_LENGTH = 'HTTP/1.1 200 '.length;

const statuses: Record<string, number> = {};
const started = performance.now();

for (let index = 0; index < Number(connections); index += 1) open();

function open(): void {
  const socket = connect({ host, port: Number(port), localAddress: address });
  let rest = '';
  let unanswered = Number(batch);
  socket.setEncoding('latin1');
  socket.once('connect', () => socket.write(BATCH));
  // A server that ends connections gets new ones: a flood does not give up.
  socket.once('close', open);
  socket.on('error', () => {});
  socket.on('data', (part: string) => {
    const text = rest + part;
    let end = 0;
    for (const found of text.matchAll(STATUS_LINE)) {
      end = found.index + found[0].length;
      statuses[found[1] as string] = (statuses[found[1] as string] ?? 0) + 1;
      unanswered -= 1;
    }
    rest = text.slice(Math.max(end, text.length - STATUS_LINE_LENGTH + 1));
    if (unanswered > 0) return;
    unanswered += Number(batch);
    socket.write(BATCH);
  });
}

process.stdin.resume().once('end', () => {
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`${JSON.stringify({ statuses, seconds })}\n`);
  process.exit(0);
});
