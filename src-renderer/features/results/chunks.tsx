import { Button, Group, NumberInput, Popover, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { itemAt } from '../../../src-server/platform/item-at.ts';
import { apiPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { Chunk, Job } from '../../api/generated/public.ts';
import { markMatches } from '../../components/code.tsx';
import { useForeignText } from '../../components/foreign-text.ts';
import { clockTime } from '../../components/format.ts';
import { Failure } from '../../components/page-elements.tsx';
import { workOf } from '../../components/work.ts';
import { texts as shared } from '../../texts.ts';
import { FindField, useFinder } from './find.tsx';
import { type Passage, Selectable } from './selection.tsx';
import { results as texts } from './texts.ts';
import { type ListHandle, WindowList } from './window-list.tsx';

interface ChunkViewerProps {
  job: Job;
  chunks: readonly Chunk[];
  /** Whether the source has pages; transcripts and crawls have none. */
  paged: boolean;
  /** The chunk to scroll to. */
  chunkId: string | undefined;
}

/** The chunks of a result with their places, a search, and a preview of other chunk sizes. */
export function ChunkViewer({ job, chunks, paged, chunkId }: ChunkViewerProps) {
  const foreign = useForeignText();
  const [recut, setRecut] = useState<readonly Chunk[] | null>(null);
  const shown = recut ?? chunks;
  const handle = useRef<ListHandle>(null);
  const rowsWith = useCallback(
    (words: string) => {
      const wanted = words.toLowerCase();
      return shown.flatMap(({ text }, row) => (text.toLowerCase().includes(wanted) ? [row] : []));
    },
    [shown],
  );
  const finder = useFinder(rowsWith, (row) => handle.current?.show(row, 'nearest'));
  const aim = chunkId === undefined ? -1 : shown.findIndex(({ id }) => id === chunkId);
  useEffect(() => {
    if (aim >= 0) handle.current?.show(aim);
  }, [aim]);
  const passageOf = useCallback(
    (text: string, start: Element): Passage | null => {
      const chunk = shown[Number(start.closest('[data-index]')?.getAttribute('data-index') ?? -1)];
      // The chunks of a preview belong to no job.
      return chunk === undefined ? null : { text, chunk: recut === null ? chunk : undefined, seconds: null };
    },
    [shown, recut],
  );
  const isDocument = workOf(job).group === 'read';
  return (
    <section aria-label={texts.chunkList}>
      <div className="chunk-tools">
        <h2 className="chunk-count">{texts.chunks({ count: shown.length })}</h2>
        {recut !== null && <Text size="sm">{texts.rechunk.about}</Text>}
        {isDocument && <Rechunk job={job} isRecut={recut !== null} onCut={setRecut} />}
        <FindField finder={finder} label={texts.findText} />
      </div>
      <Selectable jobId={job.jobId} passageOf={passageOf}>
        <WindowList
          count={shown.length}
          estimate={(row) => 60 + 22 * Math.ceil((shown[row]?.text.length ?? 0) / 80)}
          label={texts.chunkList}
          handle={handle}
          attributesOf={(row) => (row === aim ? { 'aria-current': true } : {})}
        >
          {(row) => {
            const chunk = itemAt(shown, row);
            return (
              <article className="chunk">
                <ChunkPlace chunk={chunk} row={row} paged={paged} />
                <div className="chunk-text" {...foreign}>
                  {markMatches(chunk.text, finder.words)}
                </div>
              </article>
            );
          }}
        </WindowList>
      </Selectable>
    </section>
  );
}

/** The position of a chunk in its source. Plain elements: scrolling creates dozens of rows at once. */
function ChunkPlace({ chunk, row, paged }: { chunk: Chunk; row: number; paged: boolean }) {
  const { page, segmentIndex, heading, kind, startSeconds, endSeconds, url, text } = chunk;
  return (
    <div className="chunk-place">
      <button
        type="button"
        className="chunk-number"
        data-passage={row}
        aria-label={texts.chunkActions({ number: segmentIndex + 1 })}
        title={texts.chunkActions({ number: segmentIndex + 1 })}
      >
        {segmentIndex + 1}
      </button>
      {paged && startSeconds === undefined && <span className="tag">{texts.page({ page })}</span>}
      {startSeconds !== undefined && (
        <span className="tag">
          {clockTime(startSeconds)}
          {endSeconds === undefined || endSeconds <= startSeconds ? '' : `–${clockTime(endSeconds)}`}
        </span>
      )}
      {kind !== undefined && kind !== 'text' && <span className="tag">{shared.common.chunkKinds[kind] ?? kind}</span>}
      {chunk.originalText !== undefined && (
        <span className="tag" title={chunk.originalText}>
          {texts.corrected}
        </span>
      )}
      {heading !== undefined && (
        <span className="truncate" title={heading}>
          {heading}
        </span>
      )}
      {url !== undefined && (
        <span className="truncate" title={url} dir="ltr">
          {url}
        </span>
      )}
      <span className="chunk-size">{texts.characters({ count: text.length })}</span>
    </div>
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
  const t = texts.rechunk;
  const cut = useMutation({
    mutationFn: () =>
      requestJson<{ chunks: Chunk[] }>(apiPath(environment, `/jobs/${job.jobId}/chunks`), {
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
