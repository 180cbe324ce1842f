/** What the lists, pages and forms of folders and feeds have in common. */
import { Anchor, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { fieldErrors } from '../../api/client.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Empty, type Fact, Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { State, type Tone } from '../../components/state.tsx';
import { texts as common } from '../../texts.ts';
import { type Recipe, RecipeFields } from './recipe-fields.tsx';
import { watches as texts } from './texts.ts';

interface WatchedPanelProps<Row> {
  title: string;
  none: string;
  noneHow: string;
  list: UseQueryResult<unknown>;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
}

/** A list on the page of all watches. */
export function WatchedPanel<Row>({ title, none, noneHow, list, rows, columns, rowKey }: WatchedPanelProps<Row>) {
  return (
    <Panel title={title}>
      {list.isPending && <Skeletons rows={3} height={28} />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data !== undefined && rows.length === 0 && (
        <Empty icon="eye" title={none}>
          {noneHow}
        </Empty>
      )}
      {rows.length > 0 && <DataTable columns={columns} rows={rows} rowKey={rowKey} />}
    </Panel>
  );
}

/** A name that leads to its page, above its path or address. */
export function WatchedName({ name, place, link }: { name: string; place: string; link: LinkProps }): ReactNode {
  return (
    <>
      <Anchor size="sm" fw={550} className="truncate" maw={320} renderRoot={(props) => <Link {...props} {...link} />}>
        {name}
      </Anchor>
      <div className="endpoint-address truncate" title={place}>
        {place}
      </div>
    </>
  );
}

interface SmallAction {
  label: string;
  isPending: boolean;
  isDisabled?: boolean;
  onClick: () => void;
}

/** Buttons of a row. */
export function RowActions({ of, actions }: { of: string; actions: readonly SmallAction[] }): ReactNode {
  return (
    <Group gap={6} wrap="wrap" justify="flex-end">
      {actions.map(({ label, isPending, isDisabled = false, onClick }) => (
        <Button
          key={label}
          size="compact-sm"
          variant="default"
          disabled={isDisabled}
          loading={isPending}
          aria-label={texts.of(label, of)}
          onClick={onClick}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}

interface WatchedPageProps<Data> {
  query: UseQueryResult<Data>;
  children: (data: Data) => ReactNode;
}

export function WatchedPage<Data>({ query, children }: WatchedPageProps<Data>) {
  if (query.isPending) return <Skeletons rows={6} height={28} />;
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return children(query.data as Data);
}

interface WatchedHeadProps {
  title: string;
  facts: Fact[];
  isPaused: boolean;
  actions: { status: { isPending: boolean; mutate: () => void }; statusName: string; remove: () => void };
  /** Its form, filled with what it is. */
  form: (close: () => void) => ReactNode;
  /** Further actions, before the common ones. */
  children: ReactNode;
}

/** The head of the page of one folder or feed. */
export function WatchedHead({ title, facts, isPaused, actions, form, children }: WatchedHeadProps): ReactNode {
  const [editing, setEditing] = useState(false);
  const close = () => setEditing(false);
  return (
    <PageHead title={title} facts={facts}>
      {children}
      <Button variant="default" leftSection={<Icon name="pencil" />} onClick={() => setEditing(true)}>
        {texts.editWatch}
      </Button>
      <Button
        variant="default"
        leftSection={<Icon name={isPaused ? 'play' : 'pause'} />}
        loading={actions.status.isPending}
        onClick={() => actions.status.mutate()}
      >
        {actions.statusName}
      </Button>
      <Button variant="default" c="var(--q-bad)" leftSection={<Icon name="trash-2" />} onClick={actions.remove}>
        {texts.remove}
      </Button>
      <Modal opened={editing} onClose={close} title={texts.editWatchOf(title)} size="lg">
        {form(close)}
      </Modal>
    </PageHead>
  );
}

interface HistoryProps<Row> {
  list: Parameters<typeof PagedPanel>[0]['list'];
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  words: { title: string; more: string; none: string };
}

/** What was read of a folder or feed, newest first. */
export function History<Row>({ list, rows, columns, rowKey, words }: HistoryProps<Row>): ReactNode {
  return (
    <PagedPanel
      list={list}
      count={rows.length}
      title={words.title}
      more={words.more}
      empty={<Empty icon="file-text" title={words.none} />}
    >
      <DataTable columns={columns} rows={rows} rowKey={rowKey} />
    </PagedPanel>
  );
}

/** A name that leads to the job, while the job is kept. */
export function HistoryName({ name, jobId, jobKept }: { name: string; jobId: string | null; jobKept: boolean }) {
  if (jobId === null || !jobKept) {
    return (
      <Text size="sm" className="break">
        {name}
      </Text>
    );
  }
  return (
    <Anchor
      size="sm"
      className="break"
      renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId }} />}
    >
      {name}
    </Anchor>
  );
}

/** A state with the error below it. */
export function HistoryState({ tone, word, error }: { tone: Tone; word: string; error: { message: string } | null }) {
  return (
    <>
      <State tone={tone}>{word}</State>
      {error !== null && (
        <Text size="xs" c="dimmed">
          {error.message}
        </Text>
      )}
    </>
  );
}

interface WatchedFormProps<Entered extends { name: string; recipe: Recipe }> {
  entered: Entered;
  setEntered: (entered: Entered) => void;
  save: { isPending: boolean; isError: boolean; error: unknown; mutate: (entered: Entered) => void };
  /** Fields that show their own errors. */
  fields: readonly string[];
  words: { work: string; works: Readonly<Record<string, string>>; submit: string; nameHint?: string };
  requests?: Readonly<Record<string, Recipe['request']>>;
  /** The field of the source, before the recipe. */
  source: (errors: Readonly<Record<string, string>>) => ReactNode;
  /** Fields after the recipe. */
  children: (errors: Readonly<Record<string, string>>) => ReactNode;
  onClose: () => void;
}

/** The form of a folder or feed: source, recipe, further fields, name. */
export function WatchedForm<Entered extends { name: string; recipe: Recipe }>(props: WatchedFormProps<Entered>) {
  const { entered, setEntered, save, fields, words, requests = {}, source, children, onClose } = props;
  const refused = fieldErrors(save.error);
  const isShown = Object.keys(refused).some(
    (path) => path === 'name' || path.startsWith('recipe.') || fields.some((field) => path.startsWith(field)),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(entered);
      }}
    >
      <Stack>
        {source(refused)}
        <RecipeFields
          label={words.work}
          works={words.works}
          requests={requests}
          recipe={entered.recipe}
          errors={refused}
          onChange={(recipe) => setEntered({ ...entered, recipe })}
        />
        {children(refused)}
        <TextInput
          label={texts.form.name}
          {...(words.nameHint === undefined ? {} : { description: words.nameHint })}
          value={entered.name}
          error={refused.name}
          onChange={(event) => setEntered({ ...entered, name: event.currentTarget.value })}
        />
        {save.isError && !isShown && <Failure error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {words.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
