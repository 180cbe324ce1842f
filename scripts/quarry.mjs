#!/usr/bin/env node
/**
 * The command `quarry` of the packed project: `quarry [flags]` opens the app, or runs the server without a window where
 * there is no display or no Electron; `quarry serve`, `token`, `doctor`, `mcp` and `work` are the commands of the server.
 * Plain JavaScript, because the Node that runs it may be as old as 18; npm then fetches Node 24 into its cache.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const NODE_TO_RUN = 24;
const FETCH_TIMEOUT_MS = 10 * 60_000;
const PARENT_INTERVAL_MS = 500;
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const given = process.argv.slice(2);
const isCommand = given.length > 0 && !given[0].startsWith('-');
const program = new URL(`../out/main/${isCommand ? 'cli' : 'launch'}.mjs`, import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= NODE_TO_RUN) await import(program.href);
else runWith(fetchNode());

/** Path of a newer Node in the cache of npm. */
function fetchNode() {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stderr.write(`Running with Node ${NODE_TO_RUN} from npm, because this one is ${process.versions.node}.\n`);
  const args = ['exec', '--yes', `--package=node@${devDependencies.node}`, '--', 'node', '-p', 'process.execPath'];
  const { npm_node_execpath: node, npm_execpath: npm } = process.env;
  const options = { stdio: ['ignore', 'pipe', 'inherit'], timeout: FETCH_TIMEOUT_MS, encoding: 'utf8' };
  const { stdout } =
    node && npm?.endsWith('npm-cli.js')
      ? spawnSync(node, [npm, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  const path = stdout?.trim().split('\n').at(-1);
  if (path) return path;
  process.stderr.write(`Node ${NODE_TO_RUN} could not be fetched. Install it from your system and try again.\n`);
  process.exit(1);
}

function runWith(node) {
  const child = spawn(node, [fileURLToPath(program), ...given], { stdio: 'inherit' });
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
  // npm ends on a signal with its shell and forwards nothing, so check whether the parent process is gone.
  const parent = process.ppid;
  const watch = () => process.ppid === parent || child.kill('SIGTERM');
  setInterval(watch, PARENT_INTERVAL_MS).unref();
  child.once('exit', (code) => process.exit(code ?? 1));
}
