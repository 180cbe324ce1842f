import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { FolderWatch } from '../../api/generated/owner.ts';
import { foldersQuery, watchesKey } from '../../api/queries.ts';
import type { Column } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { AddButton } from './add-button.tsx';
import { countsOf, FolderStateWords, folderName, useFolderActions, workOf } from './folder-words.tsx';
import { type Recipe, sentRecipe } from './recipe-fields.tsx';
import { watches as all, folders as texts } from './texts.ts';
import { RowActions, WatchedForm, WatchedName, WatchedPanel } from './watched.tsx';

/** The watched folders, on the page of all watches. */
export function FolderPanel(): ReactNode {
  const list = useQuery(foldersQuery(useEnvironment()));
  return (
    <WatchedPanel
      {...{ title: texts.title, none: texts.none, noneHow: texts.noneHow, list, columns: COLUMNS }}
      rows={list.data?.folders ?? []}
      rowKey={({ watchId }) => watchId}
    />
  );
}

const COLUMNS: readonly Column<FolderWatch>[] = [
  {
    title: texts.columns.folder,
    cell: (folder) => (
      <WatchedName
        name={folderName(folder)}
        place={folder.path}
        link={{ to: '/watches/folders/$watchId', params: { watchId: folder.watchId } }}
      />
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
  const actions = [{ label: statusName, isPending: status.isPending, onClick: () => status.mutate() }];
  return <RowActions of={folderName(folder)} actions={actions} />;
}

/** The button that opens the form. */
export function AddFolder(): ReactNode {
  return <AddButton label={texts.add} form={(close) => <FolderForm onClose={close} />} />;
}

interface Entered {
  name: string;
  path: string;
  recipe: Recipe;
  extensions: string;
  results: FolderWatch['results'];
}

const EMPTY: Entered = {
  name: '',
  path: '',
  recipe: { operation: 'extract/doc', request: {} },
  extensions: '',
  results: 'quarry',
};

function enteredOf({ name, path, recipe, results }: FolderWatch): Entered {
  return { name: name ?? '', path, recipe, extensions: '', results };
}

const WORDS = { work: texts.form.work, works: texts.works };

/** @param folder to change; absent for a new one */
export function FolderForm({ folder, onClose }: { folder?: FolderWatch; onClose: () => void }): ReactNode {
  const [entered, setEntered] = useState(() => (folder === undefined ? EMPTY : enteredOf(folder)));
  const save = useSave(folder, onClose);
  const t = texts.form;
  return (
    <WatchedForm
      {...{ entered, setEntered, save, onClose }}
      fields={['path', 'extensions']}
      words={{ ...WORDS, submit: folder === undefined ? t.watch : all.save }}
      source={(errors) =>
        folder === undefined && (
          <PathField path={entered.path} error={errors.path} onChange={(path) => setEntered({ ...entered, path })} />
        )
      }
    >
      {(errors) => (
        <>
          {folder === undefined && (
            <TextInput
              label={t.extensions}
              description={t.extensionsHint}
              value={entered.extensions}
              error={Object.entries(errors).find(([field]) => field.startsWith('extensions'))?.[1]}
              onChange={(event) => setEntered({ ...entered, extensions: event.currentTarget.value })}
            />
          )}
          <Select
            label={t.results}
            data={Object.entries(t.resultChoices).map(([value, label]) => ({ value, label }))}
            value={entered.results}
            allowDeselect={false}
            onChange={(value) => setEntered({ ...entered, results: value === 'beside' ? 'beside' : 'quarry' })}
          />
          {folder !== undefined && (
            <Text size="sm" c="dimmed">
              {t.fromNowOn}
            </Text>
          )}
        </>
      )}
    </WatchedForm>
  );
}

interface PathFieldProps {
  path: string;
  error: string | undefined;
  onChange: (path: string) => void;
}

/** The desktop window also has the dialog of the system. */
function PathField({ path, error, onChange }: PathFieldProps) {
  const shell = window.quarry;
  const choose = async () => {
    const chosen = await shell?.chooseFolder();
    if (chosen != null) onChange(chosen);
  };
  const field = (
    <TextInput
      label={texts.form.path}
      description={texts.form.pathHint}
      required
      data-autofocus
      flex={1}
      value={path}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
  if (shell === undefined) return field;
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      {field}
      <Button variant="default" leftSection={<Icon name="folder" />} onClick={() => void choose()}>
        {texts.form.choose}
      </Button>
    </Group>
  );
}

function useSave(folder: FolderWatch | undefined, onDone: () => void) {
  const environment = useEnvironment();
  const query = queryIn(environment, {});
  return useChange(
    ({ name, path, recipe, extensions, results }: Entered) => {
      const named = name.trim() === '' ? null : name;
      const common = { recipe: sentRecipe(recipe), results };
      if (folder !== undefined) {
        const params = { path: { watchId: folder.watchId }, query };
        return owner.PATCH('/admin/folders/{watchId}', { params, body: { ...common, name: named } });
      }
      const kinds = extensions.split(/[\s,]+/).filter((one) => one !== '');
      const body = {
        ...common,
        path: path.trim(),
        ...(named === null ? {} : { name: named }),
        ...(kinds.length === 0 ? {} : { extensions: kinds }),
      };
      return owner.POST('/admin/folders', { params: { query }, body });
    },
    { renews: [watchesKey(environment)], onDone, showsError: true },
  );
}
