import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.ts';
import { ShellFolder } from '../electron/drive-shell.ts';
import { until } from '../harness/until.ts';

const LAUNCH = join(dirname(dirname(import.meta.dirname)), 'src-main/launch.ts');

/** `npm start` on a machine without a display. */
class Launch {
  stdout = '';
  stderr = '';
  exitCode: number | null = null;
  readonly child: ChildProcess;

  constructor(folder: ShellFolder, ...flags: string[]) {
    const { DISPLAY: _x, WAYLAND_DISPLAY: _wayland, ...env } = process.env;
    const all = [LAUNCH, '--data-dir', folder.path, '--log-level', 'fatal', ...flags];
    this.child = spawn(process.execPath, all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    this.child.once('close', (code) => {
      this.exitCode = code ?? 1;
    });
  }

  async ended(): Promise<number> {
    await until(() => this.exitCode !== null);
    return this.exitCode ?? 1;
  }
}

beforeAll(ensureBuilt);

test.skipIf(process.platform !== 'linux')(
  'without a display the server runs alone, says why in one line, and ends in order on a signal (needs Linux)',
  async () => {
    using folder = new ShellFolder();
    const launch = new Launch(folder, '--port', '0');
    await until(() => launch.stdout.includes('\n') || launch.exitCode !== null);
    const [, url] = /^Quarry is listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(launch.stdout) ?? [];
    expect(url, launch.stderr).toBeDefined();
    expect(launch.stderr).toContain('Running without a window, because there is no display.\n');
    expect((await fetch(`${url}/`)).headers.get('content-type')).toContain('text/html');
    launch.child.kill('SIGTERM');
    expect(await launch.ended()).toBe(0);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  },
);

test('a question about the program is answered, with no word on windows', async () => {
  using folder = new ShellFolder();
  const launch = new Launch(folder, '--help');
  expect(await launch.ended()).toBe(0);
  expect(launch.stdout).toContain('--data-dir');
  expect(launch.stderr).toBe('');
});

test('a flag that makes no sense is answered with its sentence and an error, not with a stack', async () => {
  using folder = new ShellFolder();
  const launch = new Launch(folder, '--headless', '--port', 'eighty');
  expect(await launch.ended()).not.toBe(0);
  expect(launch.stdout).toBe('');
  expect(launch.stderr).toContain('port');
  expect(launch.stderr).not.toMatch(/\n\s+at /);
});

test.skipIf(process.platform === 'win32')(
  'a server does not outlive the npm that started it, though npm passes no signal on (needs a POSIX shell)',
  async () => {
    using folder = new ShellFolder();
    const command = `"${process.execPath}" "${LAUNCH}" --headless --port 0 --log-level fatal --data-dir "${folder.path}"`;
    // The second command keeps the shell from becoming the launcher itself, as it does not under npm either.
    const shell = spawn('sh', ['-c', `${command}; true`], {
      env: { ...process.env, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let stdout = '';
    shell.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    await until(() => stdout.includes('\n'));
    const [url = ''] = /http:\S+/.exec(stdout) ?? [];
    expect((await fetch(`${url}/health`)).ok).toBe(true);
    shell.kill('SIGKILL');
    await until(async () => (await fetch(`${url}/health`).catch(() => null)) === null);
  },
);
