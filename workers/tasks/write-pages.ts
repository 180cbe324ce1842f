import { hash } from 'node:crypto';
import type { Chunk } from '../../src-server/contract/chunk.ts';
import { UrlIndex } from '../../src-server/lib/url-index.ts';
import { chunkDocument } from '../documents/chunk.ts';
import { writeMarkdown } from '../documents/markdown.ts';
import { writePlainText } from '../documents/plain-text.ts';
import { countWords } from '../documents/words.ts';
import { guardrailsOf } from '../pages/guardrails.ts';
import { writingFiles } from '../pages/line-writer.ts';
import type { PageRecord } from '../pages/page-record.ts';
import { PageWords } from '../pages/page-words.ts';
import { anchorsOf, recordsOf } from '../pages/site-parts.ts';
import { documentOf, SiteSurvey } from '../pages/site-survey.ts';
import { countTokens } from '../pages/tokens.ts';
import type { CrawledPage, TaskContext, WritePagesInput, WritePagesOutput } from '../tasks.ts';

const MAX_HEADINGS = 50;
const MAX_KEYWORDS = 20;
const MAX_RESULT_LINKS = 100;
const TITLE_WEIGHT = 4;
const HEADING_WEIGHT = 2;
const ID_HEX_CHARS = 32;

/**
 * The second reading of a part of the crawl's pages: what repeats across the site is left out, and what is left becomes
 * lines of pages.jsonl and chunks.jsonl, and as much of the result as it may hold. Errors: `cancelled`.
 */
export function writePages(input: WritePagesInput, context: TaskContext): WritePagesOutput {
  const anchors = anchorsOf(input);
  const writer = new PageWriter(input, anchors);
  return writingFiles([input.pagesPath, input.chunksPath], (pages, chunks) => {
    for (const { record, page, index } of recordsOf(input)) {
      context.progress(0, 'finishing', `Writing ${input.totalPages} pages`);
      context.signal.throwIfAborted();
      const written = writer.add(record, page, index);
      pages?.write(written.page);
      for (const chunk of written.chunks) chunks?.write(chunk);
    }
    return writer.output;
  });
}

interface Written {
  page: object;
  chunks: (Chunk & { tokens: number })[];
}

/** Makes the lines of each page, and keeps of each list what the result may hold. */
class PageWriter {
  readonly output: WritePagesOutput = {
    pages: [],
    chunks: [],
    search: [],
    context: [],
    guardrails: [],
    counts: { pages: 0, chunks: 0, tokens: 0, boilerplateBlocks: 0 },
  };
  readonly #input: WritePagesInput;
  readonly #survey: SiteSurvey;
  readonly #index: UrlIndex;
  readonly #ranks: Float64Array;
  readonly #anchors: ReadonlyMap<number, string[]>;
  #chunkChars = 0;

  constructor(input: WritePagesInput, anchors: ReadonlyMap<number, string[]>) {
    this.#input = input;
    this.#survey = new SiteSurvey(input);
    this.#index = new UrlIndex(input.index);
    this.#ranks = new Float64Array(input.ranks);
    this.#anchors = anchors;
  }

  add(record: PageRecord, page: CrawledPage, index: number): Written {
    const { output } = this;
    const blocks = this.#survey.ownBlocks(record.blocks);
    const document = documentOf(record, blocks);
    const plain = writePlainText(document);
    const words = new PageWords(plain.text.toLowerCase());
    const guardrails = guardrailsOf(record, plain.text, words);
    const language = guardrails.language?.code ?? null;
    const options = { segmentLength: this.#input.segmentLength, language: languageTag(language) };
    const chunks = chunkDocument(document, options, plain).map((chunk) => {
      const own = chunkOfPage(chunk, page.url);
      return { ...own, tokens: countTokens(own.text) };
    });
    const headings = blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : [])).slice(0, MAX_HEADINGS);
    const shown = { ...this.#shownOf(record, page, index), language };
    const search = {
      url: page.url,
      title: record.title,
      headings,
      ...this.#relevanceOf(index, words, record, headings),
    };
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
    output.counts.pages += 1;
    output.counts.chunks += chunks.length;
    output.counts.tokens += tokens;
    output.counts.boilerplateBlocks += record.blocks.length - blocks.length;
    if (output.pages.length < this.#input.keepPages) {
      output.pages.push(shown);
      output.search.push(search);
      output.guardrails.push(guardrails);
      output.context.push({ url: page.url, tokens, chunks: chunks.length });
    }
    this.#keepChunks(chunks);
    const texts = { words: countWords(plain.text), tokens, text: plain.text, markdown: writeMarkdown(document) };
    return { page: { ...shown, ...texts, search, guardrails }, chunks };
  }

  #shownOf(record: PageRecord, page: CrawledPage, index: number) {
    return {
      url: page.url,
      status: page.status,
      title: record.title,
      description: record.description,
      depth: page.depth,
      contentType: page.contentType,
      bytes: page.bytes,
      fetchedAt: page.fetchedAt,
      contentHash: record.contentHash,
      canonicalUrl: record.canonicalUrl,
      links: this.#linksOf(record, index),
      unchanged: page.unchanged,
    };
  }

  #relevanceOf(index: number, words: PageWords, { title }: PageRecord, headings: readonly string[]) {
    words.addWeight(title ?? '', TITLE_WEIGHT);
    for (const heading of headings) words.addWeight(heading, HEADING_WEIGHT);
    return {
      keywords: words.keywords(MAX_KEYWORDS, (hash) => this.#survey.rarityOf(hash)),
      anchors: this.#anchors.get(index) ?? [],
      linkRank: this.#ranks[index] ?? 0,
    };
  }

  /** Pages of the crawl that the page links to, by the addresses they have there. */
  #linksOf({ links }: PageRecord, from: number): string[] {
    const found = new Set<number>();
    for (const { url, nofollow } of links) {
      if (found.size >= MAX_RESULT_LINKS) break;
      const to = nofollow ? null : this.#index.find(url);
      if (to !== null && to !== from) found.add(to);
    }
    return Array.from(found, (page) => this.#index.urlOf(page));
  }

  #keepChunks(chunks: readonly (Chunk & { tokens: number })[]): void {
    for (const { tokens: _tokens, ...chunk } of chunks) {
      this.#chunkChars += chunk.text.length;
      if (this.#chunkChars > this.#input.keepChunkChars) return;
      this.output.chunks.push(chunk);
    }
  }
}

/** A chunk's own id knows its text and place in the page; the same text on another page is another chunk. */
function chunkOfPage({ startOffset: _start, endOffset: _end, ...chunk }: Chunk, url: string): Chunk {
  const id = hash('sha256', `${url} ${chunk.id}`).slice(0, ID_HEX_CHARS);
  return { ...chunk, id: `chk_${id}`, url };
}

/** Pages state languages that are none; the segmenter takes only tags that are well formed. */
function languageTag(language: string | null): string | null {
  if (language === null) return null;
  try {
    return Intl.getCanonicalLocales(language.replaceAll('_', '-'))[0] ?? null;
  } catch {
    // Not well formed: the rules that all languages share apply.
    return null;
  }
}
