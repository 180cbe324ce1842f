// biome-ignore-all lint/a11y/useSemanticElements: these are regions that scroll, not groups of fields.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
import { Anchor, Badge, Group, Text, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import type { Chunk } from '../api/types.ts';
import { clockTime, number } from '../components/format.ts';
import { Copy, Panel } from '../components/parts.tsx';
import { texts } from '../texts.ts';

const ROW_HEIGHT = 150;
/** Below this many chunks the list is as high as its content. */
const SHORT_LIST = 4;

/** The chunks of a result with the place of each, and a search in them. Only rows in view exist. */
export function ChunkViewer({ chunks, pdfUrl }: { chunks: readonly Chunk[]; pdfUrl: string | null }) {
  const [words, setWords] = useState('');
  const found = useMemo(() => {
    const wanted = words.trim().toLowerCase();
    return wanted === '' ? chunks : chunks.filter(({ text }) => text.toLowerCase().includes(wanted));
  }, [chunks, words]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 4,
  });
  return (
    <Panel
      flush
      title={texts.jobs.chunks(number(chunks.length))}
      aside={
        <Group gap="xs">
          {words.trim() !== '' && (
            <Text size="sm" c="dimmed" role="status">
              {texts.jobs.found(number(found.length))}
            </Text>
          )}
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
      <div
        ref={scroller}
        className="list-body"
        tabIndex={0}
        role="region"
        aria-label={texts.jobs.chunkList}
        style={{ maxHeight: 640, ...(found.length > SHORT_LIST ? { height: 640 } : {}) }}
      >
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const chunk = found[index];
            if (chunk === undefined) return null;
            return (
              <article
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className="chunk"
                style={{ position: 'absolute', inset: '0 0 auto 0', transform: `translateY(${start}px)` }}
              >
                <ChunkPlace chunk={chunk} pdfUrl={pdfUrl} />
                <div className="chunk-text">{marked(chunk.text, words.trim())}</div>
              </article>
            );
          })}
        </div>
      </div>
    </Panel>
  );
}

/** Where a chunk stands in its source. */
function ChunkPlace({ chunk, pdfUrl }: { chunk: Chunk; pdfUrl: string | null }) {
  const { page, segmentIndex, heading, kind, startSeconds, endSeconds, url, text } = chunk;
  return (
    <Group gap="xs" mb={6} wrap="wrap">
      <Text span size="sm" fw={600}>
        {texts.jobs.chunkNumber(segmentIndex)}
      </Text>
      {pdfUrl === null ? (
        <Badge variant="default">{texts.jobs.page(page)}</Badge>
      ) : (
        <Anchor size="sm" href={`${pdfUrl}#page=${page}`} target="_blank" rel="noreferrer" title={texts.jobs.openPdf}>
          {texts.jobs.page(page)}
        </Anchor>
      )}
      {startSeconds !== undefined && (
        <Badge variant="default">
          {clockTime(startSeconds)}
          {endSeconds === undefined ? '' : `–${clockTime(endSeconds)}`}
        </Badge>
      )}
      {kind !== undefined && kind !== 'text' && <Badge variant="default">{kind}</Badge>}
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

/** The text with every match marked. */
function marked(text: string, words: string) {
  if (words === '') return text;
  const pattern = new RegExp(`(${words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')})`, 'gi');
  return text.split(pattern).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place.
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  );
}
