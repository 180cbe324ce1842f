/**
 * Where an inbox takes its deliveries. Open, since the deliverer has no owner token: the unguessable name is the right.
 * A stranger finds no inbox, so nothing of his is read; whoever knows a name is bounded in bytes and time.
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Hono } from 'hono';
import { QuarryError } from '../../contract/index.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import type { InboxBehaviour, Inboxes } from './inbox.ts';

const MAX_BODY_BYTES = 16 * MIB;
/** A sender that has not given up by then is answered, so that no connection stays open for ever. */
const SILENCE_MS = 60 * SECOND_MS;
const GAVE_UP = 504;

/** `POST /:name`. Mounted at `/inbox`. */
export function inboxRoutes(inboxes: Inboxes): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.post('/:name', async (context) => {
    const name = context.req.param('name');
    await inboxes.expect(name);
    const body = await readAll(context.env.incoming);
    const behaviour = await inboxes.receive(name, headersOf(context.env.incoming), body);
    const status = await answerOf(behaviour, context.req.raw.signal);
    return new Response(null, { status });
  });
  return routes;
}

/** Waits where the behaviour says so; ends early when the sender goes away. */
async function answerOf(behaviour: InboxBehaviour, signal: AbortSignal): Promise<number> {
  switch (behaviour.mode) {
    case 'accept':
      return 204;
    case 'status':
      return behaviour.status;
    case 'slow':
      await waitFor(behaviour.delayMs, signal);
      return 204;
    case 'timeout':
      await waitFor(SILENCE_MS, signal);
      return GAVE_UP;
  }
}

async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  // A sender that went away is no failure: there is only nobody left to answer.
  await pause(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : `${value}`,
    ]),
  );
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) throw new QuarryError('body_too_large', 'An inbox takes bodies up to 16 MB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}
