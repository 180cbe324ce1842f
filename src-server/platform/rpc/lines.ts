/** Lines to threads, and from a thread or a child program to its owner. Those to child programs: child-process.ts. */

import { isMainThread, type MessagePort, parentPort, Worker, type WorkerOptions } from 'node:worker_threads';
import { endMessage, type OpenLine } from './rpc.ts';

/** A line over one port of a MessageChannel. Closing the port ends it for both sides. */
export function portLine(port: MessagePort): OpenLine {
  return ({ onMessage, onEnd }) => {
    port.on('message', onMessage);
    port.once('close', () => onEnd('The port was closed.'));
    return { send: (message, transferred = []) => port.postMessage(message, transferred), end: () => port.close() };
  };
}

/**
 * Starts a thread. Its end is asked for, not forced: ending a thread inside native code takes the whole process down.
 * Throws when the system gives no more threads.
 *
 * @param graceMs after which a thread that was asked to end counts as ended; the process does not wait for it
 */
export function threadLine(entry: URL, options: WorkerOptions, { graceMs }: { graceMs?: number } = {}): OpenLine {
  return ({ onMessage, onEnd }) => {
    const worker = new Worker(entry, options);
    let cause: unknown = 'The thread was closed.';
    worker.on('message', onMessage);
    worker.once('error', (error) => {
      cause = error;
    });
    worker.once('exit', () => onEnd(cause));
    return {
      send: (message, transferred = []) => worker.postMessage(message, transferred),
      end: () => {
        worker.postMessage(endMessage('The owner closed the thread.'));
        if (graceMs === undefined) return;
        worker.unref();
        setTimeout(() => onEnd('The thread did not end in time.'), graceMs).unref();
      },
    };
  };
}

/**
 * The line of a thread or a child program to its owner: the port of a thread, the port of a utility process of
 * Electron, or Node's channel of a forked process. A process whose owner has ended ends too.
 */
export const ownerLine: OpenLine = ({ onMessage }) => {
  if (!isMainThread && parentPort !== null) {
    const port = parentPort;
    port.on('message', onMessage);
    return { send: (message, transferred = []) => port.postMessage(message, transferred), end: () => port.close() };
  }
  // Absent under plain Node, though its types do not say so.
  const port: Electron.ParentPort | undefined = process.parentPort;
  if (port !== undefined) {
    port.on('message', ({ data }: { data: unknown }) => onMessage(data));
    return { send: (message) => port.postMessage(message), end: () => process.exit(0) };
  }
  process.on('message', onMessage);
  process.on('disconnect', () => process.exit(0));
  return { send: (message) => void process.send?.(message), end: () => process.exit(0) };
};
