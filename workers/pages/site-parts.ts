/**
 * Files for assembling a crawl's outputs in parts: only one part of a site is in memory at a time. A part is several
 * hundred pages; page numbers run through the whole crawl.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { KIB } from '../../src-server/platform/units.ts';
import { type Draft, DraftReader, DraftWriter, draftsIn } from './draft-file.ts';
import { draftPage } from './page-draft.ts';
import { BatchReader } from './page-files.ts';
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

/** Batch files in a crawl's folder of batches. */
export const BATCH_FILES = {
  /** One PageRecord per line: the content of a page. Kept for the next crawl of the same root. */
  records: 'records',
  /** The page's part of the outputs (draft-file.ts). Deleted when the outputs are complete. */
  drafts: 'drafts',
} as const;

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
  for (const { to, from, text } of linesOf<AnchorLine>(partFile(part.folder, part.part, 'anchors'))) {
    const texts = first.get(to) ?? new Map<string, number>();
    first.set(to, texts);
    texts.set(text, Math.min(from, texts.get(text) ?? from));
    if (texts.size > 2 * MAX_ANCHORS) first.set(to, new Map(firstOf(texts)));
  }
  return new Map(Array.from(first, ([to, texts]) => [to, firstOf(texts).map(([text]) => text)]));
}

/** Ordered by page number, because parts write in any order. */
function firstOf(texts: ReadonlyMap<string, number>): [string, number][] {
  return [...texts].sort(([, one], [, other]) => one - other).slice(0, MAX_ANCHORS);
}

/** Lines of a file as values, read in pieces. Synchronous: the thread has no other work. */
export function* linesOf<Value>(path: string): Generator<Value> {
  const file = openSync(path, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const buffer = Buffer.alloc(READ_BYTES);
    let begun = '';
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer)) {
      const lines = (begun + decoder.write(buffer.subarray(0, size))).split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as Value;
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
export function* draftsOf(part: SitePart, whole: boolean): Generator<DraftedPage> {
  const reader = new DraftReader(join(part.batchFolder, BATCH_FILES.drafts));
  try {
    let batch = -1;
    let drafts = new Map<number, Draft>();
    let index = part.firstPage;
    for (const page of linesOf<CrawledPage>(partFile(part.folder, part.part, 'list'))) {
      if (page.batch !== batch) {
        batch = page.batch;
        const read = reader.read(batch, whole) ?? redraft(part, batch);
        drafts = new Map(read.map((draft) => [draft.id, draft]));
      }
      const draft = drafts.get(page.id);
      if (draft === undefined) throw new Error(`Batch ${batch} has no page ${page.id}.`);
      yield { page, index, draft };
      index += 1;
    }
  } finally {
    reader.close();
  }
}

/** Drafts are deleted when the outputs are complete; an interrupted attempt recreates them from the records. */
function redraft(part: SitePart, batch: number): Draft[] {
  const writer = new DraftWriter();
  for (const line of recordLines(part.batchFolder, batch).values()) {
    const record = JSON.parse(line) as PageRecord;
    const prints = printsOf(record.blocks);
    writer.add(draftPage(record, prints, new Uint8Array(record.blocks.length).fill(1)));
  }
  return draftsIn(...writer.written());
}

/** The record of one page, from its batch. */
export function recordOf({ batchFolder }: SitePart, { batch, id }: CrawledPage): PageRecord {
  const line = recordLines(batchFolder, batch).get(id);
  if (line === undefined) throw new Error(`Batch ${batch} has no page ${id}.`);
  return JSON.parse(line) as PageRecord;
}

/** Records of a batch by ledger number, with which every line starts. */
export function recordLines(batchFolder: string, batch: number): Map<number, string> {
  const reader = new BatchReader(join(batchFolder, BATCH_FILES.records));
  try {
    const lines = new Map<number, string>();
    for (const line of (reader.read(batch)?.toString('utf8') ?? '').split('\n')) {
      const id = /^\{"id":(\d+),/.exec(line)?.[1];
      if (id !== undefined) lines.set(Number(id), line);
    }
    return lines;
  } finally {
    reader.close();
  }
}
