/**
 * A page without data that exchanges the secret in its address's fragment for a session. Browsers never send a
 * fragment; the page sends it once, in a POST, and removes it from the address.
 */
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { HttpEnv } from '../../platform/http/env.ts';

interface PageWords {
  title: string;
  /** Path of the POST, relative to the page. */
  path: string;
  /** Name of the secret in the body. */
  field: string;
  doing: string;
  /** Shown where the address has no fragment. */
  absent: string;
  /** Shown where the secret is wrong. */
  refused: string;
}

interface SignInPage {
  html: string;
  policy: string;
}

/** The dashboard reads the second secret under this name: `src-renderer/api/session.ts`. */
const scriptOf = ({ path, field, absent, refused }: PageWords) => `
const say = (text) => { document.querySelector('p').textContent = text; };
async function signIn() {
  const secret = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  if (!secret) return say(${JSON.stringify(absent)});
  const answer = await fetch('${path}', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ${field}: secret }),
  }).catch(() => null);
  if (answer === null) return say('Quarry does not answer. Is it running?');
  if (answer.status === 429) return say((await answer.json()).detail);
  if (!answer.ok) return say(${JSON.stringify(refused)});
  const opened = await answer.json();
  try {
    localStorage.setItem('quarry-session', opened.secret);
  } catch {
    return say('This browser stores nothing for this page. Allow it to store site data, then open the link again.');
  }
  location.replace('./');
}
// Changing only the fragment of this page's address does not reload it.
addEventListener('hashchange', signIn);
signIn();
`;

/** The page as the dashboard has it: one face on the bed. */
const STYLE = `
:root {
  color-scheme: light dark;
  font: 100%/1.5 'IBM Plex Sans Variable', 'IBM Plex Sans', system-ui, 'Segoe UI', Roboto, sans-serif;
  background: light-dark(#f5f6f3, #151c1c);
  color: light-dark(#16201d, #e8eeeb);
}
body { display: grid; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box; place-items: center; }
main {
  width: min(100%, 32.5rem); padding: 2rem; box-sizing: border-box;
  border: 1px solid light-dark(#b9c0b7, #3b4846); border-radius: 10px;
  background: light-dark(#fff, #1c2525);
}
h1 { margin: 0 0 0.5rem; font-size: 1.375rem; line-height: 1.3; }
p { margin: 0; }
`;

export function signInPage(words: PageWords): SignInPage {
  const script = scriptOf(words);
  const policy = [
    "default-src 'none'",
    `script-src ${contentHashOf(script)}`,
    `style-src ${contentHashOf(STYLE)}`,
    "connect-src 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${words.title}</title>
<style>${STYLE}</style>
<main><h1>Quarry</h1><p role="status">${words.doing}</p></main>
<script>${script}</script></html>`;
  return { html, policy };
}

export function sendPage(context: Context<HttpEnv>, { html, policy }: SignInPage): Response | Promise<Response> {
  context.header('Content-Security-Policy', policy);
  context.header('Cross-Origin-Opener-Policy', 'same-origin');
  context.header('Referrer-Policy', 'no-referrer');
  return context.html(html);
}

function contentHashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
