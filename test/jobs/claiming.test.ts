import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JobDraft } from '../../src-server/features/jobs/schema.ts';
import { Submission, type SubmissionDeps } from '../../src-server/features/jobs/submit.ts';
import { JobFolders } from '../../src-server/platform/files/job-folders.ts';
import { newId } from '../../src-server/platform/ids.ts';

test('an upload that cannot be moved to its job leaves neither a folder nor a mark', async () => {
  const root = await mkdtemp(join(tmpdir(), 'quarry test '));
  const intake = new Submission({ folders: new JobFolders(root) } as SubmissionDeps);
  const jobId = newId('job');
  const draft = { jobId, upload: { path: join(root, 'not there') } } as JobDraft;
  const work = () => Promise.reject(new Error('This is never begun.'));
  await expect(intake.withClaimedUpload(draft, work)).rejects.toMatchObject({ code: 'storage_unavailable' });
  const left = await readdir(root, { recursive: true });
  expect(left.filter((name) => name.includes(jobId))).toEqual([]);
  await rm(root, { recursive: true });
});
