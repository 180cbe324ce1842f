/**
 * Two readers of a rewritten part. mammoth reads documents with row-spanning cells, which only it supports. The plain
 * reader takes half the CPU for the same result; it reads all other documents, notes, comments, headers and footers,
 * and any document too large for mammoth, which keeps the whole tree in memory (65 to 100 MB per MB of XML). Deep
 * nesting, which mammoth's recursion does not survive, does not occur: a rewritten part nests at most twenty tables.
 */

import { strToU8, zipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import mammoth from 'mammoth';
import { walkXml, type XmlBudget } from '../xml.ts';
import type { BlockAssembler } from './assemble.ts';
import type { RewrittenStory } from './story.ts';

const CONTENT_TYPES =
  '<?xml version="1.0" encoding="UTF-8"?>' +
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  '<Default Extension="xml" ContentType="application/xml"/></Types>';

const RELATIONSHIPS =
  '<?xml version="1.0" encoding="UTF-8"?>' +
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
  '<Relationship Id="rId1" Target="word/document.xml" ' +
  'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>';

/** Reads a rewritten document through mammoth. */
export async function readWithMammoth(story: RewrittenStory, assembler: BlockAssembler): Promise<void> {
  const zip = zipSync(
    {
      '[Content_Types].xml': strToU8(CONTENT_TYPES),
      '_rels/.rels': strToU8(RELATIONSHIPS),
      'word/document.xml': strToU8(story.xml),
    },
    { level: 0 },
  );
  const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(zip) }, { includeDefaultStyleMap: false });
  readHtml(value, assembler);
}

function readHtml(html: string, assembler: BlockAssembler): void {
  let paragraph: string | null = null;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'p') paragraph = '';
      else if (name === 'table') assembler.startTable();
      else if (name === 'tr') assembler.startRow();
      else if (name === 'td' || name === 'th') {
        assembler.startCell(Number(attributes.colspan ?? 1), Number(attributes.rowspan ?? 1), false);
      }
    },
    ontext(text) {
      if (paragraph !== null) paragraph += text;
    },
    onclosetag(name) {
      if (name === 'p') {
        if (paragraph !== null) assembler.assembleParagraph(paragraph);
        paragraph = null;
      } else if (name === 'table') assembler.endAssembledTable();
      else if (name === 'tr') assembler.endAssembledRow();
      else if (name === 'td' || name === 'th') assembler.endAssembledCell();
    },
  });
  parser.end(html);
}

export interface PlainReaderOptions {
  budget: XmlBudget;
  /** Called for each note or comment of the part; the following content belongs to it. */
  onNote?(id: string): BlockAssembler;
}

/** Reads a rewritten part in one pass. */
export function readPlainly(story: RewrittenStory, assembler: BlockAssembler, options: PlainReaderOptions): void {
  let target = assembler;
  let paragraph: string | null = null;
  let cell: { columns: number; continues: boolean; isOpen: boolean } | null = null;
  const openPendingCell = () => {
    if (cell === null || cell.isOpen) return;
    cell.isOpen = true;
    target.startCell(cell.columns, 1, cell.continues);
  };
  let isText = false;
  // The original part has passed the limits; the rewritten one has its own count.
  const budget: XmlBudget = { ...options.budget, elements: 0 };
  walkXml(Buffer.from(story.xml), budget, {
    open(element) {
      const { local } = element;
      isText = local === 't';
      if (local === 'p') {
        openPendingCell();
        paragraph = '';
      } else if (local === 'note') target = options.onNote?.(element.attributeValue('id') ?? '') ?? assembler;
      else if (local === 'tbl') {
        openPendingCell();
        target.startTable();
      } else if (local === 'tr') target.startRow();
      else if (local === 'tc') cell = { columns: 1, continues: false, isOpen: false };
      else if (cell !== null && local === 'gridSpan') cell.columns = Number(element.attributeValue('val'));
      else if (cell !== null && local === 'vMerge') cell.continues = element.attributeValue('val') === 'continue';
    },
    text(text) {
      if (paragraph !== null && isText) paragraph += text;
    },
    close({ local }) {
      isText = false;
      if (local === 'p') {
        if (paragraph !== null) target.assembleParagraph(paragraph);
        paragraph = null;
      } else if (local === 'tc') {
        openPendingCell();
        target.endAssembledCell();
        cell = null;
      } else if (local === 'tr') target.endAssembledRow();
      else if (local === 'tbl') target.endAssembledTable();
    },
  });
}
