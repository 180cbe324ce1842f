/**
 * `npm start`: builds what has changed, then opens the desktop app, or runs the server alone where there is no display
 * or no Electron to be had. Which of the two and why is one line on standard error. Standard output is left to the one
 * line that says where the server listens.
 */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureBuilt } from '../scripts/build.ts';
import { SERVER_FLAGS } from './server-flags.ts';

/** Electron's archive has some 120 MB; a connection that has not brought it by then will not be waited for. */
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;

const LISTENING = /^Quarry is listening on /m;

const ROOT_USER = 0;

const PARENT_INTERVAL_MS = 500;

/** What asks for an end: of SIGHUP, which a closed terminal sends, this process would die and leave the other alone. */
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const HEADLESS_FLAG = '--headless';

/** What is answered on the terminal, whether there is a display or not. */
const QUESTIONS = ['--help', '-h', '--version'];

const parent = process.ppid;

const root = dirname(import.meta.dirname);

const electronFolder = join(root, 'node_modules/electron');

const flags = process.argv.slice(2).filter((argument) => argument !== HEADLESS_FLAG);

try {
  await ensureBuilt();
  process.exitCode = await launch();
} catch (error) {
  say((error as Error).message);
  process.exitCode = 1;
}

async function launch(): Promise<number> {
  if (process.argv.includes(HEADLESS_FLAG) || flags.some((flag) => QUESTIONS.includes(flag))) return runHeadless();
  const obstacle = obstacleToWindow() ?? (await fetchElectron());
  if (obstacle === null) {
    const exitCode = await runDesktop();
    if (exitCode !== null) return exitCode;
  }
  say(`Running without a window, because ${obstacle ?? 'the desktop app ended before it was ready'}.`);
  return runHeadless();
}

/** Why no window can be opened on this machine; null when one can. */
function obstacleToWindow(): string | null {
  if (process.platform !== 'linux') return null;
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'there is no display';
  // Chromium's sandbox does not work for root, and a window without the sandbox is not worth having.
  if (process.getuid?.() === ROOT_USER) return 'a window is not opened for root';
  return null;
}

/** Fetches Electron when it is not there. Returns why that was not possible; null when it is there. */
async function fetchElectron(): Promise<string | null> {
  if (electronFile() !== null) return null;
  say('Fetching Electron, about 120 MB; this happens once.');
  // What the installer says when it fails is a stack of its own; the reason given below is what the user can use.
  const child = spawn(process.execPath, [join(electronFolder, 'install.js')], {
    stdio: 'ignore',
    // It needs the proxies and mirrors of the user, and no key of the server.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('QUARRY_'))),
    timeout: DOWNLOAD_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  return electronFile() === null ? 'Electron could not be fetched' : null;
}

/** Electron's program; null when it is not installed. Its folder names the program that belongs to this platform. */
function electronFile(): string | null {
  const pointer = join(electronFolder, 'path.txt');
  if (!existsSync(pointer)) return null;
  const program = join(electronFolder, 'dist', readFileSync(pointer, 'utf8'));
  return existsSync(program) ? program : null;
}

/** Resolves to the app's exit code; null when it failed before its server listened, so that headless is worth a try. */
async function runDesktop(): Promise<number | null> {
  const child = spawn(electronFile() ?? '', [root, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  let listened = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    listened ||= LISTENING.test(text);
    process.stdout.write(text);
  });
  const exitCode = await outcome(child);
  return exitCode === 0 || listened ? exitCode : null;
}

function runHeadless(): Promise<number> {
  const entry = join(root, 'out/main/cli.mjs');
  return outcome(spawn(process.execPath, [...SERVER_FLAGS, entry, 'serve', ...flags], { stdio: 'inherit' }));
}

/** Waits for a child's end and passes on the signals meant for it. Its exit code, or 1 when a signal ended it. */
function outcome(child: ReturnType<typeof spawn>): Promise<number> {
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of PASSED_ON) process.on(signal, forward);
  const watch = setInterval(() => {
    if (isAbandoned()) child.kill('SIGTERM');
  }, PARENT_INTERVAL_MS);
  return new Promise((resolve) => {
    const end = (exitCode: number): void => {
      for (const signal of PASSED_ON) process.off(signal, forward);
      clearInterval(watch);
      resolve(exitCode);
    };
    child.once('error', (error) => {
      say(error.message);
      end(1);
    });
    child.once('close', (code) => end(code ?? 1));
  });
}

/** npm ends with a signal and takes only the shell between it and this process along: no signal ever comes here. */
function isAbandoned(): boolean {
  return process.env.npm_lifecycle_event !== undefined && process.ppid !== parent;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
