/**
 * Threat: a few kilobytes of hostile input can make a WASM engine allocate gigabytes, which no heap limit of the thread
 * covers and which the thread never frees. Each engine's memory is bounded: past the bound, growing fails, and the
 * engine reports an allocation error.
 */

const PAGE_BYTES = 65_536;

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface Instance {
  readonly exports: Record<string, unknown>;
}
/** Node's WebAssembly global; TypeScript declares it only in the DOM library. */
interface WebAssemblyRuntime {
  Module: new (binary: Uint8Array) => object;
  Instance: new (module: object, imports: object) => Instance;
  Memory: new (descriptor: { initial: number }) => Memory;
}
const runtime = (globalThis as unknown as { WebAssembly: WebAssemblyRuntime }).WebAssembly;

/** Options of an Emscripten module, which lets this code instantiate its binary and keep a reference to its memory. */
export interface BoundedModule {
  instantiateWasm(imports: object, receive: (instance: Instance, module: object) => unknown): object;
  /** Whether the engine was refused memory since the last call. */
  takeRefusal(): boolean;
  /** Memory of the engine, used or free. */
  memoryBytes(): number;
}

/** Memories of all engines in this thread. They never shrink; the memory of a dropped engine is garbage-collected. */
let held: WeakRef<Memory>[] = [];

export function wasmBytesHeld(): number {
  held = held.filter((memory) => memory.deref() !== undefined);
  return held.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0);
}

/** `binary` is the content of the engine's .wasm file. */
export function boundedModule(binary: Uint8Array, limitBytes: number): BoundedModule {
  let refused = false;
  const memories: Memory[] = [];
  return {
    instantiateWasm(imports, receive) {
      const module = new runtime.Module(binary);
      const instance = new runtime.Instance(module, imports);
      for (const memory of Object.values(instance.exports)) {
        if (!(memory instanceof runtime.Memory)) continue;
        memories.push(memory);
        held.push(new WeakRef(memory));
        const grow = memory.grow.bind(memory);
        memory.grow = (pages) => {
          if (memory.buffer.byteLength + pages * PAGE_BYTES > limitBytes) {
            refused = true;
            throw new RangeError('The engine reached its memory limit.');
          }
          return grow(pages);
        };
      }
      receive(instance, module);
      return instance.exports;
    },
    takeRefusal() {
      const was = refused;
      refused = false;
      return was;
    },
    memoryBytes: () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0),
  };
}
