import type { FileKind } from '../../src-server/contract/index.ts';
import type { DocumentParser } from './blocks.ts';

/**
 * Which parser reads which kind of file: one line each, loaded when the first file of the kind arrives. A kind that is
 * not here cannot be extracted as a document.
 */
export const PARSERS: Partial<Record<FileKind, () => Promise<DocumentParser>>> = {
  docx: async () => (await import('./docx/parse-docx.ts')).parseDocx,
  // Word wraps a document that has a password in an OLE file; the parser says so, or that it is something else.
  ole: async () => (await import('./docx/parse-docx.ts')).parseDocx,
  doc: async () => (await import('./doc/parse-doc.ts')).parseDoc,
  odt: async () => (await import('./odt/parse-odt.ts')).parseOdt,
  rtf: async () => (await import('./rtf/parse-rtf.ts')).parseRtf,
  html: async () => (await import('./html/parse-html.ts')).parseHtml,
  markdown: async () => (await import('./parse-markdown.ts')).parseMarkdown,
  text: async () => (await import('./parse-text.ts')).parsePlainText,
};
