import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { messagesPlugin } from '../scripts/messages.ts';
import DearestFirst from './dearest-first.ts';
import { LONG_TAG } from './reporter.ts';

/**
 * Tests start many servers as processes, and threads in their own: what V8 compiles for one of them serves all others.
 * Node checks each piece against its source. A variable that is set already is kept.
 */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/quarry/compiled');

/**
 * A test that waits longer than this waits for something that will not come. These bounds only end what would hang, so
 * they leave room for a machine that is several times slower or busy: speech, OCR and voices run at low priority, and
 * get a tenth of a busy machine. No guarantee rests on them.
 */
const TEST_TIMEOUT_MS = 900_000;
/** Whole appliances are started in hooks, several files at once, and some wait for a build from nothing. */
const HOOK_TIMEOUT_MS = 900_000;
/** Less than a test may take, so that what did not come is named. */
const POLL_TIMEOUT_MS = 180_000;
/** More than the machine of CI has cores: files wait for clocks, sockets and child processes half of their time. */
const MAX_WORKERS = 4;

/**
 * This file has a process of its own: it clears PATH, and a process looks for system programs once. All other files
 * share processes, so that each loads the product once; test/harness/shared-process.ts checks that they leave nothing behind.
 */
const APART = ['test/media/speech/first-transcript.long.test.ts'];

/**
 * `npm test` has minutes. Files with this ending try an engine with many formats, or a guarantee at length, and run
 * with `npm run test:all`.
 */
const LONG = 'test/**/*.long.test.ts';

export default defineConfig({
  plugins: [messagesPlugin()],
  // The package gives the path of a program, which is not installed here.
  resolve: {
    alias: [{ find: /^electron$/, replacement: join(import.meta.dirname, 'electron/recording-electron.ts') }],
  },
  test: {
    projects: [
      { extends: true, test: { name: 'apart', include: APART, isolate: true } },
      {
        extends: true,
        test: { name: 'long', include: [LONG], exclude: [...APART, '**/node_modules/**'], isolate: false },
      },
      {
        extends: true,
        test: { name: 'short', include: ['test/**/*.test.ts'], exclude: [LONG, '**/node_modules/**'], isolate: false },
      },
    ],
    tags: [
      {
        name: LONG_TAG,
        description: 'More kinds, ways and formats of what the file tries once without it; for `npm run test:all`.',
      },
    ],
    pool: 'forks',
    maxWorkers: MAX_WORKERS,
    sequence: { sequencer: DearestFirst },
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: HOOK_TIMEOUT_MS,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    setupFiles: ['test/harness/property-seed.ts', 'test/harness/shared-process.ts'],
    reporters: [process.stdout.isTTY ? 'default' : 'minimal', './test/reporter.ts'],
    // The caller's environment must not change what the product under test does.
    env: { NODE_ENV: 'test', NO_COLOR: '1' },
  },
});
