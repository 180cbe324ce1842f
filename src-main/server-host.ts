import { EventEmitter } from 'node:events';
import { dirname, join } from 'node:path';
import { type UtilityProcess, utilityProcess } from 'electron';
import { childEnvironment } from '../src-server/platform/process/child-environment.ts';
import type {
  ChildNews,
  ChildOrder,
  ServerProcessMessage,
  ShellMessage,
  ShellSession,
} from '../src-server/platform/rpc/shell.ts';
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

interface ServerHostOptions {
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

type ProgramName = Extract<ChildOrder, { type: 'child-start' }>['name'];

/** What the server may have started, and nothing else: no message names a file. */
const PROGRAMS: Readonly<Record<ProgramName, { file: string; serviceName: string }>> = {
  embedding: { file: 'workers/text/embedding.mjs', serviceName: 'Quarry embedding model' },
  speech: { file: 'workers/media/speech-program.mjs', serviceName: 'Quarry speech recogniser' },
  'text-model': { file: 'workers/text/text-model.mjs', serviceName: 'Quarry text model' },
  voice: { file: 'workers/audio/voice-program.mjs', serviceName: 'Quarry voice' },
};

/** The last of what a program printed says more of its death than its exit code. */
const CAUSE_CHARS = 4000;

function isChildOrder(message: ServerProcessMessage): message is ChildOrder {
  return message.type === 'child-start' || message.type === 'child-send' || message.type === 'child-end';
}

/**
 * Utility processes that the server asks for: only the main process can start them, and with the packaged app's
 * `runAsNode` fuse off nothing else can run a file of it. They end with the server.
 */
class ServerChildren {
  readonly #folder: string;
  readonly #tell: (news: ChildNews) => void;
  readonly #running = new Map<number, UtilityProcess>();

  constructor(folder: string, tell: (news: ChildNews) => void) {
    this.#folder = folder;
    this.#tell = tell;
  }

  hear(order: ChildOrder): void {
    const child = this.#running.get(order.id);
    if (order.type === 'child-start') this.#start(order.id, order.name);
    else if (child === undefined) return;
    else if (order.type === 'child-send') child.postMessage(order.message);
    else endNow(child);
  }

  endAll(): void {
    for (const child of this.#running.values()) endNow(child);
    // Their ends are nobody's news any more: the next server numbers its own from the beginning.
    this.#running.clear();
  }

  #start(id: number, name: ProgramName): void {
    const { file, serviceName } = PROGRAMS[name];
    const child = utilityProcess.fork(join(this.#folder, file), [], {
      serviceName,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: childEnvironment(),
    });
    this.#running.set(id, child);
    let lastWords = '';
    child.stderr?.on('data', (bytes: Buffer) => {
      lastWords = (lastWords + bytes.toString()).slice(-CAUSE_CHARS);
    });
    const isCurrent = () => this.#running.get(id) === child;
    child.on('message', (message: unknown) => {
      if (isCurrent()) this.#tell({ type: 'child-said', id, message });
    });
    child.once('exit', (code) => {
      if (!isCurrent()) return;
      this.#running.delete(id);
      this.#tell({ type: 'child-ended', id, cause: `Ended with ${code}. ${lastWords}` });
    });
  }
}

/** A hung process hears no polite signal, so it is not asked. One that is still starting is ended when it has. */
function endNow(child: UtilityProcess): void {
  if (child.pid === undefined) child.once('spawn', () => kill(child.pid));
  else kill(child.pid);
}

function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has just ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
