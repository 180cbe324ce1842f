/**
 * What the fleet costs: the calls that a job passes while it is off, beside the same calls without the feature; and the
 * files of a run over HTTPS to a node and back, beside a copy on the disk. `QUARRY_GIGABYTES` is the size of the file.
 */

import { createHash, createSecretKey, X509Certificate } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeCertificate } from '../src-server/features/fleet/certificate.ts';
import { newKeyPair } from '../src-server/features/fleet/join.ts';
import { NodeClient } from '../src-server/features/fleet/node-client.ts';
import { fileDigestOf, RunFiles } from '../src-server/features/fleet/run-files.ts';
import { FleetService } from '../src-server/features/fleet/service.ts';
import type { Assignment, Fleet, RunControl } from '../src-server/features/jobs/service.ts';
import { MIGRATIONS } from '../src-server/features.ts';
import { systemClock } from '../src-server/platform/clock.ts';
import { openStorage } from '../src-server/platform/db/database.ts';
import { JobFolders } from '../src-server/platform/files/job-folders.ts';
import { GIB } from '../src-server/platform/units.ts';
import { freePort } from '../test/harness/broker.ts';
import { expectTarget, measured, median, printTable } from './figures.ts';

const GIGABYTES = Number(process.env.QUARRY_GIGABYTES ?? 4);
const CALLS = 300_000;
const ROUNDS = 9;
/** Of the server's thread for a document of a page: see `fleet-model`. */
const JOB_MS = 3.9;
const COST_WANTED = 0.01;

const folder = await mkdtemp(join(tmpdir(), 'quarry fleet cost '));
const log = { info: () => undefined, warn: () => undefined };

async function costWhileOff(): Promise<void> {
  const storage = await openStorage(join(folder, 'quarry.db'), { migrations: MIGRATIONS });
  const outcome = { result: { body: '{}', chunksBytes: null }, sourceBytes: 0 };
  const local = { executeAssignment: async () => outcome, fleetSlots: () => 0 } as unknown as Fleet;
  const models = { files: () => Promise.reject(new Error('No model is copied.')) };
  const watchModels = () => () => undefined;
  const given = { storage, dataDir: folder, clock: systemClock, version: '1', threads: () => 2, log };
  const deps = { ...given, models, watchModels };
  const folders = new JobFolders(join(folder, 'jobs'));
  const use = () => Promise.reject(new Error('No service is used.'));
  const port = new FleetService(deps).fleetOf({ name: 'production', storage, folders, operations: [], use, local });
  const assignment = { environment: 'production', operationId: 'none' } as unknown as Assignment;
  const calls = async (fleet: Fleet) => {
    const startedAt = performance.now();
    for (let call = 0; call < CALLS; call += 1) {
      fleet.fleetSlots('heavy');
      await fleet.executeAssignment(assignment, {} as RunControl);
    }
    return ((performance.now() - startedAt) / CALLS) * 1e6;
  };
  const differences: number[] = [];
  await calls(port);
  await calls(local);
  for (let round = 0; round < ROUNDS; round += 1) differences.push((await calls(port)) - (await calls(local)));
  await storage.close();
  const nanoseconds = median(differences);
  const share = nanoseconds / 1e6 / JOB_MS;
  expectTarget(
    `the fleet that is off costs ${nanoseconds.toFixed(0)} ns a job, ${(share * 100).toFixed(5)} % of a document`,
    share <= COST_WANTED,
  );
}

async function filesOfRuns(): Promise<void> {
  const sizeBytes = GIGABYTES * GIB - 1;
  const certificate = makeCertificate(Date.now());
  const { seed } = newKeyPair();
  const folders = new JobFolders(join(folder, 'runs'));
  const run = { environment: 'production', jobId: 'job_1', run: 1, node: 'nod_1' } as const;
  await folders.prepareJobFolder(run.jobId);
  const source = folders.sourceFolderPath(run.jobId);
  const file = await open(source, 'w');
  const piece = Buffer.alloc(1 << 20, 'quarry ');
  for (let at = 0; at < sizeBytes; at += piece.length) await file.write(piece.subarray(0, sizeBytes - at));
  await file.close();
  const files = new RunFiles({
    ...{ certificate, key: createSecretKey(Buffer.alloc(32)), now: Date.now, log, foldersOf: () => folders },
    ...{ isCurrent: () => true, keeps: () => true, isSignedBy: () => true },
    ...{ isWanted: () => false, modelFile: async () => null, onUpgrade: () => undefined },
    join: () => {
      throw new Error('Nobody joins.');
    },
  });
  const port = await files.listenForNodes('127.0.0.1', await freePort());
  const { raw } = new X509Certificate(certificate.certificate);
  const fingerprint = createHash('sha256').update(raw).digest('hex');
  const client = await NodeClient.openNodeClient({ host: '127.0.0.1', port, node: run.node, seed, fingerprint });
  const transfers = client.run(files.tokenFor(run), new AbortController().signal);
  const copy = join(folder, 'copy');
  const down = join(folder, 'down');
  const rows: { work: string; 'MB/s': number; 'CPU s of a GB, both sides': number }[] = [];
  const row = async (work: string, act: () => Promise<unknown>) => {
    const { seconds, cpuSeconds } = await measured(async () => void (await act()));
    rows.push({ work, 'MB/s': sizeBytes / 1e6 / seconds, 'CPU s of a GB, both sides': cpuSeconds / (sizeBytes / 1e9) });
  };
  await row('copy by streams', () => pipeline(createReadStream(source), createWriteStream(copy)));
  await rm(copy);
  await row('download by a node', () => transfers.download('source', down, sizeBytes));
  const sha256 = await fileDigestOf(down);
  await row('upload by a node', () => transfers.uploadRunFile(down, { sha256, sizeBytes }));
  printTable(rows);
  client.closeNodeClient();
  await files.closeRunFiles();
}

try {
  await costWhileOff();
  await filesOfRuns();
} finally {
  await rm(folder, { recursive: true, force: true });
}
