import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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
