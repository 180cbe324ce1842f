/**
 * What a PDF holds beside its pages and is not read: attached files, forms that only Adobe's programs draw
 * (XFA), descriptions of pictures.
 */

import type { PDFDocument, PDFObject } from 'mupdf';
import { MIB } from '../../../src-server/platform/units.ts';

/** Attached files that are named. */
const FILES_MAX = 20;

const NAME_CHARS_MAX = 200;

/** Parts of a form: its labels, and the values typed. */
const FORM_PARTS = new Set(['template', 'datasets']);

const FORM_ENTRIES_MAX = 100;

const FORM_BYTES_MAX = 4 * MIB;

/** Elements of a tag tree, which may be circular. */
const TAGS_MAX = 100_000;

const DESCRIPTION_CHARS_MAX = 100_000;

/** Names of the files in a PDF, each once. */
export function attachedFileNames(document: PDFDocument): string[] {
  const files = Object.entries(document.getEmbeddedFiles()).slice(0, FILES_MAX);
  return [...new Set(files.map(([name, file]) => attachedFileName(file) || name.slice(0, NAME_CHARS_MAX)))];
}

/** The name in a file specification; empty without one. */
export function attachedFileName(file: PDFObject): string {
  const [unicode, plain] = [file.get('UF'), file.get('F')];
  const name = unicode.isString() ? unicode.asString() : plain.isString() ? plain.asString() : '';
  return name.replace(/\p{Cc}+/gu, ' ').slice(0, NAME_CHARS_MAX);
}

/** The text of a form that its pages do not show: they ask for another program. Empty for other forms. */
export function undrawnFormText(document: PDFDocument): string {
  const root = document.getTrailer().get('Root');
  const form = root.get('AcroForm');
  const xfa = form.get('XFA');
  const isDrawn = root.get('NeedsRendering').toString() !== 'true' && form.get('Fields').length > 0;
  if (isDrawn) return '';
  const parts = xfa.isArray() ? partsOfForm(xfa) : xfa.isStream() ? [xfa] : [];
  return parts.map(textOfPart).join('\n').trim();
}

/** Names and streams in turn. */
function partsOfForm(list: PDFObject): PDFObject[] {
  const parts: PDFObject[] = [];
  for (let at = 0; at + 1 < Math.min(list.length, FORM_ENTRIES_MAX); at += 2) {
    const [name, part] = [list.get(at), list.get(at + 1)];
    if (name.isString() && FORM_PARTS.has(name.asString()) && part.isStream()) parts.push(part);
  }
  return parts;
}

/** Descriptions of pictures in the tags of a document, in lines. Empty without any. */
export function figureDescriptions(document: PDFDocument): string {
  const root = document.getTrailer().get('Root').get('StructTreeRoot');
  const found: string[] = [];
  const seen = new Set<number>();
  const open = root.isDictionary() ? [root.get('K')] : [];
  let [tags, chars] = [0, 0];
  for (let node = open.pop(); node !== undefined && tags < TAGS_MAX; node = open.pop()) {
    tags += 1;
    if (node.isIndirect()) {
      if (seen.has(node.asIndirect())) continue;
      seen.add(node.asIndirect());
    }
    if (node.isArray()) {
      for (let at = Math.min(node.length, TAGS_MAX) - 1; at >= 0; at -= 1) open.push(node.get(at));
    } else if (node.isDictionary()) {
      const [role, description] = [node.get('S'), node.get('Alt')];
      if (role.isName() && role.asName() === 'Figure' && description.isString() && chars < DESCRIPTION_CHARS_MAX) {
        found.push(description.asString());
        chars += found.at(-1)?.length ?? 0;
      }
      open.push(node.get('K'));
    }
  }
  return found.join('\n').trim();
}

function textOfPart(part: PDFObject): string {
  const xml = Buffer.from(part.readStream().asUint8Array().subarray(0, FORM_BYTES_MAX)).toString();
  return xml
    .replace(/<(script|config)\b[^<>]*>[\s\S]*?(?:<\/\1|$)/g, ' ')
    .replace(/<[^<>]*>/g, '\n')
    .replace(/\s*\n\s*/g, '\n');
}
