import { z } from 'zod';
import { omitUndefined } from '../platform/omit-undefined.ts';
import { CommandError, EXIT } from './connection.ts';
import { nameFlags } from './flag-names.ts';
import { readJob, SeenJob } from './follow.ts';
import { formatTextTable, stripTerminalControls } from './print.ts';
import { printJson, type RunDeps, sayFailure, waitForJobs } from './run-jobs.ts';

/** `quarry jobs list|show|cancel|delete|retry|wait`: each returns the exit code. */
export interface JobDeps extends RunDeps {
  json: boolean;
}

const Page = z.object({ jobs: z.array(SeenJob), nextCursor: z.string().nullable() });

const PAGE_MAX = 100;

export async function listJobsCommand(deps: JobDeps, filter: Record<string, string>, limit: number): Promise<number> {
  const { connection, terminal, json, signal } = deps;
  const jobs: SeenJob[] = [];
  for (let cursor: string | null = ''; cursor !== null && jobs.length < limit; ) {
    const size = String(Math.min(PAGE_MAX, limit - jobs.length));
    const query = new URLSearchParams({ ...filter, limit: size, ...omitUndefined({ cursor: cursor || undefined }) });
    const page = Page.parse(await connection.json(`/v1/jobs?${query}`, { signal }));
    jobs.push(...page.jobs);
    cursor = page.nextCursor;
  }
  if (json) for (const job of jobs) terminal.results.write(`${JSON.stringify(job)}\n`);
  else terminal.results.write(formatTextTable([HEAD, ...jobs.map(jobTableRow)]));
  return EXIT.done;
}

const HEAD = ['JOB', 'TYPE', 'STATUS', 'CREATED', 'NAME'];

function jobTableRow({ jobId, jobType, status, progress, createdAt = '', sourceName = '' }: SeenJob): string[] {
  const percent = status === 'processing' && progress !== undefined ? ` ${Math.round(progress.percent)} %` : '';
  return [jobId, jobType, status + percent, createdAt, sourceName];
}

export async function showJobCommand(deps: JobDeps, jobId: string): Promise<number> {
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
    ['Waits', job.waitingFor?.problem && nameFlags(job.waitingFor.problem.message)],
    ['Error', job.error && nameFlags(job.error.message)],
    ...files.map(({ url }): [string, string] => ['File', url]),
  ];
  terminal.results.write(
    formatTextTable(rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  );
  return EXIT.done;
}

export const BULK_ACTIONS = {
  cancel: 'Cancel jobs that have not ended',
  delete: 'Remove jobs that have ended, with their results',
  retry: 'Run failed jobs again',
} as const;

export type BulkAction = keyof typeof BULK_ACTIONS;

/** Statuses of jobs that an action changes: a filter without them would name each of the others as refused. */
const CHANGED: Readonly<Record<BulkAction, readonly string[]>> = {
  cancel: ['processing', 'queued'],
  delete: ['completed', 'failed'],
  retry: ['failed'],
};

const DONE: Readonly<Record<BulkAction, string>> = {
  cancel: 'Cancelled.',
  delete: 'Removed.',
  retry: 'Runs again.',
};

const Changed = z.object({
  results: z.array(
    z.object({ jobId: z.string(), done: z.boolean(), error: z.object({ message: z.string() }).optional() }),
  ),
  nextCursor: z.string().nullable(),
});

/** Changes jobs by their ids, or all that a filter names. */
export async function changeJobs(
  deps: JobDeps,
  action: BulkAction,
  jobIds: readonly string[],
  filter: Record<string, unknown>,
): Promise<number> {
  const hasFilter = Object.keys(filter).length > 0;
  if (hasFilter === jobIds.length > 0) {
    throw new CommandError('Give either identifiers of jobs, or --tag or --type.', EXIT.usage);
  }
  const counts = { done: 0, failed: 0 };
  if (hasFilter) {
    for (const status of CHANGED[action]) await changeAll(deps, { action, filter: { ...filter, status } }, counts);
    if (counts.done + counts.failed === 0) deps.terminal.messages.write('No job fits.\n');
  }
  for (let first = 0; first < jobIds.length; first += PAGE_MAX) {
    await changeAll(deps, { action, jobIds: jobIds.slice(first, first + PAGE_MAX) }, counts);
  }
  return counts.failed === 0 ? EXIT.done : EXIT.failed;
}

async function changeAll(
  { connection, terminal, json, signal }: JobDeps,
  request: { action: BulkAction; filter?: Record<string, unknown>; jobIds?: readonly string[] },
  counts: { done: number; failed: number },
): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const body = JSON.stringify({ ...request, ...omitUndefined({ cursor: cursor || undefined }) });
    const answer = await connection.json('/v1/jobs/bulk', { method: 'POST', headers, body, signal });
    const { results, nextCursor } = Changed.parse(answer);
    for (const result of results) {
      counts[result.done ? 'done' : 'failed'] += 1;
      if (json) terminal.results.write(`${JSON.stringify(result)}\n`);
      else {
        const outcome = nameFlags(result.error?.message ?? DONE[request.action]);
        terminal.messages.write(`${stripTerminalControls(result.jobId)}: ${stripTerminalControls(outcome)}\n`);
      }
    }
    cursor = nextCursor;
  }
}

export async function waitCommand(deps: JobDeps, jobIds: readonly string[]): Promise<number> {
  let failures = 0;
  await waitForJobs(deps, jobIds, async (outcome) => {
    if (outcome.failure !== null) failures += 1;
    if (deps.json) printJson(deps.terminal, outcome);
    else if (outcome.failure !== null) sayFailure(deps.terminal, outcome);
    else deps.terminal.messages.write(`${stripTerminalControls(outcome.name)}: Completed.\n`);
  });
  return failures === 0 ? EXIT.done : EXIT.failed;
}
