/**
 * Fixed routes, each declared once: address, schemas and answers beside the handler. `mountRoutes` serves them, and the
 * OpenAPI documents are computed from the same declarations.
 */

import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import type { ErrorCode } from '../error-codes.ts';
import type { ReadSmallJson } from './body.ts';
import type { HttpEnv, HttpMiddleware } from './env.ts';
import { parseQuery, parseWithSchema, queryOf } from './validate.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** A route as the documents describe it. A schema's description and its meta `example` describe its parameter. */
export interface RouteDescription extends RouteDeclaration {
  errors: readonly ErrorCode[];
}

interface RouteDeclaration {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Parameters in braces: `/jobs/{jobId}`. */
  path: string;
  /** Whether the last parameter takes the rest of the path, slashes included. */
  takesRest?: boolean;
  /**
   * `environment`: under `/v1` and `/staging/v1`; `owner`: under `/admin`, for the owner only; `origin`: once, at the
   * root of the server.
   */
  scope: 'environment' | 'owner' | 'origin';
  /** Unique, camelCase: the name client generators give the call. */
  operationId: string;
  tag: string;
  /** One line, no full stop. */
  summary: string;
  /** Markdown. */
  description: string;
  /** `account`: the owner or a wallet that signed in. */
  auth: 'none' | 'account' | 'owner';
  /** What a named key needs here, where it differs from the rule of its scope and method (`neededScope`). */
  keyScope?: KeyScope;
  /**
   * Whether a linked phone or computer may call it. Default: in an environment what keys with `read`, `write` or
   * `run` may call, and nothing of the owner's.
   */
  forDevices?: boolean;
  params?: Shape;
  query?: z.ZodObject;
  headers?: Shape;
  /** Names of parameters that operations have too (`PARAMETERS` in `features/reference/openapi.ts`). */
  parameters?: readonly string[];
  /** JSON body. `form`: it may also be a field of a form, beside any number of files. */
  request?: { schema: z.ZodType; example?: unknown; form?: { field: string; files: string } };
  /** By status. */
  answers: Readonly<Record<number, AnswerDescription>>;
  /** Codes it can answer, beyond those of its scope, and `invalid_request` for a route with a query. */
  errors?: readonly ErrorCode[];
}

/**
 * `read`, `write`, `run`, `admin`: the scope of that name. `own-job`: any right to run, and the key made the job.
 * `owner`: no key may. `none`: any key may, as everybody.
 */
export type KeyScope = 'none' | 'read' | 'write' | 'run' | 'own-job' | 'admin' | 'owner' | `run:${string}`;

/** What a named key needs for a route. */
export function neededScope({ scope, auth, method, keyScope }: RouteDescription): KeyScope {
  if (keyScope !== undefined) return keyScope;
  if (scope === 'origin' || (auth === 'none' && method === 'get')) return 'none';
  if (scope === 'owner') return 'admin';
  return method === 'get' ? 'read' : 'run';
}

/** Whether a linked device may call a route. */
export function isForDevices(route: RouteDescription): boolean {
  if (route.forDevices !== undefined) return route.forDevices;
  return route.scope === 'environment' && ['none', 'read', 'write', 'run', 'own-job'].includes(neededScope(route));
}

export interface AnswerDescription {
  description: string;
  /** Absent: no body. */
  content?: AnswerContent;
  /** By name where many answers share it (`HEADERS` in `features/reference/openapi-errors.ts`). */
  headers?: readonly (AnswerHeader | string)[];
}

export type AnswerContent =
  | { mediaType: 'application/json'; schema: z.ZodType; example?: unknown }
  | { mediaType: 'text/event-stream'; schema: null; example?: string }
  /** Bytes; any media type where the file decides. */
  | { mediaType: 'text/html' | 'text/csv' | 'image/png' | 'image/webp' | '*/*'; schema: null };

export interface AnswerHeader {
  name: string;
  description: string;
  example: string;
}

/** One request to a declared route. */
export interface Call<Description extends RouteDeclaration> {
  context: Context<HttpEnv>;
  param(name: keyof Description['params'] & string): string;
  /** The parameters of the query. Errors: `invalid_request`. */
  query(): Description['query'] extends z.ZodType ? z.output<Description['query']> : never;
  /** The JSON body. Errors: `invalid_request`, `body_too_large`, `unsupported_content_type`. */
  body(): Promise<Description['request'] extends { schema: infer Body extends z.ZodType } ? z.output<Body> : never>;
  /** The JSON body before its schema is applied. */
  readBody(): Promise<unknown>;
  /** Answers with JSON of the schema that the status declares. */
  reply<Status extends keyof Description['answers'] & ContentfulStatusCode>(
    status: Status,
    value: ValueOf<Description['answers'][Status]>,
  ): Response;
  /** Answers without a body. */
  end(status: keyof Description['answers'] & StatusCode): Response;
}

type ValueOf<Answer> = Answer extends { content: { schema: infer Schema extends z.ZodType } }
  ? Given<z.input<Schema>>
  : never;

/** Services give lists and objects that only they may change. */
type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Given<Value[Name]> }
    : Value;

export interface Route<Deps> extends RouteDescription {
  handle(deps: Deps, call: Call<RouteDescription>): Response | Promise<Response>;
}

/** `const route = routesOf<Deps>()`, then `route({ … }, async (deps, call) => …)` for each. */
export function routesOf<Deps>() {
  return <const Description extends RouteDeclaration>(
    description: Description,
    handle: (deps: Deps, call: Call<Description>) => Response | Promise<Response>,
  ): Route<Deps> => {
    const { query, errors = [] }: RouteDeclaration = description;
    const all = new Set<ErrorCode>([...(query === undefined ? [] : ['invalid_request' as const]), ...errors]);
    return { ...description, errors: [...all], handle: handle as Route<Deps>['handle'] };
  };
}

/** An answer with JSON. */
export function jsonAnswer<Schema extends z.ZodType>(description: string, schema: Schema, example?: z.input<Schema>) {
  const content = { mediaType: 'application/json' as const, schema, example };
  return { description, content };
}

/** Errors of every route that reads a JSON body. */
export const BODY_ERRORS = ['invalid_request', 'body_too_large', 'unsupported_content_type'] as const;

/** Codes of requests that become jobs, beside those of the body. */
export const JOB_REQUEST_ERRORS = [
  'conflict',
  'idempotency_key_reused',
  'model_not_installed',
  'engine_unavailable',
] as const;

/** Codes of a source, found at acceptance; later ones are in the job's `error`. */
export const SOURCE_ERRORS = ['unsupported_media', 'corrupt_input', 'encrypted_input'] as const;

/** Codes of paid requests: a proof may be sent again after its job was deleted. */
export const PAYMENT_ERRORS = ['settlement_unavailable', 'not_found', 'job_expired'] as const;

/**
 * Serves the routes, at paths relative to where the result is mounted.
 *
 * @param checkOwner before each route with `auth` `owner`; without it the mount refuses others
 */
export function mountRoutes<Deps>(
  routes: readonly Route<Deps>[],
  deps: Deps,
  readBody: ReadSmallJson = noBody,
  checkOwner?: HttpMiddleware,
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  for (const route of routes) {
    const [method, path] = [route.method.toUpperCase(), honoPath(route)];
    if (checkOwner !== undefined && route.auth === 'owner') app.on(method, path, checkOwner);
    app.on(method, path, (context) => route.handle(deps, callOf(route, context, readBody)));
  }
  return app;
}

function honoPath({ path, takesRest = false }: RouteDescription): string {
  const named = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return takesRest ? `${named}{.+}` : named;
}

function callOf(route: RouteDescription, context: Context<HttpEnv>, readBody: ReadSmallJson): Call<RouteDescription> {
  let given: Promise<unknown> | null = null;
  const readBodyOnce = () => (given ??= readBody(context));
  return {
    context,
    param: (name) => context.req.param(name) ?? '',
    query: () => parseQuery(requireDeclared(route.query), queryOf(context)) as never,
    body: async () => parseWithSchema(requireDeclared(route.request?.schema), await readBodyOnce()) as never,
    readBody: readBodyOnce,
    reply: (status, value) => context.json(value as object, status),
    end: (status) => context.body(null, status),
  };
}

function requireDeclared<Schema>(schema: Schema | undefined): Schema {
  if (schema === undefined) throw new Error('The route declares no such schema.');
  return schema;
}

function noBody(): never {
  throw new Error('These routes are mounted without a reader of bodies.');
}
