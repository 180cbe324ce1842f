import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { brokerMissing, spawnWorker, startFleet } from '../harness/fleet.ts';
import { finished } from '../harness/jobs.ts';
import { LOSSY_HOST, startLossyNetwork } from '../harness/lossy-network.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing();

const JOBS = 24;

const LOST = 0.1;

test.skipIf(missing !== null)(
  `a tenth of the messages is lost, and each job ends once${missing === null ? '' : ` (skipped: ${missing})`}`,
  async () => {
    await using bed = await startFleet();
    const { port, brokerPort } = (await bed.fleet()).choices;
    const file = readFileSync(join(bed.appliance.dataDir, 'fleet/certificate'), 'utf8');
    const ports = { brokerPort, filesPort: port, share: LOST };
    await using network = await startLossyNetwork({
      ...(JSON.parse(file) as { certificate: string; key: string }),
      ...ports,
    });
    const { join: address } = await bed.addNode('far');
    const far = address.replace('127.0.0.1', LOSSY_HOST);
    const { child, ended } = spawnWorker(bed.folder, far, join(bed.folder, 'far'), { slots: 4 });
    try {
      await until(async () => (await bed.fleet()).nodes[0]?.status === 'online');
      const labels = Array.from({ length: JOBS }, (_, index) => `wait200-${index}`);
      const jobs = await Promise.all(labels.map((label) => bed.submit(label)));
      const places = [];
      for (const [index, jobId] of jobs.entries()) {
        const job = await finished(bed.appliance.owner, jobId);
        expect(job).toMatchObject({ status: 'completed', result: { label: labels[index] } });
        places.push(job.result?.pid);
      }
      // A job whose messages are lost too often may run here instead.
      expect(places.filter((pid) => pid === child.pid).length).toBeGreaterThan(JOBS / 2);
      expect(network.lost()).toBeGreaterThan(JOBS * LOST);
      const database = new Database(join(bed.appliance.dataDir, 'production/quarry.db'), { readonly: true });
      const counted = database
        .prepare('select sum(completed) as completed, sum(failed) as failed from ended_jobs')
        .get();
      database.close();
      expect(counted).toEqual({ completed: JOBS, failed: 0 });
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  },
);
