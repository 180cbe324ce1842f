import { Anchor, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { fieldErrors, owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { FolderWatch } from '../../api/generated/owner.ts';
import { foldersQuery, watchesKey } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Empty, Failure, Panel, Skeletons } from '../../components/page-elements.tsx';
import { texts as common } from '../../texts.ts';
import { AddButton } from './add-button.tsx';
import { countsOf, FolderStateWords, folderName, useFolderActions, workOf } from './folder-words.tsx';
import { watches as all, folders as texts } from './texts.ts';

/** The watched folders, on the page of all watches. */
export function FolderPanel(): ReactNode {
  const list = useQuery(foldersQuery(useEnvironment()));
  const folders = list.data?.folders ?? [];
  return (
    <Panel title={texts.title}>
      {list.isPending && <Skeletons rows={3} height={28} />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data && folders.length === 0 && (
        <Empty icon="eye" title={texts.none}>
          {texts.noneHow}
        </Empty>
      )}
      {folders.length > 0 && <DataTable columns={COLUMNS} rows={folders} rowKey={({ watchId }) => watchId} />}
    </Panel>
  );
}

const COLUMNS: readonly Column<FolderWatch>[] = [
  {
    title: texts.columns.folder,
    cell: (folder) => (
      <>
        <Anchor
          size="sm"
          fw={550}
          className="truncate"
          maw={320}
          renderRoot={(props) => (
            <Link {...props} to="/watches/folders/$watchId" params={{ watchId: folder.watchId }} />
          )}
        >
          {folderName(folder)}
        </Anchor>
        <div className="endpoint-address truncate" title={folder.path}>
          {folder.path}
        </div>
      </>
    ),
  },
  { title: texts.columns.work, cell: (folder) => <Text size="sm">{workOf(folder)}</Text> },
  {
    title: texts.columns.state,
    cell: (folder) => (
      <>
        <FolderStateWords folder={folder} />
        {folder.message !== null && (
          <Text size="xs" c="dimmed">
            {folder.message}
          </Text>
        )}
      </>
    ),
  },
  { title: texts.columns.files, cell: (folder) => <Text size="sm">{countsOf(folder)}</Text> },
  { title: all.actions, titleHidden: true, cell: (folder) => <FolderActions folder={folder} /> },
];

function FolderActions({ folder }: { folder: FolderWatch }) {
  const { status, statusName } = useFolderActions(folder);
  return (
    <Group gap={6} justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        loading={status.isPending}
        aria-label={all.of(statusName, folderName(folder))}
        onClick={() => status.mutate()}
      >
        {statusName}
      </Button>
    </Group>
  );
}

/** The button that opens the form. */
export function AddFolder(): ReactNode {
  return <AddButton label={texts.add} form={(close) => <FolderForm onClose={close} />} />;
}

interface Entered {
  name: string;
  path: string;
  operation: string;
  extensions: string;
  results: FolderWatch['results'];
}

const EMPTY: Entered = { name: '', path: '', operation: 'extract/doc', extensions: '', results: 'quarry' };

/** Fields that show their own errors. */
const FIELDS = ['path', 'name', 'recipe.operation'];

function FolderForm({ onClose }: { onClose: () => void }) {
  const [entered, setEntered] = useState(EMPTY);
  const save = useSave(onClose);
  const refused = fieldErrors(save.error);
  const t = texts.form;
  const kinds = Object.entries(refused).find(([field]) => field.startsWith('extensions'))?.[1];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(entered);
      }}
    >
      <Stack>
        <TextInput
          label={t.path}
          description={t.pathHint}
          required
          data-autofocus
          value={entered.path}
          error={refused.path}
          onChange={(event) => setEntered({ ...entered, path: event.currentTarget.value })}
        />
        <Select
          label={t.work}
          data={Object.entries(texts.works).map(([value, label]) => ({ value, label }))}
          value={entered.operation}
          allowDeselect={false}
          error={refused['recipe.operation']}
          onChange={(value) => setEntered({ ...entered, operation: value ?? EMPTY.operation })}
        />
        <TextInput
          label={t.extensions}
          description={t.extensionsHint}
          value={entered.extensions}
          error={kinds}
          onChange={(event) => setEntered({ ...entered, extensions: event.currentTarget.value })}
        />
        <Select
          label={t.results}
          data={Object.entries(t.resultChoices).map(([value, label]) => ({ value, label }))}
          value={entered.results}
          allowDeselect={false}
          onChange={(value) => setEntered({ ...entered, results: value === 'beside' ? 'beside' : 'quarry' })}
        />
        <TextInput
          label={all.form.name}
          value={entered.name}
          error={refused.name}
          onChange={(event) => setEntered({ ...entered, name: event.currentTarget.value })}
        />
        {save.isError && kinds === undefined && !FIELDS.some((field) => refused[field] !== undefined) && (
          <Failure error={save.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t.watch}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useSave(onDone: () => void) {
  const environment = useEnvironment();
  const query = queryIn(environment, {});
  return useChange(
    ({ name, path, operation, extensions, results }: Entered) => {
      const kinds = extensions.split(/[\s,]+/).filter((one) => one !== '');
      const body = {
        path: path.trim(),
        recipe: { operation, request: {} },
        results,
        ...(name.trim() === '' ? {} : { name }),
        ...(kinds.length === 0 ? {} : { extensions: kinds }),
      };
      return owner.POST('/admin/folders', { params: { query }, body });
    },
    { renews: [watchesKey(environment)], onDone, showsError: true },
  );
}
