/**
 * Scans an hour that are recognised by one and more nodes of one core each, every node pinned to its own core. Control
 * node, broker and client share these cores. There is no peer. `QUARRY_NODES` is the most nodes; the default is the
 * number of cores.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { until } from '../test/harness/until.ts';
import { mupdf } from '../workers/documents/pdf/open-pdf.ts';
import { expectTarget, printTable } from './figures.ts';
import { FleetBed } from './fleet-bed.ts';
import { bookPdf } from './pdf-inputs.ts';

process.env.QUARRY_TEST_TIMING = 'production';

const NODES_MAX = Number(process.env.QUARRY_NODES ?? availableParallelism());
const JOBS_A_NODE = 16;
const DPI = 200;
const LINEAR_WANTED = 0.95;
const CLI = join(import.meta.dirname, '../src-server/cli.ts');

/** Different pages, so that no two jobs are the same. */
function scans(count: number): Buffer[] {
  const document = mupdf.Document.openDocument(bookPdf(count), 'application/pdf');
  const scale = mupdf.Matrix.scale(DPI / 72, DPI / 72);
  return Array.from({ length: count }, (_, index) => {
    const pixmap = document.loadPage(index).toPixmap(scale, mupdf.ColorSpace.DeviceGray, false, true);
    return Buffer.from(pixmap.asPNG());
  });
}

async function submit(bed: FleetBed, scan: Buffer): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(scan)]), 'scan.png');
  return (await bed.upload<{ jobId: string }>('/v1/extract/doc', form)).jobId;
}

/** Pages a second, after one job of each node that loads its engine. */
async function pagesASecond(nodes: number): Promise<number> {
  const bed = await FleetBed.open();
  const workers: ChildProcess[] = [];
  try {
    for (let core = 0; core < nodes; core += 1) {
      const name = `node-${core}`;
      const { join: address } = await bed.call<{ join: string }>('/admin/fleet/nodes', 'POST', { name });
      const args = [CLI, 'work', '--join', address, '--data-dir', join(bed.folder, name), '--log-level', 'silent'];
      workers.push(spawn('taskset', ['-c', String(core), process.execPath, ...args], { stdio: 'inherit' }));
      bed.names.add(name);
    }
    await bed.allOnline();
    const pages = scans((JOBS_A_NODE + 1) * nodes);
    const send = async (some: Buffer[]) => {
      const before = bed.ends().completed;
      const startedAt = performance.now();
      await Promise.all(some.map((scan) => submit(bed, scan)));
      await until(() => bed.ends().completed + bed.ends().failed >= before + some.length);
      return (performance.now() - startedAt) / 1000;
    };
    await send(pages.slice(0, nodes));
    const seconds = await send(pages.slice(nodes));
    const { failed } = bed.ends();
    expectTarget(`${nodes} nodes: ${failed} jobs failed`, failed === 0);
    return (JOBS_A_NODE * nodes) / seconds;
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    await bed.close();
  }
}

const rows: { nodes: number; 'pages a minute': number; 'of linear': number }[] = [];
let alone = 0;
for (let nodes = 1; nodes <= NODES_MAX; nodes *= 2) {
  const found = await pagesASecond(nodes);
  if (nodes === 1) alone = found;
  rows.push({ nodes, 'pages a minute': found * 60, 'of linear': found / nodes / alone });
}
printTable(rows);
for (const { nodes, 'of linear': share } of rows) {
  expectTarget(`${nodes} nodes: ${share.toFixed(3)} of linear`, share >= LINEAR_WANTED);
}
