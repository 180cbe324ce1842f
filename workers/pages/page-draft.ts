/**
 * A page's part of the outputs, independent of other pages except for a guess which blocks are its own. It is made when
 * the page is read, while its text is in memory. Assembly adds the facts about the whole site and redoes pages with a
 * wrong guess.
 */

import { hash } from 'node:crypto';
import type { Chunk } from '../../src-server/operation.ts';
import { countTextTokens } from '../../src-server/platform/text/tokens.ts';
import { countWords } from '../../src-server/platform/text/words.ts';
import type { Block, NormalizedDocument } from '../documents/blocks.ts';
import { type ChunkOptions, chunkId, cutDocument } from '../documents/chunk.ts';
import { writeMarkdown } from '../documents/write-markdown.ts';
import { type PlainText, writePlainText } from '../documents/write-text.ts';
import { ChunkMarkdown } from './chunk-markdown.ts';
import { guardrailsOf } from './guardrails.ts';
import type { FactEvidence } from './page-evidence.ts';
import { languageOfPage } from './page-language.ts';
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
  languageEvidence: FactEvidence | null;
  headings: string[];
  tokens: number;
  chunks: number;
  markdownChars: number;
}

/** What comparing the pages of the site needs. */
export interface ComparedDraft {
  id: number;
  prints: BlockPrints;
  /** Per block: 1 if it counts as the page's own. */
  own: Uint8Array;
  words: WordList;
  facts: DraftFacts;
  links: PageRecord['links'];
  letters: PageLetters;
}

/** JSON in UTF-8, as it is written to the outputs. */
export interface DraftLines {
  /** Members of the page's line: `words`, `tokens`, `text` and `markdown`. */
  texts: Uint8Array;
  /** A CrawlGuardrailPage. */
  guardrails: Uint8Array;
  /** A DraftChunk per line. */
  chunks: Uint8Array;
}

export interface Draft extends ComparedDraft {
  lines: DraftLines;
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
  const language = languageOfPage(record.languages, plain.text);
  const guardrails = guardrailsOf(record, { text: plain.text, words, language });
  const chunks = chunkLinesOf(record.url, plain, { segmentLength: SEGMENT_LENGTH, language: language?.code ?? null });
  const markdown = writeMarkdown(document);
  const headings = blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : [])).slice(0, MAX_HEADINGS);
  words.addWeight(record.title ?? '', TITLE_WEIGHT);
  for (const heading of headings) words.addWeight(heading, HEADING_WEIGHT);
  for (const [number, block] of record.blocks.entries())
    if (own[number] === 0) words.addCompared(comparedBlockText(block));
  const repeated = isWhole ? [] : record.blocks.filter((_, block) => own[block] === 0);
  const letters = { ...record.letters, account: withoutRepeated(record.letters.account, record.url, repeated) };
  const { tokens } = chunks;
  const texts = { words: countWords(plain.text), tokens, text: plain.text, markdown };
  return {
    id: record.id,
    prints,
    own,
    words: words.listPageWords(),
    links: record.links,
    letters,
    facts: {
      ...statedFactsOf(record),
      language: language?.code ?? null,
      languageEvidence: language?.evidence ?? null,
      headings,
      tokens,
      chunks: chunks.count,
      markdownChars: markdown.length,
    },
    lines: {
      texts: Buffer.from(JSON.stringify(texts).slice(1, -1)),
      guardrails: Buffer.from(JSON.stringify(guardrails)),
      chunks: Buffer.from(chunks.lines),
    },
  };
}

function statedFactsOf(record: PageRecord) {
  const { title, description, contentHash, canonicalUrl, metadata, truncated, isPlaceholder } = record;
  return { title, description, contentHash, canonicalUrl, metadata, truncated, isPlaceholder };
}

interface ChunkLines {
  count: number;
  tokens: number;
  lines: string;
}

function chunkLinesOf(url: string, plain: PlainText, cutting: Cutting): ChunkLines {
  const markdown = new ChunkMarkdown(plain);
  const chunks = cutDocument(plain, cutting);
  let tokens = 0;
  let lines = '';
  for (const cut of chunks) {
    const { text: _text, startOffset: _start, endOffset: _end, pageEnd: _page, ...rest } = cut;
    const text = markdown.chunkMarkdownOf(cut);
    const textJson = JSON.stringify(text);
    // Chunk ids depend on text and place in the page only; the same text on another page needs another id.
    const name = `${url} ${chunkId(textJson, cut.segmentIndex, cutting)}`;
    const id = `chk_${hash('sha256', name).slice(0, ID_HEX_CHARS)}`;
    const others = { ...rest, url, tokens: countTextTokens(text) } satisfies Omit<DraftChunk, 'id' | 'text'>;
    tokens += others.tokens;
    lines += `{"id":"${id}","text":${textJson},${JSON.stringify(others).slice(1)}\n`;
  }
  return { count: chunks.length, tokens, lines };
}

type Cutting = Omit<ChunkOptions, 'tick'>;

/** The record as a document, without the blocks of the site. */
function documentOf(record: PageRecord, blocks: Block[]): NormalizedDocument {
  return {
    format: 'html',
    title: record.title,
    author: null,
    language: record.languages[0]?.code ?? null,
    pages: 1,
    revisions: 'none',
    blocks,
    comments: [],
    changes: [],
    warnings: [],
  };
}
