import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { parseOwnJson } from '../../../src-server/platform/own-json.ts';
import { ApiError, apiPath, errorOf, fetchApi, requestJson } from '../../api/client.ts';
import { serverSentEvents } from '../../api/event-stream.ts';
import type { PaymentChallenge, Problem } from '../../api/generated/public.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { notify } from '../../components/notify.ts';
import { messages } from '../../language/start-messages.ts';
import { isOfService } from '../../pages.ts';
import { run as runTexts } from './texts.ts';

export interface Sent {
  status: number;
  answer: Record<string, unknown>;
  /** Null if no payment was required. */
  challenge: PaymentChallenge | null;
}

/** The request body of an operation. */
export type Body = Record<string, unknown> | FormData;

/** Sends as the owner, without payment. With a listener, the response is streamed. */
export async function sendAsOwner(
  environment: EnvironmentName,
  operationId: string,
  body: Body,
  listener?: Listener,
): Promise<Sent> {
  const path = apiPath(environment, `/${operationId}`, streamQuery(listener));
  return readSentAnswer(await fetchApi(path, { method: 'POST', body, signal: listener?.signal }), null, listener);
}

function streamQuery(listener: Listener | undefined) {
  return listener === undefined ? {} : { stream: 'true' };
}

/**
 * Sends as a customer: request, challenge, signature by the owner's demo wallet, request with proof. The payments page
 * shows that wallet. Calls `onStep` after each step. Rejects with ApiError if a step fails.
 */
export async function payAndSend(
  environment: EnvironmentName,
  operationId: string,
  body: Body,
  onStep: (step: 'asked' | 'signed' | 'settled') => void,
  listener?: Listener,
): Promise<Sent> {
  const path = apiPath(environment, `/${operationId}`, streamQuery(listener));
  const first = await fetchApi(path, { method: 'POST', body, anonymous: true });
  if (first.status !== 402) return readSentAnswer(first, null, listener);
  const challenge = parseOwnJson<PaymentChallenge>(await first.text());
  onStep('asked');
  const facilitator = environment === 'staging' ? '/staging/facilitator' : '/facilitator';
  const signed = await requestJson<{ payload: string }>(`${facilitator}/pay`, {
    method: 'POST',
    body: challenge.accepts[0],
  });
  onStep('signed');
  const headers = { 'x-payment': signed.payload };
  const second = await fetchApi(path, { method: 'POST', body, headers, anonymous: true, signal: listener?.signal });
  if (second.status === 402) {
    const refused = parseOwnJson<PaymentChallenge>(await second.text());
    throw new ApiError(402, { title: 'The payment was rejected', detail: String(refused.error) }, 'refused');
  }
  if (second.ok) onStep('settled');
  return readSentAnswer(second, challenge, listener);
}

async function readSentAnswer(
  answer: Response,
  challenge: PaymentChallenge | null,
  listener?: Listener,
): Promise<Sent> {
  if (!answer.ok) throw await errorOf(answer);
  if (listener !== undefined && answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    return { status: answer.status, answer: await readStreamedAnswer(answer, listener), challenge };
  }
  return { status: answer.status, answer: parseOwnJson(await answer.text()), challenge };
}

/** The complete response, which comes last. Rejects with ApiError if an error comes instead. */
async function readStreamedAnswer(answer: Response, { onText }: Listener): Promise<Record<string, unknown>> {
  for await (const { event, data } of serverSentEvents(answer)) {
    if (event === 'token') onText(parseOwnJson<{ text: string }>(data).text);
    if (event === 'done') return parseOwnJson(data);
    if (event === 'error') {
      const problem = parseOwnJson<Partial<Problem>>(data);
      throw new ApiError(problem.status ?? 500, problem, messages.common.brokenOff);
    }
  }
  throw new ApiError(0, {}, messages.common.brokenOff);
}

/** The job ID in a response. */
export function jobIdOf(answer: Record<string, unknown>): string | null {
  const id = answer.jobId ?? answer.crawlId;
  return typeof id === 'string' ? id : null;
}

/** Receives the response while it streams. */
interface Listener {
  /** New text of the response. */
  onText: (text: string) => void;
  signal: AbortSignal;
}

/** Opens a new job. A large upload takes time: if the user has left the form, show a notification instead. */
export function useJobOpener() {
  const navigate = useNavigate();
  const isService = useRouterState({ select: ({ location }) => isOfService(location.pathname) });
  const here = useRef(false);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  return {
    open: (jobId: string): void => {
      // The Library half shows the item, the Service half the job.
      const to = isService ? '/jobs/$jobId' : '/items/of/$jobId';
      if (here.current) void navigate({ to, params: { jobId } });
      else notify({ message: runTexts.acceptedMeanwhile });
    },
    fail: (error: Error): void => {
      if (!here.current) notify({ color: 'red', message: error.message });
    },
  };
}
