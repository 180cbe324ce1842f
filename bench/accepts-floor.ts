/** The floor under `accepts.bench.ts`: Node's bare HTTP server that parses a JSON body and inserts a row. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openFloor } from './accepts-table.ts';

const insert = openFloor(process.argv[2] ?? '');

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
    const id = insert(JSON.stringify(body));
    response
      .writeHead(202, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jobId: id, status: 'queued' }));
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
