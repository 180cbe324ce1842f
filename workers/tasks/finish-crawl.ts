import { createHash } from 'node:crypto';
import type { Chunk } from '../../src-server/contract/chunk.ts';
import { chunkDocument } from '../documents/chunk.ts';
import { writeMarkdown } from '../documents/markdown.ts';
import { writePlainText } from '../documents/plain-text.ts';
import { countWords } from '../documents/words.ts';
import { writeDigest } from '../pages/digest.ts';
import { DETECTORS, guardrailsOf } from '../pages/guardrails.ts';
import { LineWriter } from '../pages/line-writer.ts';
import type { PageRecord } from '../pages/page-record.ts';
import { documentOf, readList, recordsOf, SiteSurvey } from '../pages/site-survey.ts';
import { countTokens, TOKEN_COUNTING } from '../pages/tokens.ts';
import type { CrawledPage, FinishCrawlInput, FinishCrawlOutput, TaskContext } from '../tasks.ts';

const MAX_HEADINGS = 50;
const MAX_RESULT_LINKS = 100;
const ID_HEX_CHARS = 32;
const SURVEY_PERCENT = 40;

/**
 * Makes the three outputs of a crawl. The pages are read twice: first to learn what repeats across the site and who
 * links to whom, then to write them, one batch in memory at a time. Errors: `cancelled`.
 */
export async function finishCrawl(input: FinishCrawlInput, context: TaskContext): Promise<FinishCrawlOutput> {
  const list = await readList(input.pagesPath);
  const survey = new SiteSurvey(list);
  let done = 0;
  const step = (percent: number) => {
    context.progress(percent, 'finishing', `Putting ${list.length} pages together`);
    context.signal.throwIfAborted();
  };
  for await (const { record } of recordsOf(list, input.batchFolder)) {
    survey.add(record, done);
    done += 1;
    step((done / list.length) * SURVEY_PERCENT);
  }
  survey.finish();
  const outputs = new Outputs(input, survey);
  done = 0;
  for await (const { record, page } of recordsOf(list, input.batchFolder)) {
    await outputs.add(record, page, done);
    done += 1;
    step(SURVEY_PERCENT + (done / list.length) * (100 - SURVEY_PERCENT));
  }
  return outputs.finish(list);
}

/** Writes the files as it goes, and keeps of each list what the result may hold. */
class Outputs {
  readonly #input: FinishCrawlInput;
  readonly #survey: SiteSurvey;
  readonly #pages: LineWriter;
  readonly #chunks: LineWriter;
  readonly #graph: LineWriter;
  readonly #result: FinishCrawlOutput;
  #chunkChars = 0;

  constructor(input: FinishCrawlInput, survey: SiteSurvey) {
    this.#input = input;
    this.#survey = survey;
    this.#pages = new LineWriter(input.outputFolder, 'pages.jsonl');
    this.#chunks = new LineWriter(input.outputFolder, 'chunks.jsonl');
    this.#graph = new LineWriter(input.outputFolder, 'graph.json');
    this.#result = {
      pages: [],
      chunks: [],
      search: { pages: [] },
      context: { tokens: 0, tokenCounting: TOKEN_COUNTING, digest: '', pages: [] },
      guardrails: { detectors: DETECTORS, pages: [] },
      counts: { pages: 0, chunks: 0, boilerplateBlocks: 0 },
    };
  }

  async add(record: PageRecord, page: CrawledPage, index: number): Promise<void> {
    const result = this.#result;
    const blocks = record.blocks.filter((block) => !this.#survey.repeats(block));
    result.counts.boilerplateBlocks += record.blocks.length - blocks.length;
    const document = documentOf(record, blocks);
    const plain = writePlainText(document);
    const guardrails = guardrailsOf(record, plain.text);
    const language = guardrails.language?.code ?? null;
    const options = { segmentLength: this.#input.segmentLength, language: languageTag(language) };
    const chunks = chunkDocument(document, options, plain).map((chunk) => this.#chunkOf(chunk, page.url));
    const headings = blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : [])).slice(0, MAX_HEADINGS);
    const shown = {
      url: page.url,
      status: page.status,
      title: record.title,
      description: record.description,
      language,
      depth: page.depth,
      contentType: page.contentType,
      bytes: page.bytes,
      fetchedAt: page.fetchedAt,
      contentHash: record.contentHash,
      canonicalUrl: record.canonicalUrl,
      links: this.#survey.linksOf(index, MAX_RESULT_LINKS),
      unchanged: page.unchanged,
    };
    const search = {
      url: page.url,
      title: record.title,
      headings,
      keywords: this.#survey.keywordsOf(plain.text, record.title ?? '', headings),
      anchors: this.#survey.anchorsOf(index),
      linkRank: this.#survey.rankOf(index),
    };
    const counted = chunks.map((chunk) => ({ ...chunk, tokens: countTokens(chunk.text) }));
    const tokens = counted.reduce((sum, chunk) => sum + chunk.tokens, 0);
    result.counts.pages += 1;
    result.counts.chunks += chunks.length;
    result.context.tokens += tokens;
    await this.#pages.write({
      ...shown,
      words: countWords(plain.text),
      tokens,
      text: plain.text,
      markdown: writeMarkdown(document),
      search,
      guardrails,
    });
    for (const chunk of counted) await this.#chunks.write(chunk);
    if (result.pages.length < this.#input.maxResultPages) {
      result.pages.push(shown);
      result.search.pages.push(search);
      result.guardrails.pages.push(guardrails);
      result.context.pages.push({ url: page.url, tokens, chunks: chunks.length });
    }
    this.#keepChunks(chunks);
  }

  async finish(list: readonly CrawledPage[]): Promise<FinishCrawlOutput> {
    const digest = writeDigest(this.#input.rootUrl, this.#survey.summaries());
    const digestFile = new LineWriter(this.#input.outputFolder, 'llms.txt');
    await digestFile.writeText(digest);
    await this.#writeGraph(list);
    await Promise.all([this.#pages.close(), this.#chunks.close(), this.#graph.close(), digestFile.close()]);
    this.#result.context.digest = digest;
    return this.#result;
  }

  /** A chunk's own id knows its text and place in the page; the same text on another page is another chunk. */
  #chunkOf({ startOffset: _start, endOffset: _end, ...chunk }: Chunk, url: string): Chunk {
    const id = createHash('sha256').update(`${url} ${chunk.id}`).digest('hex').slice(0, ID_HEX_CHARS);
    return { ...chunk, id: `chk_${id}`, url };
  }

  /** In the result, chunks are numbered through; there are only as many as fit. */
  #keepChunks(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) {
      this.#chunkChars += chunk.text.length;
      if (this.#chunkChars > this.#input.maxResultChunkChars) return;
      this.#result.chunks.push({ ...chunk, segmentIndex: this.#result.chunks.length });
    }
  }

  async #writeGraph(list: readonly CrawledPage[]): Promise<void> {
    await this.#graph.writeText('{"nodes":[\n');
    for (const [index, { url, depth }] of list.entries()) {
      const node = { url, depth, title: this.#survey.titleOf(index), rank: this.#survey.rankOf(index) };
      await this.#graph.writeText(`${index === 0 ? '' : ',\n'}${JSON.stringify(node)}`);
    }
    await this.#graph.writeText('\n],"edges":[\n');
    let first = true;
    for (const [from, to] of this.#survey.edges()) {
      await this.#graph.writeText(`${first ? '' : ',\n'}[${from},${to}]`);
      first = false;
    }
    await this.#graph.writeText('\n]}\n');
  }
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
