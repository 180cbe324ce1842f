/**
 * Programs of this project that run in a process of their own, since they hold native engines that may abort. The same
 * function type starts them everywhere: plain Node forks them; under the desktop shell the shell starts them, because
 * the packaged app cannot run itself as Node.
 */

import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { QuarryError } from '../errors.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { cpuMsOfProcess } from '../process/cpu-time.ts';
import { limitWork } from '../process/work-limit.ts';
import { say } from '../text/say.ts';
import { MINUTE_MS } from '../units.ts';
import { connectPeer, type Line, type LineListeners } from './rpc.ts';
import type { ChildProgramName } from './shell.ts';

/** The file of each program, below `workers`. */
export const CHILD_PROGRAM_FILES = {
  embedding: 'text/embedding',
  media: 'media/media-program',
  render: 'pages/render-program',
  speech: 'media/speech-program',
  'text-model': 'text/text-model',
  voice: 'audio/voice-program',
} as const satisfies Record<ChildProgramName, string>;

/** Starts a child program. It ends at once by `end`: a native engine does not listen to anything gentler. */
export type StartChildProgram = (name: ChildProgramName, listeners: LineListeners) => Line;

/** The last of what a program printed says more of its death than its exit code. */
const CAUSE_CHARS = 4000;

/** Forks the programs that lie beside the workers' entry, with its ending: source files, or their build. */
export function forkChildPrograms(workerEntry: URL): StartChildProgram {
  const startChildProgram: StartChildProgram = (name, { onMessage, onEnd }) => {
    const file = fileURLToPath(new URL(`./${CHILD_PROGRAM_FILES[name]}${extname(workerEntry.pathname)}`, workerEntry));
    // Flags of the server, such as a debugger's port, are not the child's.
    const child = fork(file, [], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // Structured clone, as in Electron: samples and vectors need no encoding.
      serialization: 'advanced',
      execArgv: [],
      env: { ...childEnvironment(), ...compileCache() },
    });
    let ended = false;
    const lastWords = keepLastWords();
    child.stderr?.setEncoding('utf8').on('data', lastWords.add);
    const endChildLine = (cause: unknown) => {
      if (ended) return;
      ended = true;
      onEnd(`Ended with ${cause}. ${lastWords.text()}`);
    };
    child.on('message', onMessage);
    // Keeps listening: a second error, of a signal that could not be sent, would otherwise end the server.
    child.on('error', endChildLine);
    child.once('exit', (code, signal) => endChildLine(code ?? signal));
    return {
      // A process that is just ending refuses messages; its end is reported all the same.
      send: (message) => void (child.connected && child.send(message, () => undefined)),
      end: () => void child.kill('SIGKILL'),
      cpuMs: () => (child.pid === undefined ? null : cpuMsOfProcess(child.pid)),
    };
  };
  return (name, listeners) => {
    try {
      return startChildProgram(name, listeners);
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

/** CPU time of loading an engine; it takes seconds. */
const CHECK_LIMIT_MS = MINUTE_MS;

/** A program that can test its engine, without a model. */
export interface EngineCheck {
  /** Errors: any, where the engine does not load on this machine. */
  check(): Promise<void>;
}

/** Whether a native engine loads on this machine: tried in its own process, which may die of it. */
export async function engineRuns(start: StartChildProgram, name: 'speech' | 'text-model'): Promise<boolean> {
  const program = connectPeer<EngineCheck>((listeners) => start(name, listeners), {
    ended: (cause) => new QuarryError('engine_unavailable', say`The engine does not run on this machine.`, { cause }),
  });
  const { cpuMs, end: onLimit } = program;
  const limit = limitWork({ cpuLimitMs: CHECK_LIMIT_MS, cpuMs, onLimit });
  return program.remote
    .check()
    .then(
      () => true,
      () => false,
    )
    .finally(() => {
      limit.end();
      program.end();
    });
}
