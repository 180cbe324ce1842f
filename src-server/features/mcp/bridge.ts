import { fileURLToPath } from 'node:url';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { announcedUrl } from '../../platform/files/data-folder.ts';
import { recordOf } from '../../platform/records.ts';
import { jsonLines } from '../../platform/text/json.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { LocalFileError, multipartForm, openLocalFile, pathIn, takesFile, withPaths } from './local-files.ts';

/**
 * MCP on standard input and output, for clients that start their servers as programs. It has no tools of its own: each
 * request goes to the running server, with the key or the owner token. A local file that a call names is uploaded.
 */
export interface BridgeOptions {
  dataDir: string;
  /** The owner token or a named key. */
  token: string;
  input: NodeJS.ReadStream;
  /** Folders whose files tools may read, besides those that the client names. */
  allowed: readonly string[];
}

/** Why the bridge cannot start, in one sentence with what to do. */
export class BridgeError extends Error {}

const ANSWER_TIMEOUT_MS = 10 * SECOND_MS;

const Reply = z.object({
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
});

const Introduction = z.object({
  serverInfo: z.object({ name: z.string(), version: z.string() }),
  capabilities: z.record(z.string(), z.object({})),
  instructions: z.string(),
});

const Notification = z.object({ method: z.string(), params: z.record(z.string(), z.unknown()).optional() });

type Notification = z.output<typeof Notification>;

type Ask = (
  method: string,
  params: unknown,
  signal: AbortSignal,
  tell?: (notification: Notification) => void,
) => Promise<Record<string, unknown>>;

/** Runs until the client closes the input. Errors: BridgeError when no server answers, or it refuses the token. */
export async function runMcpBridge({ dataDir, token, input, allowed }: BridgeOptions): Promise<void> {
  const url = await readServerUrl(dataDir);
  const ask = createServerAsk(`${url}/mcp`, token);
  const { serverInfo, capabilities, instructions } = await introduceBridge(ask, dataDir);
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
  });
  const connection = serveStdio(() => {
    const server = new Server(serverInfo, { capabilities, instructions });
    server.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
      const relayNotification = (notification: Notification) => void mcpReq.notify(notification).catch(() => undefined);
      const forwardToServer = (asked: string, given: unknown) => ask(asked, given, mcpReq.signal, relayNotification);
      if (method === 'tools/list') return withPaths(await forwardToServer(method, params));
      const call = method === 'tools/call' ? Call.safeParse(params).data : undefined;
      const path = pathIn(call?.arguments);
      if (call === undefined || path === null) return forwardToServer(method, params);
      // The name becomes part of an address: only one that the server lists.
      if (!takesFile(await forwardToServer('tools/list', {}), call.name)) return forwardToServer(method, params);
      const folders = [...allowed, ...(await rootsOf(server))];
      return callWithFile(call, { path, folders, send: forwardToServer, signal: mcpReq.signal, url, token });
    };
    return server;
  });
  await ended;
  await connection.close();
}

const Call = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  _meta: z.unknown().optional(),
});

/** Folders that the client names. Newer versions of the protocol have none. */
async function rootsOf(server: Server): Promise<string[]> {
  if (server.getClientCapabilities()?.roots === undefined) return [];
  const { roots } = await server.listRoots();
  return roots.flatMap(({ uri }) => (uri.startsWith('file:') ? [fileURLToPath(uri)] : []));
}

interface FileCall {
  path: string;
  folders: readonly string[];
  send(method: string, params: unknown): Promise<Record<string, unknown>>;
  signal: AbortSignal;
  url: string;
  token: string;
}

const Accepted = z.looseObject({ jobId: z.string() });

/** As the tools have it: checked before the file is sent. */
const WaitSeconds = z.int().min(0).max(50).default(0);

/** Submits the file and the other arguments to the operation of the tool, then reads the job as the tool does. */
async function callWithFile({ name, arguments: given, _meta }: z.output<typeof Call>, how: FileCall) {
  const { file: _, waitSeconds: wait, ...fields } = given;
  const failedToolCall = (problem: object) => ({
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(problem) }],
  });
  const waitSeconds = WaitSeconds.safeParse(wait);
  if (!waitSeconds.success) {
    const errors = [{ path: 'waitSeconds', message: 'Give a whole number from 0 to 50.' }];
    return failedToolCall({
      code: 'invalid_request',
      detail: 'waitSeconds: Give a whole number from 0 to 50.',
      errors,
    });
  }
  let file: Awaited<ReturnType<typeof openLocalFile>>;
  try {
    file = await openLocalFile(how.path, how.folders);
  } catch (error) {
    if (!(error instanceof LocalFileError)) throw error;
    return failedToolCall({ code: 'invalid_request', detail: error.message });
  }
  try {
    const { type, body } = multipartForm(fields, file);
    const headers = { authorization: `Bearer ${how.token}`, 'content-type': type };
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers,
      body,
      signal: how.signal,
      duplex: 'half',
    };
    const answer = await fetch(`${how.url}/v1/${name.replaceAll('_', '/')}`, init);
    const result: unknown = await answer.json();
    if (!answer.ok) return failedToolCall(recordOf(result));
    const { jobId } = Accepted.parse(result);
    return how.send('tools/call', { name: 'get_job', arguments: { jobId, waitSeconds: waitSeconds.data }, _meta });
  } finally {
    await file.close();
  }
}

async function readServerUrl(dataDir: string): Promise<string> {
  const url = await announcedUrl(dataDir);
  if (url === null) throw noServer(dataDir, null);
  return url;
}

async function introduceBridge(ask: Ask, dataDir: string): Promise<z.infer<typeof Introduction>> {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'quarry mcp', version: '1' },
  };
  try {
    return Introduction.parse(await ask('initialize', params, AbortSignal.timeout(ANSWER_TIMEOUT_MS)));
  } catch (error) {
    if (error instanceof ProtocolError && error.code !== ProtocolErrorCode.InternalError) {
      throw new BridgeError(error.message, { cause: error });
    }
    throw noServer(dataDir, error);
  }
}

function noServer(dataDir: string, cause: unknown): BridgeError {
  const message = `No Quarry server runs on the data folder ${dataDir}. Start it with npm start, or give --data-dir.`;
  return new BridgeError(message, { cause });
}

function createServerAsk(url: string, token: string): Ask {
  let id = 0;
  return async (method, params, signal, tell) => {
    id += 1;
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: withoutEnvelope(params) });
    const answer = await fetch(url, { method: 'POST', headers, body, signal }).catch((error: unknown) => {
      const message = 'Quarry does not answer any more. Start it again, then this program.';
      throw new ProtocolError(ProtocolErrorCode.InternalError, message, { cause: String(error) });
    });
    const { result, error } = Reply.parse(await replyIn(answer, tell ?? (() => undefined)));
    if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
    return result ?? {};
  };
}

/** What the client says about itself and the version concerns this connection alone. Its token for progress goes on. */
function withoutEnvelope(params: unknown): unknown {
  const { _meta, ...rest } = recordOf(params);
  const { progressToken } = recordOf(_meta);
  return progressToken === undefined ? rest : { ...rest, _meta: { progressToken } };
}

/** The reply, which is JSON or comes last in a stream of events. The notifications before it are told at once. */
async function replyIn(answer: Response, tell: (notification: Notification) => void): Promise<unknown> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream') || answer.body === null) {
    return answer.json();
  }
  let reply: unknown = {};
  // A message is on one `data:` line.
  for await (const line of jsonLines(answer.body.pipeThrough(new TextDecoderStream()))) {
    if (!line.startsWith('data:')) continue;
    const data = line.slice('data:'.length).trim();
    if (data === '') continue;
    const message: unknown = JSON.parse(data);
    const notification = Notification.safeParse(message);
    if (notification.success) tell(notification.data);
    else reply = message;
  }
  return reply;
}
