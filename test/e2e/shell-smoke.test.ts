import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { _electron } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.ts';
import { ShellFolder } from '../electron/drive-shell.ts';

const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
const pointer = join(folder, 'path.txt');
const program = existsSync(pointer) ? join(folder, 'dist', readFileSync(pointer, 'utf8')) : null;
const displayIsThere = process.platform !== 'linux' || Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
const root = dirname(dirname(import.meta.dirname));

beforeAll(ensureBuilt);

test.skipIf(program === null || !displayIsThere)(
  'the real Electron opens the dashboard of its own server (needs Electron and a display)',
  async () => {
    using data = new ShellFolder();
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    // After the app's folder, as a person would write it: what stands before it is Electron's own.
    const args = [root, ...sandbox, '--port', '0', '--data-dir', data.path];
    const app = await _electron.launch({ executablePath: program ?? '', args });
    try {
      const window = await app.firstWindow();
      await window.getByRole('heading', { level: 1 }).first().waitFor();
      const asked = 'fetch("/health").then((answer) => answer.json()).then(({ status }) => status)';
      expect(await window.evaluate(asked)).toBe('ok');
    } finally {
      await app.close();
    }
  },
);
