/** A copy of the project as far as set-up knows it. Set-up reaches no host: a program of the test takes npm's place. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCRIPTS = ['setup.mjs', 'spare-files.mjs'];

/** Takes npm's place: notes its arguments and installs nothing. */
const NPM_DOUBLE = `
  const { appendFileSync, mkdirSync } = require('node:fs');
  appendFileSync('asked.txt', process.argv.slice(2).join(' ') + '\\n');
  if (process.env.NPM_FAILS) process.exit(7);
  mkdirSync('node_modules', { recursive: true });
`;

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

export class SetUpProject implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'quarry set-up '));
  /** Programs that are put here are on PATH. */
  readonly programs = join(this.folder, 'programs');

  constructor() {
    mkdirSync(join(this.folder, 'scripts'));
    mkdirSync(this.programs);
    for (const name of SCRIPTS) cpSync(join(ROOT, 'scripts', name), join(this.folder, 'scripts', name));
    writeFileSync(join(this.folder, 'package-lock.json'), '{}');
    writeFileSync(join(this.folder, 'npm.cjs'), NPM_DOUBLE);
  }

  /** The arguments that npm got, a run each. */
  asked(): string[] {
    const file = join(this.folder, 'asked.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  /** Runs a script of the project with nothing on PATH but `programs`. */
  run(script: string, flags: readonly string[] = [], variables: Record<string, string> = {}): Promise<Ran> {
    const child = spawn(process.execPath, [join('scripts', script), ...flags], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: this.programs,
        npm_node_execpath: process.execPath,
        npm_execpath: join(this.folder, 'npm.cjs'),
        ...variables,
      },
    });
    const ran: Ran = { status: null, stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        ran[name] += text;
      });
    }
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status) => resolve({ ...ran, status }));
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
