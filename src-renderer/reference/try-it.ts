import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { pathInServer, serverPath } from '../api/base-path.ts';
import type { PaymentChallenge } from '../api/generated/public.ts';
import { SECRET_HEADER, sessionSecret, signIn } from '../api/session.ts';

/** The account that the page sends requests as. */
export type Caller = 'owner' | 'stranger';

const OWNER_PATH = /^\/admin\//;

const STAGING = '/staging';

/** Sends a request of the page to this server, also where the document names a public address. */
export async function tryIt(caller: Caller, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const path = pathInServer(pathname);
  const { method, signal } = request;
  const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer();
  const init = { method, signal, body, headers: new Headers(request.headers) };
  const target = path + search;
  return caller === 'owner' || OWNER_PATH.test(path) ? sendAsOwner(target, init) : sendAsStranger(target, init);
}

type Init = RequestInit & { headers: Headers };

async function sendAsOwner(target: string, init: Init): Promise<Response> {
  if (sessionSecret() === null) await signIn(null);
  const secret = sessionSecret();
  if (secret !== null) init.headers.set(SECRET_HEADER, secret);
  return fetch(serverPath(target), { ...init, credentials: 'same-origin' });
}

/** The demo wallet of this page: one wallet is one account, which finds its own results. */
let wallet: string | null = null;

/** Asks; where a payment is required, the demo wallet of the sandbox signs it, and the request is sent again. */
async function sendAsStranger(target: string, init: Init): Promise<Response> {
  const asked = { ...init, credentials: 'omit' } as const;
  const first = await fetch(serverPath(target), asked);
  if (first.status !== 402) return first;
  const { accepts } = (await first.clone().json()) as PaymentChallenge;
  const [entry] = accepts;
  if (entry === undefined) return first;
  const payload = await signSandboxPayment(target.startsWith(STAGING) ? STAGING : '', entry, init.signal ?? null);
  if (payload === null) return first;
  init.headers.set('X-PAYMENT', payload);
  return fetch(serverPath(target), asked);
}

/** The value of `X-PAYMENT`; null where the settlement is not the sandbox, and only a real wallet can pay. */
async function signSandboxPayment(
  base: string,
  entry: PaymentChallenge['accepts'][number],
  signal: AbortSignal | null,
) {
  const answer = await fetch(serverPath(`${base}/facilitator/pay`), {
    method: 'POST',
    body: JSON.stringify(entry),
    headers: { 'Content-Type': 'application/json', ...omitUndefined({ 'X-Demo-Wallet': wallet ?? undefined }) },
    credentials: 'omit',
    signal,
  });
  if (!answer.ok) return null;
  const signed = (await answer.json()) as { payload: string; wallet?: string };
  wallet = signed.wallet ?? wallet;
  return signed.payload;
}
