/** Looks into recordings, one after the other, in a process that starts once for several of them. */

import type { MediaProgram, MediaSketch, SketchMediaInput } from '../../../workers/media/tasks.ts';
import type { Remote } from '../../platform/rpc/rpc.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { MediaReader } from './media-reader.ts';

/** CPU time of a process. */
const LIMIT_MS = 30 * SECOND_MS;

/** Recordings of a process. Each takes a few tenths of a second. */
const TOGETHER = 20;

interface OpenProgram {
  program: Remote<MediaProgram>;
  used: number;
  end(): Promise<void>;
}

export class Sketches implements AsyncDisposable {
  readonly #media: MediaReader;
  #open: OpenProgram | null = null;

  constructor(media: MediaReader) {
    this.#media = media;
  }

  /**
   * A still of a recording, or the shape of its sound, at a small part of the cost of reading it. Errors:
   * `unsupported_media`, `corrupt_input`, `out_of_memory`, `timeout`, `engine_failed`, and the signal's reason. A file
   * that ends its process takes no other along.
   */
  async sketchMedia(place: SketchMediaInput, signal: AbortSignal): Promise<MediaSketch> {
    if ((this.#open?.used ?? 0) >= TOGETHER) await this[Symbol.asyncDispose]();
    this.#open ??= await this.#start(signal);
    this.#open.used += 1;
    try {
      return await this.#open.program.sketchMedia(place);
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.end();
  }

  async #start(signal: AbortSignal): Promise<OpenProgram> {
    const started = Promise.withResolvers<Remote<MediaProgram>>();
    const left = Promise.withResolvers<void>();
    const limits = { signal, timeLimitMs: LIMIT_MS, what: 'Looking into the recording' };
    const ended = this.#media
      .use(async (program) => {
        started.resolve(program);
        await left.promise;
      }, limits)
      .catch(started.reject);
    const end = () => {
      left.resolve();
      return ended;
    };
    return { program: await started.promise, used: 0, end };
  }
}
