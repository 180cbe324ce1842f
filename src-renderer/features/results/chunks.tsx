// biome-ignore-all lint/a11y/useSemanticElements: these are scrollable regions, not groups of fields.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.

import { ActionIcon, Badge, Button, Group, NumberInput, Popover, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { adminPath, apiPath, ask, errorOf, send, useEnvironment } from '../../api/client.ts';
import type { Chunk, Job } from '../../api/generated/public.ts';
import { marked } from '../../components/code.tsx';
import { Copy } from '../../components/copy.tsx';
import { clockTime, number } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { useFocusedRow } from '../../components/long-list.tsx';
import { Failure, Panel } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';

const ROW_HEIGHT = 120;

const LIST_MAX_HEIGHT = 640;

interface ChunkViewerProps {
  job: Job;
  chunks: readonly Chunk[];
  /** Whether the source has pages; transcripts and crawls have none. */
  paged: boolean;
  /** The chunk to scroll to. */
  chunkId: string | undefined;
  /** Whether page images are available. */
  isPdf: boolean;
}

/** The chunks of a result with search and a preview of other chunk sizes. Virtualised. */
export function ChunkViewer({ job, chunks, paged, chunkId, isPdf }: ChunkViewerProps) {
  const aim = chunks.find(({ id }) => id === chunkId);
  const [page, setPage] = useState<number | null>(aim?.page ?? null);
  const [words, setWords] = useState('');
  const [recut, setRecut] = useState<readonly Chunk[] | null>(null);
  const shown = recut ?? chunks;
  const found = useMemo(() => {
    const wanted = words.trim().toLowerCase();
    return wanted === '' ? shown : shown.filter(({ text }) => text.toLowerCase().includes(wanted));
  }, [shown, words]);
  const isDocument = job.jobType === 'extract/doc' || job.jobType === 'extract/pdf';
  return (
    <Panel
      title={texts.jobs.chunks(number(shown.length))}
      {...(recut === null ? {} : { about: texts.jobs.rechunk.about })}
      aside={
        <Group gap="sm" align="center">
          {words.trim() !== '' && (
            <Text size="sm" c="dimmed" role="status">
              {texts.jobs.found(number(found.length))}
            </Text>
          )}
          {isDocument && <Rechunk job={job} isRecut={recut !== null} onCut={setRecut} />}
          <TextInput
            size="xs"
            aria-label={texts.jobs.find}
            placeholder={texts.jobs.find}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
        </Group>
      }
    >
      <div className={isPdf && page !== null ? 'beside' : ''}>
        <ChunkList
          chunks={found}
          words={words.trim()}
          paged={paged}
          chunkId={chunkId}
          onPage={isPdf ? setPage : undefined}
        />
        {isPdf && page !== null && <PdfPage jobId={job.jobId} page={page} onPage={setPage} />}
      </div>
    </Panel>
  );
}

/** The chunks do not change while the list has the focus. */
const keyOf = (index: number) => index;

interface ChunkListProps {
  chunks: readonly Chunk[];
  words: string;
  paged: boolean;
  chunkId: string | undefined;
  /** Shows the page of a chunk; absent if there are no page images. */
  onPage: ((page: number | null) => void) | undefined;
}

function ChunkList({ chunks, words, paged, chunkId, onPage }: ChunkListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { rangeExtractor, watch } = useFocusedRow(keyOf);
  const virtual = useVirtualizer({
    rangeExtractor,
    count: chunks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 4,
  });
  const aim = chunkId === undefined ? -1 : chunks.findIndex(({ id }) => id === chunkId);
  useEffect(() => {
    if (aim < 0) return;
    virtual.scrollToIndex(aim, { align: 'start' });
    scroller.current?.scrollIntoView({ block: 'nearest' });
  }, [aim, virtual]);
  const height = virtual.getTotalSize();
  return (
    <div
      ref={scroller}
      className="list-body"
      tabIndex={0}
      role="region"
      aria-label={texts.jobs.chunkList}
      style={{ height: Math.min(height, LIST_MAX_HEIGHT) }}
      {...watch}
    >
      <div style={{ height, position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const chunk = chunks[index];
          if (chunk === undefined) return null;
          return (
            <article
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="chunk"
              {...(index === aim ? { 'aria-current': true } : {})}
              style={{ position: 'absolute', inset: '0 0 auto 0', transform: `translateY(${start}px)` }}
            >
              <ChunkPlace chunk={chunk} paged={paged} onPage={onPage} />
              <div className="chunk-text">{marked(chunk.text, words)}</div>
            </article>
          );
        })}
      </div>
    </div>
  );
}

/** The position of a chunk in its source. */
function ChunkPlace({ chunk, paged, onPage }: { chunk: Chunk } & Pick<ChunkListProps, 'paged' | 'onPage'>) {
  const { page, segmentIndex, heading, kind, startSeconds, endSeconds, url, text } = chunk;
  return (
    <Group gap="xs" mb={6} wrap="wrap">
      <Text span size="sm" fw={600}>
        {texts.jobs.chunkNumber(segmentIndex)}
      </Text>
      {paged && startSeconds === undefined && onPage === undefined && (
        <Badge variant="default">{texts.jobs.page(page)}</Badge>
      )}
      {onPage !== undefined && (
        <Button size="compact-xs" variant="default" title={texts.jobs.showPage} onClick={() => onPage(page)}>
          {texts.jobs.page(page)}
        </Button>
      )}
      {startSeconds !== undefined && (
        <Badge variant="default">
          {clockTime(startSeconds)}
          {endSeconds === undefined || endSeconds <= startSeconds ? '' : `–${clockTime(endSeconds)}`}
        </Badge>
      )}
      {kind !== undefined && kind !== 'text' && <Badge variant="default">{texts.jobs.chunkKinds[kind] ?? kind}</Badge>}
      {chunk.originalText !== undefined && (
        <Badge variant="default" title={chunk.originalText}>
          {texts.search.corrected}
        </Badge>
      )}
      {heading !== undefined && (
        <Text span size="sm" c="dimmed" className="truncate" maw={420} title={heading}>
          {heading}
        </Text>
      )}
      {url !== undefined && (
        <Text span size="sm" c="dimmed" className="truncate" maw={420} title={url}>
          {url}
        </Text>
      )}
      <Text span size="xs" c="dimmed" ml="auto">
        {texts.jobs.characters(number(text.length))}
      </Text>
      <Copy value={text} label={texts.jobs.text} />
    </Group>
  );
}

const USUAL_LENGTH = 1000;

interface RechunkProps {
  job: Job;
  isRecut: boolean;
  onCut: (chunks: readonly Chunk[] | null) => void;
}

/** Previews a document with another chunk size. The job keeps its own chunks. */
function Rechunk({ job, isRecut, onCut }: RechunkProps) {
  const environment = useEnvironment();
  const [open, setOpen] = useState(false);
  const [segmentLength, setSegmentLength] = useState<number | string>(USUAL_LENGTH);
  const t = texts.jobs.rechunk;
  const cut = useMutation({
    mutationFn: () =>
      ask<{ chunks: Chunk[] }>(apiPath(environment, `/jobs/${job.jobId}/chunks`), {
        method: 'POST',
        body: { segmentLength: Number(segmentLength) },
      }),
    onSuccess: ({ chunks }) => {
      onCut(chunks);
      setOpen(false);
    },
  });
  if (isRecut) {
    return (
      <Button size="xs" variant="default" onClick={() => onCut(null)}>
        {t.back}
      </Button>
    );
  }
  return (
    <Popover opened={open} onChange={setOpen} trapFocus withArrow position="bottom-end" width={300}>
      <Popover.Target>
        <Button size="xs" variant="default" onClick={() => setOpen(!open)}>
          {t.open}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            cut.mutate();
          }}
        >
          <Group align="flex-end" gap="xs" wrap="nowrap">
            <NumberInput
              label={t.length}
              value={segmentLength}
              onChange={setSegmentLength}
              min={1}
              step={100}
              clampBehavior="none"
              data-autofocus
            />
            <Button type="submit" loading={cut.isPending}>
              {t.cut}
            </Button>
          </Group>
        </form>
        <Text size="xs" c="dimmed" mt="xs">
          {t.hint}
        </Text>
        {cut.isError && <Failure error={cut.error} />}
      </Popover.Dropdown>
    </Popover>
  );
}

interface PdfPageProps {
  jobId: string;
  page: number;
  onPage: (page: number | null) => void;
}

/** The image of a PDF page beside its text. */
function PdfPage({ jobId, page, onPage }: PdfPageProps) {
  const environment = useEnvironment();
  const path = adminPath(environment, `/jobs/${jobId}/pages/${page}`);
  const drawn = useQuery({
    queryKey: ['pages', environment, jobId, page],
    queryFn: async ({ signal }) => {
      const answer = await send(path, { signal });
      if (!answer.ok) throw await errorOf(answer);
      return { picture: await answer.blob(), pages: Number(answer.headers.get('x-pages')) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const url = useObjectUrl(drawn.data?.picture);
  const pages = drawn.data?.pages ?? page;
  return (
    <div className="pdf-page">
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Turn icon="chevron-left" label={texts.jobs.pageBefore} disabled={page <= 1} onTurn={() => onPage(page - 1)} />
        <Text size="sm" role="status">
          {texts.jobs.pageOf(page, number(pages))}
        </Text>
        <Turn
          icon="chevron-right"
          label={texts.jobs.pageAfter}
          disabled={page >= pages}
          onTurn={() => onPage(page + 1)}
        />
        <Turn icon="x" label={texts.jobs.hidePage} disabled={false} onTurn={() => onPage(null)} />
      </Group>
      {drawn.isError && <Failure error={drawn.error} retry={() => void drawn.refetch()} />}
      {url !== null && <img src={url} alt={texts.jobs.pageAlt(page)} />}
    </div>
  );
}

interface TurnProps {
  icon: 'chevron-left' | 'chevron-right' | 'x';
  label: string;
  disabled: boolean;
  onTurn: () => void;
}

function Turn({ icon, label, disabled, onTurn }: TurnProps) {
  return (
    <ActionIcon variant="default" aria-label={label} disabled={disabled} onClick={onTurn}>
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
}

/** An object URL, revoked when it is no longer shown. */
function useObjectUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
