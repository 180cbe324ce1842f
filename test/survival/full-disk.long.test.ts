import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Problem } from '../../src-server/platform/http/problem.ts';
import { KIB } from '../../src-server/platform/units.ts';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { serveWith } from '../harness/local-site.ts';
import { until } from '../harness/until.ts';

const MOUNT = '/bin/mount';
const UNMOUNT = '/bin/umount';
const DISK = '48m';
/** More accepts than the room that the database has set aside already could ever take. */
const ACCEPTS = 400;
/** Jobs that are in the middle of their work when the disk fills up. */
const IN_WORK = 5;
const LARGE_TEXT = Array.from(
  { length: 4000 },
  (_, n) => `Paragraph ${n} of a document that fills a disk, ${'x'.repeat(n % 97)}.`,
);

const JSON_TYPE = { 'content-type': 'application/json' };

const DOCUMENT = wordDocument(LARGE_TEXT);
/** What is accepted while the disk fills up must not fill it again afterwards. */
const SMALL_DOCUMENT = wordDocument(['Small enough.']);

/** A file system of its own that can be filled to the last byte. Null where this account may not mount one. */
function mountSmallDisk(): { path: string; [Symbol.dispose](): void } | null {
  const path = mkdtempSync(join(tmpdir(), 'quarry disk '));
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmSync(path, { recursive: true });
    return null;
  }
  return {
    path,
    [Symbol.dispose]: () => {
      execFileSync(UNMOUNT, ['--lazy', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Writes until nothing fits any more, then in ever smaller pieces, so that not even a page is left. */
function fillDisk(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [1024 * KIB, 4 * KIB, 1]) {
      try {
        for (;;) if (writeSync(file, Buffer.alloc(size)) < size) break;
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
    }
  } finally {
    closeSync(file);
  }
}

test('a full disk refuses with 507, loses and halves nothing, and is worked on again once there is room', async (context) => {
  using disk = mountSmallDisk();
  if (disk === null) return context.skip('only root may mount a file system that can be filled');
  const held: ServerResponse[] = [];
  let released = false;
  await using site = await serveWith((request, response) => {
    if (request.url === '/held.docx' && !released) held.push(response);
    else response.end(request.url === '/held.docx' ? DOCUMENT : SMALL_DOCUMENT);
  });
  await using server = await startApplianceProcess({ dataDir: join(disk.path, 'data') });
  const mirror = join(disk.path, 'mirror');
  mkdirSync(mirror);
  const mirrored = { method: 'POST', body: JSON.stringify({ path: mirror }) };
  const added = await server.owner('/admin/library/mirrors', { ...mirrored, headers: JSON_TYPE });
  expect(added.status).toBe(201);
  const before = await acceptedUpload(server);
  const inWork = await Promise.all(Array.from({ length: IN_WORK }, () => acceptedUrl(server, `${site.url}/held.docx`)));
  await until(() => held.length === IN_WORK);
  const filler = join(disk.path, 'filler');
  fillDisk(filler);

  const upload = await server.owner('/v1/extract/doc', { method: 'POST', body: fileForm(DOCUMENT, 'a.docx') });
  await expectStorageFull(upload);
  const accepted: string[] = [...inWork];
  let refused = 0;
  for (let n = 0; n < ACCEPTS; n++) {
    const answer = await sendUrl(server, `${site.url}/a.docx`);
    if (answer.status === 202) accepted.push(((await answer.json()) as { jobId: string }).jobId);
    else {
      await expectStorageFull(answer);
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(0);
  released = true;
  for (const response of held) response.end(DOCUMENT);
  await until(() => server.said().split('A job failed').length > IN_WORK);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  expect((await fetch(`${server.url}/ready`)).status).toBe(503);
  expect((await (await server.owner(`/v1/jobs/${before}`)).json()) as object).toMatchObject({ status: 'completed' });

  rmSync(filler);
  for (const jobId of accepted) {
    const job = await finished(server.owner, jobId);
    if (job.status === 'failed') expect(job.error?.message).toContain('disk is full');
  }
  await acceptedUpload(server);
  await until(() => readdirSync(mirror).some((name) => name.endsWith('.md')));
  expect(server.said()).not.toMatch(/could not be ended/);
  expect((await server.kill('SIGTERM')).code).toBe(0);
  checkFolder(join(disk.path, 'data', 'production'), accepted.length + 2);
});

async function acceptedUpload(server: ApplianceProcess): Promise<string> {
  const body = fileForm(SMALL_DOCUMENT, 'a.docx');
  const answer = await server.owner('/v1/extract/doc', { method: 'POST', body });
  expect(answer.status).toBe(202);
  const { jobId } = (await answer.json()) as { jobId: string };
  expect((await finished(server.owner, jobId)).status).toBe('completed');
  return jobId;
}

async function acceptedUrl(server: ApplianceProcess, sourceUrl: string): Promise<string> {
  const answer = await sendUrl(server, sourceUrl);
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}

function sendUrl(server: ApplianceProcess, sourceUrl: string): Promise<Response> {
  return server.owner('/v1/extract/doc', {
    method: 'POST',
    body: JSON.stringify({ sourceUrl, sourceName: 'x'.repeat(200) }),
    headers: { 'content-type': 'application/json', prefer: 'wait=0' },
  });
}

async function expectStorageFull(answer: Response): Promise<void> {
  const problem = (await answer.json()) as Problem;
  expect(problem).toMatchObject({ status: 507, code: 'storage_full', type: '/problems/storage_full' });
  expect(answer.status).toBe(507);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(JSON.stringify(problem)).not.toMatch(/SQLITE|ENOSPC|quarry disk/);
}

function checkFolder(root: string, jobs: number): void {
  const database = new SqliteDatabase(join(root, 'quarry.db'), { readonly: true });
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.prepare('select count(*) from jobs').pluck().get()).toBe(jobs);
    expect(database.prepare("select count(*) from jobs where status in ('queued', 'processing')").pluck().get()).toBe(
      0,
    );
    expect(readdirSync(join(root, 'uploads'))).toEqual([]);
    expect(readdirSync(join(root, 'jobs')).filter((name) => name.endsWith('.accepting'))).toEqual([]);
  } finally {
    database.close();
  }
}
