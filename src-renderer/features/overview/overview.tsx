import { Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { Overview as OverviewAnswer } from '../../api/generated/owner.ts';
import { overviewQuery, readinessQuery } from '../../api/queries.ts';
import { IS_DEVICE } from '../../api/session.ts';
import { formatByteCount, formatElapsedTime, formatWholeNumber } from '../../components/format.ts';
import { Empty, type Fact, Facts, Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { serverText } from '../../language/server-texts.ts';
import { texts } from '../../texts.ts';
import { accountName } from '../limits/change-plan.ts';
import { useLiveLimits } from '../limits/live-limits.ts';
import { Activity } from './activity.tsx';
import { NeedsYou, useNeeded } from './needs-you.tsx';
import { Running } from './running.tsx';

const SHOWN_CALLERS = 4;

const SECOND_MS = 1000;

/** For the person who runs the service: what runs, what needs attention, what was done and earned, and the machine. */
export function ActivityPage(): ReactNode {
  const overview = useQuery(overviewQuery());
  const needed = useNeeded();
  return (
    <>
      <PageHead title={texts.overview.title} facts={useFacts(overview.data, needed)} />
      <Stack gap="md">
        {overview.isError && <Failure error={overview.error} retry={() => void overview.refetch()} />}
        <Grid gap="xl">
          <Grid.Col span={{ base: 12, lg: 7 }}>
            <Running />
          </Grid.Col>
          {!IS_DEVICE && (
            <Grid.Col span={{ base: 12, lg: 5 }}>
              <NeedsYou />
            </Grid.Col>
          )}
        </Grid>
        {!IS_DEVICE && <Activity />}
        <Grid gap="xl">
          {!IS_DEVICE && (
            <>
              <Grid.Col span={{ base: 12, lg: 6 }}>
                <Machine overview={overview.data} failed={overview.isError} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, lg: 6 }}>
                <Callers />
              </Grid.Col>
            </>
          )}
        </Grid>
      </Stack>
    </>
  );
}

/** What runs, waits and needs the owner. */
function useFacts(overview: OverviewAnswer | undefined, needed: number): Fact[] {
  const environment = useEnvironment();
  const queue = overview?.queues.find((one) => one.environment === environment);
  const t = texts.overview;
  const queueStatusCount = (status: string) => {
    const value = queue?.byStatus[status] ?? 0;
    return value >= (queue?.countedUpTo ?? Number.POSITIVE_INFINITY)
      ? `${formatWholeNumber(value)}+`
      : formatWholeNumber(value);
  };
  const facts: Fact[] = [];
  if ((queue?.byStatus.processing ?? 0) > 0)
    facts.push({
      said: t.runs({ count: queue?.byStatus.processing ?? 0, shown: queueStatusCount('processing') }),
      tone: 'run',
    });
  if ((queue?.byStatus.queued ?? 0) > 0) facts.push({ said: t.waits({ count: queueStatusCount('queued') }) });
  if (needed > 0) facts.push({ said: t.needYou({ count: needed }), tone: 'bad' });
  return facts;
}

function Machine({ overview, failed }: { overview: OverviewAnswer | undefined; failed: boolean }) {
  const readiness = useQuery(readinessQuery());
  const t = texts.overview;
  if (overview === undefined) {
    // The top of the page reports the error.
    return (
      <Panel title={t.machine}>
        {failed ? <Empty icon="triangle-alert" title={t.unknown} /> : <Skeletons rows={5} />}
      </Panel>
    );
  }
  const { version, uptimeSeconds, memory, disk, pool } = overview;
  const checks = Object.entries(readiness.data?.checks ?? {}).map(([name, check]): [string, ReactNode] => [
    t.checkNames[name] ?? name,
    <State key={name} tone={check.ok ? 'good' : 'bad'}>
      {check.ok ? t.fine : serverText(check.message ?? '')}
    </State>,
  ]);
  return (
    <Panel title={t.machine}>
      <Facts
        rows={[
          ...checks,
          [t.threads, t.pool({ busy: pool.busy, threads: pool.threads, waiting: pool.waiting })],
          [t.disk, t.diskOf({ free: formatByteCount(disk.freeBytes), total: formatByteCount(disk.totalBytes) })],
          [t.memory, formatByteCount(memory.residentBytes)],
          [t.uptime, formatElapsedTime(uptimeSeconds * SECOND_MS)],
          [t.version, version],
        ]}
      />
    </Panel>
  );
}

function Callers() {
  const limits = useLiveLimits(useEnvironment());
  const t = texts.overview;
  const callers = limits.data?.usage.slice(0, SHOWN_CALLERS) ?? [];
  return (
    <Panel title={t.limits} about={t.limitsWhy}>
      {limits.isPending && <Skeletons rows={3} />}
      {limits.isError && <Failure error={limits.error} retry={() => void limits.refetch()} />}
      {limits.data && callers.length === 0 && <Empty icon="gauge" title={t.noCallers} />}
      {callers.length > 0 && (
        <Facts
          rows={callers.map(({ accountId, requestsPassed, allowance }) => [
            accountName(accountId),
            t.perMinute({
              used: formatWholeNumber(requestsPassed),
              limit: formatWholeNumber(allowance.requestsPerMinute),
            }),
          ])}
        />
      )}
    </Panel>
  );
}
