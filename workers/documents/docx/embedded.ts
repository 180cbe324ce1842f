/**
 * Parts that stand in the text of a Word document: charts, diagrams, and documents (`w:altChunk`) in HTML, as web
 * archives, RTF, plain text or Word, which Word shows as text of the document. Threat: a document that embeds itself;
 * the budget and the depth of files in files bound it.
 */

import { QuarryError } from '../../../src-server/platform/errors.ts';
import { type FileKind, kindOfName } from '../../../src-server/platform/files/kinds.ts';
import { sniffBytes } from '../../../src-server/platform/files/sniff.ts';
import { type Said, say } from '../../../src-server/platform/text/say.ts';
import type { Block, NormalizedDocument, ParseOptions } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { readDiagram } from '../drawings/diagram.ts';
import type { Relationship } from '../ooxml.ts';
import { type FileOptions, parsePartOrReason } from '../parts.ts';
import type { OfficePackage } from '../zip-package.ts';
import type { EmbeddedPart, StoryContext } from './story.ts';

const UNREAD = say`A document embedded in this one was not read`;

type Options = ParseOptions & Partial<FileOptions>;

/** The embedded parts in the order of their places; one that cannot be read is empty, with a warning. */
export async function readEmbedded(
  source: OfficePackage,
  context: StoryContext,
  options: Options,
): Promise<NormalizedDocument[]> {
  const read: NormalizedDocument[] = [];
  for (const part of context.embedded ?? []) {
    read.push(
      part.kind === 'document'
        ? await readDocument(source, context.relationships.get(part.relationshipId), options)
        : await readDrawing(source, part, context, options),
    );
  }
  return read;
}

async function readDrawing(
  source: OfficePackage,
  { kind, relationshipId }: EmbeddedPart,
  { relationships, budget }: StoryContext,
  options: Options,
): Promise<NormalizedDocument> {
  const relationship = relationships.get(relationshipId);
  const bytes = relationship === undefined || relationship.isExternal ? null : source.read(relationship.target);
  if (bytes === null)
    return unreadEmbeddedFile(say`A chart or diagram is missing in the file: open and save it again.`);
  const builder = new DocumentBuilder(options);
  // Only charts need the number formats, whose library is large.
  const read = kind === 'chart' ? (await import('../drawings/chart.ts')).readChart : readDiagram;
  read(bytes, builder, budget);
  return builder.buildNormalizedDocument({ format: '' });
}

async function readDocument(
  source: OfficePackage,
  relationship: Relationship | undefined,
  options: Options,
): Promise<NormalizedDocument> {
  if (relationship === undefined) return unreadEmbeddedFile(say`${UNREAD}: it is missing.`);
  const { target, isExternal } = relationship;
  if (isExternal) return unreadEmbeddedFile(say`${UNREAD}: it is at ${target}.`);
  const name = target.split('/').at(-1) ?? target;
  const bytes = source.read(target);
  if (bytes === null) return unreadEmbeddedFile(say`${UNREAD}: ${name} is missing.`);
  if (!isFileOptions(options) || !options.budget.takeFile(bytes.length))
    return unreadEmbeddedFile(say`${UNREAD}: ${name}.`);
  const kind = await sniffEmbeddedKind(bytes, name);
  const document = await parsePartOrReason({ name, kind, sizeBytes: bytes.length, read: () => bytes }, options);
  if (document instanceof QuarryError) return unreadEmbeddedFile(say`${UNREAD}. ${document.message}`);
  const isCut = kind === 'html' && bytes.includes('<html') && !bytes.includes('</html');
  return isCut
    ? { ...document, warnings: [...document.warnings, say`${name} ends early; what follows is missing.`] }
    : document;
}

/** Tasks pass all options; a parser that is called alone has no others. */
function isFileOptions(options: Options): options is ParseOptions & FileOptions {
  return options.parserOf !== undefined && options.budget !== undefined;
}

/** A fragment of HTML may look like a text. */
async function sniffEmbeddedKind(bytes: Buffer, name: string): Promise<FileKind> {
  const { kind } = await sniffBytes(bytes, name);
  return kind === 'text' && kindOfName(name) === 'html' ? 'html' : kind;
}

function unreadEmbeddedFile(warning: Said): NormalizedDocument {
  const blocks: Block[] = [];
  const facts = { format: '', title: null, author: null, language: null, pages: 1, revisions: 'none' as const };
  return { ...facts, blocks, comments: [], changes: [], warnings: [warning] };
}
