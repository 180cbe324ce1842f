/**
 * Fetches ffmpeg by running the install script of the package ffmpeg-static. Set-up keeps all install scripts off; this
 * one runs on purpose, because the package comes without its binary. FFMPEG_BINARIES_URL names a mirror of the binaries.
 *
 * The script runs within a time limit and writes to a folder of its own. Only a program that answers `-version` is moved
 * into place: a truncated download leaves a file that the script itself would accept. A failure is recorded for this
 * version of the package, so that the next start does not wait for it again; `npm run ffmpeg` tries again.
 *
 * Plain JavaScript, because the Node that runs it may be as old as 18.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const DEFAULT_LIMIT_SECONDS = 300;
const PROBE_TIMEOUT_MS = 20_000;
/** The oldest version that the server accepts (src-server/features/media/ffmpeg.ts). */
const OLDEST = [4, 3];
const TERMINAL_INTERVAL_MS = 500;
const LOG_INTERVAL_MS = 15_000;
const BYTES_PER_MB = 1_000_000;
const SAID_CHARS = 20_000;
const FOLDER_PREFIX = '.fetching-';
const ADVICE = "Install ffmpeg with your system's package manager, or try again with: npm run ffmpeg";

const here = fileURLToPath(import.meta.url);
const failureNote = join(dirname(dirname(here)), 'node_modules', '.ffmpeg-not-fetched');
const requireHere = createRequire(import.meta.url);

/**
 * Puts the binary where the package expects it. Returns whether ffmpeg is available afterwards; prints a failure on
 * standard error. `always` fetches it even if PATH has one, or after an earlier failure.
 */
export async function fetchFfmpeg({ always }) {
  const found = locatePackage();
  if (found === null) {
    if (always) say(`ffmpeg-static has no ffmpeg for this platform. ${ADVICE.split(',')[0]}.`);
    return false;
  }
  const { target, script, version } = found;
  if (existsSync(target)) return true;
  if (!always && (Boolean(process.env.QUARRY_FFMPEG) || isUsable('ffmpeg'))) return true;
  if (!always && existsSync(failureNote) && readFileSync(failureNote, 'utf8') === version) return false;
  const reason = await install(script, target).catch((error) => error.message);
  if (reason === null) {
    rmSync(failureNote, { force: true });
    say('ffmpeg is installed.');
    return true;
  }
  writeFileSync(failureNote, version);
  say(`ffmpeg could not be fetched (${reason}), so audio and video cannot be transcribed. ${ADVICE}`);
  return false;
}

/** Null if the package is not installed (it is optional) or has no binary for this platform. */
function locatePackage() {
  try {
    const target = requireHere('ffmpeg-static');
    const { version } = requireHere('ffmpeg-static/package.json');
    return target === null ? null : { target, version, script: requireHere.resolve('ffmpeg-static/install.js') };
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** Returns the reason of a failure in a few words, or null. */
async function install(script, target) {
  const limitMs = 1000 * (Number(process.env.QUARRY_FFMPEG_FETCH_SECONDS) || DEFAULT_LIMIT_SECONDS);
  removeLeftovers(dirname(target), limitMs);
  const folder = mkdtempSync(join(dirname(target), FOLDER_PREFIX));
  const part = join(folder, basename(target));
  try {
    const reason = await runScript(script, { part, folder, limitMs });
    if (!isUsable(part)) return reason ?? 'what arrived is not a working ffmpeg';
    for (const ending of ['.LICENSE', '.README', '']) {
      if (existsSync(part + ending)) renameSync(part + ending, target + ending);
    }
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Folders of killed attempts. None is in use for longer than the time limit. */
function removeLeftovers(parent, limitMs) {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    const folder = join(parent, name);
    if (Date.now() - statSync(folder).mtimeMs > limitMs) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Resolves with the reason of a failure, or with null on exit code 0, which does not prove that the download is
 * complete.
 */
function runScript(script, { part, folder, limitMs }) {
  // The script's cache goes with the folder: a cached bad response must not serve the next attempt.
  const places = { HOME: folder, XDG_CACHE_HOME: folder, LOCALAPPDATA: folder, FFMPEG_BIN: part };
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('QUARRY_'));
  const child = spawn(process.execPath, [script], {
    env: { ...Object.fromEntries(own), ...places },
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(0, SAID_CHARS);
  });
  const stopShowing = showProgress(part);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, limitMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (isLate) resolve(`it took more than ${limitMs / 1000} seconds`);
      else resolve(code === 0 ? null : reasonIn(said));
    });
  }).finally(() => {
    clearTimeout(limit);
    stopShowing();
  });
}

/** Progress: one growing line on a terminal, periodic lines elsewhere. */
function showProgress(part) {
  const isTerminal = process.stderr.isTTY === true;
  say('Fetching ffmpeg, which reads audio and video.');
  const show = () => {
    const megabytes = existsSync(part) ? Math.round(statSync(part).size / BYTES_PER_MB) : 0;
    process.stderr.write(`${isTerminal ? '\r' : ''}Fetching ffmpeg: ${megabytes} MB${isTerminal ? '' : '\n'}`);
  };
  const timer = setInterval(show, isTerminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    if (isTerminal) process.stderr.write('\r\u001B[K');
  };
}

/** The script prints its error as an object with a stack and the status of the response. */
function reasonIn(said) {
  const status = /statusCode: ([45]\d\d)/.exec(said)?.[1];
  if (status !== undefined) return `the server answered ${status}`;
  const message = /^(?:\w*Error: )(.+?)\.?$/m.exec(said)?.[1] ?? 'its script failed';
  return `the transfer failed: ${message}`;
}

/** Builds from git have no version number; they are newer than the oldest accepted release. */
function isUsable(path) {
  const { stdout } = spawnSync(path, ['-hide_banner', '-version'], { encoding: 'utf8', timeout: PROBE_TIMEOUT_MS });
  const version = /^ffmpeg version (\S+)/.exec(stdout ?? '')?.[1];
  if (version === undefined) return false;
  const [, major, minor] = (/^n?(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  return major === undefined || major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

if (realpathSync(process.argv[1]) === here) {
  const isThere = await fetchFfmpeg({ always: true });
  if (!isThere && !process.argv.includes('--optional')) process.exitCode = 1;
}
