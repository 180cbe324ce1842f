import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../process/child-environment.ts';
import { MINUTE_MS } from '../units.ts';
import type { ChildProgramName } from './shell.ts';

/**
 * Programs of this project that run in a process of their own, since they hold native engines that may abort. Who
 * starts one does not know how: under plain Node it is forked; under the desktop shell the shell starts it, because
 * the packaged app cannot run itself as Node.
 */

/** The file of each program, below `workers`. */
export const CHILD_PROGRAM_FILES = {
  embedding: 'text/embedding',
  speech: 'media/speech-program',
  'text-model': 'text/text-model',
  voice: 'audio/voice-program',
} as const satisfies Record<ChildProgramName, string>;

export interface ChildListeners {
  onMessage(message: unknown): void;
  /** Said once, whatever the reason was: it ended, was ended, or could not be started. `cause` is for the log. */
  onEnd(cause: string): void;
}

export interface ChildProgram {
  /** Says nothing where the process has ended: its end is told to the listener. */
  send(message: unknown): void;
  /** Ends the process at once; a native engine does not listen to anything gentler. */
  end(): void;
}

export type StartChildProgram = (name: ChildProgramName, listeners: ChildListeners) => ChildProgram;

/** The last of what a program printed says more of its death than its exit code. */
const CAUSE_CHARS = 4000;

/** Forks the programs that lie beside the workers' entry, with its ending: source files, or their build. */
export function forkChildPrograms(workerEntry: URL): StartChildProgram {
  const start: StartChildProgram = (name, { onMessage, onEnd }) => {
    const file = fileURLToPath(new URL(`./${CHILD_PROGRAM_FILES[name]}${extname(workerEntry.pathname)}`, workerEntry));
    // Flags of the server, such as a debugger's port, are not the child's.
    const child = fork(file, [], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
      env: { ...childEnvironment(), ...compileCache() },
    });
    let ended = false;
    const lastWords = keepLastWords();
    child.stderr?.setEncoding('utf8').on('data', lastWords.add);
    const over = (cause: unknown) => {
      if (ended) return;
      ended = true;
      onEnd(`Ended with ${cause}. ${lastWords.text()}`);
    };
    child.on('message', onMessage);
    // A second one, of a signal that could not be sent, has to be heard too: unheard, it would end the server.
    child.on('error', over);
    child.once('exit', (code, signal) => over(code ?? signal));
    return {
      // A process that is just ending refuses what is sent; its end is told all the same.
      send: (message) => void (child.connected && child.send(message as object, () => undefined)),
      end: () => void child.kill('SIGKILL'),
    };
  };
  return (name, listeners) => {
    try {
      return start(name, listeners);
    } catch (error) {
      // Most of what keeps a process from starting comes as an event; that there is no memory for it is thrown.
      setImmediate(() => listeners.onEnd(`Could not be started. ${String(error)}`));
      return { send: () => undefined, end: () => undefined };
    }
  };
}

/** Where compiled code is kept: these programs are the server's own, and start sooner with it. */
function compileCache(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}

/** Holds the end of a stream of text, however long it grows. */
function keepLastWords(): { add(text: string): void; text(): string } {
  let kept = '';
  return {
    add: (text) => {
      kept = (kept + text).slice(-CAUSE_CHARS);
    },
    text: () => kept,
  };
}

/**
 * The line between a child program and whoever started it: Node's channel of a forked process, or the port of a
 * utility process of Electron. A program whose owner has gone ends too.
 */
export function openOwnerLine<Heard, Said>(hear: (message: Heard) => void): (message: Said) => void {
  // Absent under plain Node, though its types do not say so.
  const port = process.parentPort as Electron.ParentPort | undefined;
  if (port !== undefined) {
    port.on('message', ({ data }: { data: Heard }) => hear(data));
    return (message) => port.postMessage(message);
  }
  process.on('message', (message) => hear(message as Heard));
  process.on('disconnect', () => process.exit(0));
  return (message) => void process.send?.(message);
}

const CHECK_LIMIT_MS = 2 * MINUTE_MS;

/** Whether a native engine loads on this machine: tried in its own process, which may die of it. */
export async function engineRuns(start: StartChildProgram, name: 'speech' | 'text-model'): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const program = start(name, {
    onMessage: (message) => resolve((message as { kind: string }).kind === 'able'),
    onEnd: () => resolve(false),
  });
  const limit = setTimeout(() => resolve(false), CHECK_LIMIT_MS);
  program.send({ kind: 'check' });
  return promise.finally(() => {
    clearTimeout(limit);
    program.end();
  });
}

/** A child program that a task asks for, and the line to it: orders one way, news the other. */
export interface TaskChildRequest {
  name: ChildProgramName;
  port: import('node:worker_threads').MessagePort;
}

export type ToTaskChild = { send: unknown } | { end: true };

export type FromTaskChild = { said: unknown } | { ended: string };
