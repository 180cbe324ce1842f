import { resolveIn } from '../../src-server/features/reference/openapi-schemas.ts';
import {
  type JsonSchema,
  METHODS,
  type Method,
  type OpenApiDocument,
  type OpenApiHeader,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
} from '../../src-server/features/reference/openapi-types.ts';

/** Reading a document: what stands behind its references. */

export interface Call {
  method: Method;
  path: string;
  /** Present when the path is not under the servers of the document. */
  ownServer: string | null;
  operation: OpenApiOperation;
}

/** Every call of the document, in its order. */
export function callsOf(document: OpenApiDocument): Call[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method, path, ownServer: item.servers?.[0]?.url ?? null, operation }] : [];
    }),
  );
}

/** Status and answer of a call, references followed. */
export function answersOf(document: OpenApiDocument, operation: OpenApiOperation): [number, OpenApiResponse][] {
  return Object.entries(operation.responses).map(([status, answer]) => [
    Number(status),
    '$ref' in answer ? target(document.components.responses, answer.$ref) : answer,
  ]);
}

export function parametersOf(document: OpenApiDocument, operation: OpenApiOperation): OpenApiParameter[] {
  return (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? target(document.components.parameters, parameter.$ref) : parameter,
  );
}

export function headersOf(document: OpenApiDocument, answer: OpenApiResponse): [string, OpenApiHeader][] {
  return Object.entries(answer.headers ?? {}).map(([name, header]) => [
    name,
    '$ref' in header ? target(document.components.headers, header.$ref) : header,
  ]);
}

export function schemaOf(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  return resolveIn(document.components.schemas, schema);
}

function target<Part>(components: Record<string, Part>, reference: string): Part {
  const part = components[reference.slice(reference.lastIndexOf('/') + 1)];
  if (part === undefined) throw new Error(`The document has no ${reference}.`);
  return part;
}
