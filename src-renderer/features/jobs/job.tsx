import { Anchor, Group, Progress, Stack, Tabs, Text } from '@mantine/core';
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { deliveriesQuery, deliveryQuery, jobRecordQuery } from '../../api/queries.ts';
import { shortId, words } from '../../components/format.ts';
import { timeLeft } from '../../components/job-words.ts';
import { CopyId, Facts, Failure, PageHead, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { JobState } from '../../components/state.tsx';
import { TabBar } from '../../components/tab-bar.tsx';
import { texts } from '../../texts.ts';
import { JobHeading } from './job-head.tsx';
import { JobTab } from './job-tabs.tsx';
import { JobTimeline } from './job-timeline.tsx';
import { isGone, useLiveJob } from './live-job.ts';

const route = getRouteApi('/jobs/$jobId');

/** Deliveries shown with their attempts; the others are one span each. */
const DETAILED_DELIVERIES = 5;

/** The page of one job. */
export function JobPage() {
  const environment = useEnvironment();
  const { jobId } = route.useParams();
  const job = useLiveJob(environment, jobId);
  const record = useQuery(jobRecordQuery(environment, jobId));
  const deliveries = useInfiniteQuery(deliveriesQuery(environment, { jobId }));
  const list = deliveries.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const attempts = useQueries({
    queries: list.slice(0, DETAILED_DELIVERIES).map(({ deliveryId }) => deliveryQuery(environment, deliveryId)),
  });
  const back = (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/jobs" />}>
      {texts.jobs.back}
    </Anchor>
  );
  // Wait for all three, so that the axis does not change after the first render.
  if (job.isPending || record.isPending || deliveries.isPending) {
    return (
      <Stack>
        {back}
        <PageHead title={shortId(jobId)} />
        <Skeletons rows={8} />
      </Stack>
    );
  }
  if (job.isError && (job.data === undefined || isGone(job.error))) {
    return (
      <Stack>
        {back}
        <PageHead title={texts.jobs.notThere} />
        <Failure error={job.error} retry={() => void job.refetch()} />
      </Stack>
    );
  }
  return (
    // The key resets the view when the browser's history changes the job.
    <Stack gap="md" key={`${environment} ${jobId}`}>
      {back}
      {job.isError && <Failure error={job.error} retry={() => void job.refetch()} />}
      <JobHeading job={job.data} record={record.data} />
      <Summary job={job.data} record={record.data} />
      <JobTimeline
        job={job.data}
        record={record.data}
        deliveries={list.map((delivery, index) => attempts[index]?.data ?? delivery)}
      />
      <JobTabs job={job.data} record={record.data} deliveries={list.length} />
    </Stack>
  );
}

function Summary({ job, record }: { job: Job; record: JobRecord | undefined }) {
  const { facts } = texts.jobs;
  return (
    <Panel>
      <Stack gap="md">
        <Group gap="lg" wrap="wrap">
          <JobState job={job} />
          <Text size="sm">{job.jobType}</Text>
          <CopyId value={job.jobId} full label={texts.jobs.id} />
        </Group>
        {job.status === 'processing' && <Running job={job} />}
        {job.status === 'queued' && <Text size="sm">{texts.jobs.waiting}</Text>}
        {job.error !== undefined && job.error.code !== 'cancelled' && <JobFailure error={job.error} />}
        <Facts
          rows={[
            [texts.jobs.columns.created, <Time key="time" at={job.createdAt} />],
            [
              facts.account,
              record === undefined ? '…' : <CopyId key="account" value={record.accountId} label={facts.account} />,
            ],
            [facts.priority, record === undefined ? '…' : `${record.priority}, ${record.queueClass}`],
            [
              facts.expires,
              job.expiresAt === null ? texts.jobs.notYet : <Time key="expires" at={job.expiresAt} long />,
            ],
          ]}
        />
      </Stack>
    </Panel>
  );
}

function Running({ job }: { job: Job }) {
  const { percent, stage, message } = job.progress;
  return (
    <Stack gap={6}>
      <Group justify="space-between">
        <Text size="sm" fw={550}>
          {message || words(stage)}
        </Text>
        <Text size="sm" c="dimmed">
          {[`${Math.round(percent)} %`, timeLeft(job)].filter((part) => part !== '').join(' · ')}
        </Text>
      </Group>
      <Progress value={percent} animated aria-label={texts.jobs.progress} />
    </Stack>
  );
}

function JobFailure({ error }: { error: NonNullable<Job['error']> }) {
  return (
    <div role="alert">
      <Text fw={600} c="var(--q-bad)">
        {error.message}
      </Text>
      <Text size="sm" c="dimmed" mt={4}>
        {texts.jobs.errorCode}: <code>{error.code}</code> · {texts.jobs.errorAttempts}: {error.attempts} ·{' '}
        {texts.jobs.retryable}: {error.retryable ? texts.jobs.yes : texts.jobs.no}
      </Text>
    </div>
  );
}

interface JobTabsProps {
  job: Job;
  record: JobRecord | undefined;
  deliveries: number;
}

function JobTabs({ job, record, deliveries }: JobTabsProps) {
  const { tab = 'result', chunk } = route.useSearch();
  const navigate = route.useNavigate();
  const { tabs } = texts.jobs;
  return (
    <Tabs
      value={tab}
      onChange={(value) => void navigate({ search: { tab: value as typeof tab }, replace: true })}
      keepMounted={false}
    >
      <TabBar names={tabs} selected={tab} countOf={(name) => (name === 'deliveries' ? deliveries : 0)} />
      {Object.keys(tabs).map((name) => (
        <Tabs.Panel key={name} value={name}>
          <JobTab name={name as typeof tab} job={job} record={record} chunkId={chunk} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
