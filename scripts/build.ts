import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The inputs of the build. Test and bench files are excluded, so they never trigger one. */
const SOURCES = [
  'src-main/**/*.ts',
  'src-renderer/**/*',
  'src-server/**/*.ts',
  'workers/**/*.ts',
  'electron.vite.config.ts',
  'resources/languages/*.json',
  'scripts/messages.ts',
  'package-lock.json',
];
const BUILD_TIMEOUT_MS = 5 * 60_000;
const LOCK_WAIT_MS = BUILD_TIMEOUT_MS + 30_000;
const LOCK_POLL_MS = 100;

const root = dirname(import.meta.dirname);
const folder = join(root, 'out');
const stampFile = join(folder, '.build-stamp');
const lockFile = join(folder, '.build-lock');

/**
 * Rebuilds `out/` if the sources have changed. Concurrent callers share one build; the others wait for it. Rejects with
 * the output of a failed build.
 */
export async function ensureBuilt(): Promise<void> {
  if (isFresh()) return;
  const release = await takeLock();
  try {
    const wanted = fingerprint();
    if (isFresh(wanted)) return;
    rmSync(stampFile, { force: true });
    await build();
    writeFileSync(stampFile, wanted);
  } finally {
    release();
  }
}

function isFresh(wanted = fingerprint()): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted;
}

function fingerprint(): string {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function build(): Promise<void> {
  const tool = join(root, 'node_modules/electron-vite/bin/electron-vite.js');
  const child = spawn(process.execPath, [tool, 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: BUILD_TIMEOUT_MS,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`The build failed.\n${said.trim()}`))));
  });
}

/** Acquires the build lock. The lock of a dead process is ignored. */
async function takeLock(): Promise<() => void> {
  mkdirSync(folder, { recursive: true });
  for (let waitedMs = 0; waitedMs < LOCK_WAIT_MS; waitedMs += LOCK_POLL_MS) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return () => rmSync(lockFile, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (!isHeld()) rmSync(lockFile, { force: true });
    else await sleep(LOCK_POLL_MS);
  }
  throw new Error('Another build has been running for too long. End it and try again.');
}

function isHeld(): boolean {
  try {
    const holder = Number(readFileSync(lockFile, 'utf8'));
    // Between the creation of the file and the write, the process id is missing.
    if (holder === 0) return true;
    process.kill(holder, 0);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.main) await ensureBuilt();
