import { ActionIcon, Modal, SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { adminPath, errorOf, fetchApi, useEnvironment } from '../../api/client.ts';
import type { Chunk } from '../../api/generated/public.ts';
import { formatWholeNumber } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { useObjectUrl } from '../../components/object-url.ts';
import { Failure } from '../../components/page-elements.tsx';
import { AccountLine } from './account.tsx';
import { ChunkViewer } from './chunks.tsx';
import { Details, Warnings } from './details.tsx';
import { Doubts, doubtfulTexts } from './doubts.tsx';
import { ExtractedView, extractedViews } from './extracted.tsx';
import { type PaneName, useOwnAim, useOwnLayer } from './own-layer.tsx';
import {
  Contents,
  ContentsMenu,
  contentsOf,
  type Reading,
  ReadingFind,
  ReadingSkeleton,
  ReadingText,
  useReading,
  useReadingFinder,
  useReadingPlace,
  useTextFile,
} from './reader.tsx';
import type { ResultProps } from './shapes.ts';
import { type Fields, objectFields, resultChunks, resultFiles, resultOf } from './shapes.ts';
import { results as texts } from './texts.ts';

type View = 'text' | 'chunks' | 'fields' | 'details';

/** A document as read: its contents, its text, and the pages of a PDF beside it. */
export function DocumentResult({ job, record, chunkId }: ResultProps) {
  const result = resultOf(job);
  const chunks = useMemo(() => resultChunks(result), [result]);
  const files = resultFiles(job, record);
  const markdown = useTextFile(
    files.find(({ name }) => name === 'document.md'),
    job.updatedAt,
  );
  const reading = useReading(markdown.data, chunks);
  const [view, setView] = useState<View>(result.extracted === undefined ? 'text' : 'fields');
  const place = useReadingPlace();
  const finder = useReadingFinder(reading, place.handle);
  const revised = objectFields(result.document)?.revisions === 'marked';
  const doubtful = useMemo(() => doubtfulTexts(result), [result]);
  const marks = useMemo(
    () => ({ words: finder.words, risky: [], doubtful, revised }),
    [finder.words, doubtful, revised],
  );
  const isPdf = record?.source?.kind === 'pdf';
  const goToBlock = (block: number) => place.handle.current?.show(block);
  const contents = useMemo(() => (reading === null ? [] : contentsOf(reading)), [reading]);
  const shown = view === 'text';
  const own = useOwnLayer();
  const page = documentPageAt(reading, chunks, place.first, chunkId);
  useOwnPage(shown ? reading : null, page, (block, isStart) => {
    // A search result leads elsewhere.
    if (!isStart || chunkId === undefined) goToBlock(block);
  });
  return (
    <div className="result doc" data-result data-pages={isPdf || own !== null}>
      {shown && reading !== null && contents.length > 0 && (
        <div className="doc-side">
          <Contents entries={contents} first={place.first} paged={reading.paged} onGo={goToBlock} />
        </div>
      )}
      <div className="doc-text">
        <div className="tools">
          {shown && reading !== null && <ContentsMenu entries={contents} paged={reading.paged} onGo={goToBlock} />}
          {shown && <ReadingFind finder={finder} />}
          <Views view={view} chunks={chunks.length} result={result} onView={setView} />
        </div>
        <AccountLine result={result} />
        <Warnings result={result} />
        <Doubts result={result} />
        {view === 'text' && markdown.isError && (
          <Failure error={markdown.error} retry={() => void markdown.refetch()} />
        )}
        {view === 'text' && markdown.isPending && <ReadingSkeleton />}
        {view === 'text' && reading !== null && (
          <ReadingText
            {...{ reading, chunkId, marks }}
            jobId={job.jobId}
            handle={place.handle}
            onFirst={place.setFirst}
          />
        )}
        {view === 'chunks' && <ChunkViewer job={job} chunks={chunks} paged chunkId={chunkId} />}
        {view === 'fields' && <ExtractedView result={result} />}
        {view === 'details' && <Details result={result} />}
      </div>
      <Beside jobId={job.jobId} page={isPdf ? page : null} />
    </div>
  );
}

/** Follows notes to their pages, and tells the page of an item which one is read. */
function useOwnPage(reading: Reading | null, page: number, go: (block: number, isStart: boolean) => void): void {
  const onPlace = useOwnLayer()?.onPlace;
  useEffect(() => {
    if (reading?.paged === true) onPlace?.({ page });
  }, [reading?.paged, page, onPlace]);
  useOwnAim(reading !== null, (to, isStart) => {
    const block = reading?.blocks.findIndex((one) => one.page >= (to.page ?? 1)) ?? -1;
    if (block > 0) go(block, isStart);
  });
}

/** The picture of the page, and what the page of an item has beside the text. @param page null for no PDF */
function Beside({ jobId, page }: { jobId: string; page: number | null }) {
  const own = useOwnLayer();
  const picture = page !== null && <PagePane jobId={jobId} page={page} />;
  if (own === null && page === null) return null;
  if (own === null) {
    return (
      <aside className="doc-page" aria-label={texts.pagePane}>
        {picture}
      </aside>
    );
  }
  const { panes, pane: asked = page === null ? panes[0]?.value : PAGE_PANE, onPane } = own;
  const pane = panes.find(({ value }) => value === asked);
  const data = panes.map(({ value, label }) => ({ value, label }));
  return (
    <aside className="doc-page own-pane" aria-label={texts.beside}>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={texts.beside}
        value={pane?.value ?? PAGE_PANE}
        data={page === null ? data : [{ value: PAGE_PANE, label: texts.pageTab }, ...data]}
        onChange={(value) => onPane(value as PaneName)}
      />
      <div className="own-content">{pane?.content ?? picture}</div>
    </aside>
  );
}

const PAGE_PANE: PaneName = 'page';

interface ViewsProps {
  view: View;
  chunks: number;
  result: Fields;
  onView: (view: View) => void;
}

function Views({ view, chunks, result, onView }: ViewsProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={texts.views.label}
      value={view}
      data={[
        ...extractedViews(result),
        { value: 'text', label: texts.views.text },
        { value: 'chunks', label: texts.views.chunks({ count: formatWholeNumber(chunks) }) },
        { value: 'details', label: texts.views.details },
      ]}
      onChange={(value) => onView(value as View)}
    />
  );
}

function documentPageAt(
  reading: Reading | null,
  chunks: readonly Chunk[],
  first: number,
  chunkId: string | undefined,
): number {
  const aimed = first === 0 ? chunks.find(({ id }) => id === chunkId) : undefined;
  return aimed?.page ?? reading?.blocks[first]?.page ?? 1;
}

/** While the reader scrolls, pages are not drawn. */
const SETTLE_MS = 250;

/** The image of a PDF page beside its text. It follows the text until another page is chosen. */
function PagePane({ jobId, page: read }: { jobId: string; page: number }) {
  const environment = useEnvironment();
  const [page, setPage] = useState(read);
  const [large, setLarge] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPage(read), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [read]);
  const drawn = useQuery({
    queryKey: ['pages', environment, jobId, page],
    queryFn: async ({ signal }) => {
      const answer = await fetchApi(adminPath(environment, `/jobs/${jobId}/pages/${page}`), { signal });
      if (!answer.ok) throw await errorOf(answer);
      return { picture: await answer.blob(), pages: Number(answer.headers.get('x-pages')) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const url = useObjectUrl(drawn.data?.picture);
  const pages = drawn.data?.pages ?? page;
  const picture =
    url === null ? <div className="sheet" /> : <img className="sheet" src={url} alt={texts.pageAlt({ page })} />;
  return (
    <>
      <div className="doc-page-head">
        <span role="status">{texts.pageOf({ page, pages: formatWholeNumber(pages) })}</span>
        <Turn icon="chevron-up" label={texts.pageBefore} disabled={page <= 1} onTurn={() => setPage(page - 1)} />
        <Turn icon="chevron-down" label={texts.pageAfter} disabled={page >= pages} onTurn={() => setPage(page + 1)} />
        <Turn icon="maximize" label={texts.pageLarge} disabled={url === null} onTurn={() => setLarge(true)} />
      </div>
      {drawn.isError ? <Failure error={drawn.error} retry={() => void drawn.refetch()} /> : picture}
      <Modal opened={large} onClose={() => setLarge(false)} title={texts.page({ page })} size="auto">
        {picture}
      </Modal>
    </>
  );
}

function Turn(props: { icon: IconName; label: string; disabled: boolean; onTurn: () => void }) {
  const { icon, label, disabled, onTurn } = props;
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} disabled={disabled} onClick={onTurn}>
      <Icon name={icon} />
    </ActionIcon>
  );
}
