import { Button, Group, Progress, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { adminPath, apiPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { JobRecord, ListedJob, ListedJobPage } from '../../api/generated/owner.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { type JobFilter, jobsKey } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { formatWholeNumber, joinTexts } from '../../components/format.ts';
import { jobName } from '../../components/job-words.ts';
import { notify } from '../../components/notify.ts';
import { toastFailure } from '../../components/toast.tsx';
import { texts } from '../../texts.ts';
import { mayHelpAgain, runAgain } from '../run/run-again.ts';

const NOTHING: Selection = new Map();

/** Number of names in a confirmation. */
const SAMPLE = 5;

interface BulkBarProps {
  filter: JobFilter;
  selection: Selection;
  setSelection: (selection: Selection) => void;
  shown: string;
  /** True if nothing matches or the count is unknown. */
  nothing: boolean;
}

/** Bulk actions on the selection, with confirmation. Jobs that arrive later are not affected. */
export function BulkBar({ filter, selection, setSelection, shown, nothing }: BulkBarProps) {
  const environment = useEnvironment();
  const [counting, setCounting] = useState<number | null>(null);
  const { progress, apply, stop } = useBulk(environment);
  const jobs = [...selection.values()];
  const ended = jobs.filter(({ status }) => status === 'completed' || status === 'failed');
  const running = jobs.filter(({ status }) => status === 'queued' || status === 'processing');
  const failed = jobs.filter(mayHelpAgain);
  const selectAll = async () => {
    if (counting !== null) return;
    setCounting(0);
    try {
      const found = await gatherMatchingJobs(environment, filter, setCounting);
      setSelection(found.selection);
      if (found.cut) notify({ message: texts.jobs.ceiling({ count: formatWholeNumber(SELECTION_CEILING) }) });
    } catch (error) {
      toastFailure(error);
    } finally {
      setCounting(null);
    }
  };
  const carryOut = async (kind: BulkKind, chosen: readonly ListedJob[]) => {
    const { done, left, why } = await apply(kind, chosen);
    // Keep the failed jobs selected for a retry.
    setSelection(new Map(left.map((job) => [job.jobId, job])));
    if (left.length === 0) notify({ message: texts.jobs.bulkDone({ count: done }) });
    else if (why === null)
      notify({
        message: texts.jobs.bulkStopped({ count: formatWholeNumber(done), left: formatWholeNumber(left.length) }),
      });
    else
      notify({
        color: 'orange',
        title: texts.jobs.bulkPartly({ count: formatWholeNumber(done), failed: formatWholeNumber(left.length) }),
        message: why.message,
      });
  };
  if (progress !== null) return <Working progress={progress} onStop={stop} />;
  return (
    <Group className="bulk-bar panel-head" justify="space-between" gap="sm" wrap="wrap">
      <Text size="sm" c="dimmed" role="status">
        {counting !== null ? texts.jobs.gathering({ count: formatWholeNumber(counting) }) : null}
        {counting === null &&
          (selection.size > 0 ? texts.jobs.selected({ count: formatWholeNumber(selection.size) }) : shown)}
      </Text>
      <Group gap="xs">
        {/* One button for both actions, and never disabled while it counts: a disabled button loses the focus. */}
        <Button
          size="xs"
          variant="default"
          disabled={nothing && selection.size === 0}
          aria-busy={counting !== null}
          onClick={selection.size === 0 ? () => void selectAll() : () => setSelection(NOTHING)}
        >
          {selection.size === 0 ? texts.jobs.selectAll : texts.jobs.drop}
        </Button>
        <BulkButton kind="retry" jobs={failed} onApply={carryOut} />
        <BulkButton kind="cancel" jobs={running} onApply={carryOut} />
        <BulkButton kind="remove" jobs={ended} onApply={carryOut} />
      </Group>
    </Group>
  );
}

/** During the action, the same jobs accept no other action, but it can be stopped. */
function Working({ progress: { done, all }, onStop }: { progress: BulkProgress; onStop: () => void }) {
  const said = texts.jobs.working({ done: formatWholeNumber(done), all: formatWholeNumber(all) });
  return (
    <Group className="bulk-bar panel-head" justify="space-between" gap="sm" wrap="wrap">
      <Text size="sm" c="dimmed">
        {said}
      </Text>
      <Progress flex={1} value={(100 * done) / all} aria-label={said} />
      <Button size="xs" variant="default" onClick={onStop}>
        {texts.jobs.stopWorking}
      </Button>
    </Group>
  );
}

interface BulkButtonProps {
  kind: BulkKind;
  jobs: readonly ListedJob[];
  onApply: (kind: BulkKind, jobs: readonly ListedJob[]) => Promise<void>;
}

function BulkButton({ kind, jobs, onApply }: BulkButtonProps) {
  const t = texts.jobs.bulk[kind];
  const label = t.button({ count: jobs.length });
  const gentle = kind === 'retry';
  const confirmBulkAction = () => {
    const named = joinTexts(jobs.slice(0, SAMPLE).map(jobName));
    const sample =
      jobs.length > SAMPLE
        ? texts.jobs.andMore({ names: named, more: formatWholeNumber(jobs.length - SAMPLE) })
        : named;
    askFirst({
      title: t.confirm({ count: formatWholeNumber(jobs.length) }),
      about: `${sample}. ${t.about}`,
      yes: label,
      no: texts.jobs.keep,
      onYes: () => void onApply(kind, jobs),
      gentle,
    });
  };
  return (
    <Button
      size="xs"
      {...(gentle ? { variant: 'default' } : { variant: 'outline', color: 'red' })}
      disabled={jobs.length === 0}
      onClick={confirmBulkAction}
    >
      {label}
    </Button>
  );
}

/** Maximum selection. The page says when it is reached. */
const SELECTION_CEILING = 5000;

const PAGE = 200;

/** Concurrent requests: quick without loading a busy server. */
const TOGETHER = 4;

/** Jobs as they were when selected. Jobs that arrive later are not included. */
export type Selection = ReadonlyMap<string, ListedJob>;

/** Reads all current matches, newest first. */
async function gatherMatchingJobs(
  environment: EnvironmentName,
  filter: JobFilter,
  onCount: (count: number) => void,
): Promise<{ selection: Selection; cut: boolean }> {
  const selection = new Map<string, ListedJob>();
  let cursor: string | null = null;
  do {
    const path: string = adminPath(environment, '/jobs', { ...filter, limit: PAGE, cursor });
    const page: ListedJobPage = await requestJson<ListedJobPage>(path);
    for (const job of page.jobs) selection.set(job.jobId, job);
    cursor = page.nextCursor;
    onCount(selection.size);
  } while (cursor !== null && selection.size < SELECTION_CEILING);
  return { selection, cut: cursor !== null };
}

/** Bulk actions: cancel open jobs, delete ended jobs, retry failed jobs. */
type BulkKind = 'cancel' | 'remove' | 'retry';

interface BulkProgress {
  done: number;
  all: number;
}

/** The outcome of a bulk action. */
interface BulkOutcome {
  done: number;
  /** Jobs the action did not change, in the order of selection. */
  left: readonly ListedJob[];
  /** The first error; null if the user stopped the action before an error. */
  why: Error | null;
}

async function applyTo(environment: EnvironmentName, kind: BulkKind, { jobId, jobType }: ListedJob): Promise<void> {
  if (kind === 'retry') {
    const record = await requestJson<JobRecord>(adminPath(environment, `/jobs/${jobId}`));
    await runAgain(environment, record, jobType);
  } else if (kind === 'cancel') {
    // Not DELETE, which would delete a job that completed in the meantime.
    await requestJson(adminPath(environment, `/jobs/${jobId}/cancel`), { method: 'POST' });
  } else {
    await requestJson(apiPath(environment, `/jobs/${jobId}`), { method: 'DELETE' });
  }
}

/** Runs an action on the selected jobs, with progress. Stopping keeps the finished part. */
function useBulk(environment: EnvironmentName) {
  const client = useQueryClient();
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const stopped = useRef(false);
  const applyToJobs = async (kind: BulkKind, jobs: readonly ListedJob[]): Promise<BulkOutcome> => {
    const done = new Set<string>();
    let tried = 0;
    let why: Error | null = null;
    const waiting = [...jobs];
    stopped.current = false;
    setProgress({ done: 0, all: jobs.length });
    const workThroughJobs = async () => {
      for (let job = waiting.shift(); job !== undefined && !stopped.current; job = waiting.shift()) {
        try {
          await applyTo(environment, kind, job);
          done.add(job.jobId);
        } catch (error) {
          why ??= error as Error;
        }
        tried += 1;
        setProgress({ done: tried, all: jobs.length });
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, workThroughJobs));
    setProgress(null);
    await client.invalidateQueries({ queryKey: jobsKey(environment) });
    return { done: done.size, left: jobs.filter(({ jobId }) => !done.has(jobId)), why };
  };
  const stopBulkAction = () => {
    stopped.current = true;
  };
  return { progress, apply: applyToJobs, stop: stopBulkAction };
}
