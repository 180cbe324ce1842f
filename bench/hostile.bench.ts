/**
 * Every broken file of a folder through the API of a whole server: `hostile.bench.ts [folder]`. Without a folder it
 * makes its own: honest documents cut off and with bytes flipped, files of the wrong kind, bombs. Every job must end,
 * none by a death of its thread, the server must live and read on, and its memory must return to where it began.
 * The memory is read from /proc, so this runs on Linux.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { startApplianceProcess } from '../test/harness/appliance-process.ts';
import {
  bombs,
  confusingFiles,
  damagedFiles,
  type HostileFile,
  honestFiles,
} from '../test/harness/hostile-documents.ts';
import { type Ending, endingsOf, memoryAtRest, memoryAtWork } from '../test/harness/hostile-run.ts';
import { expectTarget, printTable, shown } from './figures.ts';

const MIB = 2 ** 20;
const VARIANTS = 12;
/** What may stay: an allocator keeps what it may need again. */
const GROWTH_MAX_BYTES = 200 * MIB;
const UPLOAD_MAX_BYTES = 100 * MIB;
const SLOWEST = 8;

async function filesOf(folder: string | undefined): Promise<HostileFile[]> {
  if (folder === undefined) return [...damagedFiles(VARIANTS), ...confusingFiles(), ...(await bombs())];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size <= UPLOAD_MAX_BYTES)
    .map((path) => ({ name: basename(path), bytes: readFileSync(path) }));
}

function countsOf(endings: readonly Ending[]): Record<string, string | number>[] {
  const counts = new Map<string, number>();
  for (const { how, code } of endings) {
    const key = code === null ? how : `${how}: ${code}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([ending, files]) => ({ ending, files: `${files}` }));
}

const files = await filesOf(process.argv[2]);
const server = await startApplianceProcess();
try {
  const { pid } = server;
  const honest = honestFiles();
  const before = await memoryAtWork(server, honest);
  const started = performance.now();
  const endings = await endingsOf(server, files);
  const seconds = (performance.now() - started) / 1000;
  const again = await endingsOf(server, honest);
  const after = await memoryAtRest(pid, before + GROWTH_MAX_BYTES);
  printTable(countsOf(endings));
  const slowest = [...endings].sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  printTable(slowest.map((one) => ({ slowest: one.name, seconds: one.seconds, ending: one.code ?? one.how })));
  const megabytes = [before, after.peakBytes, after.bytes].map((bytes) => Math.round(bytes / MIB));
  process.stdout.write(
    `${files.length} files in ${shown(seconds)} s, load ${loadavg().map(shown).join(' ')}\n` +
      `resident memory: ${megabytes[0]} MB before, ${megabytes[1]} MB at most, ${megabytes[2]} MB after\n`,
  );
  expectTarget('every file is refused or ends its job', endings.length === files.length);
  expectTarget('no job ends by the death of its thread', !endings.some(({ code }) => code === 'engine_failed'));
  expectTarget(
    'the same server reads honest documents after it',
    server.pid === pid && again.every(({ how }) => how === 'completed'),
  );
  expectTarget(
    `its memory is within ${GROWTH_MAX_BYTES / MIB} MB of where it began`,
    after.bytes <= before + GROWTH_MAX_BYTES,
  );
} finally {
  await server[Symbol.asyncDispose]();
}
