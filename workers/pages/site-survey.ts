import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Block, NormalizedDocument } from '../documents/blocks.ts';
import type { CrawledPage } from '../tasks.ts';
import { CountSketch } from './count-sketch.ts';
import type { PageSummary } from './digest.ts';
import { isSmallWord } from './language.ts';
import { linkRanks } from './link-rank.ts';
import type { PageRecord } from './page-record.ts';

/** A block on this share of the pages, and on at least so many, belongs to the site and not to its pages. */
const BOILERPLATE_SHARE = 0.3;
const BOILERPLATE_PAGES = 5;
/** Longer blocks are never boilerplate: a text that is told again is still told. */
const BOILERPLATE_MAX_CHARS = 1000;
const MAX_ANCHORS = 20;
const MAX_KEYWORDS = 20;
const MAX_EDGES = 2_000_000;
const TITLE_WEIGHT = 4;
const HEADING_WEIGHT = 2;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’_-]{1,39}/gu;

/** What only the whole site knows: what repeats, which words are rare, who links to whom. */
export class SiteSurvey {
  readonly #list: readonly CrawledPage[];
  readonly #indexOf = new Map<string, number>();
  readonly #blocks = new CountSketch();
  readonly #words = new CountSketch();
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  /** Where each page's edges begin in the two lists above. */
  readonly #edgeStart: number[] = [];
  readonly #anchors = new Map<number, Set<string>>();
  readonly #titles: (string | null)[] = [];
  readonly #descriptions: (string | null)[] = [];
  #ranks: Float64Array = new Float64Array();

  constructor(list: readonly CrawledPage[]) {
    this.#list = list;
    for (const [index, { url, aliases }] of list.entries()) {
      for (const address of [url, ...aliases]) this.#indexOf.set(address, index);
    }
  }

  add(record: PageRecord, index: number): void {
    this.#titles[index] = record.title;
    this.#descriptions[index] = record.description;
    const texts = new Set(record.blocks.map(textOf));
    for (const text of texts) if (text.length <= BOILERPLATE_MAX_CHARS) this.#blocks.add(text);
    for (const word of new Set(wordsOf([...texts].join(' ')))) this.#words.add(word);
    this.#edgeStart[index] = this.#to.length;
    const seen = new Set<number>();
    for (const { url, text, nofollow } of record.links) {
      const target = this.#indexOf.get(url);
      if (target === undefined || target === index) continue;
      this.#addAnchor(target, text);
      if (nofollow || seen.has(target) || this.#to.length >= MAX_EDGES) continue;
      seen.add(target);
      this.#from.push(index);
      this.#to.push(target);
    }
  }

  finish(): void {
    this.#ranks = linkRanks(this.#list.length, this.#from, this.#to);
  }

  /** Whether a block stands on so many pages that it belongs to none. */
  repeats(block: Block): boolean {
    const text = textOf(block);
    if (text.length > BOILERPLATE_MAX_CHARS) return false;
    const pages = this.#blocks.count(text);
    return pages >= BOILERPLATE_PAGES && pages >= this.#list.length * BOILERPLATE_SHARE;
  }

  /** Words by how often they occur here and how rarely elsewhere; the heaviest weighs 1. */
  keywordsOf(text: string, title: string, headings: readonly string[]): { term: string; weight: number }[] {
    const counts = new Map<string, number>();
    const count = (part: string, weight: number) => {
      for (const word of wordsOf(part)) counts.set(word, (counts.get(word) ?? 0) + weight);
    };
    count(text, 1);
    count(title, TITLE_WEIGHT);
    for (const heading of headings) count(heading, HEADING_WEIGHT);
    const pages = this.#list.length;
    const weighed = [...counts].map(([term, often]) => {
      const rarity = Math.log((pages + 1) / (Math.min(this.#words.count(term), pages) + 0.5));
      return { term, weight: (1 + Math.log(often)) * Math.max(rarity, 0.01) };
    });
    const best = weighed.sort((one, other) => other.weight - one.weight).slice(0, MAX_KEYWORDS);
    const heaviest = best[0]?.weight ?? 1;
    return best.map(({ term, weight }) => ({ term, weight: Math.round((weight / heaviest) * 1000) / 1000 }));
  }

  linksOf(index: number, limit: number): string[] {
    const start = this.#edgeStart[index] ?? 0;
    const end = Math.min(this.#edgeStart[index + 1] ?? this.#to.length, start + limit);
    return this.#to.slice(start, end).map((target) => this.#list[target]?.url ?? '');
  }

  anchorsOf(index: number): string[] {
    return [...(this.#anchors.get(index) ?? [])];
  }

  rankOf(index: number): number {
    return Number((this.#ranks[index] ?? 0).toPrecision(6));
  }

  titleOf(index: number): string | null {
    return this.#titles[index] ?? null;
  }

  summaries(): PageSummary[] {
    return this.#list.map(({ url }, index) => ({
      url,
      title: this.#titles[index] ?? null,
      description: this.#descriptions[index] ?? null,
      rank: this.#ranks[index] ?? 0,
    }));
  }

  *edges(): Generator<[number, number]> {
    for (const [edge, from] of this.#from.entries()) yield [from, this.#to[edge] ?? 0];
  }

  #addAnchor(target: number, text: string): void {
    if (text === '') return;
    const anchors = this.#anchors.get(target) ?? new Set();
    if (anchors.size < MAX_ANCHORS) anchors.add(text);
    this.#anchors.set(target, anchors);
  }
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (!/^\d+$/.test(word) && !isSmallWord(word)) words.push(word);
  }
  return words;
}

function textOf(block: Block): string {
  return block.kind === 'table' ? block.rows.map((row) => row.join(' | ')).join('\n') : block.text;
}

/** The record as a document, without the blocks that are the site's. */
export function documentOf(record: PageRecord, blocks: Block[]): NormalizedDocument {
  return {
    format: 'html',
    title: record.title,
    author: null,
    language: record.language,
    pages: 1,
    revisions: 'none',
    blocks,
    comments: [],
    changes: [],
    warnings: [],
  };
}

export async function readList(path: string): Promise<CrawledPage[]> {
  const pages: CrawledPage[] = [];
  for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
    if (line !== '') pages.push(JSON.parse(line) as CrawledPage);
  }
  return pages;
}

/** The records of the listed pages, in the list's order, which goes by batch: one batch is in memory at a time. */
export async function* recordsOf(
  list: readonly CrawledPage[],
  batchFolder: string,
): AsyncGenerator<{ record: PageRecord; page: CrawledPage }> {
  let batch = -1;
  let records = new Map<number, PageRecord>();
  for (const page of list) {
    if (page.batch !== batch) {
      batch = page.batch;
      records = new Map();
      for (const line of (await readFile(join(batchFolder, `${batch}.jsonl`), 'utf8')).split('\n')) {
        if (line === '') continue;
        const record = JSON.parse(line) as PageRecord;
        records.set(record.id, record);
      }
    }
    const record = records.get(page.id);
    if (record === undefined) throw new Error(`Batch ${batch} holds no page ${page.id}.`);
    yield { record, page };
  }
}
