/**
 * Vectors of text from the installed embedding model, one text at a time. Queries, for which a caller waits, come
 * before documents. An idle model is unloaded.
 */

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Embedded, EmbeddingProgram } from '../../../workers/text/tasks.ts';
import { perContext } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import { QuarryError, systemCodeOf } from '../../platform/errors.ts';
import { type LimitReached, limitPhrase, limitWork } from '../../platform/process/work-limit.ts';
import type { StartChildProgram } from '../../platform/rpc/child-process.ts';
import { connectPeer, type Peer } from '../../platform/rpc/rpc.ts';
import { saidTogether, say } from '../../platform/text/say.ts';
import { KIB, MIB, MINUTE_MS } from '../../platform/units.ts';
import { modelsOf } from '../models/service.ts';
import type { EmbeddingModel, EmbeddingPurpose, Embeddings, PlainEmbeddings } from './schema.ts';

/** Bound on waiting queries; each takes tens of milliseconds. */
const QUESTIONS_MAX = 64;

const RETRY_AFTER_SECONDS = 1;

const IDLE_LIMIT_MS = 5 * MINUTE_MS;

/** Time until a file that could not be loaded is tried again: loading takes seconds. */
const UNUSABLE_FOR_MS = 10 * MINUTE_MS;

/** Prefixes of queries and documents with which models were trained. */
const PREFIXES: readonly { name: RegExp; query: string; document: string }[] = [
  { name: /nomic-embed-text/i, query: 'search_query: ', document: 'search_document: ' },
  { name: /\be5\b/i, query: 'query: ', document: 'passage: ' },
  {
    name: /\bbge\b.*\ben\b/i,
    query: 'Represent this sentence for searching relevant passages: ',
    document: '',
  },
];

interface EmbeddingModelFile {
  name: string;
  path: string;
  /** Changes when the file is replaced under the same name. */
  revision: string;
}

/** The installed embedding models, as the engine sees them. */
interface EmbeddingModelFiles {
  list(): Promise<EmbeddingModelFile[]>;
  /** Marks the model as used. */
  require(name: string): Promise<unknown>;
}

interface EmbeddingEngineDeps {
  files: EmbeddingModelFiles;
  startChild: StartChildProgram;
  clock: Clock;
}

interface Turn {
  file: EmbeddingModelFile;
  text: string;
  signal: AbortSignal;
  resolve(embedded: Embedded): void;
  reject(error: unknown): void;
}

/** In the order in which they are served: a caller waits for the first two. */
const LINES = ['query', 'plain', 'document'] as const;

type Line = (typeof LINES)[number];

export class EmbeddingEngine implements Embeddings, PlainEmbeddings {
  readonly #deps: EmbeddingEngineDeps;
  readonly #waiting: Record<Line, Turn[]> = { query: [], plain: [], document: [] };
  #held: { file: EmbeddingModelFile; process: EmbeddingProcess } | null = null;
  #unusable: { revision: string; error: QuarryError; until: number } | null = null;
  #working = false;
  #idle: NodeJS.Timeout | null = null;
  /** Fingerprint of the last file, computed again only when the file changes. */
  #known: { revision: string; path: string; fingerprint: Promise<string> } | null = null;

  constructor(deps: EmbeddingEngineDeps) {
    this.#deps = deps;
  }

  /** The first by name. */
  async current(): Promise<EmbeddingModel | null> {
    const [first] = await this.#deps.files.list();
    const key = first === undefined ? null : await this.#embeddingModelKey(first);
    return first === undefined || key === null ? null : { name: first.name, key };
  }

  async embedForPurpose(
    model: EmbeddingModel,
    text: string,
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
  ): Promise<readonly number[]> {
    const prefix = PREFIXES.find(({ name }) => name.test(model.name))?.[purpose] ?? '';
    return (await this.#embedInTurn(model, prefix + text, purpose, signal)).vector;
  }

  embedPlain(model: EmbeddingModel, text: string, signal: AbortSignal): Promise<Embedded> {
    return this.#embedInTurn(model, text, 'plain', signal);
  }

  async #embedInTurn(model: EmbeddingModel, text: string, line: Line, signal: AbortSignal): Promise<Embedded> {
    const file = (await this.#deps.files.list()).find(({ name }) => name === model.name);
    if (file === undefined || (await this.#embeddingModelKey(file)) !== model.key) throw embeddingModelRemoved(model);
    const known = this.#unusable;
    if (known?.revision === file.revision && this.#deps.clock.now() < known.until) throw known.error;
    if (line !== 'document') await this.#deps.files.require(model.name);
    const waiting = this.#waiting[line];
    if (line !== 'document' && waiting.length >= QUESTIONS_MAX) throw embeddingQueueFull();
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Embedded>();
    const turn: Turn = { file, text, signal, resolve, reject };
    const rejectAbortedTurn = () => reject(signal.reason);
    signal.addEventListener('abort', rejectAbortedTurn, { once: true });
    waiting.push(turn);
    void this.#workThroughTurns();
    return promise.finally(() => signal.removeEventListener('abort', rejectAbortedTurn));
  }

  /** Unloads a model whose file is about to be deleted. */
  releaseEmbeddingModel(path: string): void {
    if (this.#held?.file.path !== path) return;
    this.#held.process.endEmbeddingProcess();
    this.#held = null;
  }

  closeEmbeddingEngine(): void {
    if (this.#idle) clearTimeout(this.#idle);
    this.#held?.process.endEmbeddingProcess();
  }

  async #workThroughTurns(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    if (this.#idle) clearTimeout(this.#idle);
    for (let turn = this.#nextEmbeddingTurn(); turn !== undefined; turn = this.#nextEmbeddingTurn()) {
      try {
        turn.resolve(await this.#processOf(turn).embedText(turn.text));
      } catch (error) {
        this.#noteUnusableModel(turn.file, error);
        turn.reject(error);
      }
    }
    this.#working = false;
    this.#idle = setTimeout(() => {
      this.#held?.process.endEmbeddingProcess();
      // Until it has ended, no call may reach it.
      this.#held = null;
    }, IDLE_LIMIT_MS).unref();
  }

  #nextEmbeddingTurn(): Turn | undefined {
    for (;;) {
      const turn = LINES.map((line) => this.#waiting[line])
        .find((line) => line.length > 0)
        ?.shift();
      // An aborted call has already been rejected.
      if (turn === undefined || !turn.signal.aborted) return turn;
    }
  }

  #processOf({ file }: Turn): EmbeddingProcess {
    const held = this.#held;
    const fits = held?.file.path === file.path && held.file.revision === file.revision;
    if (held !== null && fits && !held.process.hasEmbeddingProcessEnded) return held.process;
    held?.process.endEmbeddingProcess();
    const threads = Math.max(1, Math.floor(availableParallelism() / 2));
    const process = new EmbeddingProcess(this.#deps.startChild, file.path, threads);
    this.#held = { file, process };
    return process;
  }

  /**
   * From the name, which decides the prefixes, and the bytes: another file of the same name and size has other vectors.
   * Null if the file is gone.
   */
  async #embeddingModelKey({ name, path, revision }: EmbeddingModelFile): Promise<string | null> {
    if (this.#known?.path !== path || this.#known.revision !== revision) {
      this.#known = { path, revision, fingerprint: fingerprintOf(path) };
    }
    const known = this.#known;
    try {
      return `${name} ${await known.fingerprint}`;
    } catch (error) {
      if (this.#known === known) this.#known = null;
      if (systemCodeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  #noteUnusableModel({ revision }: EmbeddingModelFile, error: unknown): void {
    if (!(error instanceof QuarryError) || error.code !== 'engine_unavailable') return;
    this.#unusable = { revision, error, until: this.#deps.clock.now() + UNUSABLE_FOR_MS };
  }
}

function embeddingModelRemoved({ name }: EmbeddingModel): QuarryError {
  return new QuarryError('model_not_installed', say`The embedding model ${name} was removed. Install it again.`);
}

function embeddingQueueFull(): QuarryError {
  const message = `${QUESTIONS_MAX} texts wait for the embedding model already. Come back in a moment.`;
  return new QuarryError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Chunks are shorter. Memory grows with it. */
const CONTEXT_TOKENS_MAX = 2048;

/** CPU time of all threads. Loading a model of gigabytes takes seconds. */
const LOAD_LIMIT_MS = 5 * MINUTE_MS;

/** CPU time of all threads, for a text of maximum length. */
const EMBED_LIMIT_MS = 2 * MINUTE_MS;

/** The reader of model files waits forever for the missing bytes of a truncated file. */
const STANDSTILL_MS = MINUTE_MS;

/**
 * Runs one embedding model in a child process. Threat: a native engine that aborts or hangs. The current text then
 * fails with `engine_failed`, the server continues, and the next text starts a new process.
 */
class EmbeddingProcess {
  readonly #program: Peer<EmbeddingProgram>;
  readonly #ready: Promise<void>;
  #reached: LimitReached | null = null;

  constructor(start: StartChildProgram, modelPath: string, threads: number) {
    this.#program = connectPeer<EmbeddingProgram>((listeners) => start('embedding', listeners), {
      ended: embeddingStopped,
    });
    const loading = this.#program.remote.load({ modelPath, contextTokensMax: CONTEXT_TOKENS_MAX, threads });
    this.#ready = this.#limitEmbeddingCall(loading, LOAD_LIMIT_MS).catch((error: QuarryError) => {
      this.endEmbeddingProcess();
      throw embeddingModelUnusable(error.cause, this.#reached);
    });
    // Callers get the error; without a caller it must not end the server.
    this.#ready.catch(() => undefined);
  }

  get hasEmbeddingProcessEnded(): boolean {
    return this.#program.isEnded;
  }

  /** One text at a time. Errors: `engine_unavailable` for a file that is no model, or is damaged; `engine_failed`. */
  async embedText(text: string): Promise<Embedded> {
    await this.#ready;
    return this.#limitEmbeddingCall(this.#program.remote.embed(text), EMBED_LIMIT_MS).catch((error: unknown) => {
      throw this.#reached === null ? error : embeddingTookTooLong(this.#reached);
    });
  }

  endEmbeddingProcess(): void {
    this.#program.end();
  }

  /** Ends a process that works without end or hangs, which fails the call. @param cpuLimitMs CPU time of the call */
  #limitEmbeddingCall<Value>(call: Promise<Value>, cpuLimitMs: number): Promise<Value> {
    const program = this.#program;
    const before = program.cpuMs() ?? 0;
    const limit = limitWork({
      cpuLimitMs,
      standstillMs: STANDSTILL_MS,
      cpuMs: () => {
        const now = program.cpuMs();
        return now === null ? null : now - before;
      },
      onLimit: (reached) => {
        this.#reached = reached;
        this.endEmbeddingProcess();
      },
    });
    return call.finally(() => limit.end());
  }
}

function embeddingModelUnusable(cause: unknown, reached: LimitReached | null): QuarryError {
  const message = saidTogether([
    say`The embedding model could not be loaded.`,
    ...(reached === null ? [] : [say`Loading it was stopped: ${limitPhrase(reached)}.`]),
    say`Its file is damaged or too large: install it again.`,
  ]);
  return new QuarryError('engine_unavailable', message, { cause });
}

function embeddingTookTooLong(reached: LimitReached): QuarryError {
  const message = say`The embedding model was stopped: ${limitPhrase(reached)}. Send the request again.`;
  return new QuarryError('engine_failed', message, { retryable: true });
}

function embeddingStopped(cause: unknown): QuarryError {
  const message = say`The embedding model stopped unexpectedly. Send the request again.`;
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}

/** Both ends of a weights file describe it; they are read completely. */
const END_BYTES = 1 * MIB;

/** The weights are between them; another training changes them everywhere. */
const SAMPLES = 64;

const SAMPLE_BYTES = 16 * KIB;

/**
 * Identifies a file by its bytes, in milliseconds even for gigabytes: by its size, its ends and samples between them.
 * Copying or touching the file does not change it.
 */
async function fingerprintOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const hash = createHash('sha256').update(`${size}\n`);
    const buffer = Buffer.allocUnsafe(END_BYTES);
    const hashFileSlice = async (from: number, bytes: number) => {
      const { bytesRead } = await file.read(buffer, 0, bytes, Math.max(0, from));
      hash.update(buffer.subarray(0, bytesRead));
    };
    await hashFileSlice(0, END_BYTES);
    for (let sample = 1; sample <= SAMPLES; sample += 1) {
      await hashFileSlice(Math.floor((size / (SAMPLES + 1)) * sample), SAMPLE_BYTES);
    }
    await hashFileSlice(size - END_BYTES, END_BYTES);
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

/** The embedding models of the models folder. */
export const embeddingsOf = perContext(async (context): Promise<Embeddings & PlainEmbeddings> => {
  const models = await modelsOf(context);
  const embeddings = new EmbeddingEngine({
    files: { list: () => models.installed('embedding'), require: (name) => models.requireInstalled(name, 'embedding') },
    startChild: context.startChild,
    clock: context.clock,
  });
  models.onRemoval(({ path }) => embeddings.releaseEmbeddingModel(path));
  context.onClose(() => embeddings.closeEmbeddingEngine());
  return embeddings;
});
