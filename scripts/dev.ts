/**
 * `npm run dev`: runs the product from its sources and reloads on changes. With a display, electron-vite runs the
 * desktop app; without one, the server restarts on changes, beside the dashboard's development server.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createServer } from 'vite';

const root = dirname(import.meta.dirname);
const flags = process.argv.slice(2);
const portAt = flags.indexOf('--port');
// The dashboard's development server forwards API requests to this server's address.
if (portAt !== -1) process.env.QUARRY_DEV_SERVER ??= `http://127.0.0.1:${flags[portAt + 1]}`;
const electronIsThere = existsSync(join(root, 'node_modules/electron/path.txt'));
const displayIsThere =
  process.platform !== 'linux' || Boolean(process.env.DISPLAY) || Boolean(process.env.WAYLAND_DISPLAY);

if (electronIsThere && displayIsThere) {
  follow([join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'dev', '--watch', '--', ...flags]);
} else {
  const reason = displayIsThere ? 'Electron is not here yet (`npm start` fetches it)' : 'there is no display';
  process.stderr.write(`Running without a window, because ${reason}.\n`);
  const { rendererConfig } = await import('../electron.vite.config.ts');
  const dashboard = await createServer({ ...rendererConfig, configFile: false, root: join(root, rendererConfig.root) });
  await dashboard.listen();
  process.stderr.write(`Dashboard with hot reload: ${dashboard.resolvedUrls?.local[0]}\n`);
  follow(['--watch', '--watch-preserve-output', join(root, 'src-server/cli.ts'), 'serve', ...flags]);
}

function follow(args: readonly string[]): void {
  const child = spawn(process.execPath, [...args], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.once('exit', (code) => process.exit(code ?? 1));
}
