import { ActionIcon, Button, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { parseOwnJson } from '../../../src-server/platform/own-json.ts';
import { useChange } from '../../api/changes.ts';
import { api, errorOf, fetchApi, owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { hasEnded } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { DownloadSplit } from '../../components/download-split.tsx';
import { Icon } from '../../components/icon.tsx';
import { useKeys } from '../../components/keys.ts';
import { JobHead } from '../../components/page-elements.tsx';
import { showToast, toastFailure, unlessUndone } from '../../components/toast.tsx';
import { workOf, workOfOperation } from '../../components/work.ts';
import { saveText } from '../results/save-text.ts';
import { resultChunks, resultFiles, resultOf, spokenText, timedResultLines } from '../results/shapes.ts';
import { mayHelpAgain, runAgain } from '../run/run-again.ts';
import { useJobOpener } from '../run/send.ts';
import { feeds, folders, watches } from '../watches/texts.ts';
import { ChangeLink } from './change-link.tsx';
import { jobFacts } from './job-facts.tsx';
import { baseName, downloadsOf } from './job-files.ts';
import { jobTitle } from './job-name.ts';
import { job as texts } from './job-texts.ts';
import { JobMetadata, JobTags } from './tags.tsx';

interface HeadProps {
  job: Job;
  record: JobRecord | undefined;
}

/** The head of a job: its name, one line of state, and what can be done with the result. */
export function Head({ job, record }: HeadProps) {
  const environment = useEnvironment();
  const acts = useRef<HTMLDivElement>(null);
  const title = jobTitle(job, record);
  const copy = job.result === null ? null : jobResultText(job, record);
  const content = job.result === null ? undefined : resultOf(job).content;
  const downloads = job.result === null ? [] : downloadsOf(environment, job, record);
  const { takes, isRepeatable } = workOfOperation(job.jobType);
  const isSite = takes === 'site';
  const repeatable = hasEnded(job) && isRepeatable;
  useActionKeys(acts, { copies: copy !== null, repeats: repeatable });
  return (
    <JobHead
      work={workOf({ ...job, variant: record?.variant })}
      title={title}
      facts={jobFacts(job, record)}
      below={
        <>
          <JobTags tags={job.tags} />
          <JobMetadata metadata={job.metadata} />
        </>
      }
    >
      <div className="job-acts" ref={acts}>
        {copy !== null && (
          <span data-act-key="c">
            <CopyButton text={copy} main {...(isSite ? { label: texts.copyPages } : {})} />
          </span>
        )}
        <DownloadSplit files={downloads} />
        {typeof content === 'string' && (
          <Button
            variant="default"
            leftSection={<Icon name="download" />}
            onClick={() => saveText(`${baseName(title)}.md`, content, 'text/markdown')}
          >
            <span className="truncate">{baseName(title)}.md</span>
          </Button>
        )}
        {isSite && record !== undefined && <WatchSite record={record} />}
        {record?.watchId != null && <WatchedBy watchId={record.watchId} />}
        {repeatable && <Again job={job} record={record} />}
        <More job={job} record={record} name={title} />
      </div>
    </JobHead>
  );
}

/** Leads to the watch that submitted the crawl, or to the form of a new one. */
function WatchSite({ record: { jobId, watchId, request } }: { record: JobRecord }) {
  if (request.map === true || (watchId !== null && !watchId.startsWith('wch_'))) return null;
  return (
    <Button
      variant="default"
      leftSection={<Icon name="eye" />}
      renderRoot={(props) =>
        watchId === null ? (
          <Link {...props} to="/watches" search={{ from: jobId }} />
        ) : (
          <Link {...props} to="/watches/$watchId" params={{ watchId }} search={{ run: jobId }} />
        )
      }
    >
      {watchId === null ? watches.watchThis : watches.watched}
    </Button>
  );
}

/** Leads to the folder or feed that the job came from. */
function WatchedBy({ watchId }: { watchId: string }) {
  const isFolder = watchId.startsWith('fld_');
  if (!isFolder && !watchId.startsWith('fed_')) return null;
  return (
    <Button
      variant="default"
      leftSection={<Icon name="eye" />}
      renderRoot={(props) =>
        isFolder ? (
          <Link {...props} to="/watches/folders/$watchId" params={{ watchId }} />
        ) : (
          <Link {...props} to="/watches/feeds/$feedId" params={{ feedId: watchId }} />
        )
      }
    >
      {isFolder ? folders.watched : feeds.watched}
    </Button>
  );
}

/** Leads to where the same request can be changed and sent. */
function Again({ job, record }: HeadProps) {
  return (
    <span data-act-key="r" className="again">
      <Button
        variant="default"
        leftSection={<Icon name="rotate-cw" />}
        renderRoot={(props) => <ChangeLink {...props} job={job} record={record} />}
      >
        {texts.again}
      </Button>
    </span>
  );
}

/** The keys of the actions press their buttons, so that both do the same. */
function useActionKeys(
  acts: React.RefObject<HTMLElement | null>,
  { copies, repeats }: Record<'copies' | 'repeats', boolean>,
) {
  const pressJobAction = (key: string) => () =>
    acts.current?.querySelector<HTMLElement>(`[data-act-key="${key}"] :is(button, a)`)?.click();
  useKeys([
    ...(copies
      ? [{ keys: 'c', name: texts.keys.copy, icon: 'copy', group: 'page', run: pressJobAction('c') } as const]
      : []),
    ...(repeats
      ? [{ keys: 'r', name: texts.again, icon: 'rotate-cw', group: 'page', run: pressJobAction('r') } as const]
      : []),
  ]);
}

async function fileText(path: string): Promise<string> {
  const answer = await fetchApi(path);
  if (!answer.ok) throw await errorOf(answer);
  return answer.text();
}

/** The whole text of a result, or how to read it; null if it has none. */
export function jobResultText(job: Job, record: JobRecord | undefined): string | (() => Promise<string>) | null {
  const result = resultOf(job);
  const jobFilePath = (name: string) => resultFiles(job, record).find((file) => file.name === name)?.url;
  const chunks = resultChunks(result);
  if (typeof result.content === 'string') return result.content;
  if (Array.isArray(result.segments)) {
    return spokenText(timedResultLines(result, chunks));
  }
  const markdown = jobFilePath('document.md');
  if (markdown !== undefined) return () => fileText(markdown);
  const pages = jobFilePath('pages.jsonl');
  return pages === undefined ? null : async () => pagesText(await fileText(pages));
}

/** All pages of a crawl, each below its address. */
function pagesText(lines: string): string {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { url, markdown } = parseOwnJson<{ url: string; markdown: string }>(line);
      return `<${url}>\n\n${markdown.trim()}`;
    })
    .join('\n\n---\n\n');
}

/** Sends the same request again without the form. */
export function useRetry(job: Job, record: JobRecord | undefined) {
  const environment = useEnvironment();
  const opener = useJobOpener();
  return useMutation({
    mutationFn: () => {
      if (record === undefined) throw new Error(texts.unavailable);
      return runAgain(environment, record, job.jobType);
    },
    onSuccess: opener.open,
    onError: toastFailure,
  });
}

function More({ job, record, name }: HeadProps & { name: string }) {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const { copy } = useClipboard();
  const retry = useRetry(job, record);
  const params = { path: { jobId: job.jobId }, query: queryIn(environment, {}) };
  const cancel = useChange(() => owner.POST('/admin/jobs/{jobId}/cancel', { params }));
  const removeJobUnlessUndone = () => {
    unlessUndone({
      id: `remove ${job.jobId}`,
      message: texts.removing({ name }),
      apply: () => api[environment].DELETE('/jobs/{jobId}', { params: { path: { jobId: job.jobId } } }),
    });
    void navigate({ to: '/jobs', search: {} });
  };
  const confirmJobCancel = () =>
    askFirst({
      title: texts.cancelTitle,
      about: texts.cancelAbout,
      yes: texts.cancel,
      no: texts.letRun,
      onYes: () => cancel.mutate(),
    });
  const ended = hasEnded(job);
  return (
    <>
      {!ended && (
        <Button
          variant="default"
          c="var(--q-bad)"
          leftSection={<Icon name="square" />}
          loading={cancel.isPending}
          onClick={confirmJobCancel}
        >
          {texts.cancel}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={34} aria-label={texts.more}>
            <Icon name="ellipsis" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Icon name="copy" size={14} />}
            onClick={() => {
              copy(job.jobId);
              showToast({ icon: 'copy', message: job.jobId });
            }}
          >
            {texts.copyId}
          </Menu.Item>
          {mayHelpAgain(job) && (
            <Menu.Item leftSection={<Icon name="rotate-ccw" size={14} />} onClick={() => retry.mutate()}>
              {texts.retry}
            </Menu.Item>
          )}
          {ended && (
            <Menu.Item c="var(--q-bad)" leftSection={<Icon name="trash-2" size={14} />} onClick={removeJobUnlessUndone}>
              {texts.remove}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
