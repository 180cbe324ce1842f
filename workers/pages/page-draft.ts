/**
 * A page's part of the outputs, independent of other pages except for a guess which blocks are its own. It is made when
 * the page is read, while its text is in memory. Assembly adds the facts about the whole site and redoes pages with a
 * wrong guess.
 */

import { hash } from 'node:crypto';
import type { CrawlGuardrailPage } from '../../src-server/features/crawl/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';
import { countTextTokens } from '../../src-server/platform/text/tokens.ts';
import { countWords } from '../../src-server/platform/text/words.ts';
import type { Block, NormalizedDocument } from '../documents/blocks.ts';
import { chunkId, cutDocument } from '../documents/chunk.ts';
import { writeMarkdown } from '../documents/write-markdown.ts';
import { writePlainText } from '../documents/write-text.ts';
import { ChunkMarkdown } from './chunk-markdown.ts';
import { guardrailsOf } from './guardrails.ts';
import { type PageLetters, withoutRepeated } from './page-letters.ts';
import type { PageMetadata } from './page-metadata.ts';
import { PageWords, type WordList } from './page-words.ts';
import type { PageRecord } from './scan-page.ts';
import { type BlockPrints, comparedBlockText } from './site-survey.ts';

/** Target characters of a page's chunks. */
const SEGMENT_LENGTH = 1000;

const MAX_HEADINGS = 50;

const TITLE_WEIGHT = 4;

const HEADING_WEIGHT = 2;

const ID_HEX_CHARS = 32;

/** Facts about a page besides its texts. */
export interface DraftFacts {
  title: string | null;
  description: string | null;
  contentHash: string;
  canonicalUrl: string | null;
  metadata: PageMetadata;
  truncated: boolean;
  isPlaceholder: boolean;
  language: string | null;
  headings: string[];
  tokens: number;
}

export interface Draft {
  id: number;
  prints: BlockPrints;
  /** Per block: 1 if it counts as the page's own. */
  own: Uint8Array;
  words: WordList;
  facts: DraftFacts;
  links: PageRecord['links'];
  /** Members of the page's line. */
  texts: { words: number; tokens: number; text: string; markdown: string };
  letters: PageLetters;
  guardrails: CrawlGuardrailPage;
  chunks: DraftChunk[];
}

export interface DraftChunk extends Omit<Chunk, 'startOffset' | 'endOffset' | 'pageEnd'> {
  url: string;
  tokens: number;
}

/** Drafts a page from its record and its own blocks. */
export function draftPage(record: PageRecord, prints: BlockPrints, own: Uint8Array): Draft {
  const isWhole = !own.includes(0);
  const blocks = isWhole ? record.blocks : record.blocks.filter((_, block) => own[block] === 1);
  const document = documentOf(record, blocks);
  const plain = writePlainText(document);
  const words = new PageWords(plain.text);
  const guardrails = guardrailsOf(record, plain.text, words);
  const language = guardrails.language?.code ?? null;
  const cutting = { segmentLength: SEGMENT_LENGTH, language: languageTag(language) };
  const markdown = new ChunkMarkdown(plain);
  const chunks = cutDocument(plain, cutting).map((cut) => {
    const {
      startOffset: _start,
      endOffset: _end,
      pageEnd: _page,
      ...chunk
    } = { ...cut, text: markdown.chunkMarkdownOf(cut) };
    // Chunk ids depend on text and place in the page only; the same text on another page needs another id.
    const name = `${record.url} ${chunkId(JSON.stringify(chunk.text), chunk.segmentIndex, cutting)}`;
    const id = `chk_${hash('sha256', name).slice(0, ID_HEX_CHARS)}`;
    return { id, ...chunk, url: record.url, tokens: countTextTokens(chunk.text) };
  });
  const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  const headings = blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : [])).slice(0, MAX_HEADINGS);
  words.addWeight(record.title ?? '', TITLE_WEIGHT);
  for (const heading of headings) words.addWeight(heading, HEADING_WEIGHT);
  for (const [number, block] of record.blocks.entries())
    if (own[number] === 0) words.addCompared(comparedBlockText(block));
  const repeated = isWhole ? [] : record.blocks.filter((_, block) => own[block] === 0);
  const letters = { ...record.letters, account: withoutRepeated(record.letters.account, record.url, repeated) };
  const { id, title, description, contentHash, canonicalUrl, metadata, truncated, isPlaceholder, links } = record;
  return {
    id,
    prints,
    own,
    words: words.listPageWords(),
    links,
    guardrails,
    chunks,
    letters,
    facts: {
      title,
      description,
      contentHash,
      canonicalUrl,
      metadata,
      truncated,
      isPlaceholder,
      language,
      headings,
      tokens,
    },
    texts: { words: countWords(plain.text), tokens, text: plain.text, markdown: writeMarkdown(document) },
  };
}

/** The record as a document, without the blocks of the site. */
function documentOf(record: PageRecord, blocks: Block[]): NormalizedDocument {
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

/** Pages may state invalid languages; the segmenter accepts only well-formed tags. */
function languageTag(language: string | null): string | null {
  if (language === null) return null;
  try {
    return Intl.getCanonicalLocales(language.replaceAll('_', '-'))[0] ?? null;
  } catch {
    // Not well-formed: the language-independent rules apply.
    return null;
  }
}
