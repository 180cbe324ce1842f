import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

export interface LocalSite extends AsyncDisposable {
  /** Origin on loopback. */
  url: string;
  /** Paths asked for, in order. */
  requests: string[];
}

/** A site on loopback with fixed files. */
export function serveFiles(files: Record<string, Uint8Array | string>): Promise<LocalSite> {
  return serveWith((request, response) => {
    const body = files[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
}

/** A site on loopback that answers as a test says. */
export async function serveWith(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LocalSite> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** A folder as a site on loopback, as it lies on the disk. */
export function serveFolder(folder: string): Promise<LocalSite> {
  return serveWith(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site.example');
    const path = join(folder, decodeURIComponent(pathname));
    const body = await readFile(path).catch(() => null);
    const type = CONTENT_TYPES[extname(path)] ?? 'application/octet-stream';
    response.writeHead(body === null ? 404 : 200, { 'content-type': type }).end(body);
  });
}
