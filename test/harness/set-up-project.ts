/**
 * A copy of the project as far as set-up knows it, and a loopback mirror of ffmpeg-static's binaries. Set-up reaches no
 * other host: a program of the test takes npm's place, and FFMPEG_BINARIES_URL names the mirror.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCRIPTS = ['setup.mjs', 'fetch-ffmpeg.mjs', 'spare-files.mjs'];
/** What the install script of ffmpeg-static loads; each finds its own packages beside its true place. */
const SCRIPT_PACKAGES = ['@derhuerst/http-basic', 'env-paths', 'https-proxy-agent', 'progress'];

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
  /** Where ffmpeg-static expects its binary. */
  readonly ffmpeg = join(this.folder, 'node_modules/ffmpeg-static/ffmpeg');
  /** Programs that are put here are on PATH. */
  readonly programs = join(this.folder, 'programs');

  constructor() {
    mkdirSync(join(this.folder, 'scripts'));
    mkdirSync(this.programs);
    for (const name of SCRIPTS) cpSync(join(ROOT, 'scripts', name), join(this.folder, 'scripts', name));
    writeFileSync(join(this.folder, 'package-lock.json'), '{}');
    writeFileSync(join(this.folder, 'npm.cjs'), NPM_DOUBLE);
  }

  /** With the package ffmpeg-static, as npm leaves it there: without a binary. */
  static withFfmpegPackage(): SetUpProject {
    const project = new SetUpProject();
    const modules = join(project.folder, 'node_modules');
    cpSync(join(ROOT, 'node_modules/ffmpeg-static'), join(modules, 'ffmpeg-static'), {
      recursive: true,
      filter: (path) => !/ffmpeg-static[\\/]ffmpeg/.test(path),
    });
    for (const name of SCRIPT_PACKAGES) {
      if (existsSync(join(modules, 'ffmpeg-static/node_modules', name))) continue;
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    }
    return project;
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

/** How the mirror answers a request for the binary. */
export type BinaryAnswer = (response: ServerResponse, gzipped: Buffer) => void;

export interface BinaryMirror extends AsyncDisposable {
  /** For FFMPEG_BINARIES_URL. */
  url: string;
  /** Paths of the requests for a binary. */
  requests: string[];
  answer: BinaryAnswer;
}

export const whole: BinaryAnswer = (response, gzipped) => void response.writeHead(200, lengthOf(gzipped)).end(gzipped);

export function lengthOf(body: Buffer): Record<string, number> {
  return { 'content-length': body.length };
}

export async function startBinaryMirror(program: Buffer): Promise<BinaryMirror> {
  const gzipped = gzipSync(program);
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (!path.endsWith('.gz')) return void response.writeHead(200, { 'content-type': 'text/plain' }).end('GPL-3.0\n');
    mirror.requests.push(path);
    mirror.answer(response, gzipped);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const mirror: BinaryMirror = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    answer: whole,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return mirror;
}
