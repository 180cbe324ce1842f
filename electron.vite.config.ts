import { createHash } from 'node:crypto';
import { join } from 'node:path';
import scalarPlugin from '@scalar/fastify-api-reference';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import icons from 'unplugin-icons/vite';
import type { Plugin, UserConfig } from 'vite';
import { messagesPlugin } from './scripts/messages.ts';

/** The server that the dashboard talks to while it is being worked on. */
const DEVELOPMENT_SERVER = process.env.QUARRY_DEV_SERVER ?? 'http://127.0.0.1:8402';

/**
 * Packages of many small files that every start loads: as parts of the bundle they take a third of the time. The others
 * stay outside, where each is loaded when it is first used.
 */
const BUNDLED = ['@fastify/busboy', '@hono/node-server', 'hono', 'kysely', 'pino', 'undici', 'zod'];

const REFERENCE_PAGE = 'reference.html';

/** Scalar's browser build as an asset that the page of the reference loads before its own script. */
function scalar(): Plugin {
  const source = browserBuild();
  const fileName = `assets/scalar-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`;
  return {
    name: 'scalar',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: (_, { filename }) =>
      filename.endsWith(REFERENCE_PAGE)
        ? [{ tag: 'script', attrs: { src: `./${fileName}`, defer: true }, injectTo: 'head-prepend' }]
        : [],
  };
}

/** The drawing inside the `svg` element of an icon, which `src-renderer/components/icon.tsx` draws. */
const drawingOnly = {
  extension: 'js',
  compiler: (svg: string) => `export default ${JSON.stringify(svg.replace(/^<svg[^>]*>|<\/svg>$/g, ''))}`,
};

/**
 * Scalar's package for Fastify contains the browser build as one file and serves it from a route; its package
 * `api-reference` has the same file beside 200 MB of sources, icons and their packages.
 */
function browserBuild(): string {
  let sent: unknown;
  const reply = {
    header: () => reply,
    send: (content: unknown) => {
      sent = content;
    },
  };
  const fastify = {
    initialConfig: {},
    route: ({ url, handler }: { url: string; handler: (request: null, to: typeof reply) => void }) => {
      if (url.endsWith('.js')) handler(null, reply);
    },
  };
  scalarPlugin(fastify, { configuration: { url: '/openapi.json' } }, () => undefined);
  if (typeof sent !== 'string') throw new Error('@scalar/fastify-api-reference no longer serves its browser build.');
  return sent;
}

/**
 * The dashboard is served by the appliance itself, from one origin with the API. Under the development server the API's
 * paths are passed on, with the origin that the appliance expects: it refuses all others.
 */
export const rendererConfig = {
  root: 'src-renderer',
  resolve: { alias: { '~examples': join(import.meta.dirname, 'resources/examples') } },
  plugins: [
    react(),
    messagesPlugin(),
    scalar(),
    icons({ compiler: drawingOnly }),
    // Assets name each other by relative paths. The server puts those of a page below the path of its public address.
    { name: 'relative-assets', config: (_, { command }) => ({ base: command === 'serve' ? '/' : './' }) },
  ],
  server: {
    host: '127.0.0.1',
    proxy: {
      '^/(v1|staging|admin|health|ready|login|facilitator|inbox|openai|problems|reference|openapi\\.json)(/|$|\\?)': {
        target: DEVELOPMENT_SERVER,
        changeOrigin: true,
        headers: { origin: DEVELOPMENT_SERVER },
      },
    },
  },
  // Vite's defaults read environment files; the product takes its settings from the server alone.
  envDir: false,
  build: {
    outDir: 'out/renderer',
    minify: true,
    rolldownOptions: {
      input: {
        index: join(import.meta.dirname, 'src-renderer/index.html'),
        reference: join(import.meta.dirname, 'src-renderer', REFERENCE_PAGE),
      },
    },
  },
} satisfies UserConfig;

export default defineConfig({
  main: {
    plugins: [messagesPlugin()],
    build: {
      externalizeDeps: { exclude: BUNDLED },
      rolldownOptions: {
        input: {
          index: 'src-main/index.ts',
          'server-process': 'src-server/main.ts',
          cli: 'src-server/cli.ts',
          launch: 'src-main/launch.ts',
          'workers/entry': 'workers/entry.ts',
          'src-server/features/backup/backup-thread': 'src-server/features/backup/backup-thread.ts',
          'src-server/features/search/index-thread': 'src-server/features/search/index-thread.ts',
          'src-server/features/search/search-thread': 'src-server/features/search/search-thread.ts',
          'workers/text/embedding': 'workers/text/embedding.ts',
          'workers/text/text-model': 'workers/text/text-model.ts',
          'workers/pages/render-program': 'workers/pages/render-program.ts',
          'workers/media/media-program': 'workers/media/media-program.ts',
          'workers/media/speech-program': 'workers/media/speech-program.ts',
          'workers/audio/voice-program': 'workers/audio/voice-program.ts',
        },
        // `.mjs`, because the packaged copy lies in a folder without the package.json that says `"type": "module"`.
        output: { entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs' },
      },
    },
  },
  preload: {
    build: {
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'src-main/preload.ts' },
        // A sandboxed preload cannot be an ES module.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: rendererConfig,
});
