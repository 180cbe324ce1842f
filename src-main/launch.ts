/**
 * `npm start`: builds changed files, then opens the desktop app. Without a display or Electron, it runs the server
 * alone and prints the reason on standard error. Standard output has only the line with the server's address. The
 * command `quarry` of the packed project runs this file as it was built.
 */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { messageOf, systemCodeOf } from '../src-server/platform/errors.ts';
import { SERVER_FLAGS } from './server-flags.ts';

/** Electron's archive is about 120 MB. */
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;

const LISTENING = /^Quarry is listening on /m;

const ROOT_USER = 0;

const PARENT_INTERVAL_MS = 500;

/** Signals forwarded to the child. SIGHUP comes from a closed terminal and would otherwise end only this process. */
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const HEADLESS_FLAG = '--headless';

/** Flags that print to the terminal and exit. */
const INFO_FLAGS = ['--help', '-h', '--version'];

const parent = process.ppid;

const isBuilt = !import.meta.url.endsWith('.ts');

const root = join(import.meta.dirname, isBuilt ? '../..' : '..');

const electronFolder = findElectron();

const flags = process.argv.slice(2).filter((argument) => argument !== HEADLESS_FLAG);

try {
  if (!isBuilt) {
    const { ensureBuilt } = await import('../scripts/build.ts');
    await ensureBuilt();
  }
  process.exitCode = await launchShell();
} catch (error) {
  writeToStandardError(messageOf(error));
  process.exitCode = 1;
}

async function launchShell(): Promise<number> {
  if (process.argv.includes(HEADLESS_FLAG) || flags.some((flag) => INFO_FLAGS.includes(flag))) return runHeadless();
  const obstacle = obstacleToWindow() ?? (await downloadElectron());
  if (obstacle === null) {
    const exitCode = await runDesktop();
    if (exitCode !== null) return exitCode;
  }
  writeToStandardError(
    `Running without a window, because ${obstacle ?? 'the desktop app exited before it was ready'}.`,
  );
  return runHeadless();
}

/** Why this machine cannot open a window; null if it can. */
function obstacleToWindow(): string | null {
  if (electronFolder === null) return 'Electron is not installed (npm install electron adds it)';
  if (process.platform !== 'linux') return null;
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'there is no display';
  // Chromium's sandbox does not work for root, and a window without the sandbox is unsafe.
  if (process.getuid?.() === ROOT_USER) return 'Quarry opens no window for root';
  return null;
}

/** Folder of the package, which has the program only after its download; null if the package is not installed. */
function findElectron(): string | null {
  try {
    return dirname(createRequire(join(root, 'package.json')).resolve('electron/package.json'));
  } catch (error) {
    if (systemCodeOf(error) !== 'MODULE_NOT_FOUND') throw error;
    return null;
  }
}

/** Downloads Electron if it is missing. Returns the reason on failure, else null. */
async function downloadElectron(): Promise<string | null> {
  if (electronFolder === null || electronFile() !== null) return null;
  writeToStandardError('Downloading Electron (about 120 MB, once).');
  // The installer prints only a stack trace. The reason below is useful to the user.
  const child = spawn(process.execPath, [join(electronFolder, 'install.js')], {
    stdio: 'ignore',
    // Pass the user's proxies and mirrors, but no server key.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('QUARRY_'))),
    timeout: DOWNLOAD_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  return electronFile() === null ? 'the download of Electron failed' : null;
}

/** Path of the Electron program; null if it is not installed. `path.txt` names the program of this platform. */
function electronFile(): string | null {
  if (electronFolder === null) return null;
  const pointer = join(electronFolder, 'path.txt');
  if (!existsSync(pointer)) return null;
  const program = join(electronFolder, 'dist', readFileSync(pointer, 'utf8'));
  return existsSync(program) ? program : null;
}

/**
 * Resolves to the app's exit code; null if it failed before the server listened, so that the caller falls back to
 * headless.
 */
async function runDesktop(): Promise<number | null> {
  const child = spawn(electronFile() ?? '', [root, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  let listened = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    listened ||= LISTENING.test(text);
    process.stdout.write(text);
  });
  const exitCode = await childExitCode(child);
  return exitCode === 0 || listened ? exitCode : null;
}

function runHeadless(): Promise<number> {
  const entry = join(root, 'out/main/cli.mjs');
  return childExitCode(spawn(process.execPath, [...SERVER_FLAGS, entry, 'serve', ...flags], { stdio: 'inherit' }));
}

/** Waits for the child and forwards signals. Resolves to its exit code, or 1 if a signal ended it. */
function childExitCode(child: ReturnType<typeof spawn>): Promise<number> {
  const forwardSignal = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forwardSignal);
  const watch = setInterval(() => {
    if (isAbandoned()) child.kill('SIGTERM');
  }, PARENT_INTERVAL_MS);
  return new Promise((resolve) => {
    const endLaunch = (exitCode: number): void => {
      for (const signal of FORWARDED_SIGNALS) process.off(signal, forwardSignal);
      clearInterval(watch);
      resolve(exitCode);
    };
    child.once('error', (error) => {
      writeToStandardError(error.message);
      endLaunch(1);
    });
    child.once('close', (code) => endLaunch(code ?? 1));
  });
}

/** npm ends on a signal with its shell and forwards nothing, so check whether the parent process is gone. */
function isAbandoned(): boolean {
  return process.env.npm_lifecycle_event !== undefined && process.ppid !== parent;
}

function writeToStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}
