import { z } from 'zod';
import { CommandError, EXIT } from './connection.ts';
import { cancel, readJob, SeenJob } from './follow.ts';
import { plain, table } from './print.ts';
import { printJson, type RunDeps, sayFailure, waitForJobs } from './run-jobs.ts';

/** `quarry jobs list|show|cancel|wait`: each returns the exit code. */
export interface JobDeps extends RunDeps {
  json: boolean;
}

const Page = z.object({ jobs: z.array(SeenJob), nextCursor: z.string().nullable() });

const PAGE_MAX = 100;

export async function list(deps: JobDeps, filter: Record<string, string>, limit: number): Promise<number> {
  const { connection, terminal, json, signal } = deps;
  const jobs: SeenJob[] = [];
  for (let cursor: string | null = ''; cursor !== null && jobs.length < limit; ) {
    const size = String(Math.min(PAGE_MAX, limit - jobs.length));
    const query = new URLSearchParams({ ...filter, limit: size, ...(cursor === '' ? {} : { cursor }) });
    const page = Page.parse(await connection.json(`/v1/jobs?${query}`, { signal }));
    jobs.push(...page.jobs);
    cursor = page.nextCursor;
  }
  if (json) for (const job of jobs) terminal.results.write(`${JSON.stringify(job)}\n`);
  else terminal.results.write(table([HEAD, ...jobs.map(rowOf)]));
  return EXIT.done;
}

const HEAD = ['JOB', 'TYPE', 'STATUS', 'CREATED', 'NAME'];

function rowOf({ jobId, jobType, status, progress, createdAt = '', sourceName = '' }: SeenJob): string[] {
  const percent = status === 'processing' && progress !== undefined ? ` ${Math.round(progress.percent)} %` : '';
  return [jobId, jobType, status + percent, createdAt, sourceName];
}

export async function show(deps: JobDeps, jobId: string): Promise<number> {
  const { connection, terminal, json, signal } = deps;
  const job = await readJob(connection, jobId, signal);
  if (json) {
    terminal.results.write(`${JSON.stringify(job)}\n`);
    return EXIT.done;
  }
  const files = z.array(z.object({ url: z.string() })).safeParse(job.result?.files).data ?? [];
  const rows: [string, string | undefined][] = [
    ['Job', job.jobId],
    ['Type', job.jobType],
    ['Status', job.status],
    ['Name', job.sourceName],
    ['Created', job.createdAt],
    ['Progress', `${Math.round(job.progress?.percent ?? 0)} %, ${job.progress?.message ?? ''}`],
    ['Error', job.error?.message],
    ...files.map(({ url }): [string, string] => ['File', url]),
  ];
  terminal.results.write(table(rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))));
  return EXIT.done;
}

export async function cancelJobs({ connection, terminal }: JobDeps, jobIds: readonly string[]): Promise<number> {
  let failures = 0;
  for (const jobId of jobIds) {
    try {
      if (!(await cancel(connection, jobId))) throw new CommandError('The job has ended.', EXIT.failed);
      terminal.messages.write(`${plain(jobId)}: Cancelled.\n`);
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode !== EXIT.failed) throw error;
      failures += 1;
      terminal.messages.write(`${plain(jobId)}: ${plain(error.message)}\n`);
    }
  }
  return failures === 0 ? EXIT.done : EXIT.failed;
}

export async function wait(deps: JobDeps, jobIds: readonly string[]): Promise<number> {
  let failures = 0;
  await waitForJobs(deps, jobIds, async (outcome) => {
    if (outcome.failure !== null) failures += 1;
    if (deps.json) printJson(deps.terminal, outcome);
    else if (outcome.failure !== null) sayFailure(deps.terminal, outcome);
    else deps.terminal.messages.write(`${plain(outcome.name)}: Completed.\n`);
  });
  return failures === 0 ? EXIT.done : EXIT.failed;
}
