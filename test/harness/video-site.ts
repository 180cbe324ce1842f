import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LocalSite, serveWith } from './local-site.ts';

export type Answer = { type: string; body: string | Uint8Array; status?: number };

/** A stand-in of a video site on loopback: answers by path, with byte ranges as media servers have them. */
export function serveVideoSite(answers: (origin: string) => Record<string, Answer>): Promise<LocalSite> {
  return serveWith((request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const answer = answers(`http://${request.headers.host}`)[path];
    if (answer === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Nothing is here.');
      return;
    }
    const body = Buffer.from(answer.body);
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const from = range === null ? 0 : Number(range[1]);
    const to = range === null || range[2] === '' ? body.length - 1 : Number(range[2]);
    response.writeHead(answer.status ?? (range === null ? 200 : 206), {
      'content-type': answer.type,
      'accept-ranges': 'bytes',
      'content-length': to - from + 1,
      ...(range === null ? {} : { 'content-range': `bytes ${from}-${to}/${body.length}` }),
    });
    response.end(request.method === 'HEAD' ? undefined : body.subarray(from, to + 1));
  });
}
