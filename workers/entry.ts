import { flushCompileCache } from 'node:module';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { QuarryError } from '../src-server/platform/errors.ts';
import type {
  TaskContext,
  TaskEnvelope,
  TaskFunction,
  TaskMap,
  TaskMessage,
  TaskName,
} from '../src-server/platform/pool/worker-pool.ts';
import type { StartChildProgram } from '../src-server/platform/rpc/child-process.ts';
import { toTaskError } from '../src-server/platform/rpc/errors.ts';
import { portLine } from '../src-server/platform/rpc/lines.ts';
import { MIB } from '../src-server/platform/units.ts';
import { wasmBytesHeld } from './documents/wasm-memory.ts';

/** Each task is loaded when it is first asked for, so that a light task never waits for a heavy one's parsers. */
const LOADERS: { [Name in TaskName]: () => Promise<TaskFunction<Name>> } = {
  'read-json-body': async () => (await import('./json/read-json-body.ts')).readJsonBody,
  'extract-document': async () => (await import('./documents/extract-document.ts')).extractDocument,
  'rechunk-document': async () => (await import('./documents/rechunk-document.ts')).rechunkDocument,
  'parse-pdf': async () => (await import('./documents/pdf/parse-pdf.ts')).parsePdf,
  'draw-page': async () => (await import('./documents/pdf/draw-page.ts')).drawPage,
  'recognize-text': async () => (await import('./documents/ocr/recognize-text.ts')).recognizeText,
  'read-pages': async () => (await import('./pages/read-pages.ts')).readPages,
  'read-site-file': async () => (await import('./pages/read-site-file.ts')).readSiteFile,
  'survey-pages': async () => (await import('./pages/survey-pages.ts')).surveyPages,
  'rank-site': async () => (await import('./pages/rank-site.ts')).rankSite,
  'write-pages': async () => (await import('./pages/write-pages.ts')).writePages,
  'assemble-pdf': async () => (await import('./documents/pdf/assemble-pdf.ts')).assemblePdf,
  'find-speech': async () => (await import('./media/find-speech.ts')).findSpeech,
  transcribe: async () => (await import('./media/transcribe.ts')).transcribe,
  'select-frames': async () => (await import('./media/select-frames.ts')).selectFrames,
  'write-transcript': async () => (await import('./media/write-transcript.ts')).writeTranscript,
  'read-video-page': async () => (await import('./media/read-video-page.ts')).readVideoPage,
  'read-captions': async () => (await import('./media/read-captions.ts')).readCaptions,
  'render-speech': async () => (await import('./audio/render-speech.ts')).renderSpeech,
  'render-music': async () => (await import('./audio/music/render-music.ts')).renderMusic,
  'canonical-result': async () => (await import('./json/canonical-result.ts')).canonicalResult,
};

/** Nobody watches more closely than this, and each message costs the server's thread a turn. */
const SAY_EVERY_MS = 50;

/** The pool's entry: runs one task by its name. What it throws is revived by `reviveTaskError`. */
export default async function run<Name extends TaskName>(
  envelope: TaskEnvelope<Name>,
): Promise<TaskMap[Name]['output']> {
  const { port } = envelope;
  const outcome = await attempt(envelope);
  if (holdsTooMuch()) {
    port.postMessage({ retired: outcome } satisfies TaskMessage);
    return new Promise(() => {});
  }
  port.close();
  keepCompiled(envelope.task);
  if ('error' in outcome) throw outcome.error;
  return outcome.output;
}

const compiled = new Set<TaskName>();

/**
 * Where the server keeps compiled code, a task's is kept when it has run once, behind its answer: a thread has no end
 * of its own at which Node would do it.
 */
function keepCompiled(task: TaskName): void {
  if (compiled.has(task)) return;
  compiled.add(task);
  setImmediate(flushCompileCache);
}

async function attempt<Name extends TaskName>(
  envelope: TaskEnvelope<Name>,
): Promise<{ output: TaskMap[Name]['output'] } | { error: Error }> {
  const { task, input, port } = envelope;
  const channel = openChannel(port);
  try {
    if (!Object.hasOwn(LOADERS, task)) throw new TypeError(`No task is named ${String(task)}.`);
    const work = await LOADERS[task]();
    channel.signal.throwIfAborted();
    return { output: await work(input, channel) };
  } catch (error) {
    return { error: toTaskError(channel.signal.aborted ? channel.signal.reason : error) };
  }
}

/** The task's two-way line: progress out, `cancel` in. */
function openChannel(port: MessagePort): TaskContext {
  const controller = new AbortController();
  const hear = (message: unknown) => {
    if (message !== 'cancel') return;
    controller.abort(new QuarryError('cancelled', 'The job was cancelled.'));
  };
  port.on('message', hear);
  let saidAt = Number.NEGATIVE_INFINITY;
  let lastSaid = '';
  return {
    signal: controller.signal,
    startChild: childStarter(port),
    progress(percent, stage, message) {
      const waiting = receiveMessageOnPort(port);
      if (waiting !== undefined) hear(waiting.message);
      const whole = Math.max(0, Math.min(100, Math.floor(percent)));
      const said = `${whole} ${stage} ${message}`;
      const now = performance.now();
      if (said === lastSaid || now - saidAt < SAY_EVERY_MS) return;
      lastSaid = said;
      saidAt = now;
      port.postMessage({ progress: { percent: whole, stage, message } } satisfies TaskMessage);
    },
  };
}

/** Starts child programs through the server's thread, over a line of their own. */
function childStarter(taskPort: MessagePort): StartChildProgram {
  return (name, listeners) => {
    const { port1, port2 } = new MessageChannel();
    taskPort.postMessage({ startChild: { name, port: port2 } } satisfies TaskMessage, [port2]);
    return portLine(port1)(listeners);
  };
}

/**
 * What a thread still holds when its task has ended. V8 looks for garbage while a thread works, and this one may rest
 * now for hours with all that a large or hostile source left behind: so past a bound garbage is collected on the spot,
 * and a thread that holds too much even then asks to be replaced.
 */

/** Engines in WASM never shrink. */
const WASM_MAX_BYTES = 320 * MIB;

/** Documents of 300 pages, one after the other, stay below 100 MB of objects, garbage included. */
const HEAP_MAX_BYTES = 128 * MIB;

/** Files and what they inflate to; a heap's own bounds do not count them. */
const BUFFERS_MAX_BYTES = 64 * MIB;

/** Whether the thread holds more than it should rest with. Collects garbage before it says so. */
export function holdsTooMuch(): boolean {
  if (isPastBounds()) collectGarbage();
  return wasmBytesHeld() > WASM_MAX_BYTES || isPastBounds();
}

function isPastBounds(): boolean {
  return getHeapStatistics().used_heap_size > HEAP_MAX_BYTES || process.memoryUsage().arrayBuffers > BUFFERS_MAX_BYTES;
}

/**
 * V8's own collector, which a program gets to call by a flag only. The flag is taken back at once: code that V8 keeps
 * compiled is good for one set of flags. Where it does nothing, the thread is replaced instead.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return;
  collect();
  // Buffers that were found to be garbage are freed beside the thread; the next collection begins when that is done.
  collect();
}
