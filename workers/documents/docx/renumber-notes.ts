import type { Block, CellMark, InlineMark } from '../blocks.ts';
import { applyEdits, EditedPlaces } from '../text-edits.ts';

/**
 * Gives the notes of an embedded document markers of their own, in its blocks and their references. `used` has the
 * markers before it, and receives its own.
 */
export function renumberNotes(blocks: readonly Block[], used: Set<string>): Block[] {
  const own = new Set(blocks.flatMap((block) => (block.kind === 'note' ? [block.marker] : [])));
  const markers = new Map<string, string>();
  for (const marker of own) {
    let unused = marker;
    for (let number = used.size + 1; used.has(unused); number += 1) unused = String(number);
    used.add(unused);
    if (unused !== marker) markers.set(marker, unused);
  }
  return markers.size === 0 ? [...blocks] : blocks.map((block) => renumberedBlock(block, markers));
}

function renumberedBlock(block: Block, markers: ReadonlyMap<string, string>): Block {
  if (block.kind === 'table') return renumberedTable(block, markers);
  if (!('marks' in block) || block.marks === undefined) return withMarker(block, markers);
  const { text, marks, movedPlace } = renumberedText(block.text, block.marks, markers);
  const pageBreaks = block.pageBreaks?.map(movedPlace);
  return withMarker({ ...block, text, marks, ...(pageBreaks !== undefined && { pageBreaks }) }, markers);
}

function withMarker(block: Block, markers: ReadonlyMap<string, string>): Block {
  return block.kind === 'note' ? { ...block, marker: markers.get(block.marker) ?? block.marker } : block;
}

function renumberedTable(block: Block & { kind: 'table' }, markers: ReadonlyMap<string, string>): Block {
  const marks: CellMark[] = [];
  const ofCell = Map.groupBy(block.marks ?? [], ({ row, column }) => `${row} ${column}`);
  const rows = block.rows.map((cells, row) =>
    cells.map((cell, column) => {
      const renumbered = renumberedText(cell, ofCell.get(`${row} ${column}`) ?? [], markers);
      for (const mark of renumbered.marks) marks.push({ ...mark, row, column });
      return renumbered.text;
    }),
  );
  return { ...block, rows, marks };
}

/** A text with the new markers in its references, and its marks. */
function renumberedText(text: string, marks: readonly InlineMark[], markers: ReadonlyMap<string, string>) {
  const references = marks.filter(({ kind, label }) => kind === 'footnote' && label === undefined);
  const edits = references.flatMap(({ start, end }) => {
    const marker = markers.get(text.slice(start + 1, end - 1));
    return marker === undefined ? [] : [{ from: start, to: end, by: `[${marker}]` }];
  });
  const places = new EditedPlaces(edits);
  const movedPlace = (place: number) => places.movedPlace(place);
  return {
    text: applyEdits(text, edits),
    marks: marks.map((mark) => {
      const label = mark.label === undefined ? undefined : (markers.get(mark.label) ?? mark.label);
      const place = { start: movedPlace(mark.start), end: movedPlace(mark.end) };
      return { ...mark, ...place, ...(label !== undefined && { label }) };
    }),
    movedPlace,
  };
}
