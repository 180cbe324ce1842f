import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import {
  confusingFiles,
  damagedFiles,
  docxWithMedia,
  honestFiles,
  hugePicturePdf,
  inflatingPdf,
  repetitiveDocx,
} from '../harness/hostile-documents.ts';
import { endingsOf, memoryAtRest, memoryAtWork, residentMemory } from '../harness/hostile-run.ts';

const MIB = 2 ** 20;
/** What may stay: an allocator keeps what it may need again. Some 70 MB are seen, and twice that is allowed. */
const GROWTH_MAX_BYTES = 140 * MIB;
/** Pictures of a document that are not unpacked: what is not text costs no memory. */
const MEDIA_BYTES = 300 * MIB;
/** What a job may say of a document that cannot be read: nothing of a thread that died, nothing internal. */
const CLEAR = /^(corrupt_input|encrypted_input|unsupported_media|source_too_large|out_of_memory|timeout)$/;

/** Ends a test that would hang; no guarantee rests on it. */
const RUN_LIMIT_MS = 1_800_000;

let server: ApplianceProcess;
beforeAll(async () => {
  server = await startApplianceProcess();
});
afterAll(() => server[Symbol.asyncDispose]());

test(
  'a heap of broken documents: every job ends with a clear error or a text, the server lives, its memory returns',
  async () => {
    const { pid } = server;
    const honest = honestFiles();
    const before = await memoryAtWork(server, honest);
    const { peakBytes } = residentMemory(pid);
    const [pictured] = await endingsOf(server, [{ name: 'media.docx', bytes: docxWithMedia(MEDIA_BYTES) }]);
    expect(pictured).toMatchObject({ how: 'completed' });
    expect(residentMemory(pid).peakBytes - peakBytes).toBeLessThan(MEDIA_BYTES / 3);
    const files = [
      ...damagedFiles(1),
      ...confusingFiles(),
      { name: 'inflates.docx', bytes: repetitiveDocx('x'.repeat(1000), 300 * MIB) },
      { name: 'inflates.pdf', bytes: await inflatingPdf(' ', 200 * MIB) },
      { name: 'picture.pdf', bytes: await hugePicturePdf(12_000) },
    ];
    const endings = await endingsOf(server, files);
    expect(endings.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
    const unclear = endings.filter(({ how, code }) => (how === 'failed' ? !CLEAR.test(code ?? '') : false));
    expect(unclear).toEqual([]);
    expect(endings.filter(({ how }) => how === 'completed').length).toBeGreaterThan(0);
    expect(endings.filter(({ how }) => how === 'refused').every(({ code }) => /^4/.test(code ?? ''))).toBe(true);
    expect((await endingsOf(server, honest)).map(({ how }) => how)).toEqual(honest.map(() => 'completed'));
    expect(server.pid).toBe(pid);
    expect((await memoryAtRest(pid, before + GROWTH_MAX_BYTES)).bytes - before).toBeLessThanOrEqual(GROWTH_MAX_BYTES);
  },
  RUN_LIMIT_MS,
);
