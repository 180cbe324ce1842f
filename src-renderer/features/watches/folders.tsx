import { serverText } from '../../language/server-texts.ts';
import '../../styles/watches.css';
import { Select, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { FolderWatch, WatchedFile } from '../../api/generated/owner.ts';
import { choicesOf } from '../../components/choices.ts';
import type { Column } from '../../components/data-table.tsx';
import { FolderField } from '../../components/folder-field.tsx';
import { formatByteCount, formatWholeNumber, joinTexts } from '../../components/format.ts';
import { EntryState, JobLink, TwoLines } from '../../components/history.tsx';
import { Time } from '../../components/page-elements.tsx';
import { State, type Tone } from '../../components/state.tsx';
import { eachName, operationOf } from '../../components/work.ts';
import { perLanguage } from '../../language/locale.ts';
import { type Recipe, RecipeFields, sentRecipe } from './recipe-fields.tsx';
import { AddButton, type ErrorAt, SourceForm, sentName } from './source-form.tsx';
import { type SourceKind, useSaveSource } from './source-kind.ts';
import { History, SourcePage } from './sources.tsx';
import { watches as all, folders as texts } from './texts.ts';

const TONES: Readonly<Record<FolderWatch['state'], Tone>> = {
  looking: 'busy',
  watching: 'good',
  paused: 'idle',
  missing: 'bad',
  unreadable: 'bad',
  too_many: 'bad',
  waiting: 'warn',
};

function stateOf({ state, message }: FolderWatch): ReactNode {
  return (
    <State tone={TONES[state]}>
      <span title={message ?? undefined}>{texts.states[state]}</span>
    </State>
  );
}

function folderWorkText({ recipe }: FolderWatch): string {
  return eachName(recipe.operation);
}

function countsOf({ counts, settling }: FolderWatch): string {
  const said = texts.counts({ done: formatWholeNumber(counts.completed), failed: counts.failed });
  const open = counts.processing + settling;
  return open === 0 ? said : joinTexts([said, texts.open({ count: formatWholeNumber(open) })]);
}

const isPaused = ({ status }: FolderWatch) => status === 'paused';

export const FOLDERS = perLanguage(
  (): SourceKind<FolderWatch> => ({
    path: 'folders',
    idOf: ({ watchId }) => watchId,
    nameOf: ({ name, path }) => name ?? path.split(/[\\/]/).at(-1) ?? path,
    placeOf: ({ path }) => path,
    linkOf: ({ watchId }) => ({ to: '/watches/folders/$watchId', params: { watchId } }),
    factsOf: (folder) => {
      const tone = TONES[folder.state] === 'bad' ? 'bad' : 'wait';
      return [
        { said: <bdi dir="ltr">{folder.path}</bdi> },
        { said: folderWorkText(folder) },
        { said: stateOf(folder) },
        ...(folder.message === null ? [] : [{ said: serverText(folder.message), tone } as const]),
        ...(folder.settling === 0 ? [] : [{ said: texts.settling({ count: formatWholeNumber(folder.settling) }) }]),
        ...(folder.resultsPath === null ? [] : [{ said: texts.resultsAt({ path: folder.resultsPath }) }]),
      ];
    },
    columns: [
      { title: texts.columns.work, cell: (folder) => <Text size="sm">{folderWorkText(folder)}</Text> },
      {
        title: texts.columns.state,
        cell: (folder) => <TwoLines first={stateOf(folder)} second={folder.message && serverText(folder.message)} />,
      },
      { title: texts.columns.files, cell: (folder) => <Text size="sm">{countsOf(folder)}</Text> },
    ],
    actions: [
      { path: 'look', label: texts.look, icon: 'search', done: texts.looked, isDisabled: isPaused },
      {
        path: 'retry',
        label: texts.retry,
        icon: 'rotate-cw',
        done: texts.looked,
        isDisabled: isPaused,
        isShown: ({ counts }) => counts.failed > 0,
      },
    ],
    words: { ...texts, one: texts.columns.folder },
    removeAbout: ({ path }) => texts.removeAbout({ path }),
    form: (folder, close) => <FolderForm folder={folder} onClose={close} />,
  }),
);

const route = getRouteApi('/watches/folders/$watchId');

/** A watched folder and the history of its files. */
export function FolderPage(): ReactNode {
  const { watchId } = route.useParams();
  return (
    <SourcePage kind={FOLDERS()} id={watchId}>
      {() => (
        <History<WatchedFile>
          {...{ path: 'folders', id: watchId, list: 'files', columns: FILE_COLUMNS() }}
          rowKey={({ fileId }) => fileId}
          words={{ title: texts.files, more: texts.moreFiles, none: texts.noFiles }}
        />
      )}
    </SourcePage>
  );
}

const { fileColumns: titles } = texts;

const FILE_COLUMNS = perLanguage((): readonly Column<WatchedFile>[] => [
  { title: titles.file, cell: ({ path, ...job }) => <JobLink name={path} {...job} /> },
  { title: titles.size, cell: ({ sizeBytes }) => <Text size="sm">{formatByteCount(sizeBytes)}</Text> },
  { title: titles.state, cell: ({ status, error }) => <EntryState status={status} error={error} /> },
  {
    title: titles.results,
    cell: ({ results, resultsError }) => (
      <TwoLines first={texts.results[results]} second={resultsError} c="var(--q-bad)" />
    ),
  },
  { title: titles.found, cell: ({ foundAt }) => <Time at={foundAt} /> },
]);

/** The button that opens the form. */
export function AddFolder(): ReactNode {
  return <AddButton label={texts.add} form={(close) => <FolderForm folder={undefined} onClose={close} />} />;
}

interface Entered {
  name: string;
  path: string;
  recipe: Recipe;
  extensions: string;
  results: FolderWatch['results'];
}

function enteredFolderOf(folder: FolderWatch | undefined): Entered {
  const { name = null, path = '', recipe, results = 'quarry' } = folder ?? {};
  return {
    name: name ?? '',
    path,
    recipe: recipe ?? { operation: operationOf('read'), request: {} },
    extensions: '',
    results,
  };
}

/** The body of a request. The path and the kinds of a folder stay. */
function folderRequestBody({ name, path, recipe, extensions, results }: Entered, isNew: boolean) {
  const kinds = extensions.split(/[\s,]+/).filter((one) => one !== '');
  const source = { path: path.trim(), extensions: kinds.length === 0 ? undefined : kinds };
  return { name: sentName(name, isNew), recipe: sentRecipe(recipe), results, ...(isNew && source) };
}

function FolderForm({ folder, onClose }: { folder: FolderWatch | undefined; onClose: () => void }): ReactNode {
  const isNew = folder === undefined;
  const [entered, setEntered] = useState(() => enteredFolderOf(folder));
  const save = useSaveSource(
    'folders',
    folder?.watchId ?? null,
    (form: Entered) => folderRequestBody(form, isNew),
    onClose,
  );
  const setFolderEntry = (change: Partial<Entered>) => setEntered({ ...entered, ...change });
  const t = texts.form;
  return (
    <SourceForm
      {...{ entered, setEntered, save, onClose }}
      fields={['path', 'extensions', 'recipe']}
      submit={isNew ? t.watch : all.save}
    >
      {(errorAt) => (
        <>
          {isNew && (
            <FolderField
              label={texts.form.path}
              hint={texts.form.pathHint}
              choose={texts.form.choose}
              path={entered.path}
              error={errorAt('path')}
              onChange={(path) => setFolderEntry({ path })}
            />
          )}
          <RecipeFields
            label={t.work}
            takes={['file']}
            recipe={entered.recipe}
            error={save.error}
            onChange={(recipe) => setFolderEntry({ recipe })}
          />
          {isNew && <ExtensionsField {...{ errorAt, set: setFolderEntry }} value={entered.extensions} />}
          <Select
            label={t.results}
            data={choicesOf(t.resultChoices)}
            value={entered.results}
            allowDeselect={false}
            onChange={(value) => setFolderEntry({ results: value === 'beside' ? 'beside' : 'quarry' })}
          />
          {!isNew && (
            <Text size="sm" c="dimmed">
              {t.fromNowOn}
            </Text>
          )}
        </>
      )}
    </SourceForm>
  );
}

interface ExtensionsFieldProps {
  value: string;
  errorAt: ErrorAt;
  set: (change: Partial<Entered>) => void;
}

function ExtensionsField({ value, errorAt, set }: ExtensionsFieldProps) {
  return (
    <TextInput
      label={texts.form.extensions}
      description={texts.form.extensionsHint}
      value={value}
      error={errorAt('extensions')}
      onChange={(event) => set({ extensions: event.currentTarget.value })}
    />
  );
}
