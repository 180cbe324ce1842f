import { Badge, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import type { ModelView } from '../../api/generated/owner.ts';
import { modelsQuery } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { bytes } from '../../components/format.ts';
import { Empty, Failure, PageHead, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { texts } from '../../texts.ts';
import { MediaToolsPanel } from './media-tools.tsx';

/** Polling interval during downloads. */
const PROGRESS_INTERVAL_MS = 500;

/** Installed and available models, with download progress. */
export function Models() {
  const models = useQuery({
    ...modelsQuery(),
    // Poll once for all downloads: a stream for each would use up the browser's six connections per server.
    refetchInterval: ({ state }) => state.data?.models.some(isUnderWay) === true && PROGRESS_INTERVAL_MS,
  });
  const t = texts.models;
  const kinds = [...new Set(models.data?.models.map(({ kind }) => kind) ?? [])].sort(byUse);
  return (
    <>
      <PageHead title={t.title} about={t.about}>
        {models.data && <Text c="dimmed">{t.use(bytes(models.data.diskUseBytes))}</Text>}
      </PageHead>
      <Stack gap="md">
        {models.isError && <Failure error={models.error} retry={() => void models.refetch()} />}
        {models.data?.models.length === 0 && (
          <Panel>
            <Empty icon="box" title={t.none}>
              {t.noneHow}
            </Empty>
          </Panel>
        )}
        <MediaToolsPanel />
        {models.isPending && <Skeletons rows={12} />}
        {kinds.map((kind) => (
          <KindPanel key={kind} kind={kind} models={models.data?.models.filter((model) => model.kind === kind) ?? []} />
        ))}
      </Stack>
    </>
  );
}

/** Order of the sections. Unknown kinds come last. */
const KINDS_BY_USE = ['speech', 'text', 'embedding', 'voice', 'vad', 'ocr-language'];

function byUse(one: string, other: string): number {
  const place = (kind: string) => (KINDS_BY_USE.includes(kind) ? KINDS_BY_USE.indexOf(kind) : KINDS_BY_USE.length);
  return place(one) - place(other);
}

const COLUMNS: readonly Column<ModelView>[] = [
  { title: texts.models.columns.model, width: '34%', cell: (model) => <ModelName model={model} /> },
  { title: texts.models.columns.state, width: '26%', cell: (model) => <ModelState model={model} /> },
  { title: texts.models.columns.size, cell: ({ sizeBytes }) => bytes(sizeBytes) },
  { title: texts.models.columns.licence, cell: ({ licence }) => licence ?? '–' },
  {
    title: texts.models.install,
    titleHidden: true,
    width: 110,
    align: 'right',
    cell: (model) => <ModelAction model={model} />,
  },
];

function KindPanel({ kind, models }: { kind: string; models: readonly ModelView[] }) {
  return (
    <Panel title={texts.models.kinds[kind] ?? kind}>
      <DataTable columns={COLUMNS} rows={models.toSorted(byPlace)} rowKey={({ name }) => name} />
    </Panel>
  );
}

/** Installed models first, then the recommended one, then the order of the catalogue. */
function byPlace(one: ModelView, other: ModelView): number {
  return Number(other.installed) - Number(one.installed) || Number(other.recommended) - Number(one.recommended);
}

function isUnderWay(model: ModelView): boolean {
  return model.download?.status === 'downloading' || model.download?.status === 'verifying';
}

function ModelName({ model }: { model: ModelView }) {
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={550} className="break">
          {model.title}
        </Text>
        {model.recommended && <Badge variant="light">{texts.models.recommended}</Badge>}
      </Group>
      <Text size="xs" c="dimmed" className="break">
        {model.name}
        {model.language === null ? '' : `, ${model.language}`}
      </Text>
    </>
  );
}

function ModelState({ model }: { model: ModelView }) {
  const t = texts.models;
  const { download } = model;
  if (isUnderWay(model) && download !== null) {
    const said =
      download.status === 'verifying'
        ? t.verifying
        : t.downloading(bytes(download.receivedBytes), bytes(download.totalBytes));
    return (
      <>
        <Progress value={(100 * download.receivedBytes) / Math.max(1, download.totalBytes)} aria-label={model.name} />
        <Text size="xs" c="dimmed" role="status">
          {said}
        </Text>
      </>
    );
  }
  if (model.installed) {
    return (
      <>
        <State tone="good">{t.installed}</State>
        <Text size="xs" c="dimmed">
          {model.origin === 'by-hand' ? t.byHand : model.verified ? t.verified : t.unverified}
          {model.lastUsedAt !== null && (
            <>
              , {t.lastUsed} <Time at={model.lastUsedAt} />
            </>
          )}
        </Text>
      </>
    );
  }
  if (download?.status === 'failed') {
    return (
      <>
        <State tone="bad">{t.failed}</State>
        <Text size="xs" c="dimmed">
          {download.error?.message}
        </Text>
      </>
    );
  }
  return <State tone="idle">{t.available}</State>;
}

function ModelAction({ model }: { model: ModelView }) {
  const t = texts.models;
  const params = { path: { name: model.name } };
  const renews = { renews: [modelsQuery().queryKey] };
  const install = useChange(() => owner.POST('/admin/models/{name}/install', { params }), renews);
  const cancel = useChange(() => owner.POST('/admin/models/{name}/cancel', { params }), renews);
  const remove = useChange(() => owner.DELETE('/admin/models/{name}', { params }), renews);
  if (isUnderWay(model)) {
    return (
      <Button size="compact-sm" variant="default" onClick={() => cancel.mutate()}>
        {t.cancel}
      </Button>
    );
  }
  if (!model.installed) {
    return (
      <Button
        size="compact-sm"
        variant={model.recommended ? 'filled' : 'default'}
        aria-label={t.installName(model.name)}
        loading={install.isPending}
        onClick={() => install.mutate()}
      >
        {t.install}
      </Button>
    );
  }
  const sure = () =>
    askFirst({
      title: t.removeSure(model.name),
      about: t.removeAbout,
      yes: t.remove,
      no: t.keep,
      onYes: () => remove.mutate(),
    });
  return (
    <Button size="compact-sm" variant="outline" color="red" aria-label={t.removeName(model.name)} onClick={sure}>
      {t.remove}
    </Button>
  );
}
