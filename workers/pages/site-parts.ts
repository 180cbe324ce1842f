/**
 * Files for assembling a crawl's outputs in parts: only one part of a site is in memory at a time. A part is several
 * hundred pages; page numbers run through the whole crawl.
 */

import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import { KIB } from '../../src-server/platform/units.ts';
import { readDraftFile } from './draft-files.ts';
import { type Draft, draftPage } from './page-draft.ts';
import type { PageRecord } from './scan-page.ts';
import { printsOf } from './site-survey.ts';
import type { CrawledPage, SitePart } from './tasks.ts';

/** Names of a part's files; src-server/features/crawl/finish.ts writes the first. */
const FILES = {
  /** One CrawledPage per line. */
  list: 'list.jsonl',
  /** Title and description, one page per line. */
  nodes: 'nodes.jsonl',
  /** Pairs of 32-bit numbers: a page of the part, and the target of its link. */
  edges: 'edges.bin',
  /** Texts of links to pages of the part. */
  anchors: 'anchors.jsonl',
} as const;

/** One PageRecord per line: the content of the pages of a batch. Kept for the next crawl of the same root. */
export function recordsFile(batchFolder: string, batch: number): string {
  return join(batchFolder, `${batch}.jsonl`);
}

/** The folder of drafts, the pages' parts of the outputs. Deleted when the outputs are complete. */
export function draftsFolder(batchFolder: string): string {
  return join(batchFolder, 'drafts');
}

/** The drafts of a batch (draft-files.ts). */
export function draftsFile(batchFolder: string, batch: number): string {
  return join(draftsFolder(batchFolder), String(batch));
}

export function partFile(folder: string, part: number, file: keyof typeof FILES): string {
  return join(folder, `${part}.${FILES[file]}`);
}

/** Numbers per edge: source and target page. */
export const EDGE_INTS = 2;

/** Facts shown of a page besides its address. */
export interface PageNode {
  depth: number;
  title: string | null;
  description: string | null;
}

/** Link texts of one part for a page of another. */
export interface AnchorLine {
  to: number;
  from: number;
  text: string;
}

/** Bound on the distinct link texts kept for a page, in the order of the linking pages. */
export const MAX_ANCHORS = 20;

const READ_BYTES = 64 * KIB;

/** Link texts for the pages of a part. */
export function anchorsOf(part: SitePart): Map<number, string[]> {
  const first = new Map<number, Map<string, number>>();
  for (const { to, from, text } of readJsonLinesSync<AnchorLine>(partFile(part.folder, part.part, 'anchors'))) {
    const texts = first.get(to) ?? new Map<string, number>();
    first.set(to, texts);
    texts.set(text, Math.min(from, texts.get(text) ?? from));
    if (texts.size > 2 * MAX_ANCHORS) first.set(to, new Map(firstAnchorTexts(texts)));
  }
  return new Map(Array.from(first, ([to, texts]) => [to, firstAnchorTexts(texts).map(([text]) => text)]));
}

/** Ordered by page number, because parts write in any order. */
function firstAnchorTexts(texts: ReadonlyMap<string, number>): [string, number][] {
  return [...texts].sort(([, one], [, other]) => one - other).slice(0, MAX_ANCHORS);
}

/** Lines of a file as values, read in pieces. Synchronous: the thread has no other work. */
export function* readJsonLinesSync<Value>(path: string): Generator<Value> {
  for (const line of textLines(path)) yield parseOwnJson<Value>(line);
}

/** Lines of a file, read in pieces. */
export function* textLines(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const buffer = Buffer.alloc(READ_BYTES);
    let begun = '';
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer)) {
      const lines = (begun + decoder.write(buffer.subarray(0, size))).split('\n');
      begun = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    closeSync(file);
  }
}

/** A page of a part with its draft and its number in the crawl. */
export interface DraftedPage {
  page: CrawledPage;
  index: number;
  draft: Draft;
}

/** The pages of a part in order, by batch; one batch is in memory at a time. */
export function* draftsOf(part: SitePart): Generator<DraftedPage> {
  let batch = -1;
  let drafts = new Map<number, Draft>();
  let index = part.firstPage;
  for (const page of readJsonLinesSync<CrawledPage>(partFile(part.folder, part.part, 'list'))) {
    if (page.batch !== batch) {
      batch = page.batch;
      drafts = readDrafts(part.batchFolder, batch);
    }
    const draft = drafts.get(page.id);
    if (draft === undefined) throw missingPageError(page);
    yield { page, index, draft };
    index += 1;
  }
}

/** Drafts are deleted when the outputs are complete; an interrupted attempt recreates them from the records. */
function readDrafts(batchFolder: string, batch: number): Map<number, Draft> {
  const path = draftsFile(batchFolder, batch);
  if (existsSync(path)) return readDraftFile(path);
  const drafts = new Map<number, Draft>();
  for (const [id, line] of recordLines(batchFolder, batch)) {
    const record = parseOwnJson<PageRecord>(line);
    drafts.set(id, draftPage(record, printsOf(record.blocks), new Uint8Array(record.blocks.length).fill(1)));
  }
  return drafts;
}

export function missingPageError({ batch, id }: CrawledPage): Error {
  return new Error(`Batch ${batch} has no page ${id}.`);
}

/** Records, one batch in memory at a time: pages come in about the order of their batches. */
export class BatchRecords {
  #file = '';
  #lines: ReadonlyMap<number, string> = new Map();

  /** The record of a page; null if its batch has none. */
  recordOf({ batchFolder, batch, id }: { batchFolder: string; batch: number; id: number }): PageRecord | null {
    const file = recordsFile(batchFolder, batch);
    if (file !== this.#file) this.#lines = recordLines(batchFolder, batch);
    this.#file = file;
    const line = this.#lines.get(id);
    return line === undefined ? null : parseOwnJson<PageRecord>(line);
  }
}

/** Records of a batch by ledger number, with which every line starts. Empty without a file. */
function recordLines(batchFolder: string, batch: number): Map<number, string> {
  const path = recordsFile(batchFolder, batch);
  const lines = new Map<number, string>();
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    const id = /^\{"id":(\d+),/.exec(line)?.[1];
    if (id !== undefined) lines.set(Number(id), line);
  }
  return lines;
}
