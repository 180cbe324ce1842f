import { Button, Menu, Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { itemAt } from '../../../src-server/platform/item-at.ts';
import { errorOf, fetchApi } from '../../api/client.ts';
import type { Chunk } from '../../api/generated/public.ts';
import { useForeignText } from '../../components/foreign-text.ts';
import { joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { shownLanguage } from '../../language/locale.ts';
import { type Finder, FindField, useFinder } from './find.tsx';
import { Markdown, type Marks, outlineOf } from './markdown.tsx';
import { chunkWith, findIn, type ReadingBlock, readingOf } from './reading.ts';
import { type Passage, Selectable } from './selection.tsx';
import type { NamedFile } from './shapes.ts';
import { results as texts } from './texts.ts';
import { type ListHandle, WindowList } from './window-list.tsx';

/** A text file of a job. */
/** @param changedAt when the job changed last: a correction changes its files */
export function useTextFile(file: NamedFile | undefined, changedAt: string) {
  return useQuery({
    queryKey: ['text-file', file?.url, changedAt],
    queryFn: async ({ signal }) => {
      const answer = await fetchApi(file?.url ?? '', { signal });
      if (!answer.ok) throw await errorOf(answer);
      return answer.text();
    },
    enabled: file !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export interface Reading {
  blocks: readonly ReadingBlock[];
  chunks: readonly Chunk[];
  /** Outline level of each block that is a heading. */
  levels: readonly (number | undefined)[];
  paged: boolean;
}

export function useReading(markdown: string | undefined, chunks: readonly Chunk[]): Reading | null {
  return useMemo(() => {
    if (markdown === undefined) return null;
    const blocks = readingOf(markdown, chunks);
    const outline = outlineOf(blocks.flatMap(({ heading }) => (heading === null ? [] : [heading.depth])));
    let heading = 0;
    const levels = blocks.map((block) => (block.heading === null ? undefined : outline[heading++]));
    return { blocks, chunks, levels, paged: chunks.some(({ page }) => page > 1) };
  }, [markdown, chunks]);
}

interface ReadingTextProps {
  jobId: string;
  reading: Reading;
  /** The chunk to scroll to. */
  chunkId: string | undefined;
  marks: Marks;
  handle: React.RefObject<ListHandle | null>;
  onFirst: (block: number) => void;
}

/** A document as read, with the numbers of its chunks in the margin. */
export function ReadingText({ jobId, reading, chunkId, marks, handle, onFirst }: ReadingTextProps) {
  const { blocks, chunks, levels, paged } = reading;
  const aim = chunkId === undefined ? -1 : chunks.findIndex(({ id }) => id === chunkId);
  const aimed = useMemo(
    () => (aim < 0 ? -1 : blocks.findIndex(({ chunk, starts }) => chunk === aim || starts.includes(aim))),
    [aim, blocks],
  );
  useEffect(() => {
    if (aimed >= 0) handle.current?.show(aimed);
  }, [aimed, handle]);
  const passageOf = useCallback(
    (text: string, start: Element): Passage | null => {
      const numbered = start.getAttribute('data-passage');
      if (numbered !== null) return { text: '', chunk: chunks[Number(numbered)], seconds: null };
      const block = blocks[Number(start.closest('[data-index]')?.getAttribute('data-index') ?? -1)];
      if (block === undefined) return null;
      const near = [block.chunk, ...block.starts].filter((index) => index >= 0);
      return {
        text,
        chunk: chunkWith(
          text,
          near.map((index) => itemAt(chunks, index)),
        ),
        seconds: null,
      };
    },
    [blocks, chunks],
  );
  const isAimed = (row: number) =>
    aim >= 0 && (blocks[row]?.chunk === aim || blocks[row]?.starts.includes(aim) === true);
  return (
    <Selectable jobId={jobId} passageOf={passageOf}>
      <WindowList
        count={blocks.length}
        estimate={(row) => estimateOf(blocks[row])}
        className="reading"
        handle={handle}
        onFirst={onFirst}
        attributesOf={(row) => (isAimed(row) ? { 'aria-current': true } : {})}
      >
        {(row) => {
          const block = itemAt(blocks, row);
          const page = paged && block.page !== (blocks[row - 1]?.page ?? 0) ? block.page : null;
          return <BlockRow block={block} level={levels[row]} page={page} marks={marks} />;
        }}
      </WindowList>
    </Selectable>
  );
}

const LINE_CHARS = 72;

const LINE_PIXELS = 26;

function estimateOf(block: ReadingBlock | undefined): number {
  if (block === undefined) return LINE_PIXELS;
  const lines = block.source.split('\n');
  if (lines[0]?.startsWith('|') === true) return 34 * lines.length;
  return 12 + LINE_PIXELS * lines.reduce((sum, line) => sum + Math.ceil((line.length + 1) / LINE_CHARS), 0);
}

interface BlockRowProps {
  block: ReadingBlock;
  level: number | undefined;
  /** The page that begins here. */
  page: number | null;
  marks: Marks;
}

/** Memoised: scrolling renders the list for each row that enters it. */
const BlockRow = memo(function BlockRow({ block, level, page, marks }: BlockRowProps) {
  const { lang } = useForeignText();
  const levels = useMemo(() => (level === undefined ? undefined : [level]), [level]);
  return (
    <>
      {page !== null && <div className="page-mark">{texts.page({ page })}</div>}
      <div className="block" lang={lang}>
        {block.starts.length > 0 && (
          <span className="margin" lang={shownLanguage()}>
            {block.starts.map((index) => (
              <button
                key={index}
                type="button"
                className="margin-number"
                data-passage={index}
                aria-label={texts.chunkActions({ number: index + 1 })}
                title={texts.chunkActions({ number: index + 1 })}
              >
                {index + 1}
              </button>
            ))}
          </span>
        )}
        <Markdown source={block.source} marks={marks} {...(levels ? { levels } : {})} />
      </div>
    </>
  );
});

/** Entries that fit beside the text without a scroll bar of their own. */
const CONTENTS_MAX = 26;

interface ContentsEntry {
  block: number;
  depth: number;
  text: string;
  page: number;
}

/** The headings of a text: so many levels that the list fits, else the entries around the current one. */
export function contentsOf({ blocks }: Reading): readonly ContentsEntry[] {
  const all = blocks.flatMap(({ heading, page }, block) =>
    heading === null || heading.text === '' ? [] : [{ block, depth: heading.depth, text: heading.text, page }],
  );
  const depths = [...new Set(all.map(({ depth }) => depth))].sort((one, other) => one - other);
  const deepest = depths.findLast((depth) => all.filter((entry) => entry.depth <= depth).length <= CONTENTS_MAX);
  const limit = deepest ?? depths[0] ?? 0;
  const top = depths[0] ?? 1;
  return all.filter(({ depth }) => depth <= limit).map((entry) => ({ ...entry, depth: entry.depth - top }));
}

function entriesAround(entries: readonly ContentsEntry[], current: number): readonly ContentsEntry[] {
  if (entries.length <= CONTENTS_MAX) return entries;
  const from = Math.min(Math.max(0, current - (CONTENTS_MAX >> 1)), entries.length - CONTENTS_MAX);
  return entries.slice(from, from + CONTENTS_MAX);
}

interface ContentsProps {
  entries: readonly ContentsEntry[];
  /** The first block in view. */
  first: number;
  paged: boolean;
  onGo: (block: number) => void;
}

/** The contents beside the text. */
export function Contents({ entries, first, paged, onGo }: ContentsProps) {
  const current = entries.findLastIndex(({ block }) => block <= first);
  return (
    <nav className="contents" aria-label={texts.contents}>
      {entriesAround(entries, current).map((entry) => (
        <button
          key={entry.block}
          type="button"
          className="contents-entry"
          style={{ paddingInlineStart: 8 + Math.min(entry.depth, 3) * 12 }}
          title={entry.text}
          {...(entry === entries[current] ? { 'aria-current': 'location' as const } : {})}
          onClick={() => onGo(entry.block)}
        >
          <span className="truncate">{entry.text}</span>
          {paged && <span className="num">{entry.page}</span>}
        </button>
      ))}
    </nav>
  );
}

/** The contents behind a button, for narrow windows. */
export function ContentsMenu({ entries, paged, onGo }: Omit<ContentsProps, 'first'>) {
  if (entries.length === 0) return null;
  return (
    <div className="contents-menu">
      <Menu position="bottom-start">
        <Menu.Target>
          <Button variant="default" size="xs" leftSection={<Icon name="list-tree" size={14} />}>
            {texts.contents}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
          {entries.map(({ block, text, page, depth }) => (
            <Menu.Item key={block} ps={12 + Math.min(depth, 3) * 12} onClick={() => onGo(block)}>
              {text}
              {paged ? joinTexts(['', texts.page({ page })]) : ''}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

/** The search in a text, and what it marks. */
export function useReadingFinder(reading: Reading | null, handle: React.RefObject<ListHandle | null>): Finder {
  const blocks = reading?.blocks;
  const rowsWith = useCallback((words: string) => findIn(blocks ?? [], words), [blocks]);
  return useFinder(rowsWith, (block) => handle.current?.show(block, 'nearest'));
}

export function ReadingFind({ finder }: { finder: Finder }) {
  return <FindField finder={finder} label={texts.findText} />;
}

/** Lines in the shape of a text, while it loads. */
export function ReadingSkeleton() {
  return (
    <div className="reading-skeleton" role="status" aria-label={texts.loading}>
      <Skeleton height={24} width="40%" mb="md" />
      {[98, 100, 92, 60, 0, 97, 94, 99, 40].map((width, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never move.
        width === 0 ? <br key={index} /> : <Skeleton key={index} height={14} width={`${width}%`} mb={12} />,
      )}
    </div>
  );
}

/** A document with its contents. The page picture is beside it, see `document.tsx`. */
export function useReadingPlace() {
  const handle = useRef<ListHandle>(null);
  const [first, setFirst] = useState(0);
  return { handle, first, setFirst };
}
