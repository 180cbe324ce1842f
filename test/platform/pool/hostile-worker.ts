import { threadId } from 'node:worker_threads';
import type { TaskEnvelope } from '../../../src-server/platform/pool/worker-pool.ts';
import type { ExtractDocumentInput } from '../../../workers/documents/tasks.ts';
import runPoolTask, { announceStart } from '../../../workers/entry.ts';

/**
 * The product's worker, except that a document by one of these names does to its thread what a broken parser would.
 * The name travels the whole way from the request, so that a test chooses the harm through HTTP too.
 */
const HARMS: Record<string, (envelope: TaskEnvelope) => unknown> = {
  // What a thread says whose engines hold too much: done, and waiting for its end.
  'retiring.docx': ({ port }) => {
    port.postMessage({ retired: { output: { threadId } } });
    return new Promise(() => {});
  },
  'exit.docx': () => process.exit(7),
  // Thrown outside of any promise the task holds: the thread dies of it.
  'uncaught.docx': () => {
    setImmediate(() => {
      throw new Error('secret detail in /home/somebody');
    });
    return new Promise(() => {});
  },
  'heap.docx': () => fillHeap(),
  'buffers.docx': () => fillBuffers(),
  'deaf.docx': () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  'spin.docx': () => {
    for (;;);
  },
  // A thread that gets no core for a while.
  'patient.docx': () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500),
  'strange.docx': () => Promise.reject({ code: 'corrupt_input', message: 'not an error of ours' }),
};

const NUMBERS = 1_000_000;
const BLOCK_BYTES = 8 * 1024 * 1024;

export default async function hostile(envelope: TaskEnvelope): Promise<unknown> {
  const { fileName } = envelope.input as ExtractDocumentInput;
  const harm = fileName === null ? undefined : HARMS[fileName];
  announceStart(envelope.port);
  if (harm) await harm(envelope);
  return runPoolTask(envelope);
}

function fillHeap(): never {
  const kept: unknown[] = [];
  // Large arrays go straight to the old generation: the limit is met at once, instead of after minutes of collecting.
  for (;;) kept.push(new Array(NUMBERS).fill(0.5));
}

/** Memory that no heap limit sees, at a pace that a watch can follow. It listens to nothing. */
async function fillBuffers(): Promise<never> {
  const kept: Buffer[] = [];
  for (;;) {
    kept.push(Buffer.alloc(BLOCK_BYTES, 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
