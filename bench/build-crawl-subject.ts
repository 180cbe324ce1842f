import { join } from 'node:path';
import { build } from 'vite';
import { ensureBuilt } from '../scripts/build.ts';

const root = join(import.meta.dirname, '..');

/**
 * Builds what is measured as the product is built, since that is what people run: from source, Node would strip the
 * types of every file in every thread. Gives the path of the built crawl-subject.ts; the workers are the product's own.
 */
export async function buildCrawlSubject(): Promise<string> {
  await ensureBuilt();
  const outDir = join(root, 'out/bench');
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: join(import.meta.dirname, 'crawl-subject.ts'),
      target: 'node24',
      outDir,
      emptyOutDir: true,
      rolldownOptions: { output: { entryFileNames: '[name].mjs' } },
    },
  });
  return join(outDir, 'crawl-subject.mjs');
}
