/**
 * Piscina begins threads where nobody stands behind it: when one has ended, when a task is called off, when another is
 * done. Where the system has no thread or no memory for one more, `new Worker` throws, and would end the whole server.
 */
import { EventEmitter } from 'node:events';
import workerThreads, { type Worker } from 'node:worker_threads';

/** What stands for a thread that could not be begun: it says why, and ends. */
class NoThread extends EventEmitter {
  readonly threadId = -1;

  constructor(error: unknown) {
    super();
    // Behind whoever wants to listen.
    setImmediate(() => {
      this.emit('error', error);
      this.emit('exit', 1);
    });
  }

  postMessage(): void {}
  ref(): void {}
  unref(): void {}
  async terminate(): Promise<number> {
    return 1;
  }
}

const guarded = new WeakSet<typeof Worker>();

/** From here on a thread that cannot be begun is to CommonJS packages of this process as one that died at once. */
export function keepThreadsFromThrowing(): void {
  // The one object that such packages ask for their `Worker`; modules bound theirs before.
  const shared: { Worker: typeof Worker } = workerThreads;
  if (guarded.has(shared.Worker)) return;
  const kept = new Proxy(shared.Worker, {
    construct(Real, args, target) {
      try {
        return Reflect.construct(Real, args, target);
      } catch (error) {
        return new NoThread(error);
      }
    },
  });
  guarded.add(kept);
  shared.Worker = kept;
}
