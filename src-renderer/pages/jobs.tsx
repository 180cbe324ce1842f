import { Button, Group, Progress, SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useEnvironment } from '../api/environment.tsx';
import { type JobFilter, jobsQuery, operationsQuery } from '../api/queries.ts';
import type { Job, JobStatus } from '../api/types.ts';
import { askFirst } from '../components/confirm.tsx';
import { number } from '../components/format.ts';
import { JobList } from '../components/job-list.tsx';
import { Empty, Failure, Loading, PageHead, Panel } from '../components/parts.tsx';
import { texts } from '../texts.ts';
import { gather, SELECTION_CEILING, type Selection, useBulk } from './bulk.ts';

const route = getRouteApi('/jobs');
const NOTHING: Selection = new Map();

/** The list: filters live in the address, changes arrive by themselves, and what is selected stays what it was. */
export function Jobs() {
  const environment = useEnvironment();
  const { status, jobType } = route.useSearch();
  const filter = useMemo(
    () => ({ ...(status ? { status } : {}), ...(jobType ? { jobType } : {}) }) satisfies JobFilter,
    [status, jobType],
  );
  const list = useInfiniteQuery(jobsQuery(environment, filter));
  const jobs = useMemo(() => list.data?.pages.flatMap((page) => page.jobs) ?? [], [list.data]);
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const selected = useMemo(() => new Set(selection.keys()), [selection]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const onNearEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const onSelect = useCallback((job: Job, value: boolean) => {
    setSelection((before) => {
      const next = new Map(before);
      if (value) next.set(job.jobId, job.status);
      else next.delete(job.jobId);
      return next;
    });
  }, []);
  return (
    <>
      <PageHead title={texts.jobs.title} about={texts.jobs.about} />
      <Filters />
      <Panel flush>
        <BulkBar
          key={environment}
          filter={filter}
          selection={selection}
          setSelection={setSelection}
          shown={texts.jobs.count(number(jobs.length), list.hasNextPage)}
        />
        {list.isPending && <Loading rows={8} height={26} />}
        {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
        {list.data && jobs.length === 0 && <NoJobs filtered={Object.keys(filter).length > 0} />}
        {jobs.length > 0 && <JobList jobs={jobs} selected={selected} onSelect={onSelect} onNearEnd={onNearEnd} />}
      </Panel>
    </>
  );
}

function NoJobs({ filtered }: { filtered: boolean }) {
  const navigate = route.useNavigate();
  return (
    <Empty icon="jobs" title={texts.jobs.none}>
      {filtered ? texts.jobs.noneFiltered : texts.jobs.noneAtAll}
      {filtered && (
        <Button mt="sm" variant="default" size="xs" onClick={() => void navigate({ search: {} })}>
          {texts.jobs.clear}
        </Button>
      )}
    </Empty>
  );
}

function Filters() {
  const { status, jobType } = route.useSearch();
  const navigate = route.useNavigate();
  const go = useNavigate();
  const operations = useQuery(operationsQuery());
  const [id, setId] = useState('');
  const { statuses } = texts.jobs;
  return (
    <Group mb="md" gap="sm" align="flex-end" wrap="wrap">
      <SegmentedControl
        aria-label={texts.jobs.status}
        value={status ?? ''}
        data={[
          { value: '', label: texts.common.all },
          ...Object.entries(statuses).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(value) =>
          void navigate({
            search: ({ status: _, ...rest }) => (value ? { ...rest, status: value as JobStatus } : rest),
          })
        }
      />
      <Select
        aria-label={texts.jobs.type}
        placeholder={texts.jobs.anyType}
        clearable
        data={operations.data?.map((operation) => operation.id) ?? []}
        value={jobType ?? null}
        onChange={(value) =>
          void navigate({ search: ({ jobType: _, ...rest }) => (value ? { ...rest, jobType: value } : rest) })
        }
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (id.trim() !== '') void go({ to: '/jobs/$jobId', params: { jobId: id.trim() } });
        }}
      >
        <TextInput
          aria-label={texts.jobs.openById}
          placeholder={`${texts.jobs.openById}: ${texts.jobs.idPlaceholder}`}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          miw={240}
        />
      </form>
    </Group>
  );
}

interface BulkBarProps {
  filter: JobFilter;
  selection: Selection;
  setSelection: (selection: Selection) => void;
  shown: string;
}

function BulkBar({ filter, selection, setSelection, shown }: BulkBarProps) {
  const environment = useEnvironment();
  const [counting, setCounting] = useState<number | null>(null);
  const { progress, apply } = useBulk(environment);
  const ids = (wanted: boolean) =>
    [...selection].flatMap(([id, status]) => ((status === 'completed' || status === 'failed') === wanted ? [id] : []));
  const running = ids(false);
  const ended = ids(true);
  const selectAll = async () => {
    setCounting(0);
    try {
      const found = await gather(environment, filter, setCounting);
      setSelection(found.selection);
      if (found.cut) notifications.show({ message: texts.jobs.ceiling(number(SELECTION_CEILING)) });
    } finally {
      setCounting(null);
    }
  };
  const carryOut = async (jobIds: string[]) => {
    const { done, failed } = await apply(jobIds);
    setSelection(NOTHING);
    notifications.show({
      color: failed > 0 ? 'orange' : 'copper',
      message: failed > 0 ? texts.jobs.bulkPartly(done, failed) : texts.jobs.bulkDone(done),
    });
  };
  return (
    <Group className="bulk-bar panel-head" px="md" justify="space-between" gap="sm" wrap="wrap">
      <Text size="sm" c="dimmed" role="status">
        {counting !== null ? texts.jobs.gathering(number(counting)) : null}
        {counting === null && (selection.size > 0 ? texts.jobs.selected(number(selection.size)) : shown)}
      </Text>
      {progress !== null && (
        <Progress
          flex={1}
          value={(100 * (progress.done + progress.failed)) / progress.all}
          aria-label={texts.jobs.working(progress.done, progress.all)}
        />
      )}
      <Group gap="xs">
        {selection.size === 0 ? (
          <Button size="xs" variant="default" loading={counting !== null} onClick={() => void selectAll()}>
            {texts.jobs.selectAll}
          </Button>
        ) : (
          <Button size="xs" variant="default" onClick={() => setSelection(NOTHING)}>
            {texts.jobs.drop}
          </Button>
        )}
        <BulkButton label={texts.jobs.cancelMany(running.length)} jobIds={running} kind="cancel" onApply={carryOut} />
        <BulkButton label={texts.jobs.removeMany(ended.length)} jobIds={ended} kind="remove" onApply={carryOut} />
      </Group>
    </Group>
  );
}

interface BulkButtonProps {
  label: string;
  jobIds: string[];
  kind: 'cancel' | 'remove';
  onApply: (jobIds: string[]) => Promise<void>;
}

function BulkButton({ label, jobIds, kind, onApply }: BulkButtonProps) {
  const { confirmCancel, confirmCancelAbout, confirmRemove, confirmRemoveAbout, keep } = texts.jobs;
  const ask = () =>
    askFirst({
      title: (kind === 'cancel' ? confirmCancel : confirmRemove)(jobIds.length),
      about: kind === 'cancel' ? confirmCancelAbout : confirmRemoveAbout,
      yes: label,
      no: keep,
      onYes: () => void onApply(jobIds),
    });
  return (
    <Button size="xs" color="red" variant="outline" disabled={jobIds.length === 0} onClick={ask}>
      {label}
    </Button>
  );
}
