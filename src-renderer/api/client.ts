import { useSearch } from '@tanstack/react-router';
import createClient, { type Client } from 'openapi-fetch';
import type { paths as OwnerPaths } from './generated/owner.ts';
import type { Problem, paths as PublicPaths } from './generated/public.ts';
import type { EnvironmentName } from './names.ts';
import { SECRET_HEADER, sessionSecret, signIn } from './session.ts';

const BASE_PATHS: Record<EnvironmentName, string> = { production: '/v1', staging: '/staging/v1' };

/** What the server refused, in its own words. `status` 0: it did not answer at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>, fallback: string) {
    super(problem.detail ?? fallback);
    this.name = 'ApiError';
    this.status = status;
    this.problem = problem;
  }
}

/** The server's word on each field, by its path. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries((error.problem.errors ?? []).map(({ path, message }) => [path, message]));
}

interface Question {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON, unless it is a form. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Without the owner's session: as a customer asks. */
  anonymous?: boolean;
  signal?: AbortSignal | undefined;
}

/** The only fetch of the window for the API. Rejects with ApiError where there is no answer; any status is one. */
export async function send(path: string, question: Question = {}): Promise<Response> {
  if (question.anonymous) return sendAs(null, path, question);
  if (sessionSecret() === null) await signIn(null);
  const secret = sessionSecret();
  const answer = await sendAs(secret, path, question);
  if (answer.status !== 401) return answer;
  await signIn(secret);
  return sessionSecret() === secret ? answer : sendAs(sessionSecret(), path, question);
}

/** @param secret of the session; null for a request that belongs to none. */
async function sendAs(secret: string | null, path: string, question: Question): Promise<Response> {
  const headers = new Headers(question.headers);
  const isForm = question.body instanceof FormData;
  if (question.body !== undefined && !isForm) headers.set('content-type', 'application/json');
  if (secret !== null) headers.set(SECRET_HEADER, secret);
  const init: RequestInit = {
    method: question.method ?? 'GET',
    headers,
    credentials: question.anonymous ? 'omit' : 'same-origin',
    ...(question.signal ? { signal: question.signal } : {}),
  };
  if (question.body !== undefined) init.body = isForm ? (question.body as FormData) : JSON.stringify(question.body);
  try {
    return await fetch(path, init);
  } catch (error) {
    if (question.signal?.aborted) throw error;
    const lost = isForm ? await unreadableFile(question.body as FormData) : undefined;
    if (lost !== undefined) {
      throw new ApiError(0, {}, `${lost} was changed or moved since it was chosen. Choose it again.`);
    }
    throw new ApiError(0, {}, 'The server does not answer. Is Quarry running?');
  }
}

/** Sends what a generated client asks, as the owner. Rejects with ApiError for every status that is not a success. */
async function sendRequest(request: Request): Promise<Response> {
  const { method, signal } = request;
  const body: unknown = request.body === null ? undefined : await request.json();
  const answer = await send(request.url, { method: method as NonNullable<Question['method']>, body, signal });
  if (!answer.ok) throw await errorOf(answer);
  return answer;
}

/** The owner's routes. */
export const owner = createClient<OwnerPaths>({ baseUrl: location.origin, fetch: sendRequest });

/** The versioned API of each environment. */
export const api: Record<EnvironmentName, Client<PublicPaths>> = {
  production: createClient<PublicPaths>({ baseUrl: location.origin + BASE_PATHS.production, fetch: sendRequest }),
  staging: createClient<PublicPaths>({ baseUrl: location.origin + BASE_PATHS.staging, fetch: sendRequest }),
};

/** The body of an answer, which is a success: the clients reject with all others. */
export async function dataOf<Data>(asked: Promise<{ data?: Data }>): Promise<NonNullable<Data>> {
  const { data } = await asked;
  if (data === undefined || data === null) throw new Error('The answer has no body.');
  return data;
}

/** A query with the environment, without fields that are empty. */
export function queryIn<Query extends Record<string, unknown>>(environment: EnvironmentName, query: Query) {
  const filled = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return {
    ...(environment === 'staging' ? { environment } : {}),
    ...(Object.fromEntries(filled) as { [Name in keyof Query]?: Exclude<Query[Name], undefined | null> }),
  };
}

/** Resolves where the server answers at all, and rejects with ApiError where it does not. */
export async function isThere(): Promise<void> {
  await send('/health', { anonymous: true });
}

/** The name of a file that the browser gives no more bytes of: to fetch, that looks as if no server were there. */
async function unreadableFile(form: FormData): Promise<string | undefined> {
  for (const value of form.values()) {
    if (!(value instanceof File)) continue;
    const isThere = await value
      .slice(0, 1)
      .arrayBuffer()
      .then(
        () => true,
        () => false,
      );
    if (!isThere) return value.name;
  }
  return undefined;
}

/** Asks and reads the JSON answer. Rejects with ApiError for every status that is not a success. */
export async function ask<Answer>(path: string, question: Question = {}): Promise<Answer> {
  const answer = await send(path, question);
  if (!answer.ok) throw await errorOf(answer);
  if (answer.status === 204) return undefined as Answer;
  return (await answer.json()) as Answer;
}

export async function errorOf(answer: Response): Promise<ApiError> {
  const problem = (await answer.json().catch(() => ({}))) as Partial<Problem>;
  return new ApiError(answer.status, problem, `The server answered ${answer.status}.`);
}

/** An address of the versioned API. */
export function apiPath(environment: EnvironmentName, path: string, query: Query = {}): string {
  return `${BASE_PATHS[environment]}${path}${queryText(query)}`;
}

/** An address of the owner's routes. */
export function adminPath(environment: EnvironmentName, path: string, query: Query = {}): string {
  return `/admin${path}${queryText({ environment: environment === 'staging' ? environment : undefined, ...query })}`;
}

type Query = Record<string, string | number | null | undefined>;

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Which of the two environments the window shows. It stands in the address, so that a link shows the same. */
export function useEnvironment(): EnvironmentName {
  const { environment } = useSearch({ strict: false });
  return environment ?? 'production';
}

/** Saves what an address answers as a file, for addresses that a plain link cannot ask as the owner. */
export async function saveAs(path: string, name: string): Promise<void> {
  const answer = await send(path);
  if (!answer.ok) throw await errorOf(answer);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
