import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../harness/until.ts';
import type { Reply, Report } from './channel.ts';

const MAIN = fileURLToPath(new URL('../../out/main/index.mjs', import.meta.url));
const HEADLESS = fileURLToPath(new URL('../../out/main/cli.mjs', import.meta.url));
const REGISTER = new URL('./register.ts', import.meta.url).href;

/** A data folder that is gone with the test; its name has a space in it, as people's folders do. */
export class ShellFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'quarry shell '));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The built desktop shell, run for real against the stand-in `electron`. */
export class DrivenShell implements AsyncDisposable {
  readonly reports: Report[] = [];
  stdout = '';
  stderr = '';
  exitCode: number | null = null;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  constructor(
    folder: ShellFolder,
    flags: readonly string[] = ['--port', '0'],
    environment: Record<string, string> = {},
  ) {
    this.#child = fork(MAIN, ['--data-dir', folder.path, '--log-level', 'fatal', ...flags], {
      execArgv: ['--import', REGISTER],
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    this.#child.on('message', (message: Report | Reply) => this.#hear(message));
    this.#child.once('close', (code) => {
      this.exitCode = code ?? 1;
      // What it was doing when it ended is answered by nobody any more.
      for (const { reject } of this.#waiting.values()) reject(new Error(`The shell ended. It said:\n${this.stderr}`));
    });
  }

  #hear(message: Report | Reply): void {
    if ('event' in message) {
      this.reports.push(message);
      return;
    }
    const { id, result, error } = message;
    if (error === undefined) this.#waiting.get(id)?.resolve(result);
    else this.#waiting.get(id)?.reject(new Error(error));
    this.#waiting.delete(id);
  }

  all(event: string): unknown[] {
    return this.reports.filter((report) => report.event === event).map(({ detail }) => detail);
  }

  /** Waits until the shell has done something `count` times, and gives back what it said the last of them. */
  async saw<Detail>(event: string, count = 1): Promise<Detail> {
    await until(() => this.all(event).length >= count || this.exitCode !== null);
    const detail = this.all(event)[count - 1];
    if (detail === undefined) throw new Error(`The shell ended without ${event}. It said:\n${this.stderr}`);
    return detail as Detail;
  }

  /** Does something in the shell as the user, the system or its page would. Rejects when the shell ends meanwhile. */
  async tell<Result>(command: string, ...args: unknown[]): Promise<Result> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#child.send({ id, command, args }, (error) => {
      if (error !== null) answer.reject(error);
    });
    return (await answer.promise) as Result;
  }

  /** Runs an expression in the page, in which `fetch` asks as the page itself does: with the session's secret. */
  asOwner<Result>(script: string): Promise<Result> {
    return this.tell<Result>(
      'run-in-page',
      `((fetch) => ${script})((path, init = {}) => fetch(path, {
        ...init,
        headers: { ...init.headers, 'x-quarry-session': localStorage.getItem('quarry-session') ?? '' },
      }))`,
    );
  }

  /** The address of the page that was loaded last, when the page is there. */
  async page(count = 1): Promise<URL> {
    return new URL(await this.saw<string>('loaded', count));
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async ended(): Promise<number> {
    await until(() => this.exitCode !== null);
    return this.exitCode ?? 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.exitCode === null) this.signal('SIGTERM');
    await this.ended();
  }
}

/** Waits until the page has opened a session with the shell's code: then its own requests are the owner's. */
export async function signedIn(shell: DrivenShell): Promise<void> {
  const script = 'fetch("/admin/overview").then((answer) => answer.status)';
  await until(async () => {
    const status = await shell.asOwner<number>(script).catch((error: unknown) => {
      // Of a page that another one takes the place of meanwhile no answer comes.
      if (shell.exitCode !== null) throw error;
      return null;
    });
    return status === 200;
  });
}

/** The built headless server on the same data folder, as `npm run serve` starts it. */
export class HeadlessServer implements AsyncDisposable {
  readonly #child: ChildProcess;
  #stdout = '';
  #ended = false;

  constructor(folder: ShellFolder) {
    const flags = ['serve', '--port', '0', '--log-level', 'fatal', '--data-dir', folder.path];
    this.#child = spawn(process.execPath, [HEADLESS, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.#stdout += text;
    });
    this.#child.once('close', () => {
      this.#ended = true;
    });
  }

  async url(): Promise<string> {
    await until(() => this.#stdout.includes('\n') || this.#ended);
    const [, url] = /^Quarry is listening on (\S+)\n/.exec(this.#stdout) ?? [];
    if (url === undefined) throw new Error('The headless server did not start.');
    return url;
  }

  async end(): Promise<void> {
    this.#child.kill('SIGTERM');
    await until(() => this.#ended);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#ended) await this.end();
  }
}
