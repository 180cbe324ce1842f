import type { PageFacts, PagesSoFar, ReadPageTarget } from '../../../workers/tasks.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { CountSketch } from '../../platform/text/count-sketch.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';

/** Pages go to a worker together: handing one over costs as much as reading a small one. */
const MAX_BATCH_PAGES = 16;
const MAX_BATCH_BYTES = 1 * MIB;
/** How long a page waits for others. */
const GATHER_MS = 10;
/** While so much is being read, nothing more is fetched: memory stays flat where reading is the slower part. */
const MAX_BYTES_IN_WORK = 32 * MIB;
const MAX_BATCHES_IN_WORK = 6;
/** What repeats is looked for among so many blocks: on a share of all pages, so the number need not grow with them. */
const COUNTED_BLOCKS = 1 << 15;
const READ_LIMIT_MS = 60 * SECOND_MS;

export interface BatchParts {
  runTask: RunTask;
  accountId: string;
  batchFolder: string;
  firstBatch: number;
  signal: AbortSignal;
  /** All pages of a batch, in one go. */
  onRead(batch: number, pages: PageFacts[]): void;
  /** A batch could not be read for a reason that ends the crawl. */
  onFailed(error: unknown): void;
}

/** Gathers fetched pages, and has them read by the workers. */
export class PageBatches {
  readonly #parts: BatchParts;
  readonly #soFar: PagesSoFar = {
    bytes: new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT),
    pages: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    blocks: CountSketch.memoryFor(COUNTED_BLOCKS),
  };
  #next: number;
  #open: ReadPageTarget[] = [];
  #openBytes = 0;
  /** Holds the open bodies. */
  #memory: SharedArrayBuffer | null = null;
  /** Memory that waits to be used again: as much as there were batches at once. */
  readonly #freeMemory: SharedArrayBuffer[] = [];
  #timer: NodeJS.Timeout | null = null;
  #bytesInWork = 0;
  #batchesInWork = 0;

  constructor(parts: BatchParts) {
    this.#parts = parts;
    this.#next = parts.firstBatch;
  }

  get isFull(): boolean {
    return this.#bytesInWork + this.#openBytes > MAX_BYTES_IN_WORK || this.#batchesInWork >= MAX_BATCHES_IN_WORK;
  }

  get isIdle(): boolean {
    return this.#batchesInWork === 0 && this.#open.length === 0;
  }

  /** The body is copied into memory that threads read: what it came in need not outlive the moment. */
  add(target: ReadPageTarget): void {
    const { length } = target.body;
    if (this.#memory !== null && this.#openBytes + length > this.#memory.byteLength) this.#send();
    this.#memory ??= this.#memoryFor(length);
    const body = new Uint8Array(this.#memory, this.#openBytes, length);
    body.set(target.body);
    this.#open.push({ ...target, body });
    this.#openBytes += length;
    if (this.#open.length >= MAX_BATCH_PAGES || this.#openBytes >= MAX_BATCH_BYTES) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #send(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const pages = this.#open;
    const bytes = this.#openBytes;
    const memory = this.#memory;
    this.#open = [];
    this.#openBytes = 0;
    this.#memory = null;
    this.#bytesInWork += bytes;
    this.#batchesInWork += 1;
    void this.#read(pages)
      .catch((error: unknown) => () => this.#parts.onFailed(error))
      .then((report) => {
        this.#bytesInWork -= bytes;
        this.#batchesInWork -= 1;
        if (memory?.byteLength === MAX_BATCH_BYTES) this.#freeMemory.push(memory);
        report();
      });
  }

  #memoryFor(bytes: number): SharedArrayBuffer {
    if (bytes > MAX_BATCH_BYTES) return new SharedArrayBuffer(bytes);
    return this.#freeMemory.pop() ?? new SharedArrayBuffer(MAX_BATCH_BYTES);
  }

  /** A page that takes its thread down is found by reading each alone; the others are not lost with it. */
  async #read(pages: ReadPageTarget[]): Promise<() => void> {
    const { runTask, accountId, batchFolder, signal, onRead } = this.#parts;
    const batch = this.#next;
    this.#next += 1;
    try {
      const options = { accountId, timeLimitMs: READ_LIMIT_MS, signal };
      const read = await runTask('read-pages', { pages, batch, batchFolder, soFar: this.#soFar }, options);
      return () => onRead(batch, read.pages);
    } catch (error) {
      const failure = readingFailure(error);
      if (failure === null) throw error;
      const [first] = pages;
      if (first !== undefined && pages.length === 1) return () => onRead(batch, [{ id: first.id, problem: failure }]);
      const reports: (() => void)[] = [];
      for (const page of pages) reports.push(await this.#read([page]));
      return () => {
        for (const report of reports) report();
      };
    }
  }
}

/** Why a page could not be read, where the page is the reason. */
function readingFailure(error: unknown): string | null {
  if (!(error instanceof QuarryError)) return null;
  switch (error.code) {
    case 'timeout':
      return 'Reading the page took too long.';
    case 'out_of_memory':
      return 'Reading the page took too much memory.';
    case 'engine_failed':
    case 'internal':
      return 'The page could not be read.';
    default:
      return null;
  }
}
