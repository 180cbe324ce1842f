import { EventEmitter } from 'node:events';
import { dirname } from 'node:path';
import type { UtilityProcess } from 'electron';
import { utilityProcess } from 'electron';
import type { ServerProcessMessage, ShellMessage, ShellSession } from '../src-server/platform/rpc/shell.ts';
import { endNow } from './end-process.ts';
import { isChildOrder, ServerChildren } from './server-children.ts';
import { type Figures, readFigures } from './server-client.ts';

/** Pauses before a server that died is started again; the last one repeats. */
const RESTART_DELAYS_MS = [500, 1000, 2000, 5000, 10_000, 30_000] as const;
/** A server that ran this long is not in a crash loop: the next pause is the shortest again. */
const STABLE_AFTER_MS = 60_000;
const HEALTH_INTERVAL_MS = 10_000;
/** Figures follow the jobs, but need not follow each. */
const FIGURES_INTERVAL_MS = 1000;
/** Answers that may be missing in a row before the process counts as hung. A busy machine may miss one. */
const MISSED_ANSWERS_ALLOWED = 3;
/** What a stopping server has to end its jobs' runs and close its database. After that it is killed. */
const STOP_DEADLINE_MS = 12_000;
const STOP: ShellMessage = { type: 'stop' };

export interface ServerHostOptions {
  /** The built server process. */
  entryFile: string;
  /** Flags as the user gave them. */
  flags: readonly string[];
}

interface ServerHostEvents {
  /** The server answers, for the first time or again after a restart; its address may be another. */
  ready: [ShellSession];
  /** It is gone and will be started again. */
  down: [];
  /** It could not be started the first time; no other try follows. The text is for the user. */
  failed: [string];
  /** Another program has its port; no other try follows until `retry`. */
  portTaken: [number];
  /** How much is being worked on, as the last look at the server told; null while there is no server. */
  figures: [Figures | null];
}

/**
 * Runs the server in a utility process, so that a native addon that aborts takes neither the window nor the tray with
 * it. A server that dies or hangs is started again with growing pauses; its jobs go back to the queue by their leases.
 */
export class ServerHost extends EventEmitter<ServerHostEvents> {
  readonly #options: ServerHostOptions;
  #flags: readonly string[];
  readonly #children: ServerChildren;
  #child: UtilityProcess | null = null;
  #session: ShellSession | null = null;
  #attached = false;
  #stopping = false;
  #wasReady = false;
  #crashes = 0;
  #startedAt = 0;
  #missedAnswers = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  #healthTimer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;

  constructor(options: ServerHostOptions) {
    super();
    this.#options = options;
    this.#flags = options.flags;
    this.#children = new ServerChildren(dirname(options.entryFile), (news) => this.#child?.postMessage(news));
  }

  /** Null while no server answers. */
  get session(): ShellSession | null {
    return this.#session;
  }

  /** Whether the server is another program's, and goes on when the shell ends. */
  get attached(): boolean {
    return this.#attached;
  }

  /** Reads the figures soon, however often it is called. */
  lookSoon(): void {
    this.#lookTimer ??= setTimeout(() => {
      this.#lookTimer = undefined;
      void this.look();
    }, FIGURES_INTERVAL_MS);
  }

  /** Reads the figures now; null when no server answers. */
  async look(): Promise<Figures | null> {
    const session = this.#session;
    const figures = session === null ? null : await readFigures(session);
    if (this.#session !== session) return null;
    if (figures !== null) this.emit('figures', figures);
    return figures;
  }

  start(): void {
    this.#startedAt = performance.now();
    const child = utilityProcess.fork(this.#options.entryFile, [...this.#flags], {
      serviceName: 'Quarry server',
      stdio: 'inherit',
    });
    this.#child = child;
    child.on('message', (message: ServerProcessMessage) => this.#onMessage(message));
    child.once('exit', () => this.#onExit());
  }

  /** Tries again after `portTaken`: on the same port, or on any that is free. */
  retry(place: 'same-port' | 'free-port'): void {
    if (place === 'free-port') this.#flags = withFreePort(this.#flags);
    this.#stopping = false;
    // One that has not quite ended yet is started again by its end.
    if (this.#child === null) this.start();
  }

  /** Asks the server to end, and ends it when it does not within the deadline. Resolves when it is gone. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restartTimer);
    clearInterval(this.#healthTimer);
    clearTimeout(this.#lookTimer);
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.postMessage(STOP);
    const deadline = setTimeout(() => endNow(child), STOP_DEADLINE_MS);
    await gone;
    clearTimeout(deadline);
  }

  #onMessage(message: ServerProcessMessage): void {
    if (isChildOrder(message)) {
      this.#children.hear(message);
      return;
    }
    if (message.type === 'failed') {
      if (message.takenPort !== null) {
        // Whoever knows the server knows it by its port: it does not move without a word, nor try again for ever.
        this.#stopping = true;
        this.#child?.postMessage(STOP);
        this.emit('portTaken', message.takenPort);
        return;
      }
      // Once it has run, trouble may pass: the exit that follows leads to another try.
      if (!this.#wasReady) {
        this.#stopping = true;
        this.emit('failed', message.message);
      }
      return;
    }
    this.#wasReady = true;
    this.#session = message.session;
    this.#attached = message.attached;
    this.#missedAnswers = 0;
    this.#healthTimer = setInterval(() => void this.#checkHealth(message.session), HEALTH_INTERVAL_MS);
    this.emit('ready', message.session);
    void this.look();
  }

  #onExit(): void {
    clearInterval(this.#healthTimer);
    this.#child = null;
    this.#children.endAll();
    this.#session = null;
    this.#attached = false;
    if (this.#stopping) return;
    if (performance.now() - this.#startedAt >= STABLE_AFTER_MS) this.#crashes = 0;
    const delay = RESTART_DELAYS_MS[Math.min(this.#crashes, RESTART_DELAYS_MS.length - 1)] ?? 0;
    this.#crashes += 1;
    this.emit('down');
    this.emit('figures', null);
    this.#restartTimer = setTimeout(() => this.start(), delay);
  }

  async #checkHealth(session: ShellSession): Promise<void> {
    const figures = await this.look();
    if (this.#session !== session) return;
    this.#missedAnswers = figures === null ? this.#missedAnswers + 1 : 0;
    if (this.#missedAnswers >= MISSED_ANSWERS_ALLOWED && this.#child !== null) endNow(this.#child);
  }
}

/** The same flags, but for the port. */
function withFreePort(flags: readonly string[]): string[] {
  const kept = flags.filter(
    (flag, index) => !flag.startsWith('--port=') && flag !== '--port' && flags[index - 1] !== '--port',
  );
  return [...kept, '--port', '0'];
}
