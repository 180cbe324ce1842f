import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { LibraryCounts, LibraryItem } from '../../api/generated/public.ts';
import { collectionsQuery } from '../../api/library.ts';
import { formatElapsedTime, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { KeyHint } from '../../components/key-hint.tsx';
import { type Choice, countHere, PickPopover } from './pick-popover.tsx';
import { library as texts } from './texts.ts';
import { useItemChanges } from './use-item-changes.ts';
import type { LibraryActs } from './use-library-acts.ts';

interface BulkBarProps
  extends Pick<LibraryActs, 'selection' | 'picker' | 'onPicker' | 'exportItems' | 'remove' | 'listen'> {
  items: readonly LibraryItem[];
  counts: LibraryCounts | undefined;
}

/** What can be done with the chosen items. It lies over the end of the list. */
export function BulkBar(props: BulkBarProps): ReactNode {
  const { items, counts, picker, onPicker, exportItems, remove, listen, selection } = props;
  // A status is heard when its words change, not when it comes with them: it is there before anything is chosen.
  if (items.length === 0) {
    return (
      <div>
        <b role="status" />
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a bar of buttons, not a group of fields.
    <div className="library-bulk" role="group" aria-label={texts.bulk.title}>
      <b className="num nowrap" role="status">
        {texts.bulk.chosen({ count: items.length })}
      </b>
      <span className="faint small nowrap wide-only">{sumOf(items)}</span>
      <TagPicker
        items={items}
        counts={counts}
        opened={picker === 'tags'}
        onOpened={(opened) => onPicker(opened ? 'tags' : null)}
      >
        <Button
          variant="default"
          leftSection={<Icon name="tag" />}
          aria-expanded={picker === 'tags'}
          onClick={() => onPicker(picker === 'tags' ? null : 'tags')}
        >
          {texts.bulk.tag}
          <KeyHint>t</KeyHint>
        </Button>
      </TagPicker>
      <CollectionPicker
        items={items}
        opened={picker === 'collections'}
        onOpened={(opened) => onPicker(opened ? 'collections' : null)}
      >
        <Button
          variant="default"
          leftSection={<Icon name="folder-plus" />}
          aria-expanded={picker === 'collections'}
          onClick={() => onPicker(picker === 'collections' ? null : 'collections')}
        >
          {texts.bulk.collect}
          <KeyHint>o</KeyHint>
        </Button>
      </CollectionPicker>
      <Button variant="default" leftSection={<Icon name="share" />} onClick={() => exportItems(items)}>
        {texts.bulk.export}
        <KeyHint>e</KeyHint>
      </Button>
      <Button variant="default" leftSection={<Icon name="volume-2" />} onClick={() => listen(items)}>
        {texts.bulk.listen}
        <KeyHint>l</KeyHint>
      </Button>
      <Button variant="default" c="var(--q-bad)" leftSection={<Icon name="trash-2" />} onClick={() => remove(items)}>
        {texts.bulk.remove}
      </Button>
      <ActionIcon variant="subtle" color="gray" ms="auto" aria-label={texts.bulk.clear} onClick={selection.clear}>
        <Icon name="x" />
      </ActionIcon>
    </div>
  );
}

const SECOND_MS = 1000;

/** `71 pages, 3 h 34 min`. */
function sumOf(items: readonly LibraryItem[]): string {
  const pages = items.reduce((sum, item) => sum + (item.pages ?? 0), 0);
  const seconds = items.reduce((sum, item) => sum + (item.seconds ?? 0), 0);
  return joinTexts([
    ...(pages > 0 ? [texts.pages({ count: pages })] : []),
    ...(seconds > 0 ? [formatElapsedTime(seconds * SECOND_MS)] : []),
  ]);
}

interface PickerProps {
  items: readonly LibraryItem[];
  opened: boolean;
  onOpened: (opened: boolean) => void;
  children: ReactNode;
}

const TAG_MAX = 64;

const NAME_MAX = 100;

/** Tags of one item or many. */
export function TagPicker({ items, counts, ...popover }: PickerProps & { counts: LibraryCounts | undefined }) {
  const changes = useItemChanges();
  const here = countHere(items, ({ tags }) => tags);
  const known = new Map((counts?.tags ?? []).map(({ value, count }) => [value, count]));
  for (const [tag, count] of here) known.set(tag, Math.max(count, known.get(tag) ?? 0));
  const choices = [...known].map(
    ([tag, count]): Choice => ({ value: tag, name: tag, count, here: here.get(tag) ?? 0 }),
  );
  return (
    <PickPopover
      {...popover}
      {...{ choices }}
      title={texts.pick.tags({ count: items.length })}
      find={texts.pick.find.tags}
      icon="tag"
      all={items.length}
      newName={(name) => texts.pick.newTag({ name })}
      maxLength={TAG_MAX}
      onSet={({ value }, wanted) => void changes.setTag(items, value, wanted)}
      onNew={(tag) => void changes.setTag(items, tag, true)}
    />
  );
}

/** Collections of one item or many. Smart ones take none by hand. */
export function CollectionPicker({ items, ...popover }: PickerProps) {
  const collections = useQuery(collectionsQuery(useEnvironment()));
  const changes = useItemChanges();
  const here = countHere(items, (item) => item.collections);
  const choices = (collections.data ?? [])
    .filter(({ filter }) => filter === null)
    .map(
      ({ collectionId, name, count }): Choice => ({
        value: collectionId,
        name,
        count,
        here: here.get(collectionId) ?? 0,
      }),
    );
  return (
    <PickPopover
      {...popover}
      {...{ choices }}
      title={texts.pick.collections({ count: items.length })}
      find={texts.pick.find.collections}
      icon="folder"
      all={items.length}
      newName={(name) => texts.pick.newCollection({ name })}
      maxLength={NAME_MAX}
      onSet={({ value, name }, wanted) => void changes.setCollection(items, value, name, wanted)}
      onNew={(name) => void changes.makeCollection(name, items)}
    />
  );
}
