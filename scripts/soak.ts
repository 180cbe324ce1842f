/** `npm run soak`: the kill test with 100 kills and 400 jobs, more than `npm test` has time for. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const args = ['run', '--config', 'test/vitest.config.ts', '--root', '.', 'test/survival/kill.test.ts'];
const env = { QUARRY_KILLS: '100', QUARRY_JOBS: '400', ...process.env };
const { status } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit', env });
process.exitCode = status ?? 1;
