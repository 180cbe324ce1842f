/**
 * Signs a browser in. The token travels in the address's fragment, which browsers never send, and then once in a POST
 * to this origin; what stays is an HttpOnly cookie.
 */
import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import { QuarryError } from '../../contract/index.ts';
import type { HttpEnv } from '../context.ts';
import type { Identity } from '../identify.ts';
import type { ReadSmallJson } from '../small-json.ts';
import { parseWithSchema } from '../validate.ts';

const LoginBody = z.strictObject({ token: z.string().min(1).max(200) });

const SCRIPT = `
const say = (text) => { document.querySelector('p').textContent = text; };
function signIn() {
  const token = location.hash.slice(1);
  history.replaceState(null, '', '/login');
  if (!token) return say('This link has no token. Open the link that Quarry printed when it started.');
  fetch('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  }).then((answer) => answer.ok
      ? location.replace('/')
      : say('This link is not valid. Open the link that Quarry printed when it started.'))
    .catch(() => say('Quarry does not answer. Is it running?'));
}
// A token that is put behind the # of this page's address loads nothing anew.
addEventListener('hashchange', signIn);
signIn();
`;
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Sign in to Quarry</title>
<main><h1>Quarry</h1><p role="status">Signing you in…</p></main>
<script>${SCRIPT}</script></html>`;

export function loginRoutes(identity: Identity, readBody: ReadSmallJson): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/login', (context) => {
    const policy = `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; connect-src 'self'; frame-ancestors 'none'`;
    context.header('Content-Security-Policy', policy);
    context.header('Referrer-Policy', 'no-referrer');
    return context.html(PAGE);
  });

  routes.post('/login', async (context) => {
    const { token } = parseWithSchema(LoginBody, await readBody(context));
    if (!identity.isOwnerToken(token)) throw new QuarryError('unauthorized', 'The token is not the owner token.');
    identity.setOwnerCookie(context);
    return context.body(null, 204);
  });

  return routes;
}
