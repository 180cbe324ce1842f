// biome-ignore-all lint/a11y/useSemanticElements: these are regions that scroll, not groups of fields.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
import { Badge, Button, Group, Text, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Chunk, Job } from '../../api/types.ts';
import { useFocusedRow } from '../../components/focused-row.ts';
import { clockTime, number } from '../../components/format.ts';
import { marked } from '../../components/marked.tsx';
import { Copy, Panel } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';
import { PdfPage } from './pdf-page.tsx';
import { Rechunk } from './rechunk.tsx';

const ROW_HEIGHT = 120;
const LIST_MAX_HEIGHT = 640;

interface ChunkViewerProps {
  job: Job;
  chunks: readonly Chunk[];
  /** Whether the source has pages: what was said or crawled has none. */
  paged: boolean;
  /** The chunk to go to, if one was asked for. */
  chunkId: string | undefined;
  /** Whether its pages can be drawn. */
  isPdf: boolean;
}

/** The chunks of a result with the place of each, a search in them, and another cut. Only rows in view exist. */
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
      flush
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

/** Which chunks there are does not change while the list has the focus. */
const keyOf = (index: number) => index;

interface ChunkListProps {
  chunks: readonly Chunk[];
  words: string;
  paged: boolean;
  chunkId: string | undefined;
  /** Shows the page of a chunk; absent where pages cannot be shown. */
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

/** Where a chunk stands in its source. */
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
