import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Principal } from '../../context.ts';
import type { JobProgress, Operation } from '../../operation.ts';
import type { QuarryError } from '../../platform/errors.ts';
import { problemOf, publicError } from '../../platform/http/problem.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { isRecord } from '../../platform/records.ts';
import { VERSION } from '../../platform/version.ts';
import { allowsAnyScope, requireScope } from '../accounts/service.ts';
import { type JobService, PaymentRefused } from '../jobs/service.ts';
import type { LibraryParts } from './library-tools.ts';
import { type OpenPayment, openPayment, paymentRequiredAnswer, receiptOf } from './payment.ts';
import { listResources, readResource, TEMPLATE } from './resources.ts';
import type { Tool, ToolAnswer } from './tool.ts';
import { toolsOf } from './tools.ts';

/** Who sent a request, and where its unexpected errors go. */
export interface Caller {
  principal: Principal;
  onFailure(error: QuarryError): void;
  /** Records the call of a tool that does more than read. */
  onCall(call: { kind: 'run' | 'change'; target: string; code?: string }): void;
}

type Answer = (request: Request, body: Record<string, unknown>, caller: Caller) => Promise<Response>;

const INSTRUCTIONS = `Quarry extracts text from documents, PDFs, recordings and web sites on this machine, searches it,
and generates speech and text. A tool that takes long returns a job: call get_job with waitSeconds until its status is
completed, then read it with get_text in pages.`;

/**
 * Streams of clients that wait for changes of the lists. Their lists do not change, so few are enough. Strangers have
 * none: they could take the places of all others.
 */
const SUBSCRIPTIONS_MAX = 100;

interface McpParts extends LibraryParts {
  service: JobService;
  openPayment: OpenPayment;
}

export function mcpHandler(parts: McpParts): Answer {
  const tools = toolsOf(parts.service, parts);
  const handlerWith = (maxSubscriptions: number) =>
    createMcpHandler(({ authInfo }) => serverFor(parts, tools, authInfo?.extra?.caller as Caller), {
      maxSubscriptions,
    });
  const [own, strangers] = [handlerWith(SUBSCRIPTIONS_MAX), handlerWith(0)];
  return (request, parsedBody, caller) => {
    const authInfo = { token: '', clientId: '', scopes: [], extra: { caller } };
    const { fetch } = caller.principal.kind === 'owner' ? own : strangers;
    return fetch(request, { parsedBody, authInfo });
  };
}

function serverFor({ service, openPayment: open }: McpParts, all: readonly Tool[], caller: Caller): Server {
  const { principal } = caller;
  const isOwner = principal.kind === 'owner';
  const key = isOwner ? principal.key : undefined;
  const tools = isOwner ? all : all.filter(({ isOwners }) => !isOwners);
  const capabilities = { tools: {}, resources: {} };
  const server = new Server({ name: 'quarry', version: VERSION }, { capabilities, instructions: INSTRUCTIONS });
  server.setRequestHandler('tools/list', () => ({
    tools: tools
      .filter(({ scopes }) => allowsAnyScope(key, scopes))
      .map(({ name, description, inputSchema, annotations }) => ({ name, description, inputSchema, annotations })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${params.name}. tools/list names them.`,
      );
    }
    const record = recorderOf(caller, tool);
    try {
      requireScope(key, tool.scopes);
      const meta = isRecord(params._meta) ? params._meta : undefined;
      const openToolPayment = (operation: Operation) =>
        openPayment(open, operation, { sender: principal, meta, tool: tool.name });
      const call = {
        principal,
        signal: mcpReq.signal,
        pay: openToolPayment,
        report: reporterOf(mcpReq, meta?.progressToken),
      };
      const answer = await tool.call(params.arguments ?? {}, call);
      record();
      return { content: toolContent(answer.parts), ...receiptOf(answer.receipt) };
    } catch (error) {
      if (error instanceof PaymentRefused) return paymentRequiredAnswer(error);
      const shown = publicError(error);
      caller.onFailure(shown);
      const { code, detail, errors, choices } = problemOf(shown);
      record(code);
      return { isError: true, content: toolContent([{ code, detail, errors, choices }]) };
    }
  });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler('resources/list', () => ({
    resources: isOwner && allowsAnyScope(key, ['read']) ? listResources(service) : [],
  }));
  server.setRequestHandler('resources/read', async ({ params }) => {
    try {
      return { contents: [await readResource(service, params.uri)] };
    } catch (error) {
      const shown = publicError(error);
      caller.onFailure(shown);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, shown.message, { uri: params.uri, code: shown.code });
    }
  });
  return server;
}

/** Records the call of a tool that does more than read. */
function recorderOf({ onCall }: Caller, { name, annotations }: Tool): (code?: string) => void {
  const { readOnlyHint, destructiveHint } = annotations;
  return (code) => {
    const kind = destructiveHint ? 'change' : 'run';
    if (!readOnlyHint) onCall({ kind, target: name, ...omitUndefined({ code }) });
  };
}

/** Sends progress to a client that gave a token for it. One that has left misses it. */
function reporterOf({ notify }: Pick<ServerContext['mcpReq'], 'notify'>, progressToken: unknown) {
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  return ({ percent, stage, message }: JobProgress) => {
    const params = { progressToken, progress: percent, total: 100, message: `${stage}: ${message}` };
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function toolContent(answer: ToolAnswer['parts']): { type: 'text'; text: string }[] {
  return answer.map((part) => ({ type: 'text', text: typeof part === 'string' ? part : JSON.stringify(part) }));
}
