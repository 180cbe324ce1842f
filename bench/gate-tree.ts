/** The trees that the gate compares, each built by its own scripts. Linux only. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const here = join(import.meta.dirname, '..');
/** Of another commit; under `out`, on the disk of the packages, so that these can be linked. */
const WORKTREE = join(here, 'out/gate');

export interface Tree extends Disposable {
  name: string;
  /** The built command line. */
  entry: string;
}

export function openThisTree(): Tree {
  return openFolder(here, 'this tree');
}

/** Opens a commit in a worktree, which goes with the tree; a folder is used as it is, packages included. */
export function openTree(commitOrFolder: string): Tree {
  const folder = resolve(commitOrFolder);
  if (existsSync(folder) && statSync(folder).isDirectory())
    return openFolder(folder, git(folder, 'rev-parse', '--short', 'HEAD'));
  const commit = git(here, 'rev-parse', '--verify', '--short', `${commitOrFolder}^{commit}`);
  // One may be left from a run that was killed.
  removeWorktree();
  mkdirSync(join(here, 'out'), { recursive: true });
  git(here, 'worktree', 'add', '--detach', WORKTREE, commit);
  try {
    installPackages();
    return { ...openFolder(WORKTREE, commit), [Symbol.dispose]: removeWorktree };
  } catch (error) {
    removeWorktree();
    throw error;
  }
}

function openFolder(root: string, name: string): Tree {
  process.stdout.write(`Building ${name}.\n`);
  const script = `await (await import(${JSON.stringify(pathToFileURL(join(root, 'scripts/build.ts')))})).ensureBuilt()`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, stdio: 'inherit' });
  return { name, entry: join(root, 'out/main/cli.mjs'), [Symbol.dispose]: () => {} };
}

/** Those of this tree where the lockfiles agree, else those of the commit's lockfile. */
function installPackages(): void {
  const lockOf = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lockOf(here) === lockOf(WORKTREE)) {
    execFileSync('cp', ['-al', join(here, 'node_modules'), join(WORKTREE, 'node_modules')]);
    return;
  }
  const { npm_node_execpath: node, npm_execpath: cli } = process.env;
  const [program, ...args] = node && cli ? [node, cli] : ['npm'];
  execFileSync(program, [...args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: WORKTREE,
    stdio: ['ignore', 2, 2],
  });
}

function removeWorktree(): void {
  rmSync(WORKTREE, { recursive: true, force: true });
  git(here, 'worktree', 'prune');
}

function git(root: string, ...args: string[]): string {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
}
