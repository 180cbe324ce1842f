/** Uploads with progress, which `fetch` does not report. */
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import { messages } from '../language/start-messages.ts';
import { ApiError, apiPath, headersAs, readableOrThrow } from './client.ts';
import type { Problem } from './generated/public.ts';
import type { EnvironmentName } from './names.ts';
import { sessionSecret, signIn } from './session.ts';

interface Upload {
  environment: EnvironmentName;
  operationId: string;
  /** A form, or JSON. */
  body: FormData | string;
  signal: AbortSignal;
  /** The share of the body that was sent, from 0 to 1. */
  onProgress: (share: number) => void;
}

/** Submits a file to an operation. Resolves with the answer; rejects with ApiError, also if it was aborted. */
export async function uploadFile(question: Upload): Promise<Record<string, unknown>> {
  if (sessionSecret() === null) await signIn(null);
  const secret = sessionSecret();
  const answer = await sendUploadRequest(question, secret);
  if (answer.status !== 401) return uploadAnswerBody(answer);
  await signIn(secret);
  return uploadAnswerBody(sessionSecret() === secret ? answer : await sendUploadRequest(question, sessionSecret()));
}

function uploadAnswerBody({ status, text }: { status: number; text: string }): Record<string, unknown> {
  if (status < 200 || status > 299) {
    throw new ApiError(status, parseOwnJson<Partial<Problem>>(text), messages.common.statusOf({ status }));
  }
  return parseOwnJson(text);
}

async function sendUploadRequest(
  { environment, operationId, body, signal, onProgress }: Upload,
  secret: string | null,
) {
  const path = apiPath(environment, `/${operationId}`);
  const request = new XMLHttpRequest();
  request.open('POST', path);
  const headers = headersAs(secret, path, { method: 'POST' });
  if (typeof body === 'string') headers.set('content-type', 'application/json');
  headers.forEach((value, name) => {
    request.setRequestHeader(name, value);
  });
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
  const abortUploadRequest = () => request.abort();
  signal.addEventListener('abort', abortUploadRequest);
  const ended = await new Promise<'load' | 'lost'>((resolve) => {
    request.onload = () => resolve('load');
    request.onerror = () => resolve('lost');
    request.onabort = () => resolve('lost');
    if (signal.aborted) resolve('lost');
    else request.send(body);
  });
  signal.removeEventListener('abort', abortUploadRequest);
  if (ended === 'load') return { status: request.status, text: request.responseText };
  if (!signal.aborted && body instanceof FormData) await readableOrThrow(body);
  throw new ApiError(0, {}, messages.common.noServer);
}
