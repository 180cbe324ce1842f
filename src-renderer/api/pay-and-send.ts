import type { PaymentChallenge } from '../../src-server/contract/challenge.ts';
import { ApiError, apiPath, ask, errorOf, send } from './client.ts';
import type { EnvironmentName, Job } from './types.ts';

export interface Sent {
  status: number;
  answer: Record<string, unknown>;
  /** Null where nothing was to be paid. */
  challenge: PaymentChallenge | null;
}

/** A question without a body of its own: what an operation is asked. */
export type Body = Record<string, unknown> | FormData;

/** As the owner: no payment is asked for. */
export async function sendAsOwner(environment: EnvironmentName, operationId: string, body: Body): Promise<Sent> {
  const answer = await send(apiPath(environment, `/${operationId}`), { method: 'POST', body });
  return read(answer, null);
}

/**
 * As a customer does it: ask, get the challenge, have the demo wallet sign it, ask again with the proof. Rejects with
 * ApiError where a step is refused. `onStep` hears of each step that is done.
 */
export async function payAndSend(
  environment: EnvironmentName,
  operationId: string,
  body: Body,
  onStep: (step: 'asked' | 'signed' | 'settled') => void,
): Promise<Sent> {
  const path = apiPath(environment, `/${operationId}`);
  const first = await send(path, { method: 'POST', body, anonymous: true });
  if (first.status !== 402) return read(first, null);
  const challenge = (await first.json()) as PaymentChallenge;
  onStep('asked');
  const facilitator = environment === 'staging' ? '/staging/facilitator' : '/facilitator';
  const signed = await ask<{ payload: string }>(`${facilitator}/pay`, {
    method: 'POST',
    body: challenge.accepts[0],
    anonymous: true,
  });
  onStep('signed');
  const headers = { 'x-payment': signed.payload };
  const second = await send(path, { method: 'POST', body, headers, anonymous: true });
  if (second.status === 402) {
    const refused = (await second.json()) as PaymentChallenge;
    throw new ApiError(402, { title: 'The payment was refused', detail: String(refused.error) }, 'refused');
  }
  const sent = await read(second, challenge);
  onStep('settled');
  return sent;
}

async function read(answer: Response, challenge: PaymentChallenge | null): Promise<Sent> {
  if (!answer.ok) throw await errorOf(answer);
  return { status: answer.status, answer: (await answer.json()) as Record<string, unknown>, challenge };
}

/** The id of the job that an answer speaks of. */
export function jobIdOf(answer: Record<string, unknown>): string | null {
  const id = (answer as Partial<Job>).jobId ?? answer.crawlId;
  return typeof id === 'string' ? id : null;
}
