import type { z } from 'zod';
import type { ErrorCode } from '../../platform/errors.ts';

/**
 * A route that is not an operation, as data: what the OpenAPI document and the reference say of it. Routes of
 * operations need none, theirs is derived from the operation.
 */
export interface RouteDescription {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to its scope, parameters in braces: `/jobs/{jobId}`. */
  path: string;
  /** `environment`: under `/v1` and `/staging/v1`; `origin`: once, at the root of the server. */
  scope: 'environment' | 'origin';
  /** Unique, camelCase: the name client generators give the call. */
  operationId: string;
  /** Heading it stands under. */
  tag: string;
  /** One line, no full stop. */
  summary: string;
  /** Markdown. */
  description: string;
  /** `account`: the owner or a wallet that signed in. */
  auth: 'none' | 'account';
  parameters?: readonly ParameterDescription[];
  /** JSON body. */
  request?: BodyDescription;
  answers: readonly AnswerDescription[];
  /** Codes it can answer, beyond those that every route of its scope can. */
  errors: readonly ErrorCode[];
}

export interface ParameterDescription {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: z.ZodType;
  example?: string | number | boolean;
}

export interface BodyDescription {
  schema: z.ZodType;
  example: unknown;
}

export interface AnswerDescription {
  status: number;
  description: string;
  /** Absent: no body. */
  content?: AnswerContent;
  /** By name where many answers share it (HEADERS in openapi-errors.ts). */
  headers?: readonly (AnswerHeader | string)[];
}

export type AnswerContent =
  | { mediaType: 'application/json'; schema: z.ZodType; example: unknown }
  | { mediaType: 'text/event-stream'; schema: null; example: string }
  /** The bytes of a file; any media type where the file decides. */
  | { mediaType: 'text/html' | '*/*'; schema: null };

export interface AnswerHeader {
  name: string;
  description: string;
  example: string;
}
