/**
 * The least a server can do under a flood: Node's own HTTP server with two answers ready, a 402 for every POST and one
 * job for every GET, as long as the true ones.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [unpaidBytes, jobBytes] = process.argv.slice(2).map(Number) as [number, number];
const [unpaid, job] = ['u'.repeat(unpaidBytes), 'j'.repeat(jobBytes)];

const server = createServer((request, response) => {
  const [status, body] = request.method === 'POST' ? ([402, unpaid] as const) : ([200, job] as const);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
