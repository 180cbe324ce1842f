/** Stands between payments and a chain or a facilitator, to lose answers, to be away, and to see what is asked. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export type Fate = 'forward' | 'lose';

export interface Exchange {
  /** JSON-RPC method, or the path of a facilitator request. */
  method: string;
  body: string;
}

export interface Relay {
  url: string;
  /** How often each method was asked. */
  asked: Map<string, number>;
  /** Result of a JSON-RPC call that the chain is not asked for; undefined lets it be asked. */
  instead: (exchange: Exchange) => unknown;
  /** Before a request goes on. `lose` ends the connection without an answer. */
  before: (exchange: Exchange) => Promise<Fate> | Fate;
  /** Once the answer is there. */
  after: (exchange: Exchange) => Promise<Fate> | Fate;
  close(): Promise<void>;
}

export async function startRelay(target: string): Promise<Relay> {
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  const relay: Relay = {
    url: '',
    asked: new Map(),
    instead: () => undefined,
    before: () => 'forward',
    after: () => 'forward',
    close: () => closed(server),
  };
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const exchange = { method: methodOf(request, body), body };
    relay.asked.set(exchange.method, (relay.asked.get(exchange.method) ?? 0) + 1);
    if ((await relay.before(exchange)) === 'lose') return void response.destroy();
    const result = relay.instead(exchange);
    if (result !== undefined) {
      const { id } = JSON.parse(body) as { id: number };
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
    const answer = await fetch(target + (request.url === '/' ? '' : (request.url ?? '')), {
      method: request.method ?? 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    const text = await answer.text();
    if ((await relay.after(exchange)) === 'lose') return void response.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(text);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The relay has no port.');
  relay.url = `http://127.0.0.1:${address.port}`;
  return relay;
}

function methodOf(request: IncomingMessage, body: string): string {
  const parsed = body.startsWith('{') ? (JSON.parse(body) as { method?: string }) : {};
  return parsed.method ?? request.url ?? '';
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
