import { EventEmitter } from 'node:events';
import { dirname, join } from 'node:path';
import { type UtilityProcess, utilityProcess } from 'electron';
import { systemCodeOf } from '../src-server/platform/errors.ts';
import { childEnvironment } from '../src-server/platform/process/child-environment.ts';
import type {
  ChildNews,
  ChildOrder,
  ServerProcessMessage,
  ShellMessage,
  ShellSession,
} from '../src-server/platform/rpc/shell.ts';
import { passOn } from './log.ts';
import { type Figures, readFigures } from './server-client.ts';

/** Backoff before a crashed server restarts. The last delay repeats. */
const RESTART_DELAYS_MS = [500, 1000, 2000, 5000, 10_000, 30_000] as const;

/** After this uptime, the backoff resets. */
const STABLE_AFTER_MS = 60_000;

const HEALTH_INTERVAL_MS = 10_000;

/** Minimum interval between reads of the job counts. */
const FIGURES_INTERVAL_MS = 1000;

/** Consecutive missed health checks before the process counts as hung. A busy machine may miss one. */
const MISSED_ANSWERS_ALLOWED = 3;

/** Time for the server to stop its jobs and close its database. Then it is killed. */
const STOP_DEADLINE_MS = 12_000;

const STOP: ShellMessage = { type: 'stop' };

interface ServerHostOptions {
  /** The built server process. */
  entryFile: string;
  /** Flags as given by the user. */
  flags: readonly string[];
}

interface ServerHostEvents {
  /** The server answers, at first start or after a restart. Its address may differ. */
  ready: [ShellSession];
  /** The server is gone and will restart. */
  down: [];
  /** The first start failed; there is no retry. The text is for the user. */
  failed: [string];
  /** Another program uses the port. There is no retry until `retry` is called. */
  portTaken: [number];
  /** Job counts of the last read; null without a server. */
  figures: [Figures | null];
}

/**
 * Runs the server in a utility process, so a crash in a native addon does not affect the window or the tray. A server
 * that crashes or hangs restarts with backoff; its leases return its jobs to the queue.
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
  get shellSession(): ShellSession | null {
    return this.#session;
  }

  /** Whether the server belongs to another program and continues after the shell exits. */
  get isAttachedToServer(): boolean {
    return this.#attached;
  }

  /** Debounced read of the job counts. */
  refreshSoon(): void {
    this.#lookTimer ??= setTimeout(() => {
      this.#lookTimer = undefined;
      void this.lookAtFigures();
    }, FIGURES_INTERVAL_MS);
  }

  /** Reads the job counts; null if no server answers. */
  async lookAtFigures(): Promise<Figures | null> {
    const session = this.#session;
    const figures = session === null ? null : await readFigures(session);
    if (this.#session !== session) return null;
    if (figures !== null) this.emit('figures', figures);
    return figures;
  }

  startServerHost(): void {
    this.#startedAt = performance.now();
    const child = utilityProcess.fork(this.#options.entryFile, [...this.#flags], {
      serviceName: 'Quarry server',
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    this.#child = child;
    child.stderr?.on('data', passOn);
    child.on('message', (message: ServerProcessMessage) => this.#onMessage(message));
    child.once('exit', () => this.#onExit());
  }

  /** Retries after `portTaken`, on the same port or a free one. */
  retryServerStart(place: 'same-port' | 'free-port'): void {
    if (place === 'free-port') this.#flags = withFreePort(this.#flags);
    this.#stopping = false;
    // If the old process still runs, its exit event starts the new one.
    if (this.#child === null) this.startServerHost();
  }

  /** Asks the server to stop, and kills it after the deadline. Resolves when it has exited. */
  async stopServerHost(deadlineMs = STOP_DEADLINE_MS): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restartTimer);
    clearInterval(this.#healthTimer);
    clearTimeout(this.#lookTimer);
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.postMessage(STOP);
    const deadline = setTimeout(() => killUtilityProcess(child), deadlineMs);
    await gone;
    clearTimeout(deadline);
  }

  #onMessage(message: ServerProcessMessage): void {
    if (isChildOrder(message)) {
      this.#children.handleChildOrder(message);
      return;
    }
    if (message.type === 'failed') {
      if (message.takenPort !== null) {
        // Local tools know the server by its port: do not change it without asking, and do not retry forever.
        this.#stopping = true;
        this.#child?.postMessage(STOP);
        this.emit('portTaken', message.takenPort);
        return;
      }
      // After a successful start, failures may be temporary: the exit event schedules a restart.
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
    void this.lookAtFigures();
  }

  #onExit(): void {
    clearInterval(this.#healthTimer);
    this.#child = null;
    this.#children.killAll();
    this.#session = null;
    this.#attached = false;
    if (this.#stopping) return;
    if (performance.now() - this.#startedAt >= STABLE_AFTER_MS) this.#crashes = 0;
    const delay = RESTART_DELAYS_MS[Math.min(this.#crashes, RESTART_DELAYS_MS.length - 1)] ?? 0;
    this.#crashes += 1;
    this.emit('down');
    this.emit('figures', null);
    this.#restartTimer = setTimeout(() => this.startServerHost(), delay);
  }

  async #checkHealth(session: ShellSession): Promise<void> {
    const figures = await this.lookAtFigures();
    if (this.#session !== session) return;
    this.#missedAnswers = figures === null ? this.#missedAnswers + 1 : 0;
    if (this.#missedAnswers >= MISSED_ANSWERS_ALLOWED && this.#child !== null) killUtilityProcess(this.#child);
  }
}

/** Replaces the port in the flags. */
function withFreePort(flags: readonly string[]): string[] {
  const kept = flags.filter(
    (flag, index) => !flag.startsWith('--port=') && flag !== '--port' && flags[index - 1] !== '--port',
  );
  return [...kept, '--port', '0'];
}

type ProgramName = Extract<ChildOrder, { type: 'child-start' }>['name'];

/** Programs the server may start. Messages never contain a file name. */
const PROGRAMS: Readonly<Record<ProgramName, { file: string; serviceName: string }>> = {
  embedding: { file: 'workers/text/embedding.mjs', serviceName: 'Quarry embedding model' },
  media: { file: 'workers/media/media-program.mjs', serviceName: 'Quarry media reader' },
  render: { file: 'workers/pages/render-program.mjs', serviceName: 'Quarry page renderer' },
  speech: { file: 'workers/media/speech-program.mjs', serviceName: 'Quarry speech recogniser' },
  'text-model': { file: 'workers/text/text-model.mjs', serviceName: 'Quarry text model' },
  voice: { file: 'workers/audio/voice-program.mjs', serviceName: 'Quarry voice' },
};

/** Characters of standard error kept to explain a crash. */
const STDERR_TAIL_CHARS = 4000;

function isChildOrder(message: ServerProcessMessage): message is ChildOrder {
  return message.type === 'child-start' || message.type === 'child-send' || message.type === 'child-end';
}

/**
 * Utility processes started for the server: only the main process can start them, and the packaged app disables the
 * `runAsNode` fuse. They end with the server.
 */
class ServerChildren {
  readonly #folder: string;
  readonly #send: (news: ChildNews) => void;
  readonly #running = new Map<number, UtilityProcess>();

  constructor(folder: string, send: (news: ChildNews) => void) {
    this.#folder = folder;
    this.#send = send;
  }

  handleChildOrder(order: ChildOrder): void {
    const child = this.#running.get(order.id);
    if (order.type === 'child-start') this.#startServerChild(order.id, order.name);
    else if (child === undefined) return;
    else if (order.type === 'child-send') child.postMessage(order.message);
    else killUtilityProcess(child);
  }

  killAll(): void {
    for (const child of this.#running.values()) killUtilityProcess(child);
    // Drop their exit events: the next server numbers its children from the start.
    this.#running.clear();
  }

  #startServerChild(id: number, name: ProgramName): void {
    const { file, serviceName } = PROGRAMS[name];
    const child = utilityProcess.fork(join(this.#folder, file), [], {
      serviceName,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: childEnvironment(),
    });
    this.#running.set(id, child);
    let stderrTail = '';
    child.stderr?.on('data', (bytes: Buffer) => {
      stderrTail = (stderrTail + bytes.toString()).slice(-STDERR_TAIL_CHARS);
    });
    const isCurrent = () => this.#running.get(id) === child;
    child.once('spawn', () => {
      if (isCurrent() && child.pid !== undefined) this.#send({ type: 'child-began', id, pid: child.pid });
    });
    child.on('message', (message: unknown) => {
      if (isCurrent()) this.#send({ type: 'child-said', id, message });
    });
    child.once('exit', (code) => {
      if (!isCurrent()) return;
      this.#running.delete(id);
      this.#send({ type: 'child-ended', id, cause: `Exited with code ${code}. ${stderrTail}` });
    });
  }
}

/** Kills immediately, because a hung process ignores polite signals. A starting process is killed once it has a pid. */
function killUtilityProcess(child: UtilityProcess): void {
  if (child.pid === undefined) child.once('spawn', () => killPid(child.pid));
  else killPid(child.pid);
}

function killPid(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // The process has already exited.
    if (systemCodeOf(error) !== 'ESRCH') throw error;
  }
}
