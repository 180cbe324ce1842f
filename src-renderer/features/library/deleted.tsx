import '../../styles/covers.css';
import '../../styles/library.css';
import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useRef } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { collectionsQuery } from '../../api/library.ts';
import { serverNow } from '../../api/server-time.ts';
import { askFirst } from '../../components/confirm.tsx';
import { Icon } from '../../components/icon.tsx';
import { Empty, Failure, PageHead, Skeletons } from '../../components/page-elements.tsx';
import { ItemList, type ItemListHandle } from './item-list.tsx';
import { library } from './texts.ts';
import { useItemChanges } from './use-item-changes.ts';
import { useItems } from './use-items.ts';
import { useLibraryActs } from './use-library-acts.ts';

const texts = library.deleted;

const AHEAD = 60;

const DAY_MS = 86_400_000;

const EVERYTHING = { filter: {}, sort: 'updated', deleted: true } as const;

/** Deleted items, as long as the settings say: bring them back, or remove them at once. */
export function Deleted(): ReactNode {
  const environment = useEnvironment();
  const list = useItems(EVERYTHING);
  const { items, total = 0, reach } = list;
  const collections = useQuery(collectionsQuery(environment));
  const names = useMemo(
    () => new Map((collections.data ?? []).map(({ collectionId, name }) => [collectionId, name])),
    [collections.data],
  );
  const acts = useLibraryActs({ items, filter: EVERYTHING.filter, deleted: true });
  const { selection } = acts;
  const changes = useItemChanges();
  const handle = useRef<ItemListHandle>(null);
  const confirmRemoval = (some: readonly LibraryItem[]) =>
    askFirst({
      title: texts.nowTitle({ count: some.length }),
      about: texts.nowAbout,
      yes: texts.now,
      no: library.rename.keep,
      onYes: () => void changes.removeNow(some).then(selection.clear),
    });
  return (
    <div className="library-page">
      <div className="crumb">
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/library" />}>
          {library.title}
        </Anchor>
        <Icon name="chevron-right" size={14} />
      </div>
      <PageHead title={texts.title} facts={[library.items({ count: total }), texts.about]}>
        <Button
          variant="default"
          c="var(--q-bad)"
          leftSection={<Icon name="trash-2" />}
          disabled={total === 0}
          onClick={() => acts.gather(confirmRemoval)}
        >
          {texts.empty}
        </Button>
      </PageHead>
      <div className="library-body" data-view="list" data-facets="false">
        <div className="library-items">
          {list.error !== null && <Failure error={list.error} retry={list.retry} />}
          {list.total === undefined && list.error === null && <Skeletons rows={8} height={28} />}
          {list.total === 0 && <Empty icon="trash-2" title={texts.none} />}
          {total > 0 && (
            <ItemList
              view="list"
              order="updated"
              {...{ items, total, names, handle }}
              current={-1}
              selected={selection.ids}
              last={{ head: texts.column, of: daysLeft }}
              onSelect={acts.onSelect}
              onFirst={() => {}}
              onLast={(last) => reach(last + AHEAD)}
            />
          )}
        </div>
      </div>
      <DeletedBar
        items={selection.items}
        onBack={() => void changes.bringBack(selection.items).then(selection.clear)}
        onNow={() => confirmRemoval(selection.items)}
      />
    </div>
  );
}

interface DeletedBarProps {
  items: readonly LibraryItem[];
  onBack: () => void;
  onNow: () => void;
}

function DeletedBar({ items, onBack, onNow }: DeletedBarProps) {
  if (items.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a bar of buttons, not a group of fields.
    <div className="library-bulk" role="group" aria-label={library.bulk.title}>
      <b className="num nowrap" role="status">
        {library.bulk.chosen({ count: items.length })}
      </b>
      <Button leftSection={<Icon name="undo-2" />} onClick={onBack}>
        {texts.back}
      </Button>
      <Button variant="default" c="var(--q-bad)" leftSection={<Icon name="trash-2" />} onClick={onNow}>
        {texts.now}
      </Button>
    </div>
  );
}

function daysLeft({ goesAt }: LibraryItem): string {
  if (goesAt === null) return '';
  return texts.left({ days: Math.max(0, Math.ceil((Date.parse(goesAt) - serverNow()) / DAY_MS)) });
}
