/**
 * The floor under `latency.bench.ts`: Node's bare HTTP server with one answer ready, beside as many busy threads as
 * there are cores, which stand back as Quarry's do. What its answers lose then is the scheduler's.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import { NICE_INCREMENT } from '../src-server/platform/pool/worker-pool.ts';

const [bytes = 0] = process.argv.slice(2).map(Number);
const body = 'j'.repeat(bytes);

const pool = new Piscina({ filename: join(import.meta.dirname, 'latency-burner.ts'), niceIncrement: NICE_INCREMENT });
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});

/** A number asks for that many milliseconds of work on every core. */
process.on('message', (milliseconds: number) => {
  for (let core = 0; core < availableParallelism(); core++) void pool.run(milliseconds);
});
process.once('disconnect', () => {
  server.close();
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
