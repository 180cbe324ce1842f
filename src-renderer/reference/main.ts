import { serverPath } from '../api/base-path.ts';
import { sessionSecret, signIn } from '../api/session.ts';
import { keepNames } from './names.ts';
import { THEME } from './theme.ts';
import { type Caller, tryIt } from './try-it.ts';

/** Scalar's browser build, which `reference.html` loads before this script. */
declare const Scalar: { createApiReference(selector: string, configuration: object): void };

const callers = document.querySelector<HTMLFieldSetElement>('#caller');

function callerNow(): Caller {
  const chosen = callers?.querySelector<HTMLInputElement>('input:checked');
  return chosen?.value === 'stranger' ? 'stranger' : 'owner';
}

const isOwner = await signIn(null).then(() => sessionSecret() !== null);
if (!isOwner) callers?.querySelector<HTMLInputElement>('[value=stranger]')?.click();

Scalar.createApiReference('#reference', {
  sources: [
    { title: 'API', slug: 'api', url: serverPath('/openapi.json'), default: true },
    // Only a session may read this document.
    ...(isOwner ? [{ title: 'Owner', slug: 'owner', url: serverPath('/admin/openapi.json') }] : []),
  ],
  customFetch: (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const isDocument = new URL(request.url).pathname.endsWith('/openapi.json');
    return tryIt(isDocument ? 'owner' : callerNow(), request);
  },
  theme: 'none',
  customCss: THEME,
  withDefaultFonts: false,
  hideDarkModeToggle: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: hiddenClients(),
  documentDownloadType: 'none',
});

keepNames();

/** Every client of Scalar but those of SAMPLES. */
function hiddenClients(): Record<string, true | string[]> {
  const all = ['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'julia', 'kotlin', 'node', 'objc'];
  const more = ['ocaml', 'php', 'powershell', 'r', 'ruby', 'rust', 'swift'];
  return {
    ...Object.fromEntries([...all, ...more].map((name) => [name, true])),
    shell: ['httpie', 'wget'],
    js: ['axios', 'jquery', 'ofetch', 'xhr'],
    python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3'],
  };
}
