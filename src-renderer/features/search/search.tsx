import { serverText } from '../../language/server-texts.ts';
import '../../styles/covers.css';
import '../../styles/library.css';
import { ActionIcon, Button, Drawer, Select, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useEnvironment } from '../../api/client.ts';
import type { LibraryFound } from '../../api/generated/public.ts';
import { collectionsQuery, type ItemFilter } from '../../api/library.ts';
import { choicesOf } from '../../components/choices.ts';
import { Icon } from '../../components/icon.tsx';
import { Empty, Failure, PAGE_TITLE, Skeletons } from '../../components/page-elements.tsx';
import { Facets } from '../library/facets.tsx';
import { FilterChips } from '../library/filter-bar.tsx';
import { library } from '../library/texts.ts';
import { Ask, SuggestModel } from './ask.tsx';
import { FoundItem } from './found-item.tsx';
import { type FoundQuery, foundQuery, type SearchMode } from './found-query.ts';
import { PlacePreview, type ShownPlace } from './place-preview.tsx';
import { search as t } from './texts.ts';

const route = getRouteApi('/search');

const DEFAULT_MODE: SearchMode = 'hybrid';

const WIDE = '(min-width: 1181px)';

/** Room for a place beside what was found. */
const ROOMY = '(min-width: 1320px)';

/** Search in what is kept: items with their best places. Query and filters are in the address. */
export function Search(): ReactNode {
  const environment = useEnvironment();
  const { q = '', mode = DEFAULT_MODE, ask, environment: _, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const ofStaging = environment === 'staging' ? environment : undefined;
  useDocumentTitle(`${t.title} · Quarry`);
  const found = useInfiniteQuery(foundQuery(environment, { q, mode, filter }));
  const { data: collections } = useQuery(collectionsQuery(environment));
  const names = new Map((collections ?? []).map(({ collectionId, name }) => [collectionId, name]));
  const [first] = found.data?.pages ?? [];
  const hasRoom = useMediaQuery(ROOMY, true, { getInitialValueInEffect: false });
  const [shown, setShown] = useState<ShownPlace | null>(null);
  const place = placeToShow(shown, first);
  const onFilter = ({ text: _text, state: _state, ...next }: ItemFilter) =>
    void navigate({ search: omitUndefined({ q, mode, environment: ofStaging, ...next }), replace: true });
  const facets = first && first.counts.total + Object.keys(filter).length > 0 && (
    <Facets
      filter={filter}
      counts={first.counts}
      ofDates={first.counts}
      names={names}
      hasCollections
      onFilter={onFilter}
    />
  );
  return (
    <div className="search">
      <VisuallyHidden>
        <h1 id={PAGE_TITLE}>{t.title}</h1>
      </VisuallyHidden>
      <Question key={q} found={first} facets={facets} />
      <FilterChips filter={filter} names={names} onFilter={onFilter} isCollection={false} isSaved={false} />
      {/* What comes with the answer has its room before: nothing moves. */}
      <div className="search-body" data-waits={q !== '' && found.isPending}>
        <aside className="search-facets" aria-label={library.filters}>
          {facets}
        </aside>
        <Hits query={{ q, mode, filter }} isAsked={ask === 1} onShow={setShown} />
        {hasRoom && place !== null && <PlacePreview shown={place} names={names} />}
      </div>
    </div>
  );
}

/** The place that is looked at while it is among what was found; else the best one. */
function placeToShow(shown: ShownPlace | null, first: LibraryFound | undefined): ShownPlace | null {
  const [best] = first?.items ?? [];
  if (best === undefined) return null;
  const isFound = first?.items.some(({ item }) => item.itemId === shown?.item.itemId) ?? false;
  return shown !== null && isFound ? shown : { item: best.item, hit: best.places[0] };
}

interface HitsProps {
  query: FoundQuery;
  isAsked: boolean;
  onShow: (place: ShownPlace) => void;
}

/** The answer, and the items with their places, more of them on demand. */
function Hits({ query, isAsked, onShow }: HitsProps) {
  const { q, mode, filter } = query;
  const found = useInfiniteQuery(foundQuery(useEnvironment(), query));
  const [first] = found.data?.pages ?? [];
  return (
    <div className="band search-hits">
      {q === '' && (
        <Empty icon="search" title={t.start}>
          {t.startHow}
        </Empty>
      )}
      {q !== '' && found.isPending && <Skeletons rows={5} height={60} />}
      {found.isError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {isAsked && first !== undefined && first.items.length > 0 && (
        <Ask key={`${q} ${mode} ${JSON.stringify(filter)}`} query={query} />
      )}
      {first?.meaning === 'lsi' && <SuggestModel />}
      {first !== undefined && <Warnings found={first} />}
      {found.data?.pages.flatMap(({ items }) =>
        items.map((one) => <FoundItem key={one.item.itemId} found={one} query={query} onShow={onShow} />),
      )}
      {found.hasNextPage && (
        <Button
          variant="default"
          loading={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
          className="search-more"
        >
          {t.moreItems}
        </Button>
      )}
    </div>
  );
}

function Warnings({ found: { warnings, items } }: { found: LibraryFound }) {
  return (
    <>
      {warnings.map((warning) => (
        <Text key={warning} size="sm" c="dimmed" py={6} className="note-words">
          {serverText(warning)}
        </Text>
      ))}
      {items.length === 0 && (
        <Empty icon="search" title={t.none}>
          {t.noneHow}
        </Empty>
      )}
    </>
  );
}

interface QuestionProps {
  found: LibraryFound | undefined;
  facets: ReactNode;
}

function Question({ found, facets }: QuestionProps) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const { q = '', mode = DEFAULT_MODE } = route.useSearch();
  const navigate = route.useNavigate();
  const openPlace = useNavigate();
  const [words, setWords] = useState(q);
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false });
  const [filtersOpen, setFiltersOpen] = useState(false);
  const openBest = () => {
    const best = found?.items[0];
    if (best === undefined || words.trim() !== q) return false;
    const chunk = best.places[0]?.chunkId;
    const params = { itemId: best.item.itemId };
    void openPlace({ to: '/items/$itemId', params, search: chunk === undefined ? {} : { chunk } });
    return true;
  };
  return (
    <form
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = words.trim();
        // Drop an older result of the same query.
        void client.resetQueries({ queryKey: ['search', environment, wanted] });
        if (wanted !== q) void navigate({ search: ({ ask: _, ...all }) => ({ ...all, q: wanted }) });
      }}
    >
      <SearchField value={words} onChange={setWords} onEnter={openBest} />
      <div className="search-filters">
        {!isWide && facets && (
          <Button variant="default" leftSection={<Icon name="list-filter" />} onClick={() => setFiltersOpen(true)}>
            {t.filters}
          </Button>
        )}
        <AskButton words={words.trim()} />
        <Select
          aria-label={t.mode}
          w={190}
          allowDeselect={false}
          data={choicesOf(t.modes)}
          value={mode}
          onChange={(value) =>
            void navigate({ search: ({ ask: _, ...all }) => ({ ...all, mode: value ?? DEFAULT_MODE }) })
          }
        />
        {found !== undefined && (
          <Text size="sm" c="dimmed" className="search-count" role="status">
            {summaryOf(found)}
          </Text>
        )}
      </div>
      <Drawer
        opened={filtersOpen && !isWide}
        onClose={() => setFiltersOpen(false)}
        position="bottom"
        title={t.filters}
        closeButtonProps={{ 'aria-label': t.closeFilters }}
        attributes={{ header: { role: 'presentation' } }}
      >
        {facets}
      </Drawer>
    </form>
  );
}

/** Searches these words and asks them as a question: the answer is in the address, so that Back shows it again. */
function AskButton({ words }: { words: string }) {
  const navigate = route.useNavigate();
  return (
    <Button
      variant="default"
      leftSection={<Icon name="sparkles" />}
      disabled={words === ''}
      onClick={() => void navigate({ search: (all) => ({ ...all, q: words, ask: 1 }) })}
    >
      {t.ask}
    </Button>
  );
}

interface SearchFieldProps {
  value: string;
  onChange: (words: string) => void;
  /** True: Enter has opened something, and searches nothing. */
  onEnter: () => boolean;
}

/** The large field. The key `/` moves the focus to it; Enter after a search opens the best place. */
function SearchField({ value, onChange, onEnter }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <TextInput
      ref={field}
      size="lg"
      type="search"
      data-find
      aria-label={t.query}
      placeholder={t.hint}
      leftSection={<Icon name="search" size={20} />}
      rightSection={
        <ActionIcon type="submit" variant="subtle" aria-label={t.go}>
          <Icon name="arrow-right" />
        </ActionIcon>
      }
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && onEnter()) event.preventDefault();
      }}
    />
  );
}

/** “41 items, 212 places, by words and meaning. Searched “harbour”: “harbor” occurs nowhere”. */
function summaryOf({ total, count, isComplete, meaning, corrected }: LibraryFound): string {
  const by = meaning === null ? t.byWords : t.byMeaning({ meaning: meaning === 'lsi' ? t.learned : meaning });
  const found = t.found({ items: total, places: count, isComplete, by });
  return [found, ...corrected.map(({ from, to }) => t.respelt({ to, from }))].join('. ');
}
