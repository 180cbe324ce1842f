/**
 * Runs a WASI program in memory alone: arguments in, its output and one written file out. The program reaches no file,
 * clock or network, and every run starts from fresh memory, so its output is deterministic.
 */

const SUCCESS = 0;
const BAD_DESCRIPTOR = 8;
const NOT_FOUND = 44;
const FIRST_FREE = 4;
/** The only folder that the program sees. */
const FOLDER = { descriptor: 3, name: '/out' };
const DIRECTORY = 3;
const REGULAR_FILE = 4;
const CHARACTER_DEVICE = 2;
const OPEN_CREATE = 1;
const INITIAL_BYTES = 1 << 20;
/** Upper bound on a written file; an hour of speech is smaller. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;

/** A compiled program. */
export type Program = { readonly brand: 'program' };

/** Node's WebAssembly global; TypeScript declares it only in the DOM library. */
interface WebAssemblyRuntime {
  compile(bytes: Uint8Array): Promise<Program>;
  instantiate(program: Program, imports: object): Promise<{ exports: { memory: Memory; _start(): void } }>;
}
interface Memory {
  readonly buffer: ArrayBuffer;
}
const runtime = (globalThis as unknown as { WebAssembly: WebAssemblyRuntime }).WebAssembly;

export function compileProgram(bytes: Uint8Array): Promise<Program> {
  return runtime.compile(bytes);
}

export interface ProgramRun {
  /** Text on standard output and standard error. */
  output: string;
  /** Content of the last file it opened; empty if it opened none. */
  written: Uint8Array;
}

class Exit extends Error {}

/** Throws if the program traps. */
export async function runProgram(program: Program, args: readonly string[]): Promise<ProgramRun> {
  const host = new Host(args);
  const instance = await runtime.instantiate(program, { wasi_snapshot_preview1: host.imports() });
  host.memory = instance.exports.memory;
  try {
    instance.exports._start();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
  return { output: host.output(), written: host.file.bytes() };
}

/** A file that grows as it is written, at any position. */
class MemoryFile {
  #buffer = new Uint8Array(INITIAL_BYTES);
  #length = 0;
  position = 0;

  write(bytes: Uint8Array): void {
    const end = this.position + bytes.length;
    if (end > FILE_BYTES_MAX) throw new RangeError('The program exceeded its output limit.');
    if (end > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(end, this.#buffer.length * 2));
      grown.set(this.#buffer);
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.position);
    this.position = end;
    this.#length = Math.max(this.#length, end);
  }

  seek(offset: number, whence: number): number {
    const base = [0, this.position, this.#length][whence] ?? 0;
    this.position = Math.max(0, base + offset);
    return this.position;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }
}

class Host {
  memory!: Memory;
  file = new MemoryFile();
  readonly #args: Uint8Array[];
  readonly #output: Uint8Array[] = [];
  #nextDescriptor = FIRST_FREE;

  constructor(args: readonly string[]) {
    this.#args = args.map((argument) => new TextEncoder().encode(`${argument}\0`));
  }

  output(): string {
    return Buffer.concat(this.#output).toString('utf8');
  }

  imports(): Record<string, (...values: never[]) => number> {
    return {
      args_sizes_get: (count: number, size: number) => {
        this.#view().setUint32(count, this.#args.length, true);
        this.#view().setUint32(
          size,
          this.#args.reduce((sum, bytes) => sum + bytes.length, 0),
          true,
        );
        return SUCCESS;
      },
      args_get: (pointers: number, buffer: number) => this.#giveArguments(pointers, buffer),
      clock_time_get: (_clock: number, _precision: bigint, result: number) => {
        this.#view().setBigUint64(result, 0n, true);
        return SUCCESS;
      },
      fd_close: () => SUCCESS,
      fd_fdstat_get: (descriptor: number, result: number) => {
        const view = this.#view();
        view.setUint8(result, this.#typeOf(descriptor));
        view.setUint16(result + 2, 0, true);
        view.setBigUint64(result + 8, 0xffff_ffff_ffff_ffffn, true);
        view.setBigUint64(result + 16, 0xffff_ffff_ffff_ffffn, true);
        return SUCCESS;
      },
      fd_fdstat_set_flags: () => SUCCESS,
      fd_prestat_get: (descriptor: number, result: number) => {
        if (descriptor !== FOLDER.descriptor) return BAD_DESCRIPTOR;
        this.#view().setUint8(result, 0);
        this.#view().setUint32(result + 4, FOLDER.name.length, true);
        return SUCCESS;
      },
      fd_prestat_dir_name: (_descriptor: number, path: number) => {
        this.#bytes().set(new TextEncoder().encode(FOLDER.name), path);
        return SUCCESS;
      },
      fd_read: (_descriptor: number, _vectors: number, _count: number, read: number) => {
        this.#view().setUint32(read, 0, true);
        return SUCCESS;
      },
      fd_seek: (_descriptor: number, offset: bigint, whence: number, result: number) => {
        this.#view().setBigUint64(result, BigInt(this.file.seek(Number(offset), whence)), true);
        return SUCCESS;
      },
      fd_write: (descriptor: number, vectors: number, count: number, written: number) =>
        this.#write(descriptor, vectors, count, written),
      path_open: (...values: number[]) => this.#open(values[4] ?? 0, values[8] ?? 0),
      proc_exit: () => {
        throw new Exit();
      },
    };
  }

  #giveArguments(pointers: number, buffer: number): number {
    let at = buffer;
    for (const [index, bytes] of this.#args.entries()) {
      this.#view().setUint32(pointers + index * 4, at, true);
      this.#bytes().set(bytes, at);
      at += bytes.length;
    }
    return SUCCESS;
  }

  #write(descriptor: number, vectors: number, count: number, written: number): number {
    const view = this.#view();
    let total = 0;
    for (let index = 0; index < count; index += 1) {
      const start = view.getUint32(vectors + index * 8, true);
      const length = view.getUint32(vectors + index * 8 + 4, true);
      const bytes = this.#bytes().slice(start, start + length);
      if (descriptor >= FIRST_FREE) this.file.write(bytes);
      else this.#output.push(bytes);
      total += length;
    }
    view.setUint32(written, total, true);
    return SUCCESS;
  }

  /** Every created file is the one output file; there is nothing to read. */
  #open(flags: number, result: number): number {
    if ((flags & OPEN_CREATE) === 0) return NOT_FOUND;
    this.file = new MemoryFile();
    this.#view().setUint32(result, this.#nextDescriptor, true);
    this.#nextDescriptor += 1;
    return SUCCESS;
  }

  #typeOf(descriptor: number): number {
    if (descriptor === FOLDER.descriptor) return DIRECTORY;
    return descriptor >= FIRST_FREE ? REGULAR_FILE : CHARACTER_DEVICE;
  }

  #view(): DataView {
    return new DataView(this.memory.buffer);
  }

  #bytes(): Uint8Array {
    return new Uint8Array(this.memory.buffer);
  }
}
