import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../process/child-environment.ts';
import { CHILD_PROGRAM_FILES, type StartChildProgram } from './child-process.ts';

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
export function keepLastWords(): { add(text: string): void; text(): string } {
  let kept = '';
  return {
    add: (text) => {
      kept = (kept + text).slice(-CAUSE_CHARS);
    },
    text: () => kept,
  };
}
