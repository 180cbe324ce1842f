/**
 * Piscina begins threads where nobody stands behind it: when one has ended, when a task is called off, when another is
 * done. Where the system has no thread or no memory for one more, `new Worker` throws, and would end the whole server.
 * So would the end of a thread that still loads its code: Node asserts that a module which is asked for with `require`,
 * as Piscina's threads do, loads to its end, and aborts the process (one of 600 pools that were closed at once did).
 */
import { EventEmitter, once } from 'node:events';
import workerThreads, { type Worker } from 'node:worker_threads';
import { SECOND_MS } from '../units.ts';

/** Loading takes half a second, or ten where all processors are busy. After this the thread is ended all the same. */
const LOAD_LIMIT_MS = 60 * SECOND_MS;

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

/** Lets the thread load before it is ended. The first thing that Piscina's threads say is that they have loaded. */
function endOnceLoaded(worker: Worker): Worker {
  const terminate = worker.terminate.bind(worker);
  let isLoaded = false;
  worker.once('message', () => {
    isLoaded = true;
  });
  worker.terminate = async () => {
    if (isLoaded) return terminate();
    // Nobody may be listening any more: without this the process could end before the thread has loaded.
    worker.ref();
    const signal = AbortSignal.timeout(LOAD_LIMIT_MS);
    // A thread that dies meanwhile tells its pool why.
    await Promise.race(['message', 'exit'].map((event) => once(worker, event, { signal }))).catch(() => undefined);
    return terminate();
  };
  return worker;
}

/** From here on a thread that cannot be begun is to CommonJS packages of this process as one that died at once. */
export function keepThreadsFromThrowing(): void {
  // The one object that such packages ask for their `Worker`; modules bound theirs before.
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
