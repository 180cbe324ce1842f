/**
 * Requests that are refused before they are any: bytes that are no HTTP, a header without end, a Host that is no name.
 * Node and the adapter would answer them with a status and nothing else; here they get a problem like all others.
 */
import { maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '@hono/node-server';
import { QuarryError } from '../errors.ts';
import { describeBytes } from '../units.ts';
import { problemOf, publicError } from './problem.ts';
import { invalidRequest } from './validate.ts';

/** Node's names of what it could not read. */
const CODES: Record<string, () => QuarryError> = {
  HPE_HEADER_OVERFLOW: () =>
    new QuarryError(
      'header_too_large',
      `The header is larger than ${describeBytes(maxHeaderSize)}. Send a shorter one.`,
    ),
  ERR_HTTP_REQUEST_TIMEOUT: () => unreadable('The header stopped arriving before its end; send the request again.'),
};

/** Answers what Node's parser refuses, on a connection of which only the socket is known. */
export function answerMalformed(server: Server): void {
  const answers = new WeakMap<object, ServerResponse>();
  server.on('request', (incoming, outgoing) => answers.set(incoming.socket, outgoing));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket);
    // Whoever hung up hears nothing, and an answer that is on its way must not get another one into its middle.
    if (!socket.writable || error.code === 'ECONNRESET' || (answer?.headersSent && !answer.writableFinished)) {
      socket.destroy();
      return;
    }
    socket.write(rawAnswer((CODES[error.code ?? ''] ?? (() => unreadable('This is no HTTP request.')))()));
    (socket as Socket).destroySoon();
  });
  server.on('checkExpectation', (_incoming, outgoing) => {
    const { status, fields, body } = answerOf(invalidRequest([{ path: 'Expect', message: 'Give 100-continue.' }]));
    outgoing.writeHead(status, fields).end(body);
  });
}

/** For what the HTTP adapter cannot make a request of. */
export function adapterError(error: unknown): Response {
  const shown =
    error instanceof RequestError
      ? invalidRequest([{ path: 'Host', message: 'The Host header and the path do not make an address.' }])
      : publicError(error);
  const { status, fields, body } = answerOf(shown);
  return new Response(body, { status, headers: fields });
}

function unreadable(message: string): QuarryError {
  return new QuarryError('invalid_request', message, { fields: [{ path: '$', message }] });
}

function answerOf(error: QuarryError): { status: number; fields: Record<string, string>; body: string } {
  const problem = problemOf(error);
  const body = JSON.stringify(problem);
  const fields = {
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    Connection: 'close',
  };
  return { status: problem.status, fields, body };
}

function rawAnswer(error: QuarryError): string {
  const { status, fields, body } = answerOf(error);
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
