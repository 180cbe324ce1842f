/**
 * Two readers of a rewritten part. mammoth reads documents with row-spanning cells, which only it supports. The plain
 * reader takes half the CPU for the same result; it reads all other documents, notes, comments, headers and footers,
 * and any document too large for mammoth, which keeps the whole tree in memory (65 to 100 MB per MB of XML). Deep
 * nesting, which mammoth's recursion does not survive, does not occur: a rewritten part nests at most twenty tables.
 */

import { strToU8, zipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import mammoth from 'mammoth';
import { byName } from '../../../src-server/platform/records.ts';
import type { XmlBudget } from '../xml.ts';
import type { BlockAssembler } from './assemble.ts';
import type { RewrittenStory, StoryPiece } from './story.ts';

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
      'word/document.xml': strToU8(storyXml(story)),
    },
    { level: 0 },
  );
  const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(zip) }, { includeDefaultStyleMap: false });
  readHtml(value, assembler);
}

const WORD_NAMES = { table: 'tbl', row: 'tr', cell: 'tc', note: 'note' } as const;

function storyXml({ pieces }: RewrittenStory): string {
  const namespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  return `<w:document xmlns:w="${namespace}"><w:body>${pieces.map(pieceXml).join('')}</w:body></w:document>`;
}

function pieceXml(piece: StoryPiece): string {
  if (typeof piece === 'string') return `<w:p><w:r><w:t>${escapeXml(piece)}</w:t></w:r></w:p>`;
  const name = WORD_NAMES[piece.element];
  if (piece.kind === 'close') return `</w:${name}>`;
  if (piece.element !== 'cell') return `<w:${name}>`;
  const span = piece.columns > 1 ? `<w:gridSpan w:val="${piece.columns}"/>` : '';
  const merge = piece.merge === null ? '' : `<w:vMerge w:val="${piece.merge}"/>`;
  return `<w:tc><w:tcPr>${span}${merge}</w:tcPr>`;
}

const ESCAPES: Readonly<Record<string, string>> = byName({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' });

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
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

/** Pieces read between two checks for cancellation. */
const PIECES_PER_TICK = 1000;

/** Reads a rewritten part. */
export function readPlainly({ pieces }: RewrittenStory, assembler: BlockAssembler, options: PlainReaderOptions): void {
  let target = assembler;
  for (const [at, piece] of pieces.entries()) {
    if (at % PIECES_PER_TICK === 0) options.budget.tick();
    if (typeof piece === 'string') target.assembleParagraph(piece);
    else if (piece.kind === 'open' && piece.element === 'note') target = options.onNote?.(piece.id) ?? assembler;
    else readTablePiece(piece, target);
  }
}

function readTablePiece(piece: Exclude<StoryPiece, string>, assembler: BlockAssembler): void {
  const isOpening = piece.kind === 'open';
  if (piece.element === 'table') isOpening ? assembler.startTable() : assembler.endAssembledTable();
  else if (piece.element === 'row') isOpening ? assembler.startRow() : assembler.endAssembledRow();
  else if (piece.element === 'cell') {
    if (isOpening) assembler.startCell(piece.columns, 1, piece.merge === 'continue');
    else assembler.endAssembledCell();
  }
}
