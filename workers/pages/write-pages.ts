import { readFileSync } from 'node:fs';
import type { CrawlGuardrailPage } from '../../src-server/features/crawl/schema.ts';
import { UrlIndex } from '../../src-server/platform/net/url-index.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { mergeAccounts, type SourceAccount } from '../../src-server/platform/source-account.ts';
import { pagesSaid, type Said, say } from '../../src-server/platform/text/say.ts';
import { type Draft, type DraftChunk, type DraftFacts, type DraftLines, draftPage } from './page-draft.ts';
import { type LineWriter, writingFiles } from './page-files.ts';
import { keywordsOf } from './page-words.ts';
import {
  anchorsOf,
  BatchRecords,
  type DraftedPage,
  draftsOf,
  EDGE_INTS,
  missingPageError,
  partFile,
} from './site-parts.ts';
import { SiteSurvey } from './site-survey.ts';
import type { CrawledPage, WritePagesInput, WritePagesOutput } from './tasks.ts';

const MAX_KEYWORDS = 20;

const MAX_RESULT_LINKS = 100;

/** Warnings of pages; the others are counted. */
const MAX_WARNINGS = 50;

/**
 * Second pass over a part of the crawl's pages: adds the facts about the whole site to their drafts and writes the
 * lines of pages.jsonl and chunks.jsonl, and as much of the result as it may hold. Repeated blocks are left out: a page
 * whose draft guessed them wrong is drafted again. Errors: `cancelled`.
 */
export function writePages(input: WritePagesInput, context: TaskContext): WritePagesOutput {
  return writingFiles([input.pagesPath, input.chunksPath], (pages, chunks) => {
    const writer = new PageWriter(input, pages as LineWriter, chunks as LineWriter);
    for (const drafted of draftsOf(input)) {
      context.progress(0, 'finishing', say`Writing ${pagesSaid(input.totalPages)}`);
      context.signal.throwIfAborted();
      writer.writeDraftedPage(drafted);
    }
    return writer.endPageWriting();
  });
}

/** Writes the lines of each page, and keeps as much of each list as the result may hold. */
class PageWriter {
  readonly output: WritePagesOutput = {
    pages: [],
    chunks: [],
    search: [],
    context: [],
    guardrails: [],
    counts: { pages: 0, chunks: 0, tokens: 0, boilerplateBlocks: 0 },
    letters: mergeAccounts([]),
    warnings: [],
    moreWarnings: 0,
  };
  readonly #accounts: SourceAccount[] = [];
  readonly #input: WritePagesInput;
  readonly #pages: LineWriter;
  readonly #chunks: LineWriter;
  readonly #survey: SiteSurvey;
  readonly #links: PageLinks;
  readonly #ranks: Float64Array;
  readonly #anchors: ReadonlyMap<number, string[]>;
  readonly #records = new BatchRecords();
  #chunkChars = 0;
  #markdownChars = 0;

  constructor(input: WritePagesInput, pages: LineWriter, chunks: LineWriter) {
    this.#input = input;
    this.#pages = pages;
    this.#chunks = chunks;
    this.#survey = new SiteSurvey(input);
    this.#links = new PageLinks(input);
    this.#ranks = new Float64Array(input.ranks);
    this.#anchors = anchorsOf(input);
  }

  writeDraftedPage({ draft: guessed, page, index }: DraftedPage): void {
    const draft = this.#rightDraft(guessed, page);
    const { facts, lines } = draft;
    const shown = shownOf(page, facts, this.#links.linkedAddresses(index));
    const search = {
      url: page.url,
      title: facts.title,
      headings: facts.headings,
      keywords: keywordsOf(draft.words, MAX_KEYWORDS, (hash) => this.#survey.rarityOf(hash)),
      anchors: this.#anchors.get(index) ?? [],
      linkRank: this.#ranks[index] ?? 0,
    };
    this.#writeLines(draft.lines, shown, search);
    this.#countWrittenPage(draft);
    this.#accounts.push(draft.letters.account);
    if (facts.isPlaceholder) this.#addPageWarnings([placeholderWarning(page)]);
    this.#addPageWarnings(draft.letters.warnings);
    this.#keepChunks(lines.chunks);
    const { output } = this;
    if (output.pages.length >= this.#input.keepPages) return;
    this.#markdownChars += facts.markdownChars;
    const keepsMarkdown = this.#markdownChars <= this.#input.keepMarkdownChars;
    output.pages.push(keepsMarkdown ? { ...shown, markdown: markdownOf(lines) } : shown);
    output.search.push(search);
    output.guardrails.push(parseOwnJson<CrawlGuardrailPage>(textOf(lines.guardrails)));
    output.context.push({ url: shown.url, tokens: facts.tokens, chunks: facts.chunks });
  }

  /** The lines of the draft are copied as bytes. */
  #writeLines({ texts, guardrails, chunks }: DraftLines, shown: object, search: object): void {
    this.#pages.writeText(`${JSON.stringify(shown).slice(0, -1)},`);
    this.#pages.writeBytes(texts);
    this.#pages.writeText(`,"search":${JSON.stringify(search)},"guardrails":`);
    this.#pages.writeBytes(guardrails);
    this.#pages.writeText('}\n');
    this.#chunks.writeBytes(chunks);
  }

  endPageWriting(): WritePagesOutput {
    return { ...this.output, letters: mergeAccounts(this.#accounts) };
  }

  #rightDraft(guessed: Draft, page: CrawledPage): Draft {
    const own = this.#survey.ownOf(guessed.prints);
    if (own.every((is, block) => is === guessed.own[block])) return guessed;
    const { batchFolder } = this.#input;
    const record = this.#records.recordOf({ batchFolder, batch: page.batch, id: page.id });
    if (record === null) throw missingPageError(page);
    return draftPage(record, guessed.prints, own);
  }

  #countWrittenPage({ own, facts }: Draft): void {
    const { counts } = this.output;
    counts.pages += 1;
    counts.chunks += facts.chunks;
    counts.tokens += facts.tokens;
    for (const is of own) counts.boilerplateBlocks += 1 - is;
  }

  #addPageWarnings(warnings: readonly Said[]): void {
    const { output } = this;
    const room = Math.max(0, MAX_WARNINGS - output.warnings.length);
    output.warnings.push(...warnings.slice(0, room));
    output.moreWarnings += Math.max(0, warnings.length - room);
  }

  #keepChunks(lines: Uint8Array): void {
    if (this.#chunkChars > this.#input.keepChunkChars) return;
    for (const line of textOf(lines).trimEnd().split('\n')) {
      if (line === '') return;
      const { tokens: _tokens, ...chunk } = parseOwnJson<DraftChunk>(line);
      this.#chunkChars += chunk.text.length;
      if (this.#chunkChars > this.#input.keepChunkChars) return;
      this.output.chunks.push(chunk);
    }
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}

function markdownOf({ texts }: DraftLines): string {
  return parseOwnJson<{ markdown: string }>(`{${textOf(texts)}}`).markdown;
}

function placeholderWarning({ url, rendered }: CrawledPage): Said {
  if (rendered) return say`The page ${url} shows only a placeholder, also after its scripts were run.`;
  return say`The page ${url} shows only a placeholder until its scripts run. Crawl it with render always.`;
}

function shownOf(page: CrawledPage, facts: DraftFacts, links: string[]): WritePagesOutput['pages'][number] {
  return {
    url: page.url,
    status: page.status,
    title: facts.title,
    description: facts.description,
    ...facts.metadata,
    depth: page.depth,
    contentType: page.contentType,
    bytes: page.bytes,
    fetchedAt: page.fetchedAt,
    contentHash: facts.contentHash,
    canonicalUrl: facts.canonicalUrl,
    links,
    unchanged: page.unchanged,
    rendered: page.rendered,
    screenshot: page.screenshot,
    pdf: page.pdf,
    truncated: facts.truncated,
    language: facts.language,
    evidence: { ...facts.metadata.evidence, language: facts.languageEvidence },
  };
}

/** Links of each page of a part, as written by the survey. */
class PageLinks {
  readonly #edges: Uint32Array;
  readonly #index: UrlIndex;
  #at = 0;

  constructor({ folder, part, index }: WritePagesInput) {
    const bytes = readFileSync(partFile(folder, part, 'edges'));
    this.#edges = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / Uint32Array.BYTES_PER_ELEMENT);
    this.#index = new UrlIndex(index);
  }

  /** The first addresses that a page links to. Call in page order. */
  linkedAddresses(page: number): string[] {
    const urls: string[] = [];
    for (; this.#edges[this.#at] === page; this.#at += EDGE_INTS) {
      if (urls.length < MAX_RESULT_LINKS) urls.push(this.#index.urlOfPage(this.#edges[this.#at + 1] ?? 0));
    }
    return urls;
  }
}
