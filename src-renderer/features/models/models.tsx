import '../../styles/models.css';
import { Button, List, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import type { Machine, ModelView, NeedView } from '../../api/generated/owner.ts';
import { modelsQuery, needsQuery } from '../../api/queries.ts';
import { formatByteCount } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { installedText } from '../../components/job-words.ts';
import { KindTile } from '../../components/kind.tsx';
import { Empty, type Fact, Failure, PageHead, Skeletons } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import type { Kind } from '../../components/work.ts';
import { workOfKind } from '../../components/work.ts';
import { MediaTools } from './media-tools.tsx';
import { ModelRows } from './model-rows.tsx';
import { isModelDownloadUnderWay, sortModelRows, TASKS, type TaskNeed } from './tasks.ts';
import { models as modelsTexts } from './texts.ts';

/** Polling interval during downloads. */
const PROGRESS_INTERVAL_MS = 500;

const t = modelsTexts;

/** What each task needs: installed models, up to four choices, and the rest of the catalogue folded away. */
export function Models(): ReactNode {
  const models = useQuery({
    ...modelsQuery(),
    // Poll once for all downloads: a stream for each would use up the browser's six connections per server.
    refetchInterval: ({ state }) => state.data?.models.some(isModelDownloadUnderWay) === true && PROGRESS_INTERVAL_MS,
  });
  const needs = useNeeds(models.data?.models);
  const all = models.data?.models ?? [];
  const list = needs.data?.needs ?? [];
  const failed = [models, needs].find(({ isError }) => isError);
  return (
    <>
      <PageHead title={t.title} facts={modelsFacts(models.data?.diskUseBytes, list)}>
        <OwnFile />
      </PageHead>
      {failed !== undefined && <Failure error={failed.error} retry={() => void failed.refetch()} />}
      {needs.data && <DiskUse models={all} machine={needs.data.machine} />}
      {(models.isPending || needs.isPending) && <Skeletons rows={12} height={36} />}
      {models.data && needs.data && <Tasks models={all} needs={list} />}
    </>
  );
}

/** A download that ends changes what the needs lack. */
function useNeeds(models: readonly ModelView[] | undefined) {
  const client = useQueryClient();
  const installed = models
    ?.filter((model) => model.installed)
    .map(({ name }) => name)
    .join(' ');
  useEffect(() => {
    if (installed !== undefined) void client.invalidateQueries({ queryKey: needsQuery().queryKey });
  }, [client, installed]);
  return useQuery(needsQuery());
}

function modelsFacts(diskUseBytes: number | undefined, needs: readonly NeedView[]): (Fact | string)[] {
  const waiting = needs.reduce((sum, { waitingJobs }) => sum + waitingJobs, 0);
  return [
    t.about,
    ...(diskUseBytes === undefined ? [] : [t.use({ size: formatByteCount(diskUseBytes) })]),
    ...(waiting === 0 ? [] : [{ said: t.jobsWait({ count: waiting }), tone: 'wait' as const }]),
  ];
}

/** The disk that each task takes, and what this computer has. */
function DiskUse({ models, machine }: { models: readonly ModelView[]; machine: Machine }) {
  const { cores, memoryBytes, freeDiskBytes, gpu } = machine;
  const shares = TASKS.map(({ need, kind }) => ({
    need,
    kind,
    size: models.reduce((sum, one) => sum + (one.installed && one.kind === need ? one.sizeBytes : 0), 0),
  })).filter(({ size }) => size > 0);
  return (
    <div className="disk-use">
      <div className="disk-bar" aria-hidden="true">
        {shares.map(({ need, kind, size }) => (
          <i
            key={need}
            className={`k-${kind}`}
            style={{ flexGrow: size }}
            title={`${t.tasks[need].title}: ${formatByteCount(size)}`}
          />
        ))}
      </div>
      <p className="small faint">
        {t.machine({
          cores,
          memory: formatByteCount(memoryBytes),
          gpu: gpu ?? t.noGpu,
          free: formatByteCount(freeDiskBytes),
        })}
      </p>
    </div>
  );
}

function Tasks({ models, needs }: { models: readonly ModelView[]; needs: readonly NeedView[] }) {
  const needOf = (name: string) => needs.find(({ need }) => need === name);
  const next = TASKS.map(({ need }) => needOf(need)).find((need) => need && !need.ready && need.choices.length > 0);
  const tasks = TASKS.map(({ need, kind }) => {
    const found = needOf(need);
    const rows = sortModelRows(
      models.filter((model) => model.kind === need),
      found?.choices ?? [],
    );
    return { need, kind, found, ...rows };
  });
  const scans = tasks.find(({ need }) => need === 'ocr-language');
  const known = TASKS.map(({ need }): string => need);
  const rest = [
    ...tasks.filter((task) => task !== scans).flatMap((task) => task.rest),
    ...models.filter(({ kind }) => !known.includes(kind)).map((model) => ({ model, choice: undefined })),
  ];
  return (
    <>
      {models.length === 0 && (
        <Empty icon="box" title={t.none}>
          {t.noneHow}
        </Empty>
      )}
      {tasks.map(({ need, kind, found, shown }) => (
        <Task key={need} need={need} kind={kind} waitingJobs={found?.waitingJobs ?? 0}>
          {builtInOf(found, shown.length) !== null && <State tone="good">{builtInOf(found, shown.length)}</State>}
          {shown.length > 0 && (
            <ModelRows
              rows={shown}
              label={t.tasks[need].title}
              next={found === next ? next?.choices[0]?.name : undefined}
            />
          )}
          {need === 'ocr-language' && scans !== undefined && scans.rest.length > 0 && (
            <Fold title={t.addLanguage({ count: scans.rest.length })}>
              <ModelRows rows={scans.rest} label={t.addLanguage({ count: scans.rest.length })} />
            </Fold>
          )}
        </Task>
      ))}
      <Task need="programs" kind="other" waitingJobs={programsWait(needs)}>
        <MediaTools />
      </Task>
      {rest.length > 0 && (
        <Fold title={t.allModels({ count: rest.length })}>
          <ModelRows rows={rest} label={t.allModels({ count: rest.length })} />
        </Fold>
      )}
    </>
  );
}

/** What serves a task beyond the models in its rows, such as a built-in language or a text server. */
function builtInOf(need: NeedView | undefined, rows: number): string | null {
  if (need === undefined || need.installed === null) return null;
  const builtIn = need.need === 'voice' || need.need === 'soundfont' || need.need === 'ocr-language' || rows === 0;
  return builtIn ? t.ready({ what: installedText(need.installed) }) : null;
}

function programsWait(needs: readonly NeedView[]): number {
  const tasks = TASKS.map(({ need }): string => need);
  return needs.filter(({ need }) => !tasks.includes(need)).reduce((sum, one) => sum + one.waitingJobs, 0);
}

interface TaskProps {
  need: TaskNeed | 'programs';
  kind: Kind;
  waitingJobs: number;
  children: ReactNode;
}

function Task({ need, kind, waitingJobs, children }: TaskProps) {
  const { title, about } = t.tasks[need];
  return (
    <section className="task" aria-label={title}>
      <div className="task-head">
        <KindTile work={workOfKind(kind)} />
        <div>
          <h2 className="label">{title}</h2>
          <p className="small dim">{about}</p>
          {waitingJobs > 0 && <State tone="warn">{t.jobsWait({ count: waitingJobs })}</State>}
        </div>
      </div>
      <div className="task-body">{children}</div>
    </section>
  );
}

function Fold({ title, children }: { title: string; children: ReactNode }) {
  const [opened, { toggle }] = useDisclosure();
  return (
    <div className="fold">
      <Button
        variant="default"
        size="compact-sm"
        aria-expanded={opened}
        leftSection={<Icon name={opened ? 'chevron-down' : 'chevron-right'} size={14} />}
        onClick={toggle}
      >
        {title}
      </Button>
      {opened && children}
    </div>
  );
}

/** Quarry watches the models folder, so a file needs no upload. */
function OwnFile() {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<Icon name="folder" />} onClick={open}>
        {t.ownFile}
      </Button>
      <Modal opened={opened} onClose={close} title={t.ownFile}>
        <Stack gap="sm">
          <Text size="sm">{t.noneHow}</Text>
          <List size="sm">
            {Object.values(t.ownFileForms).map((form) => (
              <List.Item key={form}>{form}</List.Item>
            ))}
          </List>
          <Text size="sm">{t.ownFileThen}</Text>
        </Stack>
      </Modal>
    </>
  );
}
