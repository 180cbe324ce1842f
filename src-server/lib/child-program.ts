/**
 * Programs of this project that run in a process of their own, since they hold native engines that may abort. Who
 * starts one does not know how: under plain Node it is forked; under the desktop shell the shell starts it, because
 * the packaged app cannot run itself as Node.
 */
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Each is a file of its own in `workers/child/`. A shell starts these and no others. */
export type ChildProgramName = 'embedding' | 'speech' | 'text-model';

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
  return (name, { onMessage, onEnd }) => {
    const file = fileURLToPath(new URL(`./child/${name}${extname(workerEntry.pathname)}`, workerEntry));
    // Flags of the server, such as a debugger's port, are not the child's.
    const child = fork(file, [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
    let ended = false;
    const lastWords = keepLastWords();
    child.stderr?.setEncoding('utf8').on('data', lastWords.add);
    const over = (cause: unknown) => {
      if (ended) return;
      ended = true;
      onEnd(`Ended with ${cause}. ${lastWords.text()}`);
    };
    child.on('message', onMessage);
    child.once('error', over);
    child.once('exit', (code, signal) => over(code ?? signal));
    return {
      // A process that is just ending refuses what is sent; its end is told all the same.
      send: (message) => void (child.connected && child.send(message as object, () => undefined)),
      end: () => void child.kill('SIGKILL'),
    };
  };
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
