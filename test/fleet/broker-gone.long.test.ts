/** A broker that does not come back for long. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readJoin } from '../../src-server/features/fleet/join.ts';
import { connectionOptions } from '../../src-server/features/fleet/link.ts';
import { encodeFleetMessage, inboxOf, saySubject } from '../../src-server/features/fleet/messages.ts';
import { NodeClient } from '../../src-server/features/fleet/node-client.ts';
import { brokerMissing, type FleetBed, startFleet, type Worker } from '../harness/fleet.ts';
import { finished } from '../harness/jobs.ts';
import { TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing();

describe.skipIf(missing !== null)(`a broker that is gone${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let bed: FleetBed;
  let tower: Worker;
  beforeAll(async () => {
    bed = await startFleet();
    const models = join(bed.folder, 'tower', 'models');
    await mkdir(models, { recursive: true });
    await copyFile(TINY_MODEL_PATH, join(models, `${TINY_MODEL}.gguf`));
    tower = await bed.worker('tower', { slots: 2 });
  });
  afterAll(async () => {
    process.kill(bed.brokerPid(), 'SIGCONT');
    await bed[Symbol.asyncDispose]();
  });

  /** Says the end of a run with the key of the node. */
  async function sayEnd(jobId: string, run: number): Promise<void> {
    const address = readJoin(tower.join);
    const client = await NodeClient.openNodeClient(address);
    const { brokerPort: port } = (await bed.fleet()).choices;
    const broker = { host: '127.0.0.1', port, certificate: client.certificate, ca: null, login: null };
    const connection = await connect({
      ...connectionOptions(broker, address.seed),
      inboxPrefix: inboxOf(address.node),
    });
    const of = { environment: 'production' as const, jobId, run };
    const error = { code: 'engine_failed', message: 'Late.', retryable: false };
    await jetstream(connection).publish(
      saySubject('production', address.node),
      encodeFleetMessage({ ...of, kind: 'failed', error }),
    );
    await connection.close();
    client.closeNodeClient();
  }

  test('its runs are lost: one runs here, one that only the node can run waits; late ends change nothing', async () => {
    const any = await bed.submit('any');
    const only = await bed.submit('only-there', TINY_MODEL);
    await bed.begun('any');
    await bed.begun('only-there');
    process.kill(bed.brokerPid(), 'SIGSTOP');
    await until(async () => (await bed.fleet()).error?.startsWith('The broker does not answer') === true);
    await until(async () => (await bed.job(only)).waitingFor?.need !== undefined);
    expect(await bed.job(only)).toMatchObject({ status: 'queued', waitingFor: { nodes: ['tower'] } });
    expect(await bed.begun('any', 2)).toBe(process.pid);

    process.kill(bed.brokerPid(), 'SIGCONT');
    expect(await bed.begun('only-there', 2)).toBe(tower.child.pid);
    expect((await bed.fleet()).error).toBeNull();
    for (const jobId of [any, only]) await sayEnd(jobId, 1);
    // Ends are read in their order.
    await finished(bed.appliance.owner, await bed.submit('wait0-after'));
    for (const jobId of [any, only]) expect(await bed.job(jobId)).toMatchObject({ status: 'processing' });
    bed.release('any');
    bed.release('only-there');
    expect(await finished(bed.appliance.owner, any)).toMatchObject({ result: { pid: process.pid } });
    expect(await finished(bed.appliance.owner, only)).toMatchObject({ result: { pid: tower.child.pid } });
    for (const jobId of [any, only]) {
      const { attempts } = (await (await bed.appliance.owner(`/admin/jobs/${jobId}`)).json()) as { attempts: number };
      expect(attempts).toBe(1);
    }
    expect([bed.runs('any').length, bed.runs('only-there').length]).toEqual([2, 2]);
  });
});
