import { Anchor, Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import exampleUrl from '~examples/harbour-report.docx?url';
import { PAGES_PATH } from '../../api/base-path.ts';
import { useChange } from '../../api/changes.ts';
import { owner, useEnvironment } from '../../api/client.ts';
import type { NeedView } from '../../api/generated/owner.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { modelsQuery, needsQuery } from '../../api/queries.ts';
import { IS_DEVICE } from '../../api/session.ts';
import { formatByteCount } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { installedText } from '../../components/job-words.ts';
import { KindTile } from '../../components/kind.tsx';
import { notify } from '../../components/notify.ts';
import { Failure, PageHead, Panel, Rows, Skeletons } from '../../components/page-elements.tsx';
import type { Kind } from '../../components/work.ts';
import { operationOf, workOfKind } from '../../components/work.ts';
import { serverText } from '../../language/server-texts.ts';
import { texts } from '../../texts.ts';
import { NeedsYou, useNeeded } from '../overview/needs-you.tsx';
import { jobIdOf, type Sent, sendAsOwner } from '../run/send.ts';
import { AddFiles } from '../uploads/uploads.tsx';

/** Needs of few jobs: the job that needs one asks for it. */
const RARE: readonly string[] = ['ffmpeg', 'whisper-cli', 'speakers'];

/** Polling interval during downloads. */
const PROGRESS_INTERVAL_MS = 500;

const t = texts.overview.first;

/** The Overview before the first job: what to give Quarry, examples that run, and what works already. */
export function FirstRun(): ReactNode {
  return (
    <>
      <PageHead title={texts.shell.names.home} about={t.about} />
      {useNeeded() > 0 && <NeedsYou />}
      <div className="first-run">
        <div className="first-main">
          <div className="first-drop">
            <Icon name="upload" size={24} />
            <p className="first-drop-title">{t.drop}</p>
            <p className="dim">{t.dropMore}</p>
            <AddFiles filled />
          </div>
          <Examples />
        </div>
        {!IS_DEVICE && (
          <div>
            <WorksAlready />
            <p className="small dim">
              {t.others}{' '}
              <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/payments" search={{ tab: 'prices' }} />}>
                {t.prices}
              </Anchor>
            </p>
          </div>
        )}
      </div>
    </>
  );
}

interface Example {
  name: keyof typeof t.examples;
  kind: Kind;
  send(environment: EnvironmentName): Promise<Sent>;
}

const EXAMPLES: readonly Example[] = [
  { name: 'read', kind: 'read', send: readExample },
  {
    name: 'speak',
    kind: 'speak',
    send: (environment) =>
      sendAsOwner(environment, operationOf('speak'), { prompt: t.spoken, voice: 'clara', includeCaptions: true }),
  },
  {
    name: 'compose',
    kind: 'compose',
    send: (environment) =>
      sendAsOwner(environment, operationOf('compose'), { prompt: t.composed, durationSeconds: 30 }),
  },
];

/** The document that comes with Quarry. */
async function readExample(environment: EnvironmentName): Promise<Sent> {
  const answer = await fetch(exampleUrl);
  if (!answer.ok) throw new Error(t.exampleGone);
  const form = new FormData();
  form.append('file', await answer.blob(), 'harbour-report.docx');
  return sendAsOwner(environment, operationOf('read'), form);
}

function Examples() {
  return (
    <Panel title={t.try}>
      <Rows label={t.try}>
        {EXAMPLES.map((example) => (
          <ExampleRow key={example.name} example={example} />
        ))}
      </Rows>
    </Panel>
  );
}

/** Runs an example and opens its job. */
function ExampleRow({ example }: { example: Example }) {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const run = useMutation({
    mutationFn: () => example.send(environment),
    onSuccess: ({ answer }) => {
      const jobId = jobIdOf(answer);
      // The first job may already have replaced this row, but the page is still the Overview.
      if (jobId !== null && location.pathname === `${PAGES_PATH}/`)
        void navigate({ to: '/items/of/$jobId', params: { jobId } });
    },
    onError: (error) => notify({ color: 'red', message: error.message }),
  });
  const { title, about, run: label } = t.examples[example.name];
  return (
    <li>
      <KindTile work={workOfKind(example.kind)} />
      <div className="grow">
        <div className="label">{title}</div>
        <div className="small dim">{about}</div>
      </div>
      <Button size="compact-sm" variant="default" loading={run.isPending} onClick={() => run.mutate()}>
        {label}
      </Button>
    </li>
  );
}

function WorksAlready() {
  const client = useQueryClient();
  const models = useQuery({
    ...modelsQuery(),
    refetchInterval: ({ state }) => state.data?.models.some(isMoving) === true && PROGRESS_INTERVAL_MS,
  });
  const installed = models.data?.models.filter((model) => model.installed).length;
  useEffect(() => {
    if (installed !== undefined) void client.invalidateQueries({ queryKey: needsQuery().queryKey });
  }, [client, installed]);
  const needs = useQuery(needsQuery());
  return (
    <section className="works" aria-label={t.works}>
      <h2 className="label">{t.works}</h2>
      {needs.isPending && <Skeletons rows={6} />}
      {needs.isError && <Failure error={needs.error} retry={() => void needs.refetch()} />}
      {needs.data && (
        <Rows label={t.works}>
          <li>
            <Icon name="check" />
            <b className="grow">{t.always}</b>
          </li>
          {needs.data.needs
            .filter(({ need }) => !RARE.includes(need))
            .map((need) => {
              const download = models.data?.models.find(({ name }) => name === need.choices[0]?.name)?.download;
              return <NeedRow key={need.need} need={need} download={download ?? null} />;
            })}
        </Rows>
      )}
    </section>
  );
}

type Download = NonNullable<Parameters<typeof isMoving>[0]['download']>;

function isMoving({ download }: { download: { status: string; receivedBytes: number; totalBytes: number } | null }) {
  return download?.status === 'downloading' || download?.status === 'verifying';
}

function NeedRow({ need, download }: { need: NeedView; download: Download | null }) {
  const [choice] = need.choices;
  const install = useChange(
    (name: string) => owner.POST('/admin/models/{name}/install', { params: { path: { name } } }),
    {
      renews: [modelsQuery().queryKey],
    },
  );
  if (need.ready) {
    return (
      <li>
        <Icon name="check" />
        <div className="grow">
          <b>{serverText(need.usedBy)}</b> <span className="small dim">{installedText(need.installed ?? '')}</span>
        </div>
      </li>
    );
  }
  const moving = download !== null && isMoving({ download });
  return (
    <li className="lacks">
      <Icon name="download" />
      <div className="grow">
        <b>{serverText(need.usedBy)}</b>{' '}
        <span className="dim">
          {choice === undefined
            ? t.asksFor({ what: serverText(need.title) })
            : t.asks({ size: formatByteCount(choice.sizeBytes) })}
        </span>
      </div>
      {moving && (
        <span className="small" role="status">
          {texts.overview.downloading({
            got: formatByteCount(download.receivedBytes),
            all: formatByteCount(download.totalBytes),
          })}
        </span>
      )}
      {!moving && choice?.kind === 'model' && (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t.installFor({ work: serverText(need.usedBy) })}
          loading={install.isPending}
          onClick={() => install.mutate(choice.name)}
        >
          {t.install}
        </Button>
      )}
      {choice?.kind !== 'model' && (
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/models" />}>
          {t.how}
        </Anchor>
      )}
    </li>
  );
}
