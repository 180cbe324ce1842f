import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { CommandError, type Connection, EXIT, refusedAnswerError } from './connection.ts';
import { openDiskFile } from './multipart-body.ts';
import type { Source } from './sources.ts';

/** Items of one batch. The server refuses more. */
const ITEMS_MAX = 200;

const LOOK_EVERY_MS = 500;

const Accepted = z.object({ batchId: z.string() });

const Items = z.object({
  items: z.array(
    z.object({
      status: z.string(),
      jobId: z.string().nullable(),
      error: z.object({ code: z.string(), message: z.string() }).nullable(),
    }),
  ),
});

export interface BatchOptions {
  operationId: string;
  options: Record<string, unknown>;
  prefer?: string | undefined;
  tags: readonly string[];
}

/** Batches that one command has sent, and the jobs of their items. */
export class SentBatches {
  readonly #connection: Connection;
  readonly #ids: string[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Sends sources as batches. Returns, for each source, what waits for the id of its job. */
  async sendBatches(
    sources: readonly Source[],
    how: BatchOptions,
    signal: AbortSignal,
  ): Promise<((signal: AbortSignal) => Promise<string>)[]> {
    const starts: ((signal: AbortSignal) => Promise<string>)[] = [];
    for (let first = 0; first < sources.length; first += ITEMS_MAX) {
      const some = sources.slice(first, first + ITEMS_MAX);
      const batchId = await this.#postBatch(some, how, signal);
      this.#ids.push(batchId);
      const order = inBatchOrder(some);
      const watch = new BatchWatch(this.#connection, batchId);
      starts.push(...some.map((source) => (stop: AbortSignal) => watch.jobOf(order.indexOf(source), stop)));
    }
    return starts;
  }

  /** Cancels what has not ended. Returns one sentence for each batch. */
  async cancelSentBatches(): Promise<string[]> {
    return Promise.all(
      this.#ids.map(async (batchId) => {
        const answer = await this.#connection.send(`/v1/batches/${batchId}`, { method: 'DELETE' });
        return answer.ok ? `Cancelled ${batchId}.` : `${batchId} could not be cancelled.`;
      }),
    );
  }

  async #postBatch(
    sources: readonly Source[],
    { operationId, options, prefer, tags }: BatchOptions,
    signal: AbortSignal,
  ) {
    const form = new FormData();
    const items = sources.flatMap(({ address }) => (address === null ? [] : [{ sourceUrl: address }]));
    const batch = JSON.stringify({ operation: operationId, request: { options }, items });
    form.append('batch', batch);
    for (const { path, name } of sources) if (path !== null) form.append('file', await openDiskFile(path, name));
    const headers: Record<string, string> = { 'idempotency-key': randomUUID() };
    if (prefer !== undefined) headers.prefer = prefer;
    if (tags.length > 0) headers['quarry-tags'] = tags.join(', ');
    const hasFiles = items.length < sources.length;
    if (!hasFiles) headers['content-type'] = 'application/json';
    const request = { method: 'POST', headers, body: hasFiles ? form : batch, signal };
    const answer = await this.#connection.send('/v1/batches', request);
    if (!answer.ok) throw await refusedAnswerError(answer);
    return Accepted.parse(await answer.json()).batchId;
  }
}

/** Sources as a batch numbers them: addresses first. */
function inBatchOrder(sources: readonly Source[]): Source[] {
  return sources.toSorted((one, other) => Number(one.address === null) - Number(other.address === null));
}

type SeenItems = z.infer<typeof Items>['items'];

class BatchWatch {
  readonly #connection: Connection;
  readonly #batchId: string;
  /** One look at a batch serves all who wait for its items. */
  #looking: Promise<SeenItems> | null = null;

  constructor(connection: Connection, batchId: string) {
    this.#connection = connection;
    this.#batchId = batchId;
  }

  /** The id of an item's job, once it has one. Errors: CommandError of an item that became none. */
  async jobOf(index: number, signal: AbortSignal): Promise<string> {
    for (;;) {
      this.#looking ??= this.#readBatchItems().finally(() => {
        this.#looking = null;
      });
      const item = (await this.#looking)[index];
      if (item?.jobId != null) return item.jobId;
      if (item?.status === 'failed' || item?.status === 'cancelled') {
        const { code = null, message = 'The item was cancelled.' } = item.error ?? {};
        throw new CommandError(message, EXIT.failed, code);
      }
      await pause(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  async #readBatchItems(): Promise<SeenItems> {
    return Items.parse(await this.#connection.json(`/v1/batches/${this.#batchId}?limit=${ITEMS_MAX}`)).items;
  }
}
