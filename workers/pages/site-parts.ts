/**
 * The files in which a crawl's outputs are put together, part by part: however large the site, one part of it is in
 * memory at a time. A part is some hundred pages, numbered through the whole crawl.
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { KIB } from '../../src-server/lib/units.ts';
import type { CrawledPage, SitePart } from '../tasks.ts';
import type { PageRecord } from './page-record.ts';

/** Names of a part's files; src-server/engines/crawl/finish-crawl.ts writes the first of them. */
const FILES = {
  /** A CrawledPage a line. */
  list: 'list.jsonl',
  /** Title and description of each page, a line each. */
  nodes: 'nodes.jsonl',
  /** Pairs of 32-bit numbers: a page of the part, and one that it links to. */
  edges: 'edges.bin',
  /** Texts of links that lead to pages of the part. */
  anchors: 'anchors.jsonl',
} as const;

export function partFile(folder: string, part: number, file: keyof typeof FILES): string {
  return join(folder, `${part}.${FILES[file]}`);
}

/** What is shown of a page beside its address. */
export interface PageNode {
  depth: number;
  title: string | null;
  description: string | null;
}

/** That a page of another part is linked to by some words. */
export interface AnchorLine {
  to: number;
  from: number;
  text: string;
}
/** Texts of links that are kept for a page: the first that differ, in the order of the pages that link to it. */
export const MAX_ANCHORS = 20;
const READ_BYTES = 64 * KIB;

/** What the pages of a part are called by those that link to them. */
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

/** Parts write in any order, so the pages' numbers decide. */
function firstOf(texts: ReadonlyMap<string, number>): [string, number][] {
  return [...texts].sort(([, one], [, other]) => one - other).slice(0, MAX_ANCHORS);
}

/** Lines of a file as values, read piece by piece. The thread waits for the disk: it has nothing else to do. */
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

/** The records of a part's pages with their numbers, in order: that goes by batch, and one is in memory at a time. */
export function* recordsOf(part: SitePart): Generator<{ record: PageRecord; page: CrawledPage; index: number }> {
  let batch = -1;
  let lines = new Map<number, string>();
  let index = part.firstPage;
  for (const page of linesOf<CrawledPage>(partFile(part.folder, part.part, 'list'))) {
    if (page.batch !== batch) {
      batch = page.batch;
      lines = readBatch(join(part.batchFolder, `${batch}.jsonl`));
    }
    const line = lines.get(page.id);
    if (line === undefined) throw new Error(`Batch ${batch} holds no page ${page.id}.`);
    // Each is parsed when it is its turn: what lives for a moment only costs the collector next to nothing.
    yield { record: JSON.parse(line) as PageRecord, page, index };
    index += 1;
  }
}

/** Lines of a batch by their pages' numbers in the ledger, with which every line begins. */
function readBatch(path: string): Map<number, string> {
  const lines = new Map<number, string>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const id = /^\{"id":(\d+),/.exec(line)?.[1];
    if (id !== undefined) lines.set(Number(id), line);
  }
  return lines;
}
