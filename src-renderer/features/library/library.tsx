import { inSentence } from '../../language/locale.ts';
import '../../styles/covers.css';
import '../../styles/library.css';
import { Anchor, Button, Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useEnvironment } from '../../api/client.ts';
import type { LibraryCounts, LibraryItem } from '../../api/generated/public.ts';
import {
  collectionsQuery,
  type ItemFilter,
  type ItemKind,
  type ItemOrder,
  type ItemSourceName,
  itemCountsQuery,
} from '../../api/library.ts';
import { localDay } from '../../api/reader-days.ts';
import { IS_DEVICE } from '../../api/session.ts';
import { formatByteCount, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Empty, Failure, PageHead, Skeletons } from '../../components/page-elements.tsx';
import { openAdd } from '../add/open-add.ts';
import { BulkBar } from './bulk-bar.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { Facets } from './facets.tsx';
import { FilterBar, FilterChips, filterWords } from './filter-bar.tsx';
import { ItemList, type ItemListHandle, type View } from './item-list.tsx';
import { rememberList } from './list-memory.ts';
import { RenameDialog } from './rename-dialog.tsx';
import { library as texts } from './texts.ts';
import { Timeline } from './timeline.tsx';
import { useItems } from './use-items.ts';
import { type LibraryActs, useLibraryActs } from './use-library-acts.ts';
import { useLibraryKeys } from './use-library-keys.ts';

/** What the address of a list says. */
export interface LibrarySearch {
  kind?: ItemKind;
  tag?: string;
  collection?: string;
  language?: string;
  speaker?: string;
  source?: ItemSourceName;
  q?: string;
  from?: string;
  to?: string;
  sort?: ItemOrder;
  view?: View;
}

const libraryRoute = getRouteApi('/library');

const collectionRoute = getRouteApi('/library/c/$collectionId');

export function Library(): ReactNode {
  const search = libraryRoute.useSearch();
  const navigate = libraryRoute.useNavigate();
  return (
    <LibraryView
      key={useEnvironment()}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
    />
  );
}

/** The items of a collection: the list with one filter that stays. */
export function CollectionPage(): ReactNode {
  const { collectionId } = collectionRoute.useParams();
  const search = collectionRoute.useSearch();
  const navigate = collectionRoute.useNavigate();
  return (
    <LibraryView
      key={`${useEnvironment()} ${collectionId}`}
      search={search}
      collectionId={collectionId}
      onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
    />
  );
}

interface LibraryViewProps {
  search: LibrarySearch;
  collectionId?: string;
  onSearch: (search: LibrarySearch) => void;
}

const WIDE = '(min-width: 1181px)';

function LibraryView({ search, collectionId, onSearch }: LibraryViewProps): ReactNode {
  const { view = 'grid', sort: order = 'added' } = search;
  const data = useLibraryData(search, collectionId);
  const { filter, list, counts, ofDates, all, collection, names } = data;
  const { items, reach } = list;
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false });
  const [filtersOpen, setFiltersOpen] = useState(false);
  const onFilter = (next: ItemFilter) => onSearch({ ...searchOf(next, collectionId), ...lookOf(search) });
  const handle = useRef<ItemListHandle>(null);
  const acts = useLibraryActs({ items, filter, deleted: false });
  const { selection } = acts;
  const openFirst = useOpenFirst(list.isOld ? [] : items);
  const isFiltered = filterWords(withoutCollection(filter, collectionId), names).length > 0;
  const current = useLibraryKeys({
    items,
    selection,
    handle,
    reach,
    acts,
    onFilters: () => setFiltersOpen(true),
    onEscape: () => {
      if (selection.ids.size > 0) selection.clear();
      else if (isFiltered) onFilter(baseFilter(collectionId));
    },
  });
  useEffect(() => rememberList(items), [items]);
  // Beside covers, the months at the edge and the menu of dates stand for dates.
  const dates = isWide && view === 'grid' ? undefined : (ofDates ?? counts);
  const hasCollections = collectionId === undefined;
  const facets = counts && <Facets {...{ filter, counts, names, onFilter, hasCollections }} ofDates={dates} />;
  return (
    <div className="library-page">
      <LibraryHead
        title={collection?.name ?? texts.title}
        total={list.total}
        all={all?.total}
        counts={counts}
        acts={acts}
      />
      <FilterBar
        {...{ filter, order, view, names, onFilter }}
        isCollection={collectionId !== undefined}
        isNarrow={!isWide}
        onOrder={(sort) => onSearch({ ...search, sort })}
        onView={(next) => onSearch({ ...search, view: next })}
        onFilters={() => setFiltersOpen(true)}
        onOpen={openFirst}
      />
      <FilterChips
        {...{ filter, names, onFilter }}
        isCollection={collectionId !== undefined}
        isSaved={collection?.filter != null}
      />
      <LibraryBody
        {...{ view, order, data, current, handle, acts, isWide, facets }}
        none={isFiltered ? <NoneFound {...{ filter, names, collectionId, onFilter }} /> : <NothingYet />}
      />
      <p className="library-foot">
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/library/deleted" />}>
          {texts.deleted.open}
        </Anchor>
      </p>
      <Dialogs acts={acts} counts={all} followed={{ filter, words: wordsOf(filterWords(filter, names)) }} />
      <FacetsDrawer isWide={isWide} opened={filtersOpen} onClose={() => setFiltersOpen(false)}>
        {facets}
      </FacetsDrawer>
    </div>
  );
}

/** Opens the first item of a list. */
function useOpenFirst([first]: readonly LibraryItem[]): () => void {
  const navigate = useNavigate();
  return () => {
    if (first !== undefined) void navigate({ to: '/items/$itemId', params: { itemId: first.itemId } });
  };
}

interface FacetsDrawerProps {
  isWide: boolean;
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The filters where there is no room beside the items. */
function FacetsDrawer({ isWide, opened, onClose, children }: FacetsDrawerProps) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position={isWide ? 'left' : 'bottom'}
      title={texts.filters}
      closeButtonProps={{ 'aria-label': texts.closeFilters }}
      attributes={{ header: { role: 'presentation' } }}
    >
      {children}
    </Drawer>
  );
}

interface DialogsProps {
  acts: LibraryActs;
  counts: LibraryCounts | undefined;
  /** The list, for a folder that stays in step with it. */
  followed: { filter: ItemFilter; words: string };
}

/** `Kind: Talks, Tag: harbour`. */
function wordsOf(words: ReturnType<typeof filterWords>): string {
  return joinTexts(words.map(({ label, value }) => `${label}: ${value}`));
}

/** What is done with the chosen items. */
function Dialogs({ acts, counts, followed }: DialogsProps) {
  return (
    <>
      <BulkBar items={acts.selection.items} counts={counts} {...acts} />
      <ExportDialog
        items={acts.exported}
        followed={IS_DEVICE ? undefined : followed}
        onClose={() => acts.exportItems([])}
      />
      <RenameDialog item={acts.renamed} onClose={() => acts.rename(null)} />
    </>
  );
}

interface LibraryHeadProps {
  title: string;
  total: number | undefined;
  /** Of the whole library. */
  all: number | undefined;
  /** Of what the filters leave. */
  counts: LibraryCounts | undefined;
  acts: LibraryActs;
}

function LibraryHead({ title, total, all, counts, acts }: LibraryHeadProps) {
  return (
    <PageHead title={title} facts={totalFacts(total, all, counts)}>
      <Button
        variant="default"
        leftSection={<Icon name="share" />}
        disabled={total === undefined || total === 0}
        onClick={() => acts.gather(acts.exportItems)}
      >
        {texts.bulk.export}
      </Button>
      <Button leftSection={<Icon name="plus" />} onClick={() => openAdd()}>
        {texts.add}
      </Button>
    </PageHead>
  );
}

type LibraryData = ReturnType<typeof useLibraryData>;

/** The items that the address asks for, with their counts, and the names of collections. */
function useLibraryData(search: LibrarySearch, collectionId: string | undefined) {
  const environment = useEnvironment();
  const { sort } = search;
  const filter = useMemo(() => filterOf(search, collectionId), [search, collectionId]);
  const list = useItems(useMemo(() => ({ filter, sort }), [filter, sort]));
  const { data: counts } = useQuery(itemCountsQuery(environment, filter));
  const { from: _, to: __, ...withoutDates } = filter;
  const { data: ofDates } = useQuery(itemCountsQuery(environment, withoutDates));
  const { data: all } = useQuery(itemCountsQuery(environment, {}));
  const { data: collections } = useQuery(collectionsQuery(environment));
  const names = useMemo(
    () => new Map((collections ?? []).map(({ collectionId: id, name }) => [id, name])),
    [collections],
  );
  const collection = collections?.find((one) => one.collectionId === collectionId);
  return { filter, list, counts, ofDates, all, names, collection };
}

interface LibraryBodyProps {
  view: View;
  order: ItemOrder;
  data: LibraryData;
  current: number;
  handle: RefObject<ItemListHandle | null>;
  acts: LibraryActs;
  isWide: boolean;
  facets: ReactNode;
  /** In place of an empty list. */
  none: ReactNode;
}

/** `2026-11` of the reader, as the counts of months have it. */
function monthOf(item: LibraryItem | undefined): string {
  return item === undefined ? '' : localDay(item.addedAt).slice(0, 'YYYY-MM'.length);
}

/** Filters, items and months beside each other. */
function LibraryBody({ view, order, data, current, handle, acts, isWide, facets, none }: LibraryBodyProps) {
  const { list, counts, names } = data;
  const { items, total = 0, reach } = list;
  // A month changes seldom: the list is not drawn again for each row that passes.
  const [month, setMonth] = useState('');
  const onFirst = useCallback((index: number) => setMonth(monthOf(items[index])), [items]);
  const onLast = useCallback((index: number) => reach(index + AHEAD), [reach]);
  const goTo = useJump(items.length, reach, handle);
  const isGrid = view === 'grid';
  return (
    <div className="library-body" data-view={view} data-facets={isWide && isGrid}>
      {isWide && isGrid && (
        <aside className="facets-column" aria-label={texts.filters}>
          {facets}
        </aside>
      )}
      <div className="library-items">
        {list.error !== null && <Failure error={list.error} retry={list.retry} />}
        {list.total === undefined && list.error === null && <Skeletons rows={8} height={isGrid ? 120 : 28} />}
        {list.total === 0 && none}
        {total > 0 && (
          <ItemList
            {...{ view, items, total, order, names, current, handle }}
            selected={acts.selection.ids}
            onSelect={acts.onSelect}
            onFirst={onFirst}
            onLast={onLast}
          />
        )}
      </div>
      {isGrid && order === 'added' && isWide && <Timeline months={counts?.months ?? []} current={month} onGo={goTo} />}
    </div>
  );
}

/** Items that are loaded before they come into view. */
const AHEAD = 60;

function filterOf({ q, sort: _, view: __, ...search }: LibrarySearch, collectionId: string | undefined): ItemFilter {
  return { ...search, ...omitUndefined({ text: q }), ...baseFilter(collectionId) };
}

function baseFilter(collectionId: string | undefined): ItemFilter {
  return collectionId === undefined ? {} : { collection: collectionId };
}

/** The filters that can be left on the page of a collection. */
function withoutCollection(filter: ItemFilter, collectionId: string | undefined): ItemFilter {
  return collectionId === undefined ? filter : { ...filter, collection: undefined };
}

function searchOf({ text, state: _, ...filter }: ItemFilter, collectionId: string | undefined): LibrarySearch {
  const all = { ...filter, q: text, collection: collectionId === undefined ? filter.collection : undefined };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function lookOf({ sort, view }: LibrarySearch): LibrarySearch {
  return omitUndefined({ sort, view });
}

/** `112 items of 10,214`, `640 pages`, `71 hours`, `9.8 GB`. */
function totalFacts(total: number | undefined, all: number | undefined, counts: LibraryCounts | undefined): string[] {
  if (total === undefined) return [];
  const { pages = 0, seconds = 0, bytes = 0 } = counts ?? {};
  return [
    all === undefined || all === total ? texts.items({ count: total }) : texts.itemsOf({ count: total, all }),
    pages > 0 && texts.pages({ count: pages }),
    seconds >= 1 && texts.spokenTime(seconds),
    bytes > 0 && formatByteCount(bytes),
  ].filter((fact) => fact !== false);
}

/** Goes to a place that may not be loaded yet. */
function useJump(
  loaded: number,
  reach: (index: number) => void,
  handle: RefObject<ItemListHandle | null>,
): (index: number) => void {
  const [target, setTarget] = useState<number | null>(null);
  useEffect(() => {
    if (target === null || loaded <= target) return;
    handle.current?.show(target, 'start');
    setTarget(null);
  }, [target, loaded, handle]);
  return (index) => {
    reach(index + AHEAD);
    setTarget(index);
  };
}

function NothingYet() {
  return (
    <Empty icon="library-big" title={texts.empty.title}>
      <p>{texts.empty.about}</p>
      <Button leftSection={<Icon name="plus" />} onClick={() => openAdd()}>
        {texts.add}
      </Button>
    </Empty>
  );
}

interface NoneFoundProps {
  filter: ItemFilter;
  names: ReadonlyMap<string, string>;
  collectionId: string | undefined;
  onFilter: (filter: ItemFilter) => void;
}

/** Names the filters in force, and offers to leave each of them. */
function NoneFound({ filter, names, collectionId, onFilter }: NoneFoundProps) {
  const words = filterWords(withoutCollection(filter, collectionId), names);
  return (
    <Empty icon="list-filter" title={texts.none.title}>
      <p>
        {texts.none.about({ filters: joinTexts(words.map(({ label, value }) => `${inSentence(label)} “${value}”`)) })}
      </p>
      <div className="ways">
        {words.length > 1 &&
          words.map(({ name, label }) => (
            <Button key={name} size="xs" variant="default" onClick={() => onFilter({ ...filter, [name]: undefined })}>
              {texts.none.without({ filter: inSentence(label) })}
            </Button>
          ))}
        <Button size="xs" variant="default" onClick={() => onFilter(baseFilter(collectionId))}>
          {texts.clearAll}
        </Button>
      </div>
    </Empty>
  );
}
