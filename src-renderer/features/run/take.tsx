import { Anchor, Button, Group, Progress } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { JobRecord, ListedJob } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { useLiveJob } from '../../api/live-job.ts';
import { hasEnded, jobRecordQuery, jobsQuery } from '../../api/queries.ts';
import { failureText } from '../../components/failure-text.ts';
import { Icon } from '../../components/icon.tsx';
import { jobName, measureWords } from '../../components/job-words.ts';
import { Failure, Panel, Rows, Skeletons, Time } from '../../components/page-elements.tsx';
import { workOf } from '../../components/work.ts';
import { serverText } from '../../language/server-texts.ts';
import type { MakeKind } from '../../pages.ts';
import { Player, usePlayback } from '../results/player.tsx';
import { mediaOf, musicSections, numberOrNull, peaksOf, resultFiles, resultOf } from '../results/shapes.ts';
import type { Intent } from './intents.tsx';
import { run as runTexts } from './texts.ts';

/** Intents whose result is short enough to stay on the page. */
const TAKES: readonly (Intent | undefined)[] = ['speak', 'compose', 'write'];

export function hasTakes(intent: Intent | undefined): boolean {
  return TAKES.includes(intent);
}

const LATELY = 5;

/** The newest jobs of an intent. */
export function useLately(operationId: string, intent: Intent | undefined): readonly ListedJob[] {
  const environment = useEnvironment();
  const listed = useInfiniteQuery({ ...jobsQuery(environment, { jobType: operationId }), enabled: hasTakes(intent) });
  return useMemo(
    () => (listed.data?.pages[0]?.jobs ?? []).filter((job) => workOf(job).group === intent).slice(0, LATELY),
    [listed.data, intent],
  );
}

/** The last result, beside the form that made it. */
export function LastTake({ jobId }: { jobId: string }): ReactNode {
  const environment = useEnvironment();
  const job = useLiveJob(environment, jobId);
  const record = useQuery(jobRecordQuery(environment, jobId));
  const t = runTexts.take;
  return (
    <Panel
      title={t.title}
      aside={
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/items/of/$jobId" params={{ jobId }} />}>
          {runTexts.open}
        </Anchor>
      }
    >
      {(job.isPending || record.isPending) && <Skeletons rows={2} />}
      {job.isError && <Failure error={job.error} retry={() => void job.refetch()} />}
      {job.data !== undefined && record.data !== undefined && <Take job={job.data} record={record.data} />}
    </Panel>
  );
}

function Take({ job, record }: { job: Job; record: JobRecord }) {
  if (!hasEnded(job)) {
    return (
      <>
        <p>{serverText(job.waitingFor?.reason ?? job.progress.message)}</p>
        <p className="num">{measureWords(job)}</p>
        <Progress value={job.progress.percent} aria-label={runTexts.take.progress} />
      </>
    );
  }
  if (job.result === null) return <p className="bad">{job.error && failureText(job.error)}</p>;
  const { content } = resultOf(job);
  if (typeof content === 'string') {
    return (
      <div className="chunk-text" dir="auto">
        {content}
      </div>
    );
  }
  return <Sound job={job} record={record} />;
}

function Sound({ job, record }: { job: Job; record: JobRecord }) {
  const result = resultOf(job);
  const files = useMemo(() => resultFiles(job, record), [job, record]);
  const peaks = useMemo(() => peaksOf(result), [result]);
  const sections = useMemo(() => musicSections(result), [result]);
  const media = mediaOf(files);
  const playback = usePlayback(null, numberOrNull(result.durationSeconds) ?? 0);
  if (media === null) return null;
  return (
    <>
      <Player {...{ media, playback, peaks, sections }} captions={undefined} />
      <Group gap="sm" justify="space-between" mt="xs">
        <span className="small dim">
          {runTexts.take.made} <Time at={job.updatedAt} />
        </span>
        <span className="ways">
          {files
            .filter(({ name }) => /^audio\.(?:mp3|wav)$/.test(name))
            .map(({ name, url }) => (
              <Button
                key={name}
                component="a"
                href={url}
                download={`${jobName(job)}${name.slice('audio'.length)}`}
                size="xs"
                variant="default"
                leftSection={<Icon name="download" size={14} />}
              >
                {runTexts.take.save({ form: name.slice('audio.'.length).toUpperCase() })}
              </Button>
            ))}
        </span>
      </Group>
    </>
  );
}

interface LatelyProps {
  jobs: readonly ListedJob[];
  /** The page of Make that takes a request again; the form of the API without. */
  page?: MakeKind;
}

/** The newest jobs, each with its request for the form. */
export function Lately({ jobs, page }: LatelyProps): ReactNode {
  if (jobs.length === 0) return null;
  const t = runTexts.take;
  return (
    <Panel title={t.lately}>
      <Rows label={t.lately}>
        {jobs.map((job) => (
          <li key={job.jobId}>
            <Link className="row-link truncate grow" to="/items/of/$jobId" params={{ jobId: job.jobId }}>
              {jobName(job)}
            </Link>
            <span className="small dim">
              <Time at={job.createdAt} />
            </span>
            <Button
              size="compact-sm"
              variant="subtle"
              renderRoot={(props) =>
                page === undefined ? (
                  <Link
                    {...props}
                    to="/service/api/$"
                    params={{ _splat: job.jobType }}
                    search={(all) => ({ ...all, from: job.jobId })}
                  />
                ) : (
                  <Link {...props} to="/make/$kind" params={{ kind: page }} search={{ from: job.jobId }} />
                )
              }
            >
              {t.again}
            </Button>
          </li>
        ))}
      </Rows>
    </Panel>
  );
}
