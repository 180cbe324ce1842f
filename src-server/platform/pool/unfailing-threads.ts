/**
 * Makes Piscina's threads safe to start and end. Piscina starts threads in callbacks: after a thread has exited, a task
 * was cancelled, or another one finished. Without threads or memory `new Worker` throws there, which would end the
 * server. Terminating a thread while it loads its code would do the same: Node asserts that a module loaded with
 * `require`, as Piscina's threads use, loads to its end, and aborts the process (in 1 of 600 pools closed at once).
 */
import { EventEmitter, once } from 'node:events';
import workerThreads, { type Worker } from 'node:worker_threads';
import { MINUTE_MS } from '../units.ts';

/** Loading takes half a second, a minute on a very busy machine. After this time the thread is terminated anyway. */
const LOAD_LIMIT_MS = 5 * MINUTE_MS;

/** The id of a thread that could not be started, or has exited. */
export const NO_THREAD_ID = -1;

/** Stub returned when a Worker cannot be created. Emits the error and exits. */
class NoThread extends EventEmitter {
  readonly threadId = NO_THREAD_ID;

  constructor(error: unknown) {
    super();
    // Deferred until the caller has added its listeners.
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

/** Delays `terminate` until the thread has loaded. The first message of a Piscina thread reports that. */
function endOnceLoaded(worker: Worker): Worker {
  const terminate = worker.terminate.bind(worker);
  let isLoaded = false;
  worker.once('message', () => {
    isLoaded = true;
  });
  worker.terminate = async () => {
    if (isLoaded) return terminate();
    // Without a reference the process could exit before the thread has loaded.
    worker.ref();
    const signal = AbortSignal.timeout(LOAD_LIMIT_MS);
    // If the thread dies first, the pool learns the reason from its own listeners.
    await Promise.race(['message', 'exit'].map((event) => once(worker, event, { signal }))).catch(() => undefined);
    return terminate();
  };
  return worker;
}

/** From this call on, CommonJS packages get a stub that exits at once when a thread cannot be created. */
export function keepThreadsFromThrowing(): void {
  // CommonJS packages read `Worker` from this object. ES modules have bound theirs before.
  const shared: { Worker: typeof Worker } = workerThreads;
  if (guarded.has(shared.Worker)) return;
  const kept = new Proxy(shared.Worker, {
    construct(Real, args, target) {
      try {
        return endOnceLoaded(Reflect.construct(Real, args, target));
      } catch (error) {
        return new NoThread(error);
      }
    },
  });
  guarded.add(kept);
  shared.Worker = kept;
}
