import { ActionIcon, Button, Menu, TextInput, Title, Tooltip } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { saveAs, useEnvironment } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Job, LibraryItem } from '../../api/generated/public.ts';
import { collectionsQuery, itemCountsQuery, libraryKey } from '../../api/library.ts';
import { CopyButton } from '../../components/copy.tsx';
import { isFocusNowhere } from '../../components/focus.ts';
import { foreignText } from '../../components/foreign-text.ts';
import { Icon } from '../../components/icon.tsx';
import { type KeyAction, useKeys } from '../../components/keys.ts';
import { PAGE_TITLE, Time } from '../../components/page-elements.tsx';
import { showToast, toastFailure } from '../../components/toast.tsx';
import { workOfOperation } from '../../components/work.ts';
import { texts as shared } from '../../texts.ts';
import { downloadsOf } from '../jobs/job-files.ts';
import { jobResultText } from '../jobs/job-head.tsx';
import { listen } from '../listen/texts.ts';
import { isSourceGone, runAgain } from '../run/run-again.ts';
import { CollectionPicker, TagPicker } from './bulk-bar.tsx';
import { Cover } from './cover.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { canListen, languageName, lengthOf, sourceName } from './item-words.ts';
import { TITLE_MAX, useRename } from './rename-dialog.tsx';
import { library, item as texts } from './texts.ts';
import { useItemChanges } from './use-item-changes.ts';
import type { Picker } from './use-library-acts.ts';

interface ItemHeadProps {
  item: LibraryItem;
  /** The version on the page. */
  shown: number;
  job: Job | undefined;
  record: JobRecord | undefined;
  onListen: () => void;
}

/** The head of an item: its cover and title, one line of facts, its tags, and what can be done with it. */
export function ItemHead({ item, shown, job, record, onListen }: ItemHeadProps): ReactNode {
  useDocumentTitle(`${item.title} · Quarry`);
  const [renames, setRenames] = useState(false);
  const pencil = useFocusAfter<HTMLButtonElement>(renames);
  const [picker, setPicker] = useState<Picker>(null);
  useKeys([
    { keys: 'F2', name: texts.keys.rename, icon: 'pencil', group: 'page', run: () => setRenames(true) },
    { keys: 't', name: texts.keys.tag, icon: 'tag', group: 'page', run: () => setPicker('tags') },
    { keys: 'o', name: texts.collect, icon: 'folder-plus', group: 'page', run: () => setPicker('collections') },
  ]);
  return (
    <header className="head head-item">
      <Cover item={item} />
      {renames ? (
        <TitleField item={item} onDone={() => setRenames(false)} />
      ) : (
        <div className="item-name">
          <Title order={1} id={PAGE_TITLE} className="written" title={item.title} {...foreignText(item.language)}>
            {item.title}
          </Title>
          <Tooltip label={texts.rename}>
            <ActionIcon
              ref={pencil}
              variant="subtle"
              color="gray"
              aria-label={texts.rename}
              onClick={() => setRenames(true)}
            >
              <Icon name="pencil" size={14} />
            </ActionIcon>
          </Tooltip>
        </div>
      )}
      <ItemActs
        {...{ item, job, record, onListen }}
        onRename={() => setRenames(true)}
        onCollect={() => setPicker('collections')}
      />
      <Facts item={item} />
      <ItemTags item={item} picker={picker} onPicker={setPicker} />
      <Versions item={item} shown={shown} />
    </header>
  );
}

/** The button that was replaced by its form takes the focus when the form is gone. */
function useFocusAfter<Button extends HTMLElement>(isOpen: boolean) {
  const button = useRef<Button>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen && isFocusNowhere()) button.current?.focus({ preventScroll: true });
    wasOpen.current = isOpen;
  }, [isOpen]);
  return button;
}

function Facts({ item }: { item: LibraryItem }) {
  const { language, addedAt, words, kind } = item;
  const length = lengthOf(item);
  const said = words === null ? null : library.words({ count: words });
  const facts: ReactNode[] = [
    ...(length === null ? [library.kindName(kind)] : [length]),
    ...(language === null ? [] : [languageName(language)]),
    ...(said === null || said === length ? [] : [said]),
    <>
      {texts.added} <Time at={addedAt} />
    </>,
    <bdi key="source">{sourceName(item)}</bdi>,
  ];
  return (
    <div className="head-state">
      {facts.map((fact, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts may repeat and keep their places.
        <span key={index} className="break">
          {fact}
        </span>
      ))}
    </div>
  );
}

/** Enter saves, Esc leaves. */
function TitleField({ item, onDone }: { item: LibraryItem; onDone: () => void }) {
  const [title, setTitle] = useState(item.title);
  const rename = useRename(item.itemId, onDone);
  return (
    <form
      className="item-name"
      onSubmit={(event) => {
        event.preventDefault();
        if (title.trim() === '' || title === item.title) onDone();
        else rename.mutate(title);
      }}
    >
      <TextInput
        className="title-field"
        aria-label={library.rename.label}
        lang={foreignText(item.language).lang}
        description={texts.renameKeys}
        inputWrapperOrder={['input', 'description']}
        value={title}
        maxLength={TITLE_MAX}
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setTitle(event.currentTarget.value)}
        onKeyDown={({ key }) => key === 'Escape' && onDone()}
        onBlur={onDone}
      />
    </form>
  );
}

interface TagsProps {
  item: LibraryItem;
  picker: Picker;
  onPicker: (picker: Picker) => void;
}

function ItemTags({ item, picker, onPicker }: TagsProps) {
  const environment = useEnvironment();
  const collections = useQuery(collectionsQuery(environment));
  const counts = useQuery(itemCountsQuery(environment, {}));
  const changes = useItemChanges();
  const own = (collections.data ?? []).filter(({ collectionId }) => item.collections.includes(collectionId));
  return (
    <div className="own-tags">
      {own.map(({ collectionId, name }) => (
        <Link key={collectionId} to="/library/c/$collectionId" params={{ collectionId }} className="own-collection">
          {name}
        </Link>
      ))}
      {item.tags.map((tag) => (
        <span key={tag} className="own-tag">
          <Link to="/library" search={{ tag }} title={texts.tagged({ tag })}>
            {tag}
          </Link>
          <button
            type="button"
            aria-label={texts.dropTag({ tag })}
            onClick={() => void changes.setTag([item], tag, false)}
          >
            <Icon name="x" size={14} />
          </button>
        </span>
      ))}
      <TagPicker
        items={[item]}
        counts={counts.data}
        opened={picker === 'tags'}
        onOpened={(opened) => onPicker(opened ? 'tags' : null)}
      >
        <button
          type="button"
          className="own-tag-add"
          aria-expanded={picker === 'tags'}
          onClick={() => onPicker(picker === 'tags' ? null : 'tags')}
        >
          <Icon name="plus" size={14} />
          {texts.tag}
        </button>
      </TagPicker>
      <CollectionPicker
        items={[item]}
        opened={picker === 'collections'}
        onOpened={(opened) => onPicker(opened ? 'collections' : null)}
      >
        <button
          type="button"
          className="own-tag-add"
          aria-expanded={picker === 'collections'}
          onClick={() => onPicker(picker === 'collections' ? null : 'collections')}
        >
          <Icon name="folder-plus" size={14} />
          {texts.collect}
        </button>
      </CollectionPicker>
    </div>
  );
}

function Versions({ item: { itemId, versions }, shown }: { item: LibraryItem; shown: number }) {
  const navigate = useNavigate();
  const other = shown > 1 ? shown - 1 : 2;
  const compare = () =>
    void navigate({
      to: '/items/$itemId/compare',
      params: { itemId },
      search: { a: Math.min(other, shown), b: Math.max(other, shown) },
    });
  useKeys(
    versions < 2
      ? []
      : [{ keys: 'v', name: texts.keys.compare, icon: 'git-compare-arrows', group: 'page', run: compare }],
  );
  if (versions < 2) return null;
  return (
    <div className="own-versions-line">
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            leftSection={<Icon name="history" size={14} />}
            rightSection={<Icon name="chevron-down" size={14} />}
          >
            {texts.versionOf({ version: shown, versions })}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {Array.from({ length: versions }, (_, index) => versions - index).map((version) => (
            <Menu.Item
              key={version}
              leftSection={<Icon name={version === shown ? 'check' : 'history'} size={14} />}
              onClick={() => void navigate({ to: '/items/$itemId', params: { itemId }, search: { v: version } })}
            >
              {texts.showVersion({ version })}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <button type="button" className="link-button" onClick={compare}>
        {texts.compareWith({ version: other })}
      </button>
    </div>
  );
}

interface ActsProps extends Omit<ItemHeadProps, 'shown'> {
  onRename: () => void;
  onCollect: () => void;
}

function ItemActs({ item, job, record, onListen, onRename, onCollect }: ActsProps) {
  const navigate = useNavigate();
  const changes = useItemChanges();
  const acts = useRef<HTMLDivElement>(null);
  const [exports, setExports] = useState(false);
  const copy = job === undefined || job.result === null ? null : jobResultText(job, record);
  const again = useReadAgain(item, job, record);
  const remove = () => {
    void changes.remove([item]);
    void navigate({ to: '/library' });
  };
  useItemKeys({
    copy: copy === null ? null : () => acts.current?.querySelector('button')?.click(),
    exports: () => setExports(true),
    listens: canListen(item) ? onListen : null,
    remove,
    again,
  });
  return (
    <div className="head-acts" ref={acts}>
      {copy !== null && <CopyButton text={copy} main />}
      {canListen(item) && (
        <Button variant="default" leftSection={<Icon name="volume-2" />} onClick={onListen}>
          {listen.open}
        </Button>
      )}
      <ExportMenu {...{ job, record }} onAll={() => setExports(true)} />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={34} aria-label={texts.more}>
            <Icon name="ellipsis" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="pencil" size={14} />} onClick={onRename}>
            {texts.rename}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="folder-plus" size={14} />} onClick={onCollect}>
            {texts.collect}
          </Menu.Item>
          {again !== null && (
            <Menu.Item leftSection={<Icon name="rotate-cw" size={14} />} onClick={again}>
              {texts.readAgain}
            </Menu.Item>
          )}
          <Menu.Item c="var(--q-bad)" leftSection={<Icon name="trash-2" size={14} />} onClick={remove}>
            {texts.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ExportDialog items={exports ? [item] : NOTHING} onClose={() => setExports(false)} />
    </div>
  );
}

const NOTHING: readonly LibraryItem[] = [];

interface ItemKeys {
  copy: (() => void) | null;
  exports: () => void;
  listens: (() => void) | null;
  remove: () => void;
  again: (() => void) | null;
}

function useItemKeys({ copy, exports, listens, remove, again }: ItemKeys): void {
  const all: (KeyAction | null)[] = [
    copy && { keys: 'c', name: shared.common.copyAll, icon: 'copy', group: 'page', run: copy },
    listens && { keys: 'l', name: shared.add.listen, icon: 'volume-2', group: 'page', run: listens },
    { keys: 'e', name: texts.exportIt, icon: 'share', group: 'page', run: exports },
    { keys: 'Delete', name: texts.remove, icon: 'trash-2', group: 'page', run: remove },
    again && { keys: 'r', name: texts.readAgain, icon: 'rotate-cw', group: 'page', run: again },
  ];
  useKeys(all.filter((key) => key !== null));
}

/** Everything about the item as one file, or one of the files of its result. */
function ExportMenu({ job, record, onAll }: Pick<ItemHeadProps, 'job' | 'record'> & { onAll: () => void }) {
  const environment = useEnvironment();
  const files = job === undefined || job.result === null ? [] : downloadsOf(environment, job, record);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<Icon name="share" />}
          rightSection={<Icon name="chevron-down" size={14} />}
        >
          {texts.exportIt}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="share" size={14} />} onClick={onAll}>
          {texts.exportAll}
        </Menu.Item>
        {files.length > 0 && <Menu.Divider />}
        {files.map(({ name, path, about }) => (
          <Menu.Item
            key={name}
            leftSection={<Icon name="download" size={14} />}
            rightSection={<span className="faint tiny">{about}</span>}
            onClick={() => void saveAs(path, name).catch(toastFailure)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Asks for one file, in the dialog of the system. */
function chooseFile(then: (file: File) => void): void {
  const field = document.createElement('input');
  field.type = 'file';
  field.hidden = true;
  field.onchange = () => {
    const [file] = field.files ?? [];
    field.remove();
    if (file !== undefined) then(file);
  };
  field.oncancel = () => field.remove();
  document.body.append(field);
  field.click();
}

/**
 * Reads the source again as a new version, and asks for a file that is not kept any more; null where that cannot be
 * done here.
 */
function useReadAgain(item: LibraryItem, job: Job | undefined, record: JobRecord | undefined): (() => void) | null {
  const environment = useEnvironment();
  const client = useQueryClient();
  if (job === undefined || record === undefined || !workOfOperation(job.jobType).isRepeatable) return null;
  if (item.state === 'reading') return null;
  const read = (chosen?: File) =>
    void runAgain(environment, record, job.jobType, chosen).then(() => {
      showToast({ icon: 'rotate-cw', message: texts.readingAgain({ version: item.versions + 1 }) });
      return client.invalidateQueries({ queryKey: libraryKey(environment) });
    }, toastFailure);
  return () => (isSourceGone(record) ? chooseFile(read) : read());
}
