import { expect, test } from 'vitest';
import { boundedModule } from '../../workers/documents/wasm-memory.ts';

/** `(module (memory (export "memory") 1))`: the smallest module that has memory, one page of 64 KiB. */
const SMALLEST = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 0, 1, 7, 10, 1, 6, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2, 0,
]);
const PAGE_BYTES = 65_536;

test('an engine may grow to its limit and not past it, and its refusal is told once', () => {
  const bounded = boundedModule(SMALLEST, 4 * PAGE_BYTES);
  let memory: { grow(pages: number): number } | null = null;
  bounded.instantiateWasm({}, (instance) => {
    memory = instance.exports.memory as { grow(pages: number): number };
  });
  const grow = (pages: number) => memory?.grow(pages);
  expect(grow(3)).toBe(1);
  expect(bounded.memoryBytes()).toBe(4 * PAGE_BYTES);
  expect(bounded.takeRefusal()).toBe(false);
  expect(() => grow(1)).toThrow(RangeError);
  expect([bounded.takeRefusal(), bounded.takeRefusal()]).toEqual([true, false]);
  expect(bounded.memoryBytes()).toBe(4 * PAGE_BYTES);
});
