import { flushCompileCache } from 'node:module';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { QuarryError } from '../src-server/platform/errors.ts';
import type {
  ContextOf,
  PartContext,
  TaskEnvelope,
  TaskFunction,
  TaskMap,
  TaskMessage,
  TaskName,
} from '../src-server/platform/pool/worker-pool.ts';
import { ownThreadId } from '../src-server/platform/process/cpu-time.ts';
import type { StartChildProgram } from '../src-server/platform/rpc/child-process.ts';
import { toTaskError } from '../src-server/platform/rpc/errors.ts';
import { portLine } from '../src-server/platform/rpc/lines.ts';
import { say } from '../src-server/platform/text/say.ts';
import { MIB } from '../src-server/platform/units.ts';
import { wasmBytesHeld } from './documents/wasm-memory.ts';

/** Loads each task on first use, so that a light task never waits for the parsers of a heavy one. */
const LOADERS: { [Name in TaskName]: () => Promise<TaskFunction<Name>> } = {
  'read-json-body': async () => (await import('./json/read-json-body.ts')).readJsonBody,
  'extract-document': async () => (await import('./documents/extract-document.ts')).extractDocument,
  'correct-result': async () => (await import('./contributions/correct-result.ts')).correctResult,
  'rechunk-document': async () => (await import('./documents/rechunk-document.ts')).rechunkDocument,
  'parse-pdf': async () => (await import('./documents/pdf/parse-pdf.ts')).parsePdf,
  'draw-page': async () => (await import('./documents/pdf/draw-page.ts')).drawPage,
  'draw-cover': async () => (await import('./documents/draw-cover.ts')).drawCover,
  'detect-language': async () => (await import('./documents/language.ts')).detectLanguage,
  'recognize-text': async () => (await import('./documents/ocr/recognize-text.ts')).recognizeText,
  'read-pages': async () => (await import('./pages/read-pages.ts')).readPages,
  'read-page-icon': async () => (await import('./pages/page-icon.ts')).readPageIcon,
  'read-site-file': async () => (await import('./pages/read-site-file.ts')).readSiteFile,
  'survey-pages': async () => (await import('./pages/survey-pages.ts')).surveyPages,
  'rank-site': async () => (await import('./pages/rank-site.ts')).rankSite,
  'write-pages': async () => (await import('./pages/write-pages.ts')).writePages,
  'compare-site': async () => (await import('./pages/compare-site.ts')).compareSite,
  'assemble-pdf': async () => (await import('./documents/pdf/assemble-pdf.ts')).assemblePdf,
  'find-speech': async () => (await import('./media/find-speech.ts')).detectSpeechWindows,
  transcribe: async () => (await import('./media/transcribe.ts')).transcribeWindows,
  'find-speakers': async () => (await import('./media/find-speakers.ts')).findSpeakers,
  'speaker-sound': async () => (await import('./media/remember-voice.ts')).speakerSound,
  'print-voice': async () => (await import('./media/remember-voice.ts')).printVoice,
  'add-digest': async () => (await import('./media/add-digest.ts')).addDigest,
  'name-speakers': async () => (await import('./media/name-speakers.ts')).nameSpeakers,
  'select-frames': async () => (await import('./media/select-frames.ts')).selectFrames,
  'write-subtitles': async () => (await import('./media/captions.ts')).writeSubtitles,
  'rewrite-subtitles': async () => (await import('./media/rewrite-subtitles.ts')).rewriteSubtitles,
  'write-transcript': async () => (await import('./media/write-transcript.ts')).writeTranscript,
  'read-video-page': async () => (await import('./media/read-video-page.ts')).readVideoPage,
  'read-playlist': async () => (await import('./media/read-playlist.ts')).readPlaylist,
  'read-captions': async () => (await import('./media/read-captions.ts')).readCaptions,
  'read-script': async () => (await import('./audio/read-script.ts')).readScript,
  'render-speech': async () => (await import('./audio/render-speech.ts')).renderSpeech,
  'render-scene': async () => (await import('./audio/scenes/render-scene.ts')).renderScene,
  'render-music': async () => (await import('./audio/music/render-music.ts')).renderMusic,
  'plan-reading': async () => (await import('./listen/plan-reading.ts')).planReading,
  'write-book': async () => (await import('./listen/write-book.ts')).writeBook,
  'read-feed': async () => (await import('./feeds/read-feed.ts')).readFeed,
  'measure-data': async () => (await import('./disk/measure-data.ts')).measureData,
  'unpack-browser': async () => (await import('./pages/unpack-browser.ts')).unpackBrowser,
  'unpack-model': async () => (await import('./models/unpack-model.ts')).unpackModel,
  'rank-passages': async () => (await import('./fields/rank-passages.ts')).rankPassages,
  'check-answer': async () => (await import('./text/check-answer.ts')).checkAnswer,
  'fit-topics': async () => (await import('./text/fit-topics.ts')).fitTopics,
  'canonical-result': async () => (await import('./json/canonical-result.ts')).canonicalResult,
};

const MICROSECONDS_PER_MS = 1000;

/** Minimum time between progress reports: each costs the server's thread an event. */
const PROGRESS_INTERVAL_MS = 50;

/** The pool's entry: runs one task by name. `reviveTaskError` restores its errors on the other side. */
export default async function runPoolTask<Name extends TaskName>(
  envelope: TaskEnvelope<Name>,
): Promise<TaskMap[Name]['output']> {
  const { port } = envelope;
  announceStart(port);
  const outcome = await attemptPoolTask(envelope);
  if (holdsTooMuch()) {
    port.postMessage({ retired: outcome } satisfies TaskMessage);
    return new Promise(() => {});
  }
  port.close();
  keepCompiled(envelope.task);
  if ('error' in outcome) throw outcome.error;
  return outcome.output;
}

/** Tells the pool which thread works on the task, so that it can count its CPU time. */
export function announceStart(port: MessagePort): void {
  const { user, system } = process.threadCpuUsage();
  const started = { threadId: ownThreadId(), cpuMs: (user + system) / MICROSECONDS_PER_MS };
  port.postMessage({ started } satisfies TaskMessage);
}

const compiled = new Set<TaskName>();

/**
 * Flushes the compile cache after a task's first run, once its result is sent. Node flushes at the end of a thread,
 * which pool threads do not reach.
 */
function keepCompiled(task: TaskName): void {
  if (compiled.has(task)) return;
  compiled.add(task);
  setImmediate(flushCompileCache);
}

async function attemptPoolTask<Name extends TaskName>(
  envelope: TaskEnvelope<Name>,
): Promise<{ output: TaskMap[Name]['output'] } | { error: Error }> {
  const { task, input, port } = envelope;
  const channel = openChannel(port);
  try {
    if (!Object.hasOwn(LOADERS, task)) throw new TypeError(`No task is named ${String(task)}.`);
    const work = await LOADERS[task]();
    channel.signal.throwIfAborted();
    return { output: await work(input, channel as PartContext<unknown> & ContextOf<Name>) };
  } catch (error) {
    return { error: toTaskError(channel.signal.aborted ? channel.signal.reason : error) };
  }
}

/** The message channel of a task: progress and parts out, `cancel` in. */
function openChannel(port: MessagePort): PartContext<unknown> {
  const controller = new AbortController();
  const receiveTaskMessage = (message: unknown) => {
    if (message !== 'cancel') return;
    controller.abort(new QuarryError('cancelled', say`The job was cancelled.`));
  };
  port.on('message', receiveTaskMessage);
  let reportedAt = Number.NEGATIVE_INFINITY;
  let lastReport = '';
  return {
    signal: controller.signal,
    startChild: childStarter(port),
    part: (part) => port.postMessage({ part } satisfies TaskMessage),
    progress(percent, stage, message) {
      const waiting = receiveMessageOnPort(port);
      if (waiting !== undefined) receiveTaskMessage(waiting.message);
      const whole = Math.max(0, Math.min(100, Math.floor(percent)));
      const report = `${whole} ${stage} ${message}`;
      const now = performance.now();
      if (report === lastReport || now - reportedAt < PROGRESS_INTERVAL_MS) return;
      lastReport = report;
      reportedAt = now;
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

// Frees memory after a task. V8 collects garbage only while a thread works, and an idle thread could hold the remains
// of a large or hostile source for hours. Past a bound the thread collects its garbage at once; if it still exceeds the
// bound, it asks to be replaced.

/** WASM memory never shrinks. */
const WASM_MAX_BYTES = 320 * MIB;

/** Sequential documents of 300 pages stay below 100 MB of objects, garbage included. */
const HEAP_MAX_BYTES = 128 * MIB;

/** Files and their inflated content, which the heap limits do not count. */
const BUFFERS_MAX_BYTES = 64 * MIB;

/** Whether the thread exceeds the bounds for idle threads. Collects garbage first. */
export function holdsTooMuch(): boolean {
  if (isPastBounds()) collectGarbage();
  return wasmBytesHeld() > WASM_MAX_BYTES || isPastBounds();
}

function isPastBounds(): boolean {
  return getHeapStatistics().used_heap_size > HEAP_MAX_BYTES || process.memoryUsage().arrayBuffers > BUFFERS_MAX_BYTES;
}

/**
 * Runs V8's collector, which is exposed only by a flag. The flag is reset at once, because V8's cached code is valid
 * for one set of flags. Without a collector the thread is replaced.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return;
  collect();
  // V8 frees dead buffers concurrently; the second collection waits for the first to finish.
  collect();
}
