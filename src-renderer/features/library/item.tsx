import '../../styles/covers.css';
import '../../styles/library.css';
import '../../styles/item.css';
import { Anchor, Button } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { api, useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { collectionsQuery, itemNotesQuery, itemQuery, itemVersionsQuery, libraryKey } from '../../api/library.ts';
import { useLiveJob } from '../../api/live-job.ts';
import { jobRecordQuery } from '../../api/queries.ts';
import { ContentLanguage } from '../../components/foreign-text.ts';
import { useKeys } from '../../components/keys.ts';
import { Failure, PageHead, Skeletons } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import { JobWithoutResult } from '../jobs/job-state.tsx';
import { type OwnLayer, OwnLayerProvider, type PaneName, type Place, type Quoted } from '../results/own-layer.tsx';
import { ResultView } from '../results/result-view.tsx';
import { useHighlights } from './highlights.ts';
import { ItemAbout } from './item-about.tsx';
import { ItemFoot } from './item-foot.tsx';
import { ItemHead } from './item-head.tsx';
import { ItemNotes, quotedBody } from './item-notes.tsx';
import { canListen } from './item-words.ts';
import { neighboursOf } from './list-memory.ts';
import { useShowVersion } from './show-version.ts';
import { item as texts } from './texts.ts';
import { useItemChanges } from './use-item-changes.ts';

const route = getRouteApi('/items/$itemId');

/** Loaded when somebody listens. */
const Listen = lazy(async () => ({ default: (await import('../listen/listen.tsx')).Listen }));

/** The page of one item: its text or its sound, and what its owner put on it. */
export function ItemPage(): ReactNode {
  const environment = useEnvironment();
  const { itemId } = route.useParams();
  const { v } = route.useSearch();
  const item = useQuery(itemQuery(environment, itemId));
  const versions = useQuery(itemVersionsQuery(environment, itemId));
  if (item.isPending) {
    return (
      <>
        <PageHead title="…" />
        <Skeletons rows={8} />
      </>
    );
  }
  if (item.data === undefined) {
    return (
      <>
        <PageHead title={texts.unavailable} />
        <Failure error={item.error} retry={() => void item.refetch()} />
        <Anchor mt="md" renderRoot={(props) => <Link {...props} to="/library" />}>
          {texts.back}
        </Anchor>
      </>
    );
  }
  const asked = versions.data?.find(({ number }) => number === v);
  const shown = asked ?? { number: item.data.version, jobId: item.data.jobId };
  return <Item key={`${environment} ${shown.jobId}`} item={item.data} jobId={shown.jobId} shown={shown.number} />;
}

interface ItemProps {
  item: LibraryItem;
  /** The version on the page and its job. */
  jobId: string;
  shown: number;
}

function Item({ item, jobId, shown }: ItemProps) {
  const environment = useEnvironment();
  const { chunk, listen: listens = false } = route.useSearch();
  const navigate = route.useNavigate();
  const job = useLiveJob(environment, jobId);
  const record = useQuery(jobRecordQuery(environment, jobId));
  const box = useRef<HTMLDivElement>(null);
  const { layer, notes } = useItemLayer(item, shown);
  const changes = useItemChanges();
  // What opened the player gets the focus back.
  const opener = useRef<Element | null>(null);
  const setListens = (on: boolean) => {
    if (on) opener.current = document.activeElement;
    void navigate({
      search: ({ listen: _, ...rest }) => (on ? { ...rest, listen: true } : rest),
      replace: true,
      resetScroll: false,
    });
  };
  useHighlights(box, notes);
  useNeighbourKeys(item.itemId);
  return (
    <div className="job-page item-page" ref={box}>
      <ItemHead item={item} shown={shown} job={job.data} record={record.data} onListen={() => setListens(true)} />
      {listens && item.state === 'reading' && (
        <div className="note-wait" role="status">
          {texts.listensSoon}
        </div>
      )}
      {listens && canListen(item) && (
        <Suspense fallback={<Skeletons rows={3} />}>
          <Listen
            item={item}
            onClose={() => {
              setListens(false);
              if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true });
            }}
          />
        </Suspense>
      )}
      {item.deletedAt !== null && (
        <div className="note-wait">
          <span className="grow">{texts.deletedNote}</span>
          <Button size="xs" variant="default" onClick={() => void changes.bringBack([item])}>
            {texts.bringBack}
          </Button>
        </div>
      )}
      {shown !== item.version && <OtherVersion item={item} shown={shown} />}
      {job.isError && <Failure error={job.error} retry={() => void job.refetch()} />}
      {(job.isPending || record.isPending) && <Skeletons rows={8} />}
      {job.data !== undefined && !record.isPending && (
        <ContentLanguage value={item.language}>
          <OwnLayerProvider value={layer}>
            {job.data.result === null ? (
              <JobWithoutResult job={job.data} record={record.data} />
            ) : (
              <ResultView job={job.data} record={record.data} chunkId={chunk} />
            )}
          </OwnLayerProvider>
        </ContentLanguage>
      )}
      <ItemFoot jobId={jobId} record={record.data} />
    </div>
  );
}

/** While another version is on the page than the one in the library. */
function OtherVersion({ item: { itemId, version }, shown }: { item: LibraryItem; shown: number }) {
  const useVersion = useShowVersion(itemId);
  return (
    <div className="note-wait">
      <span className="grow">{texts.otherVersion({ shown, kept: version })}</span>
      <Button size="xs" variant="default" loading={useVersion.isPending} onClick={() => useVersion.mutate(shown)}>
        {texts.useVersion({ version: shown })}
      </Button>
    </div>
  );
}

/** After the last move, so that scrolling sends one request. */
const PLACE_MS = 1500;

/** Remembers where the owner is, one place for all devices. */
function usePlaceMemory({ itemId, position }: LibraryItem): (place: Place) => void {
  const environment = useEnvironment();
  const client = useQueryClient();
  const known = useRef(JSON.stringify(position));
  const send = useDebouncedCallback(
    (place: Place) => {
      if (JSON.stringify(place) === known.current) return;
      known.current = JSON.stringify(place);
      const params = { path: { itemId } };
      // A place that is not kept is no failure of what the owner does.
      void api[environment].PATCH('/library/items/{itemId}', { params, body: { position: place } }).then(
        ({ data }) => client.setQueryData(itemQuery(environment, itemId).queryKey, data),
        () => undefined,
      );
    },
    { delay: PLACE_MS, flushOnUnmount: true },
  );
  return useCallback(
    (place: Place) => {
      // The first page is where everybody begins.
      if (known.current === 'null' && place.page === 1) return;
      send(place);
    },
    [send],
  );
}

/** Notes, facts and the place of an item, for the view of its result. */
function useItemLayer(item: LibraryItem, shown: number) {
  const environment = useEnvironment();
  const { itemId } = item;
  const { pane } = route.useSearch();
  const navigate = route.useNavigate();
  const listed = useQuery(itemNotesQuery(environment, itemId));
  const versions = useQuery(itemVersionsQuery(environment, itemId));
  const collections = useQuery(collectionsQuery(environment));
  const notes = useMemo(() => listed.data ?? [], [listed.data]);
  const [writing, setWriting] = useState<Quoted | null>(null);
  const [aim, setAim] = useState<Place | null>(() => placeOfHash(location.hash));
  const [start] = useState(item.position);
  const onPlace = usePlaceMemory(item);
  const onPane = (next: PaneName | undefined) =>
    void navigate({
      search: ({ pane: _, ...rest }) => (next === undefined ? rest : { ...rest, pane: next }),
      replace: true,
      resetScroll: false,
    });
  const highlight = useChange(
    (quoted: Quoted) =>
      api[environment].POST('/library/items/{itemId}/notes', {
        params: { path: { itemId } },
        body: { kind: 'highlight', text: '', ...quotedBody(quoted) },
      }),
    {
      renews: [libraryKey(environment)],
      onDone: () => showToast({ icon: 'highlighter', message: texts.highlighted }),
    },
  );
  const names = (collections.data ?? []).filter(({ collectionId }) => item.collections.includes(collectionId));
  const layer: OwnLayer = {
    panes: [
      {
        value: 'notes',
        label: texts.panes.notes({ count: notes.length }),
        content: (
          <ItemNotes {...{ itemId, notes, writing }} version={shown} onWritten={() => setWriting(null)} onGo={setAim} />
        ),
      },
      {
        value: 'about',
        label: texts.panes.about,
        content: (
          <ItemAbout
            item={item}
            versions={versions.data ?? []}
            collections={names.map(({ name }) => name)}
            shown={shown}
            onShow={(v) => void navigate({ search: (before) => ({ ...before, v }), resetScroll: false })}
          />
        ),
      },
    ],
    pane,
    onPane,
    start,
    onPlace,
    aim,
    highlight: highlight.mutate,
    note: (quoted) => {
      setWriting(quoted);
      onPane('notes');
    },
  };
  return { layer, notes };
}

/** `#p4` is a page, `#t=741` a second. */
function placeOfHash(hash: string): Place | null {
  const [, page, seconds] = /^#(?:p(\d+)|t=(\d+))$/.exec(hash) ?? [];
  if (page !== undefined) return { page: Number(page) };
  return seconds === undefined ? null : { seconds: Number(seconds) };
}

/** The keys to the neighbours in the list that the item was opened from. */
function useNeighbourKeys(itemId: string): void {
  const navigate = useNavigate();
  const { before, after } = neighboursOf(itemId);
  const go = (to: string) => () => void navigate({ to: '/items/$itemId', params: { itemId: to } });
  useKeys([
    ...(before === null ? [] : [{ keys: '[', name: texts.keys.before, group: 'page' as const, run: go(before) }]),
    ...(after === null ? [] : [{ keys: ']', name: texts.keys.after, group: 'page' as const, run: go(after) }]),
  ]);
}
