/**
 * Jupyter notebooks: Markdown cells as text, code cells as code, and their text outputs. Drawn outputs are not read.
 * Every field is untrusted.
 */

import { QuarryError } from '../../src-server/platform/errors.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { say } from '../../src-server/platform/text/say.ts';
import type { DocumentParser } from './blocks.ts';
import { DocumentBuilder } from './document-builder.ts';
import { readHtml } from './html/parse-html.ts';
import { addMarkdownBlocks } from './parse-markdown.ts';
import { decodeTextFile } from './parse-text.ts';

const LEVEL_MAX = 6;

/** Colours and cursor movements of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed here.
const TERMINAL_CODES = /\u001b\[[\d;?]*[A-Za-z]/g;

type Fields = Record<string, unknown>;

/** Formats 3 and 4. Errors: `corrupt_input`, `source_too_large`. */
export const parseNotebook: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const notebook = readNotebook(decodeTextFile(bytes, options.language, builder));
  const metadata = notebookFields(notebook.metadata);
  const kernel = notebookFields(metadata.kernelspec).language ?? notebookFields(metadata.language_info).name;
  const language = typeof kernel === 'string' ? kernel.toLowerCase() : undefined;
  const sheets = asUnknownList(notebook.worksheets).flatMap((sheet) => asUnknownList(notebookFields(sheet).cells));
  for (const cell of [...asUnknownList(notebook.cells), ...sheets]) {
    builder.checkCancellation();
    addCell(notebookFields(cell), language, builder);
  }
  const authors = asUnknownList(metadata.authors).map((author) => joinNotebookText(notebookFields(author).name));
  return builder.buildNormalizedDocument({
    format: 'ipynb',
    title: joinNotebookText(metadata.title),
    author: authors.join(', '),
  });
};

function readNotebook(text: string): Fields {
  try {
    const notebook = notebookFields(JSON.parse(text));
    if (Array.isArray(notebook.cells) || Array.isArray(notebook.worksheets)) return notebook;
  } catch (cause) {
    throw new QuarryError('corrupt_input', say`The notebook is damaged. Save it again and send the new file.`, {
      cause,
    });
  }
  throw new QuarryError('corrupt_input', say`The notebook has no list of cells. Save it again and send the new file.`);
}

function addCell(cell: Fields, language: string | undefined, builder: DocumentBuilder): void {
  const source = joinNotebookText(cell.source ?? cell.input);
  switch (cell.cell_type) {
    case 'markdown':
      addMarkdownBlocks(source, builder);
      return;
    case 'heading': {
      const level = Math.min(LEVEL_MAX, Math.max(1, Number(cell.level) || 1));
      builder.addDocumentBlock({ kind: 'heading', level, text: source });
      return;
    }
    case 'code':
      builder.addDocumentBlock({ kind: 'code', text: source, ...omitUndefined({ language }) });
      for (const output of asUnknownList(cell.outputs)) addOutput(notebookFields(output), builder);
      return;
    default:
      builder.addDocumentBlock({ kind: 'paragraph', text: source });
  }
}

/** A stream, an error, or a value, which has several forms. Tables are read from their HTML. */
function addOutput(output: Fields, builder: DocumentBuilder): void {
  builder.checkCancellation();
  const forms = output.data === undefined ? output : notebookFields(output.data);
  const html = joinNotebookText(forms['text/html'] ?? forms.html);
  if (/<table\b/i.test(html)) {
    readHtml(html, builder);
    return;
  }
  const markdown = joinNotebookText(forms['text/markdown']);
  if (markdown !== '') {
    addMarkdownBlocks(markdown, builder);
    return;
  }
  const text = failureOf(output) || joinNotebookText(output.text) || joinNotebookText(forms['text/plain']);
  if (text === '') addOnlyForm(forms, builder);
  else builder.addDocumentBlock({ kind: 'code', text: text.replace(TERMINAL_CODES, '') });
}

/** The lines of a failure, which end with its name and message. */
function failureOf({ ename, evalue, traceback }: Fields): string {
  if (ename === undefined) return '';
  const failure = `${joinNotebookText(ename)}: ${joinNotebookText(evalue)}`;
  const lines = asUnknownList(traceback).filter((line) => typeof line === 'string');
  const trace = lines.join('\n').replace(TERMINAL_CODES, '');
  if (trace === '') return failure;
  return trace.includes(joinNotebookText(evalue)) ? trace : `${trace}\n${failure}`;
}

/** An output without plain text. */
function addOnlyForm(forms: Fields, builder: DocumentBuilder): void {
  for (const [type, value] of Object.entries(forms)) {
    if (type === 'text/html' || type === 'html') readHtml(joinNotebookText(value), builder);
    else if (/^text\//.test(type)) builder.addDocumentBlock({ kind: 'code', text: joinNotebookText(value) });
    else if (/json$/.test(type)) builder.addDocumentBlock({ kind: 'code', text: JSON.stringify(value) });
  }
}

/** Text is one string or a list of lines with their ends. */
function joinNotebookText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}

function notebookFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function asUnknownList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
