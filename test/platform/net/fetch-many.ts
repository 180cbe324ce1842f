/**
 * `node fetch-many.ts`: fetches pages in six lanes from its own server on loopback, and prints the most bytes in
 * buffers at any time.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGuardedClient } from '../../../src-server/platform/net/guarded-client.ts';
import { KIB } from '../../../src-server/platform/units.ts';

const PAGES = 20_000;
const LANES = 6;
const LOOK_EVERY = 100;

const page = Buffer.alloc(6 * KIB, 'a page ');
const server = createServer((_request, response) => response.end(page));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const client = createGuardedClient({ userAgent: 'QuarryTest/1' });
const { signal } = new AbortController();
const policy = { allowHttp: true, privateHost: 'any' } as const;
const options = { policy, totalTimeoutMs: 60_000, maxResponseBytes: 2 * page.length, signal };

let begun = 0;
let mostBytes = 0;
const lane = async () => {
  while (begun < PAGES) {
    begun += 1;
    const looks = begun % LOOK_EVERY === 0;
    const { body } = await client.request(`http://127.0.0.1:${port}/`, options);
    if (!body.equals(page)) throw new Error('The page came otherwise than it was sent.');
    if (!looks) continue;
    mostBytes = Math.max(mostBytes, process.memoryUsage().arrayBuffers);
  }
};
await Promise.all(Array.from({ length: LANES }, lane));
process.stdout.write(String(mostBytes));
process.exit(0);
