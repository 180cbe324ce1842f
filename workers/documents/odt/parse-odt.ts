import { QuarryError } from '../../../src-server/platform/errors.ts';
import { KIB } from '../../../src-server/platform/units.ts';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder, type NewBlock } from '../document-builder.ts';
import { MathmlWriter } from '../math.ts';
import { blockLines, CodeJoiner } from '../word-processing.ts';
import { walkXml, type XmlElement, type XmlHandlers } from '../xml.ts';
import { openPackage } from '../zip-package.ts';
import { OdtRevisions } from './revisions.ts';
import { OdtStyles } from './styles.ts';
import { OdtWalker } from './walker.ts';

/** Larger embedded objects are charts or sheets, not formulas. */
const MAX_FORMULA_BYTES = 64 * KIB;

interface OdtParts {
  content: Buffer;
  styles: Buffer | null;
  meta: Buffer | null;
  /** The formula in a folder of the package as text; empty if there is none. */
  formulaIn(folder: string): string;
}

/**
 * OpenDocument texts (.odt, .ott) and flat XML (.fodt). Throws `encrypted_input`, `corrupt_input`, `source_too_large`.
 */
export const parseOdt: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const parts = bytes.toString('latin1', 0, 2) === 'PK' ? await unpack(bytes) : flatParts(bytes);
  const styles = new OdtStyles();
  if (parts.styles !== null) walkPart(parts.styles, styles);
  const ranged = new Set<string>();
  walkPart(parts.content, both(styles, rangedComments(ranged)));
  const footers = parts.styles === null ? [] : addFurniture(parts.styles, builder, styles);
  const revisions = new OdtRevisions(builder, ranged);
  const code = new CodeJoiner(builder);
  const walker = new OdtWalker(builder, styles, revisions, parts.formulaIn, code);
  walkInside(parts.content, (name) => name === 'office:text', walker);
  for (const note of walker.endnotes) code.add(note, builder.page);
  code.flush();
  for (const footer of footers) builder.add(footer);
  revisions.finish();
  return builder.finish({ format: 'odt', ...readMeta(parts.meta) });
};

/** Parts nest far less; deeper ones are hostile. */
const MAX_DEPTH = 500;

/** The builder checks for cancellation. */
function walkPart(bytes: Buffer, handlers: XmlHandlers): void {
  walkXml(bytes, { elements: 0, maxDepth: MAX_DEPTH, tick() {} }, handlers);
}

/** In flat documents and headers, formulas are inside the text. */
function noFormula(): string {
  return '';
}

/** The parts of a flat document, which are all in one file. */
function flatParts(bytes: Buffer): OdtParts {
  return { content: bytes, styles: bytes, meta: bytes, formulaIn: noFormula };
}

async function unpack(bytes: Buffer): Promise<OdtParts> {
  const parts = await openPackage(bytes);
  if (parts.read('META-INF/manifest.xml')?.includes('encryption-data') === true) {
    throw new QuarryError('encrypted_input', 'The document is password-protected: save it without a password.');
  }
  const content = parts.read('content.xml');
  if (content === null) {
    throw new QuarryError('corrupt_input', 'The document has no content part: save it again and send the new file.');
  }
  const formulaIn = (folder: string) => {
    const part = parts.read(`${folder}/content.xml`);
    return part === null || part.length > MAX_FORMULA_BYTES ? '' : readFormula(part);
  };
  return { content, styles: parts.read('styles.xml'), meta: parts.read('meta.xml'), formulaIn };
}

/** A formula as its author typed it if stored, else its MathML on one line. */
function readFormula(part: Buffer): string {
  let typed = '';
  let isMath = false;
  let isTyped = false;
  const shown = new MathmlWriter();
  walkPart(part, {
    open(tag) {
      isMath ||= tag.name === 'math:math';
      isTyped = tag.name === 'math:annotation';
      shown.open(tag.name.replace(/^math:/, ''), (name) => tag.attribute(name));
    },
    text(text) {
      if (isTyped) typed += text;
      shown.text(text);
    },
    close() {
      isTyped = false;
      shown.close();
    },
  });
  return isMath ? ` ${typed.trim() === '' ? shown.finish() : typed.trim()} ` : '';
}

/** Collects the names of comments that span text; only those have an end element. */
function rangedComments(names: Set<string>): XmlHandlers {
  return {
    open(tag) {
      if (tag.name === 'office:annotation-end') names.add(tag.attribute('office:name') ?? '');
    },
  };
}

/** Feeds one walk to two handlers: walking the part costs more than either handler. */
function both(one: XmlHandlers, other: XmlHandlers): XmlHandlers {
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

/** Walks only the content of elements that `isWanted` selects. */
function walkInside(bytes: Buffer, isWanted: (name: string) => boolean, walker: OdtWalker, done?: () => void): void {
  let depth = 0;
  walkPart(bytes, {
    open(tag: XmlElement) {
      if (depth > 0) walker.open(tag);
      if (depth > 0 || isWanted(tag.name)) depth += 1;
    },
    text(text) {
      if (depth > 0) walker.text(text);
    },
    close() {
      if (depth === 0) return;
      depth -= 1;
      if (depth > 0) walker.close();
      else done?.();
    },
  });
}

/** Adds headers before the text and returns the footers, which follow it. Each text occurs once. */
function addFurniture(stylesPart: Buffer, builder: DocumentBuilder, styles: OdtStyles): NewBlock[] {
  const texts = { header: new Set<string>(), footer: new Set<string>() };
  let lines: string[] = [];
  const noRevisions = new OdtRevisions(builder, new Set());
  const sink = { add: (block: NewBlock) => void lines.push(blockLines(block)) };
  const walker = new OdtWalker(builder, styles, noRevisions, noFormula, sink);
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
  for (const text of texts.header) builder.add({ kind: 'page-furniture', place: 'header', text });
  return [...texts.footer].map((text): NewBlock => ({ kind: 'page-furniture', place: 'footer', text }));
}

function readMeta(meta: Buffer | null) {
  const facts = { title: '', author: '', creator: '', language: '', statedPages: 1 };
  const fields: Record<string, 'title' | 'author' | 'creator' | 'language'> = {
    'dc:title': 'title',
    'meta:initial-creator': 'author',
    'dc:creator': 'creator',
    'dc:language': 'language',
  };
  const path: string[] = [];
  if (meta !== null) {
    walkPart(meta, {
      open(tag) {
        path.push(tag.name);
        const pages = Number.parseInt(tag.attribute('meta:page-count') ?? '', 10);
        if (tag.name === 'meta:document-statistic' && pages > 0) facts.statedPages = pages;
      },
      text(text) {
        const field = path.at(-2) === 'office:meta' ? fields[path.at(-1) ?? ''] : undefined;
        if (field !== undefined) facts[field] += text;
      },
      close: () => void path.pop(),
    });
  }
  const { title, language, statedPages } = facts;
  return { title, author: facts.author === '' ? facts.creator : facts.author, language, statedPages };
}
