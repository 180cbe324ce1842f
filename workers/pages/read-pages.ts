/**
 * Threat: every byte is untrusted. An unreadable page fails alone, with its own error; the pool bounds the shared
 * resources (time, memory).
 */

import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { QuarryError } from '../../src-server/platform/errors.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { decodeText, encodingDoubt } from '../../src-server/platform/text/decode-text.ts';
import { looksBinary } from '../../src-server/platform/text/encoding.ts';
import { say } from '../../src-server/platform/text/say.ts';
import type { Block } from '../documents/blocks.ts';
import { decodeHtml, withShadowRoots } from '../documents/html/parse-html.ts';
import { blockText } from './block-evidence.ts';
import { draftFrames } from './draft-files.ts';
import { embeddedContent } from './embedded-text.ts';
import { type PageContent, readContent } from './main-content.ts';
import { draftPage } from './page-draft.ts';
import { accountPage, withFrames } from './page-letters.ts';
import { NO_METADATA } from './page-metadata.ts';
import { isPlaceholder } from './placeholder.ts';
import { headerDirectives } from './robots-directives.ts';
import type { PageLink, PageRecord } from './scan-page.ts';
import { BatchRecords, draftsFile, draftsFolder, recordsFile } from './site-parts.ts';
import { type BlockPrints, BlocksSoFar, printsOf, sketchOf } from './site-survey.ts';
import { withStreamedParts } from './streamed-parts.ts';
import type { PageFacts, ReadPagesInput, ReadPagesOutput, ReadPageTarget } from './tasks.ts';

/** Content that begins with a tag may contain some control characters. */
const TAG_SEARCH_BYTES = 200;

const MAX_CONTROL_SHARE = 0.1;

/** A longer text is more than a notice, such as a wall for consent. */
const BRIEF_CHARS = 1500;

/** First bytes of PDF, ZIP, PNG, JPEG, GIF and gzip files, in Latin-1. */
const FILE_STARTS = ['%PDF-', 'PK\u0003\u0004', '\u0089PNG', '\u00ff\u00d8\u00ff', 'GIF8', '\u001f\u008b\b'];

const MARKDOWN_NAME = /(?:\.(?:md|markdown)|\/llms(?:-full)?\.txt)$/i;

const AI_DIRECTIVE = /^(?:noai|noimageai|noml|nocache-ai)$/;

/**
 * Reads fetched pages, writes their records and drafts as a batch, and returns the facts that the crawl continues with.
 * Errors: `cancelled`; an unreadable page has its error in its place.
 */
export async function readPages(input: ReadPagesInput, context: TaskContext): Promise<ReadPagesOutput> {
  const pages: PageFacts[] = [];
  // As bytes: strings and objects that live until the batch is written cost the garbage collector most.
  const records: Buffer[] = [];
  const drafts: Uint8Array[] = [];
  const blocksSoFar = new BlocksSoFar(input.soFar);
  const earlier = new BatchRecords();
  for (const target of input.pages) {
    context.signal.throwIfAborted();
    try {
      const record = await (target.copyFrom === null
        ? readPageTarget(target, context)
        : copyEarlierRecord(earlier, target));
      record.letters.warnings.unshift(...target.warnings.map((sentence) => say`The page ${target.url}: ${sentence}`));
      const prints = printsOf(record.blocks);
      drafts.push(...draftFrames(draftPage(record, prints, blocksSoFar.ownOf(prints))));
      records.push(Buffer.from(`${JSON.stringify(record)}\n`));
      pages.push(pageFactsOf(record, prints));
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code === 'cancelled') throw error;
      pages.push({ id: target.id, problem: error.message, isNoText: error.code === 'unsupported_media' });
    }
  }
  // Synchronous: the thread has no other work, and waiting through libuv costs more than most of these writes.
  writeFileSync(recordsFile(input.batchFolder, input.batch), Buffer.concat(records));
  mkdirSync(draftsFolder(input.batchFolder), { recursive: true });
  writeFileSync(draftsFile(input.batchFolder, input.batch), Buffer.concat(drafts));
  return { pages };
}

async function readPageTarget(target: ReadPageTarget, context: TaskContext): Promise<PageRecord> {
  const bytes = Buffer.from(target.body.buffer, target.body.byteOffset, target.body.byteLength);
  const charset = /charset\s*=\s*["']?([\w:.-]+)/i.exec(target.contentType)?.[1] ?? null;
  if (isBinary(bytes, charset)) throw new QuarryError('unsupported_media', say`The content is not text.`);
  const isText = !/html|xml/.test(target.contentType) && target.contentType !== '';
  const isMark = isMarkdown(target);
  const decoded = isMark || isText ? decodeText(bytes, { declared: [charset] }) : decodeHtml(bytes, charset);
  const { text, encoding, isCertain } = decoded;
  if (!isCertain) target.warnings.push(encodingDoubt(encoding));
  if (isMark) return markdownRecord(target, text, context);
  if (isText) return textPage(target, text);
  const html = withStreamedParts(withShadowRoots(text));
  const isXhtml = /^application\/xhtml\+xml/.test(target.contentType);
  const read = await readContent(html, target.url, context, { isXhtml, encoding });
  const content = target.isRendered
    ? { ...read, scan: { ...read.scan, hasEmptyPart: false, awaitsScripts: false } }
    : read;
  if (content.blocks.length > 0 && !isPlaceholder(content.blocks, content.scan)) return recordOf(target, content);
  const embedded = await embeddedContent(html, content.scan.facts.articleBody, target.url, context);
  return recordOf(target, embedded === null ? content : joinEmbeddedContent(content, embedded));
}

/** Many servers declare Markdown as plain text; its name decides. */
function isMarkdown({ contentType, url }: ReadPageTarget): boolean {
  if (/^text\/(?:x-)?markdown/.test(contentType)) return true;
  return contentType.startsWith('text/plain') && MARKDOWN_NAME.test(new URL(url).pathname);
}

/** Links, comments and code in Markdown are treated like those of a page. */
async function markdownRecord(target: ReadPageTarget, text: string, context: TaskContext): Promise<PageRecord> {
  const { markdownPage } = await import('../documents/parse-markdown.ts');
  const page = markdownPage(text);
  const record = recordOf(target, await readContent(`<main>${page.html}</main>`, target.url, context));
  const { title, description, language } = page;
  return { ...record, title, description, languages: language === null ? [] : [{ by: 'meta', code: language }] };
}

/** The page with the text, links and hidden text of its data. */
function joinEmbeddedContent({ scan, texts, blocks }: PageContent, embedded: PageContent): PageContent {
  const placeholder = { reason: 'navigation', pieces: blocks.map((block) => `${blockText(block)}\n`) } as const;
  const links = [...scan.links, ...embedded.scan.links];
  return {
    scan: { ...scan, links, hidden: [...scan.hidden, ...embedded.scan.hidden] },
    blocks: embedded.blocks,
    texts: {
      source: [...texts.source, '\n', ...embedded.texts.source],
      leftOut: [...texts.leftOut, placeholder, ...embedded.texts.leftOut],
    },
  };
}

function recordOf(target: ReadPageTarget, { scan, blocks, texts }: PageContent): PageRecord {
  const headerRobots = headerDirectives(target.robotsHeader);
  const robots = [...new Set([...scan.robots, ...headerRobots])];
  const { author, published, modified, siteName, image, evidence } = scan.facts;
  return {
    id: target.id,
    url: target.url,
    title: scan.title,
    description: scan.description,
    languages: scan.languages,
    canonicalUrl: scan.canonicalUrl,
    movedTo: scan.movedTo,
    robots,
    aiUse: [...scan.aiUse, ...robots.filter((directive) => AI_DIRECTIVE.test(directive))],
    licence: scan.licence,
    links: scan.links,
    assets: scan.assets,
    translations: scan.translations,
    feeds: scan.feeds,
    leftOut: scan.leftOut,
    hidden: scan.hidden,
    metadata: { author, published, modified, siteName, image, evidence },
    needsScript: blocks.length === 0 && scan.hasScripts,
    isPlaceholder: isPlaceholder(blocks, scan),
    truncated: scan.truncatedAt !== null,
    contentHash: blocksHash(blocks),
    blocks,
    letters: withFrames(accountPage(target.url, texts, blocks), target.url, scan.frames),
  };
}

/** Detects binary content that its server declares as a page, or not at all. UTF-16 contains zero bytes too. */
function isBinary(bytes: Buffer, charset: string | null): boolean {
  const start = bytes.toString('latin1', 0, TAG_SEARCH_BYTES);
  if (FILE_STARTS.some((first) => start.startsWith(first))) return true;
  if (charset?.startsWith('utf-16') === true || !looksBinary(bytes)) return false;
  return !/^\s*<[a-z!?]/i.test(start) || controlShare(bytes) > MAX_CONTROL_SHARE;
}

function controlShare(bytes: Buffer): number {
  let controls = 0;
  for (const byte of bytes) if (byte < 0x20 && (byte < 0x08 || byte > 0x0d)) controls += 1;
  return controls / bytes.length;
}

function textPage(target: ReadPageTarget, text: string): PageRecord {
  const robots = headerDirectives(target.robotsHeader);
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => paragraph.trim().toWellFormed());
  const blocks: Block[] = paragraphs
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => ({ kind: 'paragraph', text: paragraph.normalize('NFC'), page: 1 }));
  return {
    id: target.id,
    url: target.url,
    title: null,
    description: null,
    languages: [],
    canonicalUrl: null,
    movedTo: null,
    robots,
    aiUse: robots.filter((directive) => AI_DIRECTIVE.test(directive)),
    licence: null,
    links: [],
    assets: [],
    translations: [],
    feeds: [],
    leftOut: 0,
    hidden: [],
    metadata: NO_METADATA,
    needsScript: false,
    isPlaceholder: false,
    truncated: false,
    contentHash: blocksHash(blocks),
    blocks,
    letters: accountPage(target.url, { source: [text], leftOut: [] }, blocks),
  };
}

/** Copies the earlier record, because the server reports the page as unchanged. */
function copyEarlierRecord(earlier: BatchRecords, { id, url, copyFrom }: ReadPageTarget): PageRecord {
  if (copyFrom === null) throw new Error('There is no earlier record to copy.');
  const record = earlier.recordOf(copyFrom);
  if (record !== null) return { ...record, id, url };
  throw new QuarryError('source_unreachable', say`The page of the earlier crawl is no longer available. Crawl again.`);
}

function pageFactsOf(record: PageRecord, prints: BlockPrints): PageFacts {
  return {
    id: record.id,
    links: differentLinks(record.links),
    assets: record.assets,
    translations: record.translations,
    feeds: record.feeds,
    leftOut: record.leftOut,
    robots: record.robots,
    canonicalUrl: record.canonicalUrl,
    movedTo: record.movedTo,
    contentHash: record.contentHash,
    sketch: sketchOf(prints),
    isEmpty: record.blocks.length === 0,
    isBrief: isBrief(record.blocks),
    needsScript: record.needsScript,
    isPlaceholder: record.isPlaceholder,
  };
}

function isBrief(blocks: readonly Block[]): boolean {
  let chars = 0;
  return blocks.every((block) => {
    chars += blockText(block).length;
    return chars <= BRIEF_CHARS;
  });
}

/** Each address once; it may be followed if at least one of its links allows it. */
function differentLinks(links: readonly PageLink[]): { url: string; nofollow: boolean }[] {
  const found = new Map<string, boolean>();
  for (const { url, nofollow } of links) found.set(url, nofollow && (found.get(url) ?? true));
  return Array.from(found, ([url, nofollow]) => ({ url, nofollow }));
}

function blocksHash(blocks: readonly Block[]): string {
  const texts = blocks.map((block) => (block.kind === 'table' ? JSON.stringify(block.rows) : block.text));
  return hash('sha256', texts.map((text) => `${text}\n`).join(''));
}
