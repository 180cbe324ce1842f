/** A loopback host of model files that misbehaves as it is told. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CatalogueModel } from '../../src-server/features/models/schema.ts';

export interface Behaviour {
  /** Bytes after which the connection breaks, each for one request; after the last one all is well. */
  breakAfter?: number[];
  /** After this many bytes nothing more comes, while the connection stays open. */
  hangAfter?: number;
  /** Does not do so at this address. */
  hangsNotAt?: string;
  /** Answers with this status. */
  status?: number;
  /** Ignores Range. */
  noRanges?: boolean;
  /** Answers Range with 416. */
  refusesRanges?: boolean;
  etag?: string | null;
  /** The server states no length. */
  chunked?: boolean;
}

/** @param content of every file, or of each by its path */
export async function startModelHost(content: Buffer | Readonly<Record<string, Buffer>>) {
  let behaviour: Behaviour = {};
  let served: typeof content = content;
  const requests: { range: string | undefined; url: string }[] = [];
  const server = createServer((request, response) => {
    requests.push({ range: request.headers.range, url: request.url ?? '' });
    const file = Buffer.isBuffer(served) ? served : served[request.url ?? ''];
    if (file === undefined) response.writeHead(404).end();
    else answer(request, response, file, behaviour);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requests,
    behave(next: Behaviour, bytes: typeof content = content) {
      behaviour = next;
      served = bytes;
    },
    /** Breaks whatever connection is open. */
    drop: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, content: Buffer, behaviour: Behaviour): void {
  if (behaviour.status !== undefined) {
    response.writeHead(behaviour.status).end();
    return;
  }
  if (behaviour.refusesRanges === true && request.headers.range !== undefined) {
    response.writeHead(416).end();
    return;
  }
  const etag =
    behaviour.etag === undefined ? `"${createHash('sha256').update(content).digest('hex')}"` : behaviour.etag;
  const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
  const current = request.headers['if-range'] === etag;
  const start = asked !== null && current && behaviour.noRanges !== true ? Number(asked[1]) : 0;
  const headers: Record<string, string> = etag === null ? {} : { etag };
  if (behaviour.chunked !== true) headers['content-length'] = String(content.length - start);
  if (start > 0) headers['content-range'] = `bytes ${start}-${content.length - 1}/${content.length}`;
  response.writeHead(start > 0 ? 206 : 200, headers);
  const stopAfter = behaviour.breakAfter?.shift();
  if (stopAfter !== undefined) {
    response.write(content.subarray(start, start + stopAfter), () => response.destroy());
  } else if (behaviour.hangAfter !== undefined && request.url !== behaviour.hangsNotAt) {
    response.write(content.subarray(start, start + behaviour.hangAfter));
  } else {
    response.end(content.subarray(start));
  }
}

/** A catalogue of one model whose file is what the host serves. */
export function oneModel(
  origin: string,
  content: Buffer,
  changes: Partial<CatalogueModel['files'][0]> = {},
): CatalogueModel {
  const hex = createHash('sha256').update(content).digest('hex');
  const file = {
    name: 'xyz.traineddata',
    url: `${origin}/xyz.traineddata`,
    sizeBytes: content.length,
    aboutBytes: content.length,
    checksum: { algorithm: 'sha256' as const, hex },
    ...changes,
  };
  return { name: 'ocr-xyz', kind: 'ocr-language', title: 'Xyz', language: 'xyz', licence: 'Apache-2.0', files: [file] };
}
