/**
 * Documents per second through the API, from the request to the completed job, beside `pandoc -t plain`, one process
 * per file. Both sides work on two documents at a time; the rounds take turns, since a machine is never equally fast
 * twice.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ApplianceProcess, startApplianceProcess } from '../test/harness/appliance-process.ts';
import { fileForm, finished } from '../test/harness/jobs.ts';
import { writeDocument } from './document-inputs.ts';
import { expectTarget, median, printTable } from './figures.ts';

const CLIENTS = 2;
const ROUNDS = 3;
/** Sections read before the clock runs: what a server that has been up for a minute is like. */
const WARM_UP = 900;
const run = promisify(execFile);

interface Size {
  name: string;
  /** About a third of a page each. */
  sections: number;
  documents: number;
  /** How many times as fast as the peer it shall be. */
  target: number;
}

const SIZES: readonly Size[] = [
  { name: 'small (1 page)', sections: 3, documents: 60, target: 3 },
  { name: 'medium (20 pages)', sections: 60, documents: 10, target: 1 },
  { name: 'large (300 pages)', sections: 900, documents: 2, target: 1 },
];

/** Seconds that `count` pieces of work take, CLIENTS of them at a time. */
async function timed(count: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let left = count;
  const client = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (performance.now() - startedAt) / 1000;
}

async function extract(server: ApplianceProcess, bytes: Uint8Array): Promise<void> {
  const headers = { prefer: 'wait=60' };
  const answer = await server.owner('/v1/extract/doc', { method: 'POST', body: fileForm(bytes, 'a.docx'), headers });
  let job = (await answer.json()) as { jobId: string; status: string };
  if (job.status === 'queued' || job.status === 'processing') job = await finished(server.owner, job.jobId);
  if (job.status !== 'completed') throw new Error(`A document was not extracted: ${JSON.stringify(job).slice(0, 500)}`);
}

const folder = mkdtempSync(join(tmpdir(), 'quarry bench '));
const server = await startApplianceProcess();
try {
  const rows: Record<string, string | number>[] = [];
  const ratios: number[] = [];
  for (const { name, sections, documents } of SIZES) {
    const path = join(folder, 'a.docx');
    writeDocument(path, sections);
    const bytes = readFileSync(path);
    await timed(Math.ceil(WARM_UP / sections) + CLIENTS, () => extract(server, bytes));
    const ours: number[] = [];
    const peers: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(documents / (await timed(documents, () => extract(server, bytes))));
      peers.push(
        documents /
          (await timed(
            documents,
            async () => void (await run('pandoc', ['-t', 'plain', '-o', join(folder, 'out.txt'), path])),
          )),
      );
    }
    const ratio = median(ours.map((rate, round) => rate / (peers[round] ?? Number.NaN)));
    ratios.push(ratio);
    rows.push({ document: name, kB: bytes.length / 1024, 'Quarry/s': median(ours), 'pandoc/s': median(peers), ratio });
  }
  printTable(rows);
  SIZES.forEach(({ name, target }, index) => {
    expectTarget(`${name}: at least ${target} × pandoc`, (ratios[index] ?? 0) >= target);
  });
} finally {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
