import { join } from 'node:path';
import { type UtilityProcess, utilityProcess } from 'electron';
import { childEnvironment } from '../src-server/platform/process/child-environment.ts';
import type { ChildNews, ChildOrder, ServerProcessMessage } from '../src-server/platform/rpc/shell.ts';
import { endNow } from './end-process.ts';

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

export function isChildOrder(message: ServerProcessMessage): message is ChildOrder {
  return message.type === 'child-start' || message.type === 'child-send' || message.type === 'child-end';
}

/**
 * Utility processes that the server asks for: only the main process can start them, and with the packaged app's
 * `runAsNode` fuse off nothing else can run a file of it. They end with the server.
 */
export class ServerChildren {
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
