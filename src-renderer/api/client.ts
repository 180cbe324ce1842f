import { useSearch } from '@tanstack/react-router';
import createClient, { type Client } from 'openapi-fetch';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { ownData, parseOwnJson } from '../../src-server/platform/own-json.ts';
import { wordsBy } from '../components/literals.ts';
import { DEFAULT_LANGUAGE, shownLanguage } from '../language/locale.ts';
import { knownServerText } from '../language/server-texts.ts';
import { messages } from '../language/start-messages.ts';
import { SERVER_URL, serverPath } from './base-path.ts';
import type { paths as OwnerPaths } from './generated/owner.ts';
import type { Problem, paths as PublicPaths } from './generated/public.ts';
import type { EnvironmentName } from './names.ts';
import { SECRET_HEADER, sessionSecret, signIn } from './session.ts';

const BASE_PATHS: Record<EnvironmentName, string> = { production: '/v1', staging: '/staging/v1' };

/** What happened, in the reader's language; the code stays in `problem`. Of a field that is not valid, why not. */
function problemText({ code, detail, errors = [] }: Partial<Problem>): string | undefined {
  const title =
    shownLanguage() === DEFAULT_LANGUAGE || code === undefined ? undefined : wordsBy(messages.errors)[code]?.title;
  if (title === undefined) return detail;
  const known = detail === undefined ? null : knownServerText(detail);
  if (known !== null) return known;
  const fields = errors.map(({ message }) => knownServerText(message)).filter((text) => text !== null);
  return fields.length === 0 ? title : [...new Set(fields)].join(' ');
}

/** An error response of the server. `status` 0: no response. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>, fallback: string) {
    super(problemText(problem) ?? fallback);
    this.name = 'ApiError';
    this.status = status;
    this.problem = problem;
  }
}

/** Why a field is not valid, in the reader's language. */
export function fieldErrorText(message: string): string {
  return knownServerText(message) ?? messages.common.notAccepted;
}

/** Error messages by field path. */
export function errorsByField(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries((error.problem.errors ?? []).map(({ path, message }) => [path, fieldErrorText(message)]));
}

interface Question {
  method?: string;
  /** Sent as JSON, unless it is FormData or a Blob. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Sends no owner session, like a customer. */
  anonymous?: boolean;
  signal?: AbortSignal | undefined;
}

/** The API fetch of the dashboard. Resolves for any status; rejects with ApiError if there is no response. */
export async function fetchApi(path: string, question: Question = {}): Promise<Response> {
  if (question.anonymous) return sendAs(null, path, question);
  if (sessionSecret() === null) await signIn(null);
  const secret = sessionSecret();
  const answer = await sendAs(secret, path, question);
  if (answer.status !== 401) return answer;
  await signIn(secret);
  return sessionSecret() === secret ? answer : sendAs(sessionSecret(), path, question);
}

/** The owner's window asks before it downloads: a job that lacks a model or tool waits, instead of failing. */
const ASK_BEFORE_INSTALL = 'install=ask';

/** Headers of each request: the session, and the preference of operations. */
export function headersAs(secret: string | null, path: string, question: Question): Headers {
  const headers = new Headers(question.headers);
  if (secret !== null) headers.set(SECRET_HEADER, secret);
  const { pathname } = new URL(serverPath(path), location.origin);
  const isOperation =
    question.method === 'POST' && Object.values(BASE_PATHS).some((base) => pathname.startsWith(serverPath(base)));
  if (isOperation && secret !== null) headers.append('prefer', ASK_BEFORE_INSTALL);
  return headers;
}

/** @param secret session secret; null for a request without a session */
async function sendAs(secret: string | null, path: string, question: Question): Promise<Response> {
  const headers = headersAs(secret, path, question);
  const { body } = question;
  const own = body instanceof FormData || body instanceof Blob;
  if (body !== undefined && !own) headers.set('content-type', 'application/json');
  const init: RequestInit = {
    method: question.method ?? 'GET',
    headers,
    credentials: question.anonymous ? 'omit' : 'same-origin',
    ...omitUndefined({ signal: question.signal }),
  };
  if (body !== undefined) init.body = own ? body : JSON.stringify(body);
  try {
    return await fetch(serverPath(path), init);
  } catch (error) {
    if (question.signal?.aborted) throw error;
    if (body instanceof FormData) await readableOrThrow(body);
    throw new ApiError(0, {}, messages.common.noServer);
  }
}

/** Resolves if the server responds; rejects with ApiError otherwise. */
async function sendRequest(request: Request): Promise<Response> {
  const { method, signal } = request;
  const headers = Object.fromEntries(request.headers);
  const body: unknown = request.body === null ? undefined : await request.json();
  const answer = await fetchApi(request.url, { method, headers, body, signal });
  if (!answer.ok) throw await errorOf(answer);
  return answer;
}

/** The owner's routes. */
export const owner = createClient<OwnerPaths>({ baseUrl: SERVER_URL, fetch: sendRequest });

/** The versioned API of each environment. */
export const api: Record<EnvironmentName, Client<PublicPaths>> = {
  production: createClient<PublicPaths>({ baseUrl: SERVER_URL + BASE_PATHS.production, fetch: sendRequest }),
  staging: createClient<PublicPaths>({ baseUrl: SERVER_URL + BASE_PATHS.staging, fetch: sendRequest }),
};

/** The body of an answer, which is a success: the clients reject with all others. */
export async function dataOf<Data>(asked: Promise<{ data?: Data }>): Promise<NonNullable<Data>> {
  const { data } = await asked;
  if (data === undefined || data === null) throw new Error('The answer has no body.');
  return data;
}

/** A query with the environment, without fields that are empty. */
export function queryIn<Query extends Record<string, unknown>>(environment: EnvironmentName, query: Query) {
  return {
    ...omitUndefined({ environment: environment === 'staging' ? environment : undefined }),
    ...filledQuery(query),
  };
}

/** A query without fields that are empty. */
export function filledQuery<Query extends Record<string, unknown>>(query: Query) {
  const fields = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return Object.fromEntries(fields) as { [Name in keyof Query]?: Exclude<Query[Name], undefined | null> };
}

/** Resolves where the server answers at all, and rejects with ApiError where it does not. */
export async function checkServer(): Promise<void> {
  await fetchApi('/health', { anonymous: true });
}

/** Rejects if the browser can no longer read a file of the form. To a request, this looks like a network error. */
export async function readableOrThrow(form: FormData): Promise<void> {
  for (const value of form.values()) {
    if (!(value instanceof File)) continue;
    const readable = await value
      .slice(0, 1)
      .arrayBuffer()
      .then(
        () => true,
        () => false,
      );
    if (readable) continue;
    throw new ApiError(0, {}, messages.common.changedFile({ name: value.name }));
  }
}

/** Sends a request and reads the JSON response, null where it is empty. Rejects with ApiError for error statuses. */
export async function requestJson<Answer>(path: string, question: Question = {}): Promise<Answer> {
  const answer = await fetchApi(path, question);
  if (!answer.ok) throw await errorOf(answer);
  return parseOwnJson<Answer>((await answer.text()) || 'null');
}

export async function errorOf(answer: Response): Promise<ApiError> {
  const problem = ownData<Partial<Problem>>(await answer.json().catch(() => ({})));
  return new ApiError(answer.status, problem, messages.common.statusOf({ status: answer.status }));
}

/** URL path of the versioned API. */
export function apiPath(environment: EnvironmentName, path: string, query: Query = {}): string {
  return serverPath(`${BASE_PATHS[environment]}${path}${queryText(query)}`);
}

/** URL path of the owner's routes. */
export function adminPath(environment: EnvironmentName, path: string, query: Query = {}): string {
  const inEnvironment = { environment: environment === 'staging' ? environment : undefined, ...query };
  return serverPath(`/admin${path}${queryText(inEnvironment)}`);
}

type Query = Record<string, string | number | null | undefined>;

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** The environment on the page. It is part of the URL, so links keep it. */
export function useEnvironment(): EnvironmentName {
  const { environment } = useSearch({ strict: false });
  return environment ?? 'production';
}

/** Downloads a URL as a file, if it needs the owner's session and a plain link cannot send that. */
export async function saveAs(path: string, name: string): Promise<void> {
  const answer = await fetchApi(path);
  if (!answer.ok) throw await errorOf(answer);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
