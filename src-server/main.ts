/**
 * The server as the desktop shell runs it: in a utility process, stopped by a message. When a headless server already
 * holds the data folder, this process attaches to it: it reports that server's URL to the shell, watches it, and exits
 * when it exits. The shell's next start then serves the folder itself.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from './app.ts';
import { ConfigError, deriveLocations, readConfig } from './config.ts';
import { messageOf } from './platform/errors.ts';
import { announcedUrl, DataFolderInUseError, readOwnerToken } from './platform/files/data-folder.ts';
import { cpuMsOfProcess } from './platform/process/cpu-time.ts';
import type { StartChildProgram } from './platform/rpc/child-process.ts';
import type { LineListeners } from './platform/rpc/rpc.ts';
import type { ChildNews, ChildOrder, ServerProcessMessage, ShellMessage } from './platform/rpc/shell.ts';
import { PortTakenError } from './start-errors.ts';

/** A server that holds the folder without answering is starting, or finishing its last jobs. */
const ATTACH_TRIES = 40;

const ATTACH_PAUSE_MS = 500;

const WATCH_INTERVAL_MS = 2000;

const ANSWER_TIMEOUT_MS = 3000;

const MISSED_ANSWERS_ALLOWED = 2;

/** Child programs that the desktop shell starts for the server, identified by numbers from the server. */
class ShellChildren {
  readonly #tell: (order: ChildOrder) => void;
  readonly #listeners = new Map<number, LineListeners>();
  readonly #processIds = new Map<number, number>();
  #lastId = 0;

  constructor(tell: (order: ChildOrder) => void) {
    this.#tell = tell;
  }

  readonly start: StartChildProgram = (name, listeners) => {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#listeners.set(id, listeners);
    this.#tell({ type: 'child-start', id, name });
    const whileRunning = (order: ChildOrder) => {
      if (this.#listeners.has(id)) this.#tell(order);
    };
    return {
      send: (message) => whileRunning({ type: 'child-send', id, message }),
      end: () => whileRunning({ type: 'child-end', id }),
      cpuMs: () => {
        const pid = this.#processIds.get(id);
        return pid === undefined ? null : cpuMsOfProcess(pid);
      },
    };
  };

  hearChildNews(news: ChildNews): void {
    const listeners = this.#listeners.get(news.id);
    if (news.type === 'child-said') listeners?.onMessage(news.message);
    else if (news.type === 'child-began') this.#processIds.set(news.id, news.pid);
    else {
      this.#processIds.delete(news.id);
      this.#listeners.delete(news.id);
      listeners?.onEnd(news.cause);
    }
  }
}

const children = new ShellChildren(tellShell);

let closeRunningServer: () => Promise<void> = async () => undefined;

await runServerProcess();

async function runServerProcess(): Promise<void> {
  process.parentPort.on('message', ({ data }: { data: ShellMessage }) => {
    if (data.type === 'stop') void stopServerProcess();
    else children.hearChildNews(data);
  });
  // Ctrl+C in a terminal reaches every process of its group. The shell's message follows and finds the stop in
  // progress.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stopServerProcess());
  try {
    await serveOrAttach(process.argv.slice(2));
  } catch (error) {
    const expected = [ConfigError, PortTakenError, DataFolderInUseError].some((kind) => error instanceof kind);
    if (!expected) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    const message = expected ? messageOf(error) : 'The server could not start; see its log.';
    tellShell({ type: 'failed', message, takenPort: error instanceof PortTakenError ? error.port : null });
    process.exitCode = 1;
  }
}

async function stopServerProcess(): Promise<void> {
  await closeRunningServer();
  process.exit(0);
}

function tellShell(message: ServerProcessMessage): void {
  process.parentPort.postMessage(message);
}

async function serveOrAttach(flags: readonly string[]): Promise<void> {
  const config = readConfig(flags, process.env);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const server = await startServer({
        ...config,
        ...deriveLocations(import.meta.url),
        startChild: children.start,
        readableLog: true,
      });
      closeRunningServer = server.close;
      tellShell({ type: 'ready', session: shellSessionOf(server.url, server.ownerToken), attached: false });
      return;
    } catch (error) {
      if (!(error instanceof DataFolderInUseError)) throw error;
      const url = await answeringServer(config.dataDir);
      if (url !== null) {
        tellShell({ type: 'ready', session: shellSessionOf(url, readOwnerToken(config.dataDir)), attached: true });
        return endWith(url);
      }
      if (attempt === ATTACH_TRIES) throw error;
      await sleep(ATTACH_PAUSE_MS);
    }
  }
}

/** URL of the server that holds the data folder; null while it does not answer. */
async function answeringServer(dataDir: string): Promise<string | null> {
  const url = await announcedUrl(dataDir);
  return url !== null && (await answersAtUrl(url)) ? url : null;
}

async function answersAtUrl(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}

/** Watches a server in another process and exits when it is gone. */
async function endWith(url: string): Promise<void> {
  for (let missed = 0; missed <= MISSED_ANSWERS_ALLOWED; ) {
    await sleep(WATCH_INTERVAL_MS);
    missed = (await answersAtUrl(url)) ? 0 : missed + 1;
  }
  process.exit(0);
}

/** A server on all interfaces is opened on loopback, where its page is a secure context. */
function shellSessionOf(url: string, ownerToken: string) {
  const { port, hostname } = new URL(url);
  const loopback = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[hostname];
  return { baseUrl: loopback === undefined ? url : `http://${loopback}:${port}`, ownerToken };
}
