/** MuPDF, one instance for each thread, with a ceiling on its memory and silent about what it mends. */
import { readFileSync } from 'node:fs';
import { boundedModule } from '../wasm-memory.ts';
import { MUPDF_MEMORY_MAX_BYTES } from './limits.ts';

/** Complaints about colour profiles, which are not used. */
const HARMLESS = /ICC/i;

const binary = readFileSync(new URL('mupdf-wasm.wasm', import.meta.resolve('mupdf')));
const bounded = boundedModule(binary, MUPDF_MEMORY_MAX_BYTES);
globalThis.$libmupdf_wasm_Module = bounded;

/** The library; its types come from the package. */
export const mupdf = await import('mupdf');
// Text and shades of grey need no colour profiles, and setting them up is a quarter of what opening a small PDF costs.
mupdf.disableICC();
let complained = false;
mupdf.setLog((message) => {
  if (!HARMLESS.test(message)) complained = true;
});

/** Whether MuPDF ran into its memory ceiling since this was last asked. */
export const tookTooMuchMemory = (): boolean => bounded.takeRefusal();

/** Whether MuPDF met something damaged and went on, since this was last asked. */
export function metDamage(): boolean {
  const did = complained;
  complained = false;
  return did;
}
