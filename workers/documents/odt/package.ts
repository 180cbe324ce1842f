import { QuarryError } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { KIB } from '../../../src-server/platform/units.ts';
import { type Formula, MathmlWriter } from '../math.ts';
import { walkXml, type XmlHandlers } from '../xml.ts';
import { openPackage } from '../zip-package.ts';

/** Larger embedded objects are charts or sheets, not formulas. */
const MAX_FORMULA_BYTES = 64 * KIB;

/** The parts of an OpenDocument file of any kind. */
export interface OpenDocumentParts {
  content: Buffer;
  styles: Buffer | null;
  meta: Buffer | null;
  /** The content of the object in a folder of the package; null if there is none. */
  partIn(folder: string): Buffer | null;
}

/** Parts nest far less; deeper ones are hostile. */
const MAX_DEPTH = 500;

/** Walks a part. The builder checks for cancellation. Formulas of OpenOffice have a document type. */
export function walkPart(bytes: Buffer, handlers: XmlHandlers): void {
  walkXml(bytes, { elements: 0, maxDepth: MAX_DEPTH, allowsDoctype: true, tick() {} }, handlers);
}

/** In flat documents and headers, formulas are inside the text. */
export function noFormula(): Formula {
  return { text: '', latex: '' };
}

/** Opens a package or a flat document. Errors: `encrypted_input`, `corrupt_input`, `source_too_large`. */
export async function openDocument(bytes: Buffer): Promise<OpenDocumentParts> {
  return bytes.toString('latin1', 0, 2) === 'PK' ? await unpackOpenDocument(bytes) : flatParts(bytes);
}

/** The parts of a flat document, which are all in one file. */
function flatParts(bytes: Buffer): OpenDocumentParts {
  return { content: bytes, styles: bytes, meta: bytes, partIn: () => null };
}

async function unpackOpenDocument(bytes: Buffer): Promise<OpenDocumentParts> {
  const parts = await openPackage(bytes);
  if (parts.read('META-INF/manifest.xml')?.includes('encryption-data') === true) {
    throw new QuarryError('encrypted_input', say`The document is password-protected: save it without a password.`);
  }
  const content = parts.readMain('content.xml');
  if (content === null) {
    throw new QuarryError('corrupt_input', say`The document has no content part: save it again and send the new file.`);
  }
  const partIn = (folder: string) => parts.read(`${folder}/content.xml`);
  return { content, styles: parts.read('styles.xml'), meta: parts.read('meta.xml'), partIn };
}

/** A formula as its author typed it if stored, else its MathML on one line; null for objects of other kinds. */
export function readFormula(part: Buffer): Formula | null {
  if (part.length > MAX_FORMULA_BYTES) return null;
  let typed = '';
  let isMath = false;
  let isTyped = false;
  const shown = new MathmlWriter();
  walkPart(part, {
    open(tag) {
      const name = tag.name.replace(/^math:/, '');
      isMath ||= name === 'math';
      isTyped = name === 'annotation';
      shown.openMathElement(name, (attribute) => tag.attributeValue(attribute));
    },
    text(text) {
      if (isTyped) typed += text;
      shown.addMathText(text);
    },
    close() {
      isTyped = false;
      shown.closeMathElement();
    },
  });
  if (!isMath) return null;
  const { text, latex } = shown.finishMathFormula();
  return { text: typed.trim() === '' ? text : typed.trim(), latex, ...(shown.isDeep && { isDeep: true }) };
}

/** Walks only the content of elements that `isWanted` selects. */
export function walkInside(
  bytes: Buffer,
  isWanted: (name: string) => boolean,
  walker: Required<Pick<XmlHandlers, 'open' | 'text' | 'close'>>,
  done?: () => void,
): void {
  let depth = 0;
  walkPart(bytes, {
    open(tag) {
      if (depth > 0) walker.open(tag);
      if (depth > 0 || isWanted(tag.name)) depth += 1;
    },
    text(text) {
      if (depth > 0) walker.text(text);
    },
    close(tag) {
      if (depth === 0) return;
      depth -= 1;
      if (depth > 0) walker.close(tag);
      else done?.();
    },
  });
}

/** Properties of a document. */
export function readMeta(meta: Buffer | null) {
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
        const pages = Number.parseInt(tag.attributeValue('meta:page-count') ?? '', 10);
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
