import type { Call } from './openapi-lookup.ts';
import { parametersOf } from './openapi-lookup.ts';
import type { OpenApiDocument } from './openapi-types.ts';

/** A call as a command that can be pasted. Payment and sign-in stand in it as what they are replaced with. */
export function curlOf(document: OpenApiDocument, call: Call): string {
  const { operation, method } = call;
  const json = operation.requestBody?.content['application/json'];
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quoted(urlOf(document, call))}`,
    ...headersOf(call, json !== undefined),
    ...(json?.example === undefined ? [] : [`-d ${quoted(JSON.stringify(json.example))}`]),
    ...(isStream(call) ? ['--no-buffer'] : []),
  ];
  return lines.join(' \\\n  ');
}

/** The same with a file sent as it is, where the operation takes one. */
export function uploadCurlOf(document: OpenApiDocument, call: Call): string | null {
  if (call.operation.requestBody?.content['multipart/form-data'] === undefined) return null;
  const command = `curl -X POST ${quoted(urlOf(document, call))}`;
  return [command, ...headersOf(call, false), '-F file=@/path/to/your/file'].join(' \\\n  ');
}

function headersOf({ operation }: Call, hasJson: boolean): string[] {
  const headers: string[] = [];
  if (hasJson) headers.push("-H 'Content-Type: application/json'");
  if (operation['x-quarry-price'] !== undefined) headers.push("-H 'X-PAYMENT: <payload>'");
  const needsAccount = operation.security.every((scheme) => Object.keys(scheme).length > 0);
  if (needsAccount) headers.push("-H 'Authorization: Bearer <owner token>'");
  return headers;
}

function urlOf(document: OpenApiDocument, { path, ownServer, operation }: Call): string {
  const base = ownServer ?? document.servers[0]?.url ?? '';
  const values = new Map(parametersOf(document, operation).map(({ name, example }) => [name, example]));
  return base + path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values.get(name) ?? whole));
}

function isStream({ operation }: Call): boolean {
  return Object.values(operation.responses).some(
    (answer) => 'content' in answer && answer.content?.['text/event-stream'] !== undefined,
  );
}

/** One word for a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
