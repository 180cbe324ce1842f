import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A stand-in for Ollama and its like: one model, `echo`, that says the prompt again, word by word. Questions whose
 * answer has a JSON Schema are answered by `json`.
 */
export interface TextServer extends AsyncDisposable {
  url: string;
  /** Body of each text that was asked for. */
  bodies: object[];
  /** `Authorization` of each request. */
  keys: (string | undefined)[];
  /** Resolves when a client has gone away in the middle of an answer. */
  abandoned: Promise<void>;
  /** Lets answers go on that a prompt keeps open: one beginning with `hold`, and `once` from its second time on. */
  release(): void;
  /** Words after which an answer in JSON waits for its release. */
  heldAfter: number;
}

export async function startTextServer(json?: (prompt: string) => unknown): Promise<TextServer> {
  const keys: (string | undefined)[] = [];
  const bodies: object[] = [];
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let leave = (): void => {};
  const abandoned = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const asked = new Set<string>();
  const held = { heldAfter: Number.POSITIVE_INFINITY };
  const server = createServer(async (request, response) => {
    keys.push(request.headers.authorization);
    if (request.url === '/v1/models') {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [{ id: 'echo' }] }));
      return;
    }
    response.once('close', () => {
      if (!response.writableFinished) leave();
    });
    await echo(request, response, { asked, released, json, bodies, held });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(held, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    bodies,
    abandoned,
    release,
    [Symbol.asyncDispose]: async () => {
      release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

interface Scripted {
  asked: Set<string>;
  released: Promise<void>;
  json: ((prompt: string) => unknown) | undefined;
  bodies: object[];
  held: Pick<TextServer, 'heldAfter'>;
}

async function echo(
  request: IncomingMessage,
  response: ServerResponse,
  { asked, released, json, bodies, held }: Scripted,
): Promise<void> {
  let body = '';
  for await (const part of request) body += String(part);
  bodies.push(JSON.parse(body) as object);
  const {
    messages,
    prompt: raw = '',
    response_format: format,
  } = JSON.parse(body) as {
    messages?: { content: string }[];
    prompt?: string;
    response_format?: { type: 'json_schema' };
  };
  const prompt = messages?.at(-1)?.content ?? raw;
  const isJson = format?.type === 'json_schema' && json !== undefined;
  const words = (isJson ? JSON.stringify(json(prompt)) : prompt).split(' ');
  const waits = words[0] === 'hold' || (words[0] === 'once' && asked.has(words.join(' ')));
  asked.add(words.join(' '));
  if (words[0] === 'break') {
    response.statusCode = 500;
    response.end('secret detail of the server');
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const send = (part: object) => response.write(`data: ${JSON.stringify(part)}\n\n`);
  for (const [index, word] of words.entries()) {
    send({ choices: [{ delta: { content: index === 0 ? word : ` ${word}` } }] });
    if (waits || (isJson && index + 1 >= held.heldAfter)) await released;
  }
  send({ choices: [{ delta: {}, finish_reason: 'stop' }] });
  send({ choices: [], usage: { prompt_tokens: words.length, completion_tokens: words.length } });
  response.end('data: [DONE]\n\n');
}
