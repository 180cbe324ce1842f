/** A page of a crawl with the corrections of its chunks. */

import type { Chunk } from '../../src-server/operation.ts';
import { countWords } from '../../src-server/platform/text/words.ts';
import { applyEdits, EditedPlaces, editsBetween, type TextEdit, withoutOverlaps } from '../documents/text-edits.ts';
import { withText } from './corrected.ts';
import { FENCES, Letters, patchedMarkdown, patchesOf } from './patch-text.ts';

/** A line of pages.jsonl, as far as corrections change it. */
export interface PageLine {
  url: string;
  words: number;
  tokens: number;
  text: string;
  markdown: string;
  search: { headings: string[]; keywords: { term: string; weight: number }[] };
  /** Signs of attacks, with their places in the text. */
  guardrails: { signs: { start: number | null; end: number | null }[] };
}

export interface CorrectedPage {
  page: PageLine;
  chunks: Chunk[];
  /** Why a correction is not in the text or the Markdown of the page. */
  notCorrected: string[];
}

/** A chunk and where its letters are among those of the page. */
interface PlacedChunk {
  chunk: Chunk;
  letters: Letters;
  /** Letters of the repeated head of its table, and where that head is. */
  head: { length: number; at: number };
  /** Where the letters after the head are; -1 where they were not found. */
  at: number;
}

export function correctPage(
  page: PageLine,
  chunks: readonly Chunk[],
  corrections: ReadonlyMap<string, string>,
): CorrectedPage {
  const text = new Letters(page.text, null);
  const placed = placeChunks(text, chunks);
  const notCorrected: string[] = [];
  const own = new Map<TextEdit, string>();
  for (const id of corrections.keys()) {
    const one = placed.find(({ chunk }) => chunk.id === id);
    if (one === undefined) continue;
    if (one.at < 0) notCorrected.push(`The place of chunk ${one.chunk.segmentIndex + 1} was not found in ${page.url}.`);
    else for (const edit of pageEdits(text, one, corrections.get(id) ?? '')) own.set(edit, id);
  }
  const edits = withoutOverlaps([...own.keys()]);
  const markdown = patchedMarkdown(page.markdown, page.text, edits);
  if (markdown === null) notCorrected.push(`A place was not found in the Markdown of ${page.url}.`);
  const headings = headingsAfter(page.text, edits);
  const corrected = placed.map((one) => {
    const { chunk } = one;
    const others = edits.filter((edit) => own.get(edit) !== chunk.id);
    const said = corrections.get(chunk.id) ?? applyEdits(chunk.text, chunkEdits(text, one, others));
    return withHeading(withText(chunk, said), headings);
  });
  const after = applyEdits(page.text, edits);
  const places = new EditedPlaces(edits);
  const movedPlaceOrNull = (place: number | null) => (place === null ? null : places.movedPlace(place));
  const signs = page.guardrails.signs.map((sign) => ({
    ...sign,
    start: movedPlaceOrNull(sign.start),
    end: movedPlaceOrNull(sign.end),
  }));
  const changed = {
    ...page,
    words: edits.length === 0 ? page.words : countWords(after),
    tokens:
      page.tokens + corrected.reduce((sum, { tokens = 0 }, index) => sum + tokens - (chunks[index]?.tokens ?? 0), 0),
    text: after,
    markdown: markdown ?? page.markdown,
    search: {
      ...page.search,
      headings: page.search.headings.map((heading) => headings.get(heading) ?? heading).filter((one) => one !== ''),
      keywords: keywordsAfter(page, after),
    },
    guardrails: { ...page.guardrails, signs },
  };
  return { page: changed, chunks: corrected, notCorrected };
}

/** Chunks follow each other without a gap. A part of a cut table repeats the head above its own rows. */
function placeChunks(text: Letters, chunks: readonly Chunk[]): PlacedChunk[] {
  let next = 0;
  return chunks.map((chunk) => {
    const letters = new Letters(chunk.text, FENCES);
    const none = { length: 0, at: 0 };
    if (text.text.startsWith(letters.text, next)) {
      const at = next;
      next += letters.text.length;
      return { chunk, letters, head: none, at };
    }
    const rule = /^\|.*\n\|[\s|:-]+(?:\n|$)/.exec(chunk.text)?.[0].length ?? 0;
    const length = letters.letterAtPlace(rule);
    const rest = letters.text.slice(length);
    const at = text.text.startsWith(rest, next) ? next : text.text.indexOf(rest, next);
    const head = text.text.lastIndexOf(letters.text.slice(0, length), next);
    if (rest === '' || at < 0 || head < 0) return { chunk, letters, head: none, at: -1 };
    next = at + rest.length;
    return { chunk, letters, head: { length, at: head }, at };
  });
}

/** What a correction changes in the text of the page. */
function pageEdits(text: Letters, { chunk, letters, head, at }: PlacedChunk, said: string): TextEdit[] {
  return editsBetween(chunk.text, said).flatMap((edit) => {
    const letter = letters.letterAtPlace(edit.from);
    const place = letter < head.length ? head.at + letter : at + letter - head.length;
    return patchesOf(letters, text, edit, place);
  });
}

/** What edits of the page change in a chunk. */
function chunkEdits(text: Letters, { letters, head, at }: PlacedChunk, edits: readonly TextEdit[]): TextEdit[] {
  if (at < 0) return [];
  const length = letters.text.length - head.length;
  return withoutOverlaps(
    edits.flatMap((edit) => {
      const [from, to] = [text.letterAtPlace(edit.from), text.letterAtPlace(edit.to)];
      const own = from >= at && to <= at + length && from < at + length;
      const inHead = from >= head.at && to <= head.at + head.length && from < head.at + head.length;
      return [
        ...(inHead ? patchesOf(text, letters, edit, from - head.at) : []),
        ...(own ? patchesOf(text, letters, edit, from - at + head.length) : []),
      ];
    }),
  );
}

/** The paragraphs that edits change, before and after. */
function headingsAfter(text: string, edits: readonly TextEdit[]): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { from, to } of edits) {
    const start = text.lastIndexOf('\n\n', from - 1);
    const end = text.indexOf('\n\n', to);
    const [first, last] = [start < 0 ? 0 : start + 2, end < 0 ? text.length : end];
    const own = edits.filter((edit) => edit.from >= first && edit.to <= last);
    const moved = own.map((edit) => ({ ...edit, from: edit.from - first, to: edit.to - first }));
    const before = text.slice(first, last);
    changed.set(before, applyEdits(before, moved));
  }
  return changed;
}

function withHeading(chunk: Chunk, headings: ReadonlyMap<string, string>): Chunk {
  const { headingPath } = chunk;
  if (headingPath === undefined || !headingPath.some((step) => headings.has(step))) return chunk;
  const path = headingPath.map((step) => headings.get(step) ?? step);
  return { ...chunk, heading: path.join(' > '), headingPath: path };
}

/** Keywords that the text still has. */
function keywordsAfter({ text, search }: PageLine, after: string): PageLine['search']['keywords'] {
  if (text === after) return search.keywords;
  const [before, now] = [distinctWords(text), distinctWords(after)];
  return search.keywords.filter(({ term }) => !before.has(term.toLowerCase()) || now.has(term.toLowerCase()));
}

function distinctWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []);
}
