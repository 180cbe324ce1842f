/**
 * Jupyter notebooks: Markdown cells as text, code cells as code, and their text outputs. Drawn outputs are not read.
 * Every field is untrusted.
 */

import { QuarryError } from '../../src-server/platform/errors.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import type { DocumentParser } from './blocks.ts';
import { DocumentBuilder } from './document-builder.ts';
import { readHtml } from './html/parse-html.ts';
import { addMarkdown } from './parse-markdown.ts';
import { readText } from './parse-text.ts';

const LEVEL_MAX = 6;

/** Colours and cursor movements of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed here.
const TERMINAL_CODES = /\u001b\[[\d;?]*[A-Za-z]/g;

type Fields = Record<string, unknown>;

/** Formats 3 and 4. Errors: `corrupt_input`, `source_too_large`. */
export const parseNotebook: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const notebook = readNotebook(readText(bytes, options.language));
  const metadata = fieldsOf(notebook.metadata);
  const kernel = fieldsOf(metadata.kernelspec).language ?? fieldsOf(metadata.language_info).name;
  const language = typeof kernel === 'string' ? kernel.toLowerCase() : undefined;
  const sheets = listOf(notebook.worksheets).flatMap((sheet) => listOf(fieldsOf(sheet).cells));
  for (const cell of [...listOf(notebook.cells), ...sheets]) {
    builder.step();
    addCell(fieldsOf(cell), language, builder);
  }
  const authors = listOf(metadata.authors).map((author) => textOf(fieldsOf(author).name));
  return builder.finish({ format: 'ipynb', title: textOf(metadata.title), author: authors.join(', ') });
};

function readNotebook(text: string): Fields {
  try {
    const notebook = fieldsOf(JSON.parse(text));
    if (Array.isArray(notebook.cells) || Array.isArray(notebook.worksheets)) return notebook;
  } catch (cause) {
    throw new QuarryError('corrupt_input', 'The notebook is damaged. Save it again and send the new file.', { cause });
  }
  throw new QuarryError('corrupt_input', 'The notebook has no list of cells. Save it again and send the new file.');
}

function addCell(cell: Fields, language: string | undefined, builder: DocumentBuilder): void {
  const source = textOf(cell.source ?? cell.input);
  switch (cell.cell_type) {
    case 'markdown':
      addMarkdown(source, builder);
      return;
    case 'heading': {
      const level = Math.min(LEVEL_MAX, Math.max(1, Number(cell.level) || 1));
      builder.add({ kind: 'heading', level, text: source });
      return;
    }
    case 'code':
      builder.add({ kind: 'code', text: source, ...omitUndefined({ language }) });
      for (const output of listOf(cell.outputs)) addOutput(fieldsOf(output), builder);
      return;
    default:
      builder.add({ kind: 'paragraph', text: source });
  }
}

/** A stream, an error, or a value, which has several forms. Tables are read from their HTML. */
function addOutput(output: Fields, builder: DocumentBuilder): void {
  builder.step();
  const forms = output.data === undefined ? output : fieldsOf(output.data);
  const html = textOf(forms['text/html'] ?? forms.html);
  if (/<table\b/i.test(html)) {
    readHtml(html, builder);
    return;
  }
  const markdown = textOf(forms['text/markdown']);
  if (markdown !== '') {
    addMarkdown(markdown, builder);
    return;
  }
  const failure = output.ename === undefined ? '' : `${textOf(output.ename)}: ${textOf(output.evalue)}`;
  const text = failure || textOf(output.text) || textOf(forms['text/plain']);
  builder.add({ kind: 'code', text: text.replace(TERMINAL_CODES, '') });
}

/** Text is one string or a list of lines with their ends. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
