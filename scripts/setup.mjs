/**
 * Makes a fresh copy of the project ready to run: the packages of the lockfile, and Node 24 if the installed Node is
 * older. Runs before every command, so it is fast if there is nothing to do, and plain JavaScript, because the Node that
 * runs it may be as old as 18. All its output goes to standard error: standard output belongs to the product.
 *
 * Commands that run the product get the packages that it runs with, without spare files. Commands that test, check or
 * package it pass `--development` and get all packages. Once all are there, they stay, also after `npm ci`.
 *
 * Install scripts stay off: better-sqlite3 and node-av contain their binaries. Their scripts would only start a compiler
 * and fetch a program that is not used.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { hasGpu, PACKAGES_WITH_DOWNLOADS, removeSpareFiles } from './spare-files.mjs';

const OLDEST_NODE_TO_SET_UP = 18;
const NODE_TO_RUN = 24;
const INSTALL_TIMEOUT_MS = 15 * 60_000;
/** Its presence shows that development packages are installed. */
const DEVELOPMENT_PACKAGE = 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.setup-stamp');
const ownNode = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

setUp();

function setUp() {
  const major = majorVersion(process.versions.node);
  if (major < OLDEST_NODE_TO_SET_UP) {
    fail(
      `Quarry needs Node ${OLDEST_NODE_TO_SET_UP} or newer to set itself up; this is Node ${process.versions.node}.`,
    );
  }
  const forDevelopment = process.argv.includes('--development') || existsSync(join(modules, DEVELOPMENT_PACKAGE));
  const wanted = `${forDevelopment ? 'development' : 'running'} ${fingerprint()}`;
  const needsOwnNode = major < NODE_TO_RUN || runsFromModules();
  const before = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  const installed = before === wanted;
  if (installed && (!needsOwnNode || existsSync(ownNode))) return;

  if (!installed) {
    say('Installing packages; the first time this takes a minute or two.');
    // npm does not restore spare files in packages that it finds installed.
    if (forDevelopment && before.startsWith('running')) removePackages();
    // `install --no-save` follows the lockfile like `ci`, but keeps installed packages, including the running Node.
    npm('install', '--no-save', '--ignore-scripts', ...(forDevelopment ? [] : ['--omit=dev']));
  }
  if (needsOwnNode && !existsSync(ownNode)) {
    say(`Fetching Node ${NODE_TO_RUN}${major < NODE_TO_RUN ? `, because this one is ${process.versions.node}` : ''}.`);
    npm('rebuild', 'node');
    if (!existsSync(ownNode)) {
      fail(`Node ${NODE_TO_RUN} could not be fetched. Install Node ${NODE_TO_RUN} from your system and try again.`);
    }
  }
  if (!forDevelopment) {
    // Written first: after an interruption it shows that files may be missing.
    writeFileSync(stamp, 'running, incomplete');
    removeSpareFiles(modules);
  }
  writeFileSync(stamp, wanted);
}

/** The inputs of an install: the lockfile, the platform of its optional packages, and its options. */
function fingerprint() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform} ${process.arch} ${hasGpu()} install --ignore-scripts`)
    .digest('hex');
}

/** Keeps the stamp, so that an interrupted installation of all packages starts here again. */
function removePackages() {
  for (const name of readdirSync(modules)) {
    if (![...PACKAGES_WITH_DOWNLOADS, basename(stamp)].includes(name)) rmSync(join(modules, name), { recursive: true });
  }
}

/** npm puts node_modules/.bin first in the path, so the fetched Node executes later runs of this file. */
function runsFromModules() {
  return existsSync(modules) && realpathSync(process.execPath).startsWith(realpathSync(modules) + sep);
}

function npm(...args) {
  const all = [...args, '--loglevel=error', '--no-audit', '--no-fund'];
  const { npm_node_execpath: node, npm_execpath: cli } = process.env;
  const options = { cwd: root, stdio: ['ignore', 2, 2], timeout: INSTALL_TIMEOUT_MS };
  const { status, error } =
    node && cli
      ? spawnSync(node, [cli, ...all], options)
      : spawnSync('npm', all, { ...options, shell: process.platform === 'win32' });
  if (status === 0) return;
  const reason = error?.code === 'ETIMEDOUT' ? 'it took too long' : (error?.message ?? `npm ended with ${status}`);
  fail(
    `Setting up failed in \`npm ${args.join(' ')}\`: ${reason}. Check the connection to the registry and try again.`,
  );
}

function majorVersion(version) {
  return Number(version.split('.')[0]);
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}
