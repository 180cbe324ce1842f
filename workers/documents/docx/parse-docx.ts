import type { DocumentComment } from '../../../src-server/features/documents/schema.ts';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import type { Block, InlineMark, NormalizedDocument, ParseOptions } from '../blocks.ts';
import { believablePages } from '../document-builder.ts';
import { InlineValues } from '../inline-marks.ts';
import { type Relationship, readProperties, readRelationships } from '../ooxml.ts';
import type { FileOptions } from '../parts.ts';
import { joinTitle } from '../titles.ts';
import { walkXml, type XmlBudget } from '../xml.ts';
import { type OfficePackage, openPackage } from '../zip-package.ts';
import { BlockAssembler, movedMarks } from './assemble.ts';
import { readEmbedded } from './embedded.ts';
import { readNumbering } from './numbering.ts';
import { PromptTexts } from './prompts.ts';
import { readPlainly, readWithMammoth } from './read-rewritten.ts';
import { renumberNotes } from './renumber-notes.ts';
import { rewriteStory } from './rewrite.ts';
import type { CommentText, RewrittenStory, StoryContext } from './story.ts';
import { readStyles } from './styles.ts';

/** Above either bound mammoth's tree exceeds the memory of a worker. */
const MAX_MAMMOTH_XML_BYTES = 12 * MIB;

const MAX_MAMMOTH_NODES = 100_000;

const MAX_DEPTH = 10_000;

const OLE_MARK = Buffer.from('d0cf11e0a1b11ae1', 'hex');

const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');

const RENDERED_BREAK = 'lastRenderedPageBreak';

const PARSE_PERCENT = 50;

/** A header or footer that contains only a page number. */
const LONE_PAGE_NUMBER = /^[^\p{L}\p{N}]*\d{0,4}[^\p{L}\p{N}]*$/u;

/**
 * Reads .docx, .docm, .dotx and .dotm. Errors: `encrypted_input`, `corrupt_input`, `unsupported_media` (a zip that is
 * no Word document), `source_too_large`.
 */
export async function parseDocx(
  bytes: Buffer,
  options: ParseOptions & Partial<FileOptions>,
): Promise<NormalizedDocument> {
  if (bytes.subarray(0, OLE_MARK.length).equals(OLE_MARK)) throw refuseOle(bytes);
  const source = await openPackage(bytes);
  const budget: XmlBudget = {
    elements: 0,
    maxDepth: MAX_DEPTH,
    tick() {
      options.progress(0, say`Reading the document`);
      options.signal.throwIfAborted();
    },
  };
  const parts = findParts(source, budget);
  const main = source.readMain(parts.main);
  if (main === null) throw new QuarryError('unsupported_media', say`The file is a zip archive, not a Word document.`);
  const context = openStoryContext(source, parts, main, budget, options);
  context.embedded = [];
  const story = rewriteStory(main, context);
  const embedded = await readEmbedded(source, context, options);
  context.embedded = null;
  options.progress(PARSE_PERCENT, say`Reading the document`);
  options.signal.throwIfAborted();
  return finishDocument({
    source,
    parts,
    context,
    story,
    embedded,
    readsPlainly: !story.needsMammoth || isTooLarge(main, story),
  });
}

/** A compound file named .docx is an encrypted document or another format. */
function refuseOle(bytes: Buffer): QuarryError {
  if (bytes.includes(ENCRYPTED_STREAM)) {
    return new QuarryError(
      'encrypted_input',
      say`The document is password-protected. Remove the password and send it again.`,
    );
  }
  return new QuarryError('unsupported_media', say`The file is an OLE compound file, not a Word document.`);
}

interface Parts {
  main: string;
  relationships: Map<string, Relationship>;
  /** The related part of a type (last path segment of the type), or its default name. */
  of(type: string): string;
}

function findParts(source: OfficePackage, budget: XmlBudget): Parts {
  const root = readRelationships(source, '', budget);
  const main = root.find((one) => one.type === 'officeDocument')?.target ?? 'word/document.xml';
  const listed = readRelationships(source, main, budget);
  return {
    main,
    relationships: new Map(listed.map((one) => [one.id, one])),
    of: (type) => listed.find((one) => one.type === type && !one.isExternal)?.target ?? `word/${type}.xml`,
  };
}

function openStoryContext(
  source: OfficePackage,
  parts: Parts,
  main: Buffer,
  budget: XmlBudget,
  options: ParseOptions,
): StoryContext {
  const context: StoryContext = {
    budget,
    styles: readStyles(source, parts.of('styles'), budget),
    lists: readNumbering(source, parts.of('numbering'), budget),
    relationships: parts.relationships,
    reading: options.includeComments ? 'marked' : 'accepted',
    comments: new Map(),
    hasRenderedBreaks: main.includes(RENDERED_BREAK) || main.includes(Buffer.from(RENDERED_BREAK, 'utf16le')),
    hasChanges: false,
    changes: [],
    anchors: new Map(),
    notes: new Map(),
    shownComments: new Set(),
    inline: new InlineValues(),
    prompts: new PromptTexts(source, parts.of('glossaryDocument'), budget),
    furniture: new Set(),
    embedded: null,
    warnings: new Set(),
  };
  return { ...context, comments: readDocxComments(source.read(parts.of('comments')), context) };
}

function readDocxComments(bytes: Buffer | null, context: StoryContext): Map<string, CommentText> {
  const comments = new Map<string, CommentText>();
  if (bytes === null) return comments;
  const facts = new Map<string, { author: string | null; date: string | null }>();
  walkXml(bytes, context.budget, {
    open(element) {
      if (element.namespace !== 'w' || element.local !== 'comment') return;
      const author = element.attributeValue('author') ?? '';
      facts.set(element.attributeValue('id') ?? '', {
        author: author === '' ? null : author,
        date: element.attributeValue('date'),
      });
    },
  });
  for (const [id, blocks] of readNotes(bytes, { ...context, reading: 'accepted' }, false)) {
    comments.set(id, { ...(facts.get(id) ?? { author: null, date: null }), text: blockLineTexts(blocks).join(' ') });
  }
  return comments;
}

/** Notes or comments of a part, by id. */
function readNotes(bytes: Buffer, context: StoryContext, isMarked: boolean): Map<string, Block[]> {
  const story = rewriteStory(bytes, context);
  const newBlockAssembler = () => new BlockAssembler({ inline: context.inline, isMarked, firstPage: 1 });
  const assemblers = new Map<string, BlockAssembler>();
  readPlainly(story, newBlockAssembler(), {
    budget: context.budget,
    onNote(id) {
      const assembler = assemblers.get(id) ?? newBlockAssembler();
      assemblers.set(id, assembler);
      return assembler;
    },
  });
  return new Map([...assemblers].map(([id, assembler]) => [id, assembler.finishAssembly().blocks]));
}

/** One line per paragraph and row. */
function blockLineTexts(blocks: Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'table') return block.rows.map((row) => row.join(' | '));
    if (block.kind === 'list-item' && block.marker !== '') return [`${block.marker} ${block.text}`];
    return [block.text];
  });
}

/** The blocks of a note as one text, a line per paragraph, with their marks. */
function joinNoteBlocks(blocks: readonly Block[]): { text: string; marks: InlineMark[] } {
  const marks: InlineMark[] = [];
  let text = '';
  for (const block of blocks) {
    if (text !== '') text += '\n';
    const [line = '', ...more] = blockLineTexts([block]);
    const own = block.kind === 'table' || !('marks' in block) ? [] : block.marks;
    const label = block.kind === 'table' ? 0 : line.length - block.text.length;
    marks.push(...movedMarks(own, text.length + label));
    text += [line, ...more].join('\n');
  }
  return { text, marks };
}

function isTooLarge(main: Buffer, story: RewrittenStory): boolean {
  return main.length > MAX_MAMMOTH_XML_BYTES || story.nodes > MAX_MAMMOTH_NODES;
}

interface Rewritten {
  source: OfficePackage;
  parts: Parts;
  context: StoryContext;
  story: RewrittenStory;
  embedded: readonly NormalizedDocument[];
  readsPlainly: boolean;
}

async function finishDocument(rewritten: Rewritten): Promise<NormalizedDocument> {
  const { source, parts, context, story, embedded, readsPlainly } = rewritten;
  const isMarked = context.reading === 'marked';
  const notes = {
    footnote: readDocxNotes(source, parts, 'footnotes', context, isMarked),
    endnote: readDocxNotes(source, parts, 'endnotes', context, isMarked),
  };
  const furniture = readDocxFurniture(source, context);
  const hasRevisions = context.hasChanges || context.comments.size > 0;
  const markers = new Set([...context.notes.values()].map(({ marker }) => marker));
  const assembler = new BlockAssembler({
    inline: context.inline,
    isMarked: isMarked && hasRevisions,
    firstPage: 1,
    embedded: embedded.map(({ blocks }) => renumberNotes(blocks, markers)),
  });
  if (readsPlainly) readPlainly(story, assembler, { budget: context.budget });
  else await readWithMammoth(story, assembler);
  const { blocks: all, lastPage } = assembler.finishAssembly();
  const isNote = ({ kind }: Block) => kind === 'note';
  const blocks = all.filter((block) => !isNote(block));
  for (const { type, id, marker, page } of context.notes.values()) {
    const { text, marks } = joinNoteBlocks(notes[type].get(id) ?? []);
    if (text !== '') blocks.push({ kind: 'note', marker, text, page, ...(marks.length > 0 && { marks }) });
  }
  // Those of embedded documents.
  for (const note of all.filter(isNote)) blocks.push(note);
  const properties = readProperties(source, context.budget);
  const { blocks: titled, title } = joinTitle(blocks);
  const stated = { counted: lastPage, stated: properties.pages };
  const pages = believablePages(stated, titled, (sentence) => context.warnings.add(sentence));
  return {
    format: 'docx',
    title: properties.title ?? title,
    author: properties.author,
    language: properties.language ?? context.styles.language,
    pages,
    revisions: hasRevisions ? context.reading : 'none',
    blocks: [...titled, ...furniture],
    comments: [...(isMarked ? listComments(context) : []), ...embedded.flatMap(({ comments }) => comments)],
    changes: [...context.changes, ...embedded.flatMap(({ changes }) => changes)],
    warnings: [...context.warnings, ...embedded.flatMap(({ warnings }) => warnings)],
  };
}

function readDocxNotes(
  source: OfficePackage,
  parts: Parts,
  type: 'footnotes' | 'endnotes',
  context: StoryContext,
  isMarked: boolean,
): Map<string, Block[]> {
  const bytes = context.notes.size === 0 ? null : source.read(parts.of(type));
  return bytes === null ? new Map() : readNotes(bytes, context, isMarked);
}

/** Headers, then footers, each text once; sections and pages repeat them. */
function readDocxFurniture(source: OfficePackage, context: StoryContext): Block[] {
  const seen = new Set<string>();
  const targets = new Set<string>();
  const found = [...context.furniture].flatMap((id): Block[] => {
    const relationship = context.relationships.get(id);
    if (relationship === undefined || targets.has(relationship.target)) return [];
    targets.add(relationship.target);
    const bytes = source.read(relationship.target);
    if (bytes === null) return [];
    const assembler = new BlockAssembler({ inline: context.inline, isMarked: false, firstPage: 1 });
    readPlainly(rewriteStory(bytes, { ...context, reading: 'accepted' }), assembler, { budget: context.budget });
    const text = blockLineTexts(assembler.finishAssembly().blocks).join('\n');
    const place = relationship.type === 'footer' ? 'footer' : 'header';
    if (LONE_PAGE_NUMBER.test(text) || seen.has(`${place} ${text}`)) return [];
    seen.add(`${place} ${text}`);
    return [{ kind: 'page-furniture', place, text, page: 1 }];
  });
  const isHeader = (block: Block) => block.kind === 'page-furniture' && block.place === 'header';
  return [...found.filter(isHeader), ...found.filter((block) => !isHeader(block))];
}

function listComments(context: StoryContext): DocumentComment[] {
  return [...context.comments].map(([id, comment]) => ({ ...comment, anchor: context.anchors.get(id) ?? null }));
}
