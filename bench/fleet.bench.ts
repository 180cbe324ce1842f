/**
 * Jobs a second of a fleet on loopback whose work is a wait of a second: for one and more nodes, and for one node with
 * as many slots as 32 nodes. There is no peer. `QUARRY_NODES` lists numbers of nodes, `QUARRY_SLOTS` numbers of slots.
 */

import { until } from '../test/harness/until.ts';
import { expectTarget, printTable } from './figures.ts';
import { FleetBed } from './fleet-bed.ts';

const NODES = (process.env.QUARRY_NODES ?? '1,2,4').split(',').filter(Boolean).map(Number);
const SLOTS = (process.env.QUARRY_SLOTS ?? '1,2,4,8,16,32').split(',').filter(Boolean).map(Number);
process.env.QUARRY_TEST_TIMING = 'production';

const JOBS_A_SLOT = 12;
const LINEAR_WANTED = 0.95;

async function jobsASecond(bed: FleetBed, slots: number): Promise<number> {
  const startedAt = performance.now();
  const labels = Array.from({ length: JOBS_A_SLOT * slots }, (_, index) => `wait1000-${slots}-${index}`);
  await Promise.all(labels.map((label) => bed.submit(label)));
  // Not by requests for every job, which would share the cores with the fleet.
  await until(() => bed.ends().completed >= labels.length);
  return labels.length / ((performance.now() - startedAt) / 1000);
}

const rows: { nodes: number; slots: number; 'jobs a second': number; 'of linear': number }[] = [];

async function measure(nodes: number, slotsOfEach: number): Promise<void> {
  const bed = await FleetBed.open();
  try {
    await bed.addWorkers(nodes, slotsOfEach);
    const slots = nodes * slotsOfEach;
    const found = await jobsASecond(bed, slots);
    rows.push({ nodes, slots, 'jobs a second': found, 'of linear': found / slots });
  } finally {
    await bed.close();
  }
}

for (const nodes of NODES) await measure(nodes, 1);
for (const slots of SLOTS) await measure(1, slots);
printTable(rows);
for (const { nodes, slots, 'of linear': share } of rows) {
  expectTarget(`${nodes} nodes with ${slots} slots: ${share.toFixed(3)} of linear`, share >= LINEAR_WANTED);
}
