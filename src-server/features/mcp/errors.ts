import type { Context } from 'hono';
import type { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { problemOf, setErrorHeaders } from '../../platform/http/problem.ts';

/** Codes of JSON-RPC 2.0, section 5.1, and the first of the range for servers. */
const PARSE_ERROR = -32700;

const INVALID_REQUEST = -32600;

const SERVER_ERROR = -32000;

/** An error before the protocol begins: the credential, the body, the method. Such a request has no id yet. */
export function mcpErrorResponse(context: Context<HttpEnv>, error: QuarryError): Response {
  const problem = problemOf(error);
  setErrorHeaders(context, error);
  const body = {
    jsonrpc: '2.0',
    id: null,
    error: { code: jsonRpcErrorCode(error), message: error.message, data: problem },
  };
  return context.json(body, problem.status);
}

function jsonRpcErrorCode({ code, cause }: QuarryError): number {
  if (code !== 'invalid_request') return SERVER_ERROR;
  return cause === undefined ? INVALID_REQUEST : PARSE_ERROR;
}
