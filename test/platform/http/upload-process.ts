/**
 * A server process of its own, so that its memory is nobody else's. It says `<port>` on its first line, answers each
 * upload, removes the file, and answers GET with the most memory it ever held.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUploads } from '../../../src-server/platform/files/uploads.ts';
import { readRequestBody } from '../../../src-server/platform/http/body.ts';
import { GIB, KIB, MIB } from '../../../src-server/platform/units.ts';
import { plentyOfDisk } from '../../harness/disk.ts';

const folder = await mkdtemp(join(tmpdir(), 'quarry memory '));
const uploads = await createUploads({ folder, freeDisk: plentyOfDisk });
const rules = { allowsFile: true, maxFileBytes: 4 * GIB, maxJsonBytes: 64 * MIB };
const parts = {
  uploads,
  parseLargeJson: () => Promise.reject(new Error('No large JSON is expected here.')),
  sniff: async () => ({ kind: 'video' as const, label: 'a video' }),
};

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ peakBytes: process.resourceUsage().maxRSS * KIB }));
    return;
  }
  const { upload } = await readRequestBody(request, rules, parts);
  if (upload) await uploads.discard(upload);
  response.end(JSON.stringify({ sizeBytes: upload?.sizeBytes, sha256: upload?.sha256 }));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

// The parent ends this process by closing its standard input.
process.stdin.resume();
process.stdin.on('end', async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
});
