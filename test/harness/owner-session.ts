/** A browser's session with an appliance, held by a program: its cookie and its second secret, apart. */
import { request } from 'node:http';

export interface OwnerSession {
  /** As a `Cookie` header carries it. */
  cookie: string;
  secret: string;
  /** All that the dashboard's page sends: the cookie and the secret. */
  headers: Record<string, string>;
}

/** @param token the owner's token, or a sign-in code. */
export async function openSession(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<OwnerSession> {
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  });
  if (!answer.ok) throw new Error(`The sign-in was answered with ${answer.status}.`);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { secret } = (await answer.json()) as { secret: string };
  return { cookie, secret, headers: { cookie, 'x-quarry-session': secret } };
}

/** Sends exactly these headers: `fetch` sets `Sec-Fetch-*` and `Host` by itself. */
export function statusOf(url: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (answer) => {
      answer.destroy();
      resolve(answer.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
