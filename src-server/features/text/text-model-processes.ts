import { availableParallelism, loadavg } from 'node:os';
import type { Clock } from '../../platform/clock.ts';
import type { StartChildProgram } from '../../platform/rpc/child-process.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { TextModelProcess } from './model-process.ts';

/** Models held in memory at once. */
const PROCESSES_MAX = 2;
/** How often models that nobody asks are looked for. */
const IDLE_LOOK_MS = SECOND_MS;

interface Held {
  process: TextModelProcess;
  revision: string;
  /** When somebody was last seen to wait for it. */
  usedAt: number;
}

export interface TextModelProcessesParts {
  startChild: StartChildProgram;
  clock: Clock;
  /** Minutes that nobody asks a model for until it gives its memory back; 0 means that it never does. */
  idleMinutes(): number;
}

/** A model's file, told from others that had its name. */
interface ModelFile {
  path: string;
  revision: string;
}

/** The loaded models; the one asked for longest ago makes room for another, and who is not asked at all goes. */
export class TextModelProcesses {
  readonly #parts: TextModelProcessesParts;
  readonly #byPath = new Map<string, Held>();
  /** They write what they were asked for to its end. */
  readonly #leaving = new Set<TextModelProcess>();
  readonly #idleLook: NodeJS.Timeout;

  constructor(parts: TextModelProcessesParts) {
    this.#parts = parts;
    this.#idleLook = setInterval(() => this.#releaseIdle(), IDLE_LOOK_MS).unref();
  }

  /** The process that holds the file as it is now. Errors: `engine_failed` where it cannot be loaded. */
  async loaded(file: ModelFile): Promise<TextModelProcess> {
    const process = this.#of(file);
    try {
      await process.contextTokens();
      return process;
    } catch (error) {
      // Two that do not fit into the memory together are held one after the other.
      if (process.loadTookTooLong || !this.#releaseOthers(file.path)) throw error;
      const again = this.#of(file);
      await again.contextTokens();
      return again;
    }
  }

  /** Lets go of files that are there no longer, or are others by now. */
  keepOnly(files: readonly ModelFile[]): void {
    const there = new Map(files.map(({ path, revision }) => [path, revision]));
    for (const [path, { revision }] of this.#byPath) if (there.get(path) !== revision) this.release(path);
  }

  release(path: string): void {
    const held = this.#byPath.get(path);
    this.#byPath.delete(path);
    if (held === undefined) return;
    this.#leaving.add(held.process);
    held.process.endWhenIdle(() => this.#leaving.delete(held.process));
  }

  close(): void {
    clearInterval(this.#idleLook);
    for (const { process } of this.#byPath.values()) process.end();
    for (const process of this.#leaving) process.end();
    this.#byPath.clear();
  }

  #of({ path, revision }: ModelFile): TextModelProcess {
    const known = this.#byPath.get(path);
    const fits = known !== undefined && known.revision === revision && !known.process.ended;
    if (!fits) this.release(path);
    const process = fits ? known.process : new TextModelProcess(this.#parts.startChild, path, { threads: threads() });
    // As the last that was asked for.
    this.#byPath.delete(path);
    this.#byPath.set(path, { process, revision, usedAt: this.#parts.clock.now() });
    this.#makeRoomBeside(process);
    return process;
  }

  /** Whoever waits for a model keeps it: there may be more for a while than there should be. */
  #makeRoomBeside(asked: TextModelProcess): void {
    for (const [path, { process }] of this.#byPath) {
      if (this.#byPath.size <= PROCESSES_MAX) return;
      if (process !== asked && !process.busy) this.release(path);
    }
  }

  #releaseIdle(): void {
    const { clock, idleMinutes } = this.#parts;
    const minutes = idleMinutes();
    const now = clock.now();
    for (const [path, held] of this.#byPath) {
      // A clock that was set back has measured nothing.
      if (held.process.busy || held.usedAt > now) held.usedAt = now;
      else if (minutes > 0 && now - held.usedAt >= minutes * MINUTE_MS) this.release(path);
    }
  }

  /** Whether there was one that nobody waits for. */
  #releaseOthers(asked: string): boolean {
    const idle = [...this.#byPath].filter(([path, { process }]) => path !== asked && !process.busy && !process.ended);
    for (const [path] of idle) this.release(path);
    return idle.length > 0;
  }
}

/** llama.cpp spins where it waits for a thread: more threads than free cores make it a thousand times slower. */
function threads(): number {
  const cores = availableParallelism();
  const free = Math.floor(cores - (loadavg()[0] ?? 0));
  return Math.max(1, Math.min(Math.floor(cores / 2), free));
}
