import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder, type NewBlock } from '../document-builder.ts';
import { blockLines, CodeJoiner } from '../word-processing.ts';
import type { XmlHandlers } from '../xml.ts';
import { embeddedObjectReader, noObject } from './objects.ts';
import { openDocument, readMeta, walkInside, walkPart } from './package.ts';
import { OdtRevisions } from './revisions.ts';
import { OdtStyles } from './styles.ts';
import { OdtWalker } from './walker.ts';

/**
 * OpenDocument texts (.odt, .ott) and flat XML (.fodt). Throws `encrypted_input`, `corrupt_input`, `source_too_large`.
 */
export const parseOdt: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const parts = await openDocument(bytes);
  const styles = new OdtStyles();
  if (parts.styles !== null) walkPart(parts.styles, styles);
  const ranged = new Set<string>();
  walkPart(parts.content, combineXmlHandlers(styles, rangedComments(ranged)));
  const footers = parts.styles === null ? [] : addOdtFurniture(parts.styles, builder, styles);
  const revisions = new OdtRevisions(builder, ranged);
  const code = new CodeJoiner(builder);
  const walker = new OdtWalker(builder, styles, revisions, embeddedObjectReader(parts, builder), code);
  walkInside(parts.content, (name) => name === 'office:text', walker);
  for (const note of walker.endnotes) code.add(note, builder.page);
  code.flushJoinedCode();
  for (const footer of footers) builder.addDocumentBlock(footer);
  revisions.finishRevisions();
  return builder.buildNormalizedDocument({ format: 'odt', ...readMeta(parts.meta) });
};

/** Collects the names of comments that span text; only those have an end element. */
function rangedComments(names: Set<string>): XmlHandlers {
  return {
    open(tag) {
      if (tag.name === 'office:annotation-end') names.add(tag.attributeValue('office:name') ?? '');
    },
  };
}

/** Feeds one walk to two handlers: walking the part costs more than either handler. */
function combineXmlHandlers(one: XmlHandlers, other: XmlHandlers): XmlHandlers {
  return {
    open(tag) {
      one.open?.(tag);
      other.open?.(tag);
    },
    close(tag) {
      one.close?.(tag);
      other.close?.(tag);
    },
  };
}

/** Adds headers before the text and returns the footers, which follow it. Each text occurs once. */
function addOdtFurniture(stylesPart: Buffer, builder: DocumentBuilder, styles: OdtStyles): NewBlock[] {
  const texts = { header: new Set<string>(), footer: new Set<string>() };
  let lines: string[] = [];
  const noRevisions = new OdtRevisions(builder, new Set());
  const sink = { add: (block: NewBlock) => void lines.push(blockLines(block)) };
  const walker = new OdtWalker(builder, styles, noRevisions, noObject, sink);
  for (const place of ['header', 'footer'] as const) {
    walkInside(
      stylesPart,
      (name) => name.startsWith(`style:${place}`) && !name.endsWith('-style'),
      walker,
      () => {
        const text = lines.join('\n').trim();
        // Skips a page number without other text.
        if (/\p{L}/u.test(text)) texts[place].add(text);
        lines = [];
      },
    );
  }
  for (const text of texts.header) builder.addDocumentBlock({ kind: 'page-furniture', place: 'header', text });
  return [...texts.footer].map((text): NewBlock => ({ kind: 'page-furniture', place: 'footer', text }));
}
