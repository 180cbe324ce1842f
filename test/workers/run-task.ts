import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { TaskMap, TaskMessage, TaskName } from '../../src-server/platform/pool/worker-pool.ts';
import { reviveTaskError } from '../../src-server/platform/rpc/errors.ts';

const ENTRY = new URL('../../workers/entry.ts', import.meta.url).href;

export interface TaskPool {
  run<Name extends TaskName>(
    task: Name,
    input: TaskMap[Name]['input'],
    watch?: { onMessage?(message: TaskMessage, cancel: () => void): void; cancelled?: boolean },
  ): Promise<TaskMap[Name]['output']>;
  /** Bytes on the thread's heap, garbage included. */
  heapBytes(): Promise<number>;
  close(): Promise<void>;
}

/** The worker entry in a real pool thread, as the server runs it. */
export function openPool(): TaskPool {
  const pool = new Piscina({ filename: ENTRY, minThreads: 1, maxThreads: 1 });
  return {
    async run(task, input, watch = {}) {
      const { port1, port2 } = new MessageChannel();
      const cancel = () => port1.postMessage('cancel');
      port1.on('message', (message: TaskMessage) => watch.onMessage?.(message, cancel));
      if (watch.cancelled === true) cancel();
      try {
        return await pool.run({ task, input, port: port2 }, { transferList: [port2] });
      } catch (error) {
        throw reviveTaskError(error) ?? error;
      } finally {
        port1.close();
      }
    },
    async heapBytes() {
      const [thread] = pool.threads;
      if (thread === undefined) throw new Error('The pool has no thread.');
      return (await thread.getHeapStatistics()).used_heap_size;
    },
    close: () => pool.destroy(),
  };
}
