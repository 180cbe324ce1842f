import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { ListedJob } from '../../api/generated/owner.ts';
import { endpointsQuery, isFailing, jobsKey, jobsQuery } from '../../api/queries.ts';
import { serverNow } from '../../api/server-time.ts';
import { bytes, number } from '../../components/format.ts';
import { jobName } from '../../components/job-words.ts';
import { Failure, Need, Panel, Rows, Skeletons } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { endpointName } from '../webhooks/endpoint-words.tsx';

const t = texts.overview;

/** Waiting jobs with a row of their own; the list of jobs has the others. */
const SHOWN_WAITING = 4;

/** What waits for the owner: failing endpoints, failures of today, jobs that wait for an installation. */
export function useNeedsYou() {
  const environment = useEnvironment();
  const endpoints = useInfiniteQuery(endpointsQuery(environment));
  const failures = useInfiniteQuery(jobsQuery(environment, { status: 'failed' }));
  const queued = useInfiniteQuery(jobsQuery(environment, { status: 'queued' }));
  const all = [endpoints, failures, queued];
  const today = new Date(serverNow()).toDateString();
  const failed = (failures.data?.pages[0]?.jobs ?? []).filter(
    ({ updatedAt, error }) => error?.code !== 'cancelled' && new Date(updatedAt).toDateString() === today,
  );
  const waiting = (queued.data?.pages[0]?.jobs ?? []).filter(({ waitingFor }) => waitingFor !== undefined);
  const failing = (endpoints.data?.pages[0]?.endpoints ?? []).filter(isFailing);
  return {
    isPending: all.some((one) => one.isPending),
    broken: all.find((one) => one.isError),
    failed,
    waiting,
    failing,
    count: failing.length + waiting.length + (failed.length > 0 ? 1 : 0),
  };
}

export function NeedsYou({ needs }: { needs: ReturnType<typeof useNeedsYou> }): ReactNode {
  const { isPending, broken, failed, waiting, failing, count } = needs;
  return (
    <Panel title={t.needsYou}>
      {broken !== undefined && <Failure error={broken.error} retry={() => void broken.refetch()} />}
      {isPending && <Skeletons rows={3} height={40} />}
      {!isPending && broken === undefined && count === 0 && <p className="dim">{t.nothingNeedsYou}</p>}
      <Rows label={t.needsYou}>
        {failing.map((endpoint) => (
          <Need
            key={endpoint.webhookId}
            tone="bad"
            icon="webhook"
            title={t.notAnswering(endpointName(endpoint))}
            why={endpoint.notice ?? endpoint.url}
          >
            <Button
              size="compact-sm"
              variant="default"
              renderRoot={(props) => (
                <Link {...props} to="/webhooks" search={{ tab: 'deliveries', status: 'exhausted' }} />
              )}
            >
              {t.look}
            </Button>
          </Need>
        ))}
        {failed[0] !== undefined && (
          <Need tone="bad" icon="circle-alert" title={t.failedToday(number(failed.length))} why={whyFailed(failed[0])}>
            <Button
              size="compact-sm"
              variant="default"
              renderRoot={(props) => <Link {...props} to="/jobs" search={{ status: 'failed' }} />}
            >
              {t.show}
            </Button>
          </Need>
        )}
        {waiting.slice(0, SHOWN_WAITING).map((job) => (
          <Waiting key={job.jobId} job={job} />
        ))}
      </Rows>
    </Panel>
  );
}

function whyFailed(job: ListedJob): string {
  return `${jobName(job)}: ${job.error?.message ?? ''}`;
}

/** A job that starts by itself after an installation. */
function Waiting({ job }: { job: ListedJob }) {
  const environment = useEnvironment();
  const params = { path: { jobId: job.jobId }, query: queryIn(environment, {}) };
  const install = useChange(() => owner.POST('/admin/jobs/{jobId}/install', { params, body: {} }), {
    renews: [jobsKey(environment)],
  });
  const { waitingFor } = job;
  const [choice] = waitingFor?.choices ?? [];
  const installs = waitingFor !== undefined && waitingFor.installing !== null;
  const why = [waitingFor?.reason, choice === undefined ? '' : t.download(choice.title, bytes(choice.sizeBytes))];
  return (
    <Need
      tone="wait"
      icon="box"
      title={(waitingFor?.nodes.length ? t.waitsForNode : t.waitsFor)(jobName(job))}
      why={why.filter(Boolean).join(' ')}
    >
      {choice === undefined || installs ? (
        <Button
          size="compact-sm"
          variant="default"
          renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId: job.jobId }} />}
        >
          {installs ? t.installing : t.look}
        </Button>
      ) : (
        <Button size="compact-sm" variant="default" loading={install.isPending} onClick={() => install.mutate()}>
          {texts.models.install}
        </Button>
      )}
    </Need>
  );
}
