/** The list and the page that watched sites, folders and feeds have in common. */
import { Anchor, Button, Group, Modal, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import { historyQuery, type SourcePath, sourceQuery, sourcesQuery } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { KeyEnded, KeyWords, keyFacts } from '../../components/made-by-key.tsx';
import { Empty, type Fact, Failure, PageHead, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { type Source, type SourceKind, useSourceActions } from './source-kind.ts';
import { watches as texts } from './texts.ts';

interface KindProps<Row extends Source> {
  kind: SourceKind<Row>;
}

interface SourceProps<Row extends Source> extends KindProps<Row> {
  source: Row;
}

/** All sources of a kind, on the page of all watches. */
export function SourcePanel<Row extends Source>({ kind }: KindProps<Row>): ReactNode {
  const list = useQuery(sourcesQuery<Row>(useEnvironment(), kind.path));
  const { words } = kind;
  const columns: Column<Row>[] = [
    { title: words.one, cell: (source) => <SourceName kind={kind} source={source} /> },
    ...kind.columns,
    { title: texts.actions, titleHidden: true, cell: (source) => <RowActions kind={kind} source={source} /> },
  ];
  return (
    <Panel title={words.title}>
      {list.isPending && <Skeletons rows={3} height={28} />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.length === 0 && (
        <Empty icon="eye" title={words.none}>
          {words.noneHow}
        </Empty>
      )}
      {list.data !== undefined && list.data.length > 0 && (
        <DataTable wide columns={columns} rows={list.data} rowKey={kind.idOf} />
      )}
    </Panel>
  );
}

/** A name that leads to its page, above its path or address, and the key that made it. */
function SourceName<Row extends Source>({ kind, source }: SourceProps<Row>) {
  const [name, place] = [kind.nameOf(source), kind.placeOf(source)];
  return (
    <>
      <Anchor
        size="sm"
        fw={550}
        className="truncate"
        maw={320}
        renderRoot={(props) => <Link {...props} {...kind.linkOf(source)} />}
      >
        {name}
      </Anchor>
      {place !== name && (
        <div className="endpoint-address truncate" title={place}>
          {place}
        </div>
      )}
      <KeyWords made={source} />
    </>
  );
}

function RowActions<Row extends Source>({ kind, source }: SourceProps<Row>) {
  const { actions, status, statusName } = useSourceActions(kind, source);
  const toggle = { label: statusName, isPending: status.isPending, onClick: () => status.mutate() };
  return (
    <Group gap={6} wrap="wrap" justify="flex-end">
      {[...actions.filter(({ inList }) => inList), { ...toggle, isDisabled: () => false }].map((action) => (
        <Button
          key={action.label}
          size="compact-sm"
          variant="default"
          disabled={action.isDisabled(source)}
          loading={action.isPending}
          aria-label={texts.of({ action: action.label, site: kind.nameOf(source) })}
          onClick={action.onClick}
        >
          {action.label}
        </Button>
      ))}
    </Group>
  );
}

interface SourcePageProps<Row extends Source> extends KindProps<Row> {
  id: string;
  children: (source: Row) => ReactNode;
}

/** The page of one source: its head, and what it has read. */
export function SourcePage<Row extends Source>({ kind, id, children }: SourcePageProps<Row>): ReactNode {
  const query = useQuery(sourceQuery<Row>(useEnvironment(), kind.path, id));
  if (query.isPending) return <Skeletons rows={6} height={28} />;
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    <>
      <SourceHead kind={kind} source={query.data} />
      {children(query.data)}
    </>
  );
}

function SourceHead<Row extends Source>({ kind, source }: SourceProps<Row>) {
  const navigate = useNavigate();
  const [editing, setEditing] = useState(false);
  const closeSourceEditing = () => setEditing(false);
  const { actions, status, statusName, remove } = useSourceActions(
    kind,
    source,
    () => void navigate({ to: '/watches' }),
  );
  const { words } = kind;
  const title = kind.nameOf(source);
  const askToRemove = () =>
    askFirst({
      title: words.removeTitle,
      about: kind.removeAbout(source),
      yes: texts.remove,
      no: texts.keep,
      onYes: () => remove.mutate(),
    });
  return (
    <>
      <PageHead title={title} facts={[...kind.factsOf(source), ...keyFacts(source)]}>
        {actions
          .filter(({ isShown }) => isShown?.(source) ?? true)
          .map(({ label, icon, isDisabled, isPending, onClick }, index) => (
            <Button
              key={label}
              variant={index === 0 ? 'filled' : 'default'}
              leftSection={<Icon name={icon} />}
              disabled={isDisabled(source)}
              loading={isPending}
              onClick={onClick}
            >
              {label}
            </Button>
          ))}
        <Button variant="default" leftSection={<Icon name="pencil" />} onClick={() => setEditing(true)}>
          {words.edit}
        </Button>
        <Button
          variant="default"
          leftSection={<Icon name={source.status === 'active' ? 'pause' : 'play'} />}
          loading={status.isPending}
          onClick={() => status.mutate()}
        >
          {statusName}
        </Button>
        <Button variant="default" c="var(--q-bad)" leftSection={<Icon name="trash-2" />} onClick={askToRemove}>
          {texts.remove}
        </Button>
        <Modal opened={editing} onClose={closeSourceEditing} title={`${words.edit}: ${title}`} size="lg">
          {kind.form(source, closeSourceEditing)}
        </Modal>
      </PageHead>
      <KeyEnded made={source} takeOver={status} remove={{ name: texts.remove, onClick: askToRemove }} />
    </>
  );
}

/** When a source is read next, for the head of its page. */
export function nextFact(label: string, { nextRunAt }: { nextRunAt: string | null }): Fact {
  if (nextRunAt === null) return { said: texts.isPaused, tone: 'wait' };
  return {
    said: (
      <>
        {label} <Time at={nextRunAt} />
      </>
    ),
  };
}

export function NextRun({ at }: { at: string | null }): ReactNode {
  return <Text size="sm">{at === null ? texts.isPaused : <Time at={at} />}</Text>;
}

interface HistoryProps<Entry> {
  path: SourcePath;
  id: string;
  /** The list in the address and the answer. */
  list: string;
  columns: readonly Column<Entry>[];
  rowKey: (entry: Entry) => string;
  words: { title: string; more: string; none: string };
}

/** What was read of a source, newest first. */
export function History<Entry>({ path, id, list, columns, rowKey, words }: HistoryProps<Entry>): ReactNode {
  const query = useInfiniteQuery(historyQuery<Entry>(useEnvironment(), path, id, list));
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <PagedPanel
      list={query}
      count={rows.length}
      title={words.title}
      more={words.more}
      empty={<Empty icon="file-text" title={words.none} />}
    >
      <DataTable columns={columns} rows={rows} rowKey={rowKey} />
    </PagedPanel>
  );
}
