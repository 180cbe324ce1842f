/**
 * A page's part of the outputs, independent of other pages except for a guess which blocks are its own. It is made when
 * the page is read, while its text is in memory. Assembly adds the facts about the whole site and redoes pages with a
 * wrong guess.
 */

import { hash } from 'node:crypto';
import type { Block, NormalizedDocument } from '../documents/blocks.ts';
import { type CutChunk, chunkId, cutDocument } from '../documents/chunk.ts';
import { writeMarkdown } from '../documents/write-markdown.ts';
import { writePlainText } from '../documents/write-text.ts';
import { ChunkMarkdown } from './chunk-markdown.ts';
import { guardrailsOf } from './guardrails.ts';
import { PageWords, type WordList } from './page-words.ts';
import type { PageRecord } from './scan-page.ts';
import { type BlockPrints, textOf } from './site-survey.ts';
import { countTokens } from './tokens.ts';

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
  language: string | null;
  headings: string[];
  chunks: number;
  tokens: number;
}

/** A draft before it is written; draft-file.ts defines the format. */
export interface NewDraft {
  id: number;
  prints: BlockPrints;
  /** Per block: 1 if it counts as the page's own. */
  own: Uint8Array;
  words: WordList;
  facts: DraftFacts;
  links: PageRecord['links'];
  /** JSON: members of the page's line without braces, in two pieces, and whole chunk lines. */
  texts: string;
  guardrails: string;
  chunkLines: string[];
}

const words = new PageWords();

/** Drafts a page from its record and its own blocks. The result is valid until the next call. */
export function draftPage(record: PageRecord, prints: BlockPrints, own: Uint8Array): NewDraft {
  const isWhole = !own.includes(0);
  const blocks = isWhole ? record.blocks : record.blocks.filter((_, block) => own[block] === 1);
  const document = documentOf(record, blocks);
  const plain = writePlainText(document);
  words.read(plain.text.toLowerCase());
  const guardrails = guardrailsOf(record, plain.text, words);
  const language = guardrails.language?.code ?? null;
  const cutting = { segmentLength: SEGMENT_LENGTH, language: languageTag(language) };
  let tokens = 0;
  const markdown = new ChunkMarkdown(plain);
  const chunkLines = cutDocument(plain, cutting).map((cut) => {
    const chunk = { ...cut, text: markdown.of(cut) };
    const chunkTokens = countTokens(chunk.text);
    tokens += chunkTokens;
    return chunkLine(chunk, record.url, chunkTokens, cutting);
  });
  const headings = blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : [])).slice(0, MAX_HEADINGS);
  words.addWeight(record.title ?? '', TITLE_WEIGHT);
  for (const heading of headings) words.addWeight(heading, HEADING_WEIGHT);
  for (const [number, block] of record.blocks.entries()) if (own[number] === 0) words.addCompared(textOf(block));
  const { title, description, contentHash, canonicalUrl, links } = record;
  const facts = {
    title,
    description,
    contentHash,
    canonicalUrl,
    language,
    headings,
    chunks: chunkLines.length,
    tokens,
  };
  const texts = { words: words.wordsInAll, tokens, text: plain.text, markdown: writeMarkdown(document) };
  const pieces = { texts: members(texts), guardrails: members({ guardrails }), chunkLines };
  return { id: record.id, prints, own, words: words.list(), facts, links, ...pieces };
}

/** The members of an object, for insertion into a larger one. */
function members(value: object): string {
  return JSON.stringify(value).slice(1, -1);
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

/** Chunk ids depend on text and place in the page only; the same text on another page needs another id. */
function chunkLine(
  { text, segmentIndex, page, kind, heading }: CutChunk,
  url: string,
  tokens: number,
  cutting: { segmentLength: number; language: string | null },
): string {
  const textJson = JSON.stringify(text);
  const name = `${url} ${chunkId(textJson, segmentIndex, cutting)}`;
  const id = `chk_${hash('sha256', name).slice(0, ID_HEX_CHARS)}`;
  // The text is most of the line and already JSON. Undefined members are left out.
  const rest = members({ page, segmentIndex, kind, heading, url, tokens });
  return `{"id":"${id}","text":${textJson},${rest}}\n`;
}

/** The last requested language: most sites have one. */
let known: { language: string; tag: string | null } = { language: 'en', tag: 'en' };

function languageTag(language: string | null): string | null {
  if (language === null) return null;
  if (known.language !== language) known = { language, tag: tagOf(language) };
  return known.tag;
}

/** Pages may state invalid languages; the segmenter accepts only well-formed tags. */
function tagOf(language: string): string | null {
  try {
    return Intl.getCanonicalLocales(language.replaceAll('_', '-'))[0] ?? null;
  } catch {
    // Not well-formed: the language-independent rules apply.
    return null;
  }
}
