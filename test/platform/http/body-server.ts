import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { createUploads, type Uploads } from '../../../src-server/platform/files/uploads.ts';
import { type BodyParts, type BodyRules, readRequestBody } from '../../../src-server/platform/http/body.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { plentyOfDisk } from '../../harness/disk.ts';

/** A server that only reads bodies, behind the same adapter as the product's, and answers what it read. */
export interface BodyServer {
  port: number;
  url: string;
  uploads: Uploads;
  /** What the server made of the last request. */
  last(): Promise<Outcome>;
  /** Names of the files that are on disk now. */
  files(): Promise<string[]>;
  pathOf(name: string): string;
  read(name: string): Promise<Buffer>;
  close(): Promise<void>;
}

export interface Outcome {
  value?: Record<string, unknown>;
  upload?: { path: string; fileName: string | null; sizeBytes: number; sha256: string; kind: string } | null;
  code?: string;
  message?: string;
  fields?: { path: string; message: string }[];
}

export const GENEROUS: BodyRules = { allowsFile: true, maxFileBytes: 10 * MIB, maxJsonBytes: 64 * MIB };

export async function startBodyServer(rules: BodyRules = GENEROUS, own: Partial<BodyParts> = {}): Promise<BodyServer> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry bodies '));
  const uploads = await createUploads({ folder, freeDisk: plentyOfDisk });
  const parts: BodyParts = {
    uploads,
    parseLargeJson: async () => {
      throw new Error('This test expected no large body.');
    },
    sniff: async () => ({ kind: 'text', label: 'a plain text file' }),
    ...own,
  };
  const outcomes: Outcome[] = [];
  let waiting: ((outcome: Outcome) => void) | null = null;
  const listener = getRequestListener(async (_request, { incoming }) => {
    const outcome = await readOutcome(incoming as IncomingMessage, rules, parts);
    outcomes.push(outcome);
    waiting?.(outcome);
    return Response.json(outcome, { status: outcome.code === undefined ? 200 : 400 });
  });
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    uploads,
    last: () => {
      const outcome = outcomes.at(-1);
      return outcome ? Promise.resolve(outcome) : new Promise((resolve) => (waiting = resolve));
    },
    files: () => readdir(folder),
    pathOf: (name) => join(folder, name),
    read: (name) => readFile(join(folder, name)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readOutcome(incoming: IncomingMessage, rules: BodyRules, parts: BodyParts): Promise<Outcome> {
  try {
    return await readRequestBody(incoming, rules, parts);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    return { code: error.code, message: error.message, fields: [...(error.fields ?? [])] };
  }
}

export async function post(
  server: BodyServer,
  body: string | Uint8Array<ArrayBuffer> | FormData,
  headers: Record<string, string> = {},
): Promise<Outcome> {
  const response = await fetch(server.url, { method: 'POST', body, headers });
  return (await response.json()) as Outcome;
}

export function postJson(server: BodyServer, body: string | Uint8Array<ArrayBuffer>): Promise<Outcome> {
  return post(server, body, { 'content-type': 'application/json' });
}
