import { Button, Progress, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner, queryIn, saveAs, useEnvironment } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { InstallChoice, Job, WaitingFor } from '../../api/generated/public.ts';
import { JOB_ERRORS } from '../../api/generated/tables.ts';
import { liveWordsQuery } from '../../api/live-job.ts';
import type { JobErrorCode } from '../../api/names.ts';
import { jobKey } from '../../api/queries.ts';
import { Copy } from '../../components/copy.tsx';
import { failureText } from '../../components/failure-text.ts';
import { formatByteCount, joinTexts } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { measureWords, stageWord } from '../../components/job-words.ts';
import { Rows, Time } from '../../components/page-elements.tsx';
import { toastFailure } from '../../components/toast.tsx';
import { workOfOperation } from '../../components/work.ts';
import { serverText } from '../../language/server-texts.ts';
import { messages } from '../../language/start-messages.ts';
import { InstallDialog } from '../models/install-dialog.tsx';
import { LiveCrawl } from '../results/live-crawl.tsx';
import { LiveTalk } from '../results/live-talk.tsx';
import { mayHelpAgain } from '../run/run-again.ts';
import { ChangeLink } from './change-link.tsx';
import { uploadedSourceFiles } from './job-files.ts';
import { useRetry } from './job-head.tsx';
import { jobTitle } from './job-name.ts';
import { job as texts } from './job-texts.ts';

interface StateProps {
  job: Job;
  record: JobRecord | undefined;
}

/** A job without a result: what it waits for or does, or what happened and the way out. */
export function JobWithoutResult({ job, record }: StateProps) {
  if (job.status === 'failed') return <Failed job={job} record={record} />;
  const waiting = waitingOf(job);
  if (waiting !== null) return <WaitingForInstall job={job} record={record} waiting={waiting} />;
  if (job.status === 'queued') return <Queued />;
  return workOfOperation(job.jobType).takes === 'site' ? <LiveCrawl job={job} /> : <Running job={job} />;
}

function Queued() {
  return (
    <section className="result plain-result" data-result aria-label={texts.waiting.title}>
      <h2>{texts.waiting.title}</h2>
      <p>{texts.waiting.about}</p>
    </section>
  );
}

/**
 * Words that are being heard replace the message. The numbers move too fast for a screen reader; the bar has a name and
 * a value.
 */
function Running({ job }: { job: Job }) {
  const { data: lines = [] } = useQuery(liveWordsQuery(useEnvironment(), job.jobId));
  if (lines.length > 0) return <LiveTalk job={job} lines={lines} />;
  const { percent, stage, message } = job.progress;
  return (
    <section className="result plain-result" data-result aria-label={stageWord(stage)}>
      <h2>{serverText(message) || stageWord(stage)}</h2>
      <Progress value={percent} aria-label={texts.progress} my="sm" />
      <p className="num">{measureWords(job)}</p>
      <p>{texts.running.about}</p>
    </section>
  );
}

/** What a job waits for; null unless something has to be installed. */
function waitingOf(job: Job): WaitingFor | null {
  const waiting = job.status === 'queued' ? job.waitingFor : undefined;
  return waiting === undefined || waiting.kind === 'thread' ? null : waiting;
}

function WaitingForInstall({ job, record, waiting }: StateProps & { waiting: WaitingFor }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const refreshJobQuery = () => client.invalidateQueries({ queryKey: jobKey(environment, job.jobId) });
  const installJobModel = async ({ name }: Pick<InstallChoice, 'name'>) => {
    const params = { path: { jobId: job.jobId }, query: queryIn(environment, {}) };
    await owner.POST('/admin/jobs/{jobId}/install', { params, body: { name } });
    await refreshJobQuery();
  };
  const { choices, need, name, title, percent, problem, nodes } = waiting;
  const reason = serverText(waiting.reason);
  const chosen = choices.find((one) => one.name === name);
  const recommended = choices[0];
  const start = useMutation({ mutationFn: installJobModel, onError: toastFailure });
  if (nodes.length > 0) return <WaitingForNode reason={reason} />;
  return (
    <section className="result plain-result" data-result aria-label={reason}>
      <h2>{reason}</h2>
      {percent !== undefined ? (
        <Downloading title={title} choice={chosen} percent={percent} onStop={refreshJobQuery} />
      ) : (
        <>
          <p>{texts.need.about}</p>
          {problem !== undefined && problem.code !== 'model_not_installed' && (
            <p className="bad">{failureText(problem)}</p>
          )}
          {recommended !== undefined && (
            <p className="dim">
              {joinTexts([recommended.title, formatByteCount(recommended.sizeBytes)])}. {serverText(recommended.note)}
            </p>
          )}
          <div className="ways">
            {recommended !== undefined && (
              <Button
                leftSection={<Icon name="download" />}
                loading={start.isPending}
                onClick={() => start.mutate(recommended)}
              >
                {texts.need.go}
              </Button>
            )}
            <Button variant="default" onClick={() => setAsks(true)}>
              {texts.need.other}
            </Button>
          </div>
        </>
      )}
      {need !== undefined && (
        <InstallDialog
          {...{ need, reason, choices }}
          name={jobTitle(job, record)}
          opened={asks}
          onClose={() => setAsks(false)}
          onInstall={installJobModel}
        />
      )}
    </section>
  );
}

function WaitingForNode({ reason }: { reason: string }) {
  return (
    <section className="result plain-result" data-result aria-label={reason}>
      <h2>{reason}</h2>
      <p>{texts.node.about}</p>
      <div className="ways">
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/settings" />}>
          {texts.node.look}
        </Button>
      </div>
    </section>
  );
}

interface DownloadingProps {
  title: string;
  choice: InstallChoice | undefined;
  percent: number;
  onStop: () => Promise<unknown>;
}

function Downloading({ title, choice, percent, onStop }: DownloadingProps) {
  const stop = useChange(
    () => owner.POST('/admin/models/{name}/cancel', { params: { path: { name: choice?.name ?? '' } } }),
    { onDone: () => void onStop() },
  );
  const sizeBytes = choice?.sizeBytes ?? 0;
  const verifying = percent === 100;
  return (
    <>
      <p role="status">{verifying ? texts.need.verifying({ title }) : texts.need.downloading({ title })}</p>
      <Progress value={percent} aria-label={title} />
      <p className="num">
        {texts.need.received({ got: formatByteCount((sizeBytes * percent) / 100), all: formatByteCount(sizeBytes) })}
      </p>
      <p className="dim">{texts.need.about}</p>
      {choice?.kind === 'model' && (
        <div className="ways">
          <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
            {texts.need.stop}
          </Button>
        </div>
      )}
    </>
  );
}

/** What happened, and what to do about it. */
function Failed({ job, record }: StateProps) {
  const error = job.error;
  const code = error?.code ?? 'internal';
  const cancelled = code === 'cancelled';
  const t = texts.failure;
  const { heading } = messages.errors[code];
  return (
    <section className="result plain-result" data-result aria-label={heading}>
      <div role={cancelled ? 'status' : 'alert'}>
        <h2>{heading}</h2>
        <p>{cancelled ? t.cancelled : error && failureText(error)}</p>
      </div>
      <WaysOut job={job} record={record} code={code} />
      {record?.payment?.rerun && record.payment.rerun.usedAt === null && (
        <p className="dim">
          {t.rerun} <Time at={record.payment.rerun.expiresAt} />.
        </p>
      )}
      <p className="for-programs">
        {t.code}: <code>{code}</code>
        <Copy value={code} label={t.code} />
        {error !== undefined && (
          <span>{joinTexts([t.attempts({ count: error.attempts }), error.retryable ? t.retryable : t.final])}</span>
        )}
      </p>
    </section>
  );
}

type Way = 'retry' | 'file' | 'change' | 'install';

/** The first way is the button; the others are rows. */
function waysOf(job: Job, code: JobErrorCode, hasFile: boolean): Way[] {
  if (!workOfOperation(job.jobType).isRepeatable) return [];
  const { fault } = JOB_ERRORS[code];
  const retry = mayHelpAgain(job) ? (['retry'] as const) : [];
  if (fault === 'installation') return ['install', ...retry, 'change'];
  if (fault === 'file' && hasFile) return ['file', 'change'];
  return [...retry, 'change', ...(hasFile && retry.length === 0 ? (['file'] as const) : [])];
}

function WaysOut({ job, record, code }: StateProps & { code: JobErrorCode }) {
  const environment = useEnvironment();
  const [first, ...others] = waysOf(job, code, record?.source != null);
  const file = uploadedSourceFiles(environment, record)[0];
  const t = texts.failure;
  if (first === undefined) return null;
  return (
    <>
      <div className="ways">
        <WayButton way={first} job={job} record={record} main />
      </div>
      <h3>{t.elsewhere}</h3>
      <Rows label={t.elsewhere}>
        {others.map((way) => (
          <WayRow key={way} icon={WAY_ICONS[way]} about={t[`${way}About`]}>
            <WayButton way={way} job={job} record={record} />
          </WayRow>
        ))}
        {file !== undefined && (
          <WayRow icon="download" about={t.saveAbout}>
            <Button variant="default" size="xs" onClick={() => void saveAs(file.path, file.name).catch(toastFailure)}>
              {t.save}
            </Button>
          </WayRow>
        )}
      </Rows>
    </>
  );
}

const WAY_ICONS: Readonly<Record<Way, IconName>> = {
  retry: 'rotate-cw',
  file: 'upload',
  change: 'pencil',
  install: 'box',
};

function WayRow({ icon, about, children }: { icon: IconName; about: string; children: ReactNode }) {
  return (
    <li>
      <Icon name={icon} />
      <Text span className="grow">
        {about}
      </Text>
      {children}
    </li>
  );
}

function WayButton({ way, job, record, main = false }: StateProps & { way: Way; main?: boolean }) {
  const retry = useRetry(job, record);
  const look = main
    ? { variant: 'filled' as const, leftSection: <Icon name={WAY_ICONS[way]} /> }
    : { variant: 'default' as const, size: 'xs' as const };
  const t = texts.failure;
  switch (way) {
    case 'retry':
      return (
        <Button {...look} loading={retry.isPending} disabled={record === undefined} onClick={() => retry.mutate()}>
          {texts.retry}
        </Button>
      );
    case 'install':
      return (
        <Button {...look} renderRoot={(props) => <Link {...props} to="/models" />}>
          {t.install}
        </Button>
      );
    case 'file':
      return (
        <Button {...look} renderRoot={(props) => <ChangeLink {...props} job={job} record={record} other />}>
          {t.file}
        </Button>
      );
    case 'change':
      return (
        <Button {...look} renderRoot={(props) => <ChangeLink {...props} job={job} record={record} />}>
          {t.change}
        </Button>
      );
  }
}
