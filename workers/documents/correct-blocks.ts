/** The blocks of a document with edits of its plain text. Blocks that no edit touches stay the same objects. */

import { itemAt } from '../../src-server/platform/item-at.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import type { Block, CueTime, InlineMark, PlacedLine } from './blocks.ts';
import { correctRows } from './correct-table.ts';
import { applyEdits, EditedPlaces, type TextEdit } from './text-edits.ts';
import type { BlockSpan, PlainText } from './write-text.ts';

type TextBlock = Exclude<Block, { kind: 'table' }>;

/** A block before and after, for what quotes it. */
export interface ChangedBlock {
  before: Block;
  /** Null where it went. */
  after: Block | null;
  /** What the text of the block became, with the places in between. */
  places: EditedPlaces;
}

/** @param edits of `plain.text`, ascending, without overlaps */
export function correctBlocks(
  { text, spans }: PlainText,
  edits: readonly TextEdit[],
): { blocks: Block[]; changed: ChangedBlock[] } {
  const blocks: Block[] = [];
  const changed: ChangedBlock[] = [];
  let next = 0;
  for (const group of groupsOf(spans, splitEditsByBlock(spans, edits))) {
    while (next < group.first) blocks.push(itemAt(spans, next++).block);
    next = group.last + 1;
    const members = spans.slice(group.first, next);
    for (const one of correctGroup(text, members, group.edits)) {
      changed.push(one);
      if (one.after !== null) blocks.push(one.after);
    }
  }
  while (next < spans.length) blocks.push(itemAt(spans, next++).block);
  return { blocks, changed };
}

interface Group {
  first: number;
  last: number;
  edits: TextEdit[];
}

/** Index of the last span that begins at or before a place. */
function spanAt(spans: readonly BlockSpan[], place: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (itemAt(spans, middle).start <= place) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The spans that an edit touches. One in the space between two blocks touches both. */
function touchedSpans(spans: readonly BlockSpan[], { from, to }: TextEdit): [first: number, last: number] {
  const first = spanAt(spans, from);
  const last = spanAt(spans, to - 1);
  const isBeyond = to > (spans[last]?.end ?? 0) && last + 1 < spans.length;
  return [first, isBeyond ? last + 1 : last];
}

/** Edits over the edge of a table, in one part for each block: the first takes the new text. */
function splitEditsByBlock(spans: readonly BlockSpan[], edits: readonly TextEdit[]): TextEdit[] {
  return edits.flatMap((edit) => {
    const [first, last] = touchedSpans(spans, edit);
    const members = spans.slice(first, last + 1);
    if (members.length < 2 || members.every(({ block }) => block.kind !== 'table')) return [edit];
    const parts = members.flatMap(({ start, end }) => {
      const [from, to] = [Math.max(edit.from, start), Math.min(edit.to, end)];
      return from < to ? [{ from, to, by: '' }] : [];
    });
    return parts.map((part, index) => (index === 0 ? { ...part, by: edit.by.trim() } : part));
  });
}

function groupsOf(spans: readonly BlockSpan[], edits: readonly TextEdit[]): Group[] {
  const groups: Group[] = [];
  for (const edit of edits) {
    const [first, last] = touchedSpans(spans, edit);
    const open = groups.at(-1);
    if (open !== undefined && first <= open.last) {
      open.last = Math.max(open.last, last);
      open.edits.push(edit);
    } else groups.push({ first, last, edits: [edit] });
  }
  return groups;
}

function correctGroup(text: string, members: readonly BlockSpan[], edits: readonly TextEdit[]): ChangedBlock[] {
  const [first] = members as [BlockSpan];
  if (first.block.kind === 'table') {
    const after = correctRows(first.block, first.rows ?? [], text, edits);
    return [{ before: first.block, after, places: new EditedPlaces([]) }];
  }
  return joinEditedBlocks(text, members as readonly (BlockSpan & { block: TextBlock })[], edits);
}

/** The text of several blocks as one, edited. It is one block again, or several where blank lines are new. */
function joinEditedBlocks(
  source: string,
  members: readonly (BlockSpan & { block: TextBlock })[],
  edits: readonly TextEdit[],
): ChangedBlock[] {
  const [first, last] = [members[0], members.at(-1)] as [(typeof members)[0], (typeof members)[0]];
  const own = edits.map(({ from, to, by }) => ({ from: from - first.start, to: to - first.start, by }));
  const whole = applyEdits(source.slice(first.start, last.end), own);
  const places = new EditedPlaces(own);
  const [edit] = own as [TextEdit];
  // Where all of the first block goes, the rest keeps the kind of the last one.
  const isFirstGone = edit.from === 0 && edit.by === '' && members.length > 1;
  const carrier = isFirstGone ? last : first;
  const label = source.slice(carrier.start, carrier.textStart);
  const labelled = withLabel(carrier.block, whole, label);
  const { at } = labelled;
  const movedWithinMember = (member: BlockSpan) => (place: number) =>
    Math.max(0, places.movedPlace(member.textStart - first.start + place) - at);
  const text = whole.slice(at);
  const from = members.map((member) => moveBlockPlaces(member.block, movedWithinMember(member), text));
  const after = whole.trim() === '' ? null : withPlaces({ ...labelled.block, text }, from);
  return members.map((member) => ({
    before: member.block,
    after: member === carrier ? after : null,
    places: new EditedPlaces(ownEdits(member, first.start, own)),
  }));
}

/** The edits within the text of one of the blocks, in its places. */
function ownEdits({ start, textStart, end }: BlockSpan, from: number, edits: readonly TextEdit[]): TextEdit[] {
  const [low, high] = [Math.max(start, textStart) - from, end - from];
  return edits.flatMap((edit) =>
    edit.from >= low && edit.to <= high ? [{ from: edit.from - low, to: edit.to - low, by: edit.by }] : [],
  );
}

/** The block whose label the text has. A label that changed is a new marker, or part of a paragraph. */
function withLabel(block: TextBlock, whole: string, label: string): { block: TextBlock; at: number } {
  if (whole.startsWith(label)) return { block, at: label.length };
  const [found, indent = '', marker = ''] = /^( *)(\S{1,12}) (?=\S)/.exec(whole) ?? [];
  if (block.kind === 'list-item' && block.marker !== '' && found !== undefined && label.startsWith(indent)) {
    return { block: { ...block, marker }, at: found.length };
  }
  const { page, part } = block;
  const paragraph = { kind: 'paragraph', text: '', page, ...omitUndefined({ part }) } as const;
  return { block: paragraph, at: 0 };
}

/** Members of blocks that name places in their text. */
interface Places {
  pageBreaks?: number[];
  marks?: InlineMark[];
  cues?: CueTime[];
  lines?: PlacedLine[];
}

/** What a block says about places of its text, at places of the edited one. The LaTeX of an edited formula is old. */
function moveBlockPlaces(block: TextBlock, moved: (place: number) => number, edited: string): Places {
  const { pageBreaks, marks, cues, lines } = block as Places;
  const movedTextRange = <Range extends { start: number; end: number }>(one: Range): Range => {
    return { ...one, start: moved(one.start), end: moved(one.end) };
  };
  const isStillSo = (mark: InlineMark, now: InlineMark) =>
    mark.kind !== 'formula' || block.text.slice(mark.start, mark.end) === edited.slice(now.start, now.end);
  const movedMarks = marks?.flatMap((mark) => {
    const now = movedTextRange(mark);
    return (mark.kind === 'image' || now.end > now.start) && isStillSo(mark, now) ? [now] : [];
  });
  return {
    ...(pageBreaks && { pageBreaks: pageBreaks.map(moved) }),
    ...(movedMarks && { marks: movedMarks }),
    ...(cues && { cues: cues.map((cue) => ({ ...cue, at: moved(cue.at) })) }),
    ...(lines && { lines: lines.map(([start, ...box]): PlacedLine => [moved(start), ...box]) }),
  };
}

/** The block with the places of all that it is made from. Its members stay in their order. */
function withPlaces(block: TextBlock, from: readonly Places[]): TextBlock {
  const collectPlaceLists = <Name extends keyof Places>(name: Name) =>
    from.flatMap((places) => (places[name] ?? []) as unknown[]);
  const names = ['pageBreaks', 'marks', 'cues', 'lines'] as const;
  const gone = names.filter((name) => collectPlaceLists(name).length === 0);
  const kept = names
    .filter((name) => collectPlaceLists(name).length > 0)
    .map((name) => [name, collectPlaceLists(name)] as const);
  const joined: TextBlock & Places = { ...block, ...Object.fromEntries(kept) };
  for (const name of gone) delete joined[name];
  return joined;
}
