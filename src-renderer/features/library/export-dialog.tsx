import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  ApiError,
  adminPath,
  apiPath,
  errorOf,
  errorsByField,
  fetchApi,
  filledQuery,
  requestJson,
  useEnvironment,
} from '../../api/client.ts';
import type { LibraryExport, LibraryItem } from '../../api/generated/public.ts';
import { type ItemFilter, mirrorsKey } from '../../api/library.ts';
import { inReadersDays } from '../../api/reader-days.ts';
import { namedEntries } from '../../components/choices.ts';
import { joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import { Way } from '../../components/way.tsx';
import { saveBlob } from '../results/save-text.ts';
import { KINDS } from './item-words.ts';
import { library } from './texts.ts';

const texts = library.exporting;

const WAYS = ['zip', 'markdown', 'epub', 'folder'] as const;

type ExportWay = (typeof WAYS)[number];

const ENDINGS = { zip: 'zip', markdown: 'md', epub: 'epub' } as const;

type ExportPart = NonNullable<LibraryExport['parts']>[number];

const PARTS = namedEntries(texts.partNames).map(([part]) => part);

const NOT_AT_FIRST: readonly ExportPart[] = ['originals'];

/** Items that the preview names. */
const NAMED = 6;

/** The list that a folder follows, and how its filters are called. */
interface Followed {
  filter: ItemFilter;
  words: string;
}

interface ExportDialogProps {
  /** None: closed. */
  items: readonly LibraryItem[];
  followed?: Followed | undefined;
  onClose: () => void;
}

/** Writes items as one file or into a folder, and shows before what is written. */
export function ExportDialog({ items, followed, onClose }: ExportDialogProps): ReactNode {
  return (
    <Modal opened={items.length > 0} onClose={onClose} size={680} title={texts.title({ count: items.length })}>
      {items.length > 0 && <ExportForm items={items} followed={followed} onClose={onClose} />}
    </Modal>
  );
}

function ExportForm({ items, followed, onClose }: ExportDialogProps) {
  const [way, setWay] = useState<ExportWay>('zip');
  const [parts, setParts] = useState<readonly ExportPart[]>(PARTS.filter((part) => !NOT_AT_FIRST.includes(part)));
  const [path, setPath] = useState('');
  const ready = items.filter(({ state }) => state === 'ready');
  const { write, start } = useExports({ ready, onClose });
  const isFolder = way === 'folder';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isFolder) write.mutate({ items: items.map(({ itemId }) => itemId), as: way, parts: [...parts] });
        else if (followed !== undefined && path.trim() !== '')
          start.mutate({ path: path.trim(), filter: followed.filter });
      }}
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {kindCounts(items)}
        </Text>
        <Stack gap="xs" role="group" aria-label={texts.way}>
          {WAYS.filter((one) => one !== 'folder' || followed !== undefined).map((one) => (
            <Way key={one} {...texts.ways[one]} chosen={one === way} onChoose={() => setWay(one)} />
          ))}
        </Stack>
        {way === 'zip' && <Parts parts={parts} onParts={setParts} />}
        {isFolder && followed !== undefined && (
          <FolderField path={path} words={followed.words} onPath={setPath} error={start.error} />
        )}
        {way !== 'folder' && <Preview items={ready} way={way} />}
        {way !== 'folder' && <LeftOut items={items.filter(({ state }) => state !== 'ready')} />}
        {write.isError && <Failure error={write.error} />}
        <Group justify="flex-end" gap="sm">
          <Button
            type="submit"
            data-autofocus
            leftSection={<Icon name="share" />}
            loading={write.isPending || start.isPending}
            disabled={isFolder ? path.trim() === '' : ready.length === 0 || (way === 'zip' && parts.length === 0)}
          >
            {isFolder ? texts.start : texts.go}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Writes a file, or begins a folder. */
function useExports({ ready, onClose }: { ready: readonly LibraryItem[]; onClose: () => void }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const write = useMutation({
    mutationFn: async ({ parts, ...chosen }: { items: string[]; as: keyof typeof ENDINGS; parts: ExportPart[] }) => {
      const body = chosen.as === 'zip' ? { ...chosen, parts } : chosen;
      const answer = await fetchApi(apiPath(environment, '/library/export'), { method: 'POST', body });
      if (!answer.ok) throw await errorOf(answer);
      const [only] = ready;
      const title = ready.length === 1 && only !== undefined ? fileName(only.title) : library.title;
      const name = `${title}.${ENDINGS[chosen.as]}`;
      saveBlob(name, await answer.blob());
      return name;
    },
    onSuccess: (name) => {
      showToast({ icon: 'download', message: texts.done({ name }) });
      onClose();
    },
  });
  const start = useMutation({
    mutationFn: (body: { path: string; filter: ItemFilter }) =>
      requestJson<{ path: string; message: string | null }>(adminPath(environment, '/library/mirrors'), {
        method: 'POST',
        body: { ...body, filter: filledQuery(inReadersDays(body.filter)) },
      }),
    onSuccess: ({ path, message }) => {
      void client.invalidateQueries({ queryKey: mirrorsKey(environment) });
      showToast({ icon: 'folder', message: message ?? texts.started({ path }) });
      onClose();
    },
  });
  return { write, start };
}

function Parts({ parts, onParts }: { parts: readonly ExportPart[]; onParts: (parts: readonly ExportPart[]) => void }) {
  const toggle = (part: ExportPart) =>
    onParts(parts.includes(part) ? parts.filter((one) => one !== part) : [...parts, part]);
  return (
    <fieldset className="export-parts">
      <legend>{texts.parts}</legend>
      {PARTS.map((part) => (
        <Checkbox
          key={part}
          size="sm"
          label={texts.partNames[part]}
          checked={parts.includes(part)}
          onChange={() => toggle(part)}
        />
      ))}
      {parts.length === 0 && (
        <Text size="sm" c="var(--q-bad)" role="alert">
          {texts.needsPart}
        </Text>
      )}
    </fieldset>
  );
}

interface FolderFieldProps {
  path: string;
  /** The filters of the list. */
  words: string;
  onPath: (path: string) => void;
  error: Error | null;
}

function FolderField({ path, words, onPath, error }: FolderFieldProps) {
  const problem =
    error instanceof ApiError ? (Object.values(errorsByField(error))[0] ?? error.message) : error?.message;
  return (
    <>
      <TextInput
        label={texts.folder}
        description={texts.folderHint}
        value={path}
        error={problem}
        autoFocus
        leftSection={<Icon name="folder" size={14} />}
        onChange={(event) => onPath(event.currentTarget.value)}
      />
      <Text size="sm">{words === '' ? texts.folderOfAll : texts.folderOf({ filter: words })}</Text>
      <Text size="sm" c="dimmed">
        {texts.folderAbout}
      </Text>
    </>
  );
}

/** What has no result, by name: the file names it, too. */
function LeftOut({ items }: { items: readonly LibraryItem[] }) {
  if (items.length === 0) return null;
  const rest = items.length - NAMED;
  return (
    <section className="export-preview" aria-label={texts.leftOut({ count: items.length })}>
      <h3>{texts.leftOut({ count: items.length })}</h3>
      <ul className="plain-list">
        {items.slice(0, NAMED).map(({ itemId, title, state }) => (
          <li key={itemId} className="truncate">
            {title} <span className="faint">{library.states[state]}</span>
          </li>
        ))}
        {rest > 0 && <li className="faint">{texts.rest({ count: rest })}</li>}
      </ul>
    </section>
  );
}

/** The names of the first items, as folders or as headings. */
function Preview({ items, way }: { items: readonly LibraryItem[]; way: keyof typeof ENDINGS }) {
  const rest = items.length - NAMED;
  return (
    <section className="export-preview" aria-label={texts.preview}>
      <h3>{texts.preview}</h3>
      <ul className="plain-list">
        {items.slice(0, NAMED).map(({ itemId, title }) => (
          <li key={itemId} className="truncate">
            {way === 'zip' ? <Icon name="folder" size={14} /> : <span aria-hidden="true">#</span>}
            {title}
          </li>
        ))}
        {rest > 0 && <li className="faint">{texts.rest({ count: rest })}</li>}
      </ul>
    </section>
  );
}

/** `14 documents, 6 talks`. */
function kindCounts(items: readonly LibraryItem[]): string {
  return joinTexts(
    KINDS.flatMap((kind) => {
      const count = items.filter((item) => item.kind === kind).length;
      return count === 0 ? [] : [library.countedKind(kind, count)];
    }),
  );
}

const NAME_MAX = 80;

function fileName(title: string): string {
  return (
    title
      .replaceAll(/[<>:"|?*/\\\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, NAME_MAX) || library.title
  );
}
