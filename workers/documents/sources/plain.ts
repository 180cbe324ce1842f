import { parseOwnJson } from '../../../src-server/platform/own-json.ts';
import type { NormalizedDocument, ParseOptions } from '../blocks.ts';
import { decodeTextFile } from '../parse-text.ts';
import type { SourceLedger } from '../source-ledger.ts';
import { countPage } from './markup.ts';
import { resolveReferences } from './scan-xml.ts';
import { delimitedSpans } from './spans.ts';

/** All characters are text. */
export function countText(bytes: Buffer, { ledger, language }: ParseOptions): void {
  ledger.addOwedText('', decodeTextFile(bytes, language));
}

/** Without the first line by which spreadsheet programs name the delimiter. */
export function countCsv(bytes: Buffer, { ledger, language }: ParseOptions): void {
  ledger.addOwedText('', decodeTextFile(bytes, language).replace(/^\ufeff?sep=.\r?\n/i, ''));
}

export function countMarkdown(bytes: Buffer, { ledger, language }: ParseOptions): void {
  countMarkdownText(decodeTextFile(bytes, language), ledger);
}

const FENCE = /^[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)$/;

/** Markup whose letters are no text: descriptions of pictures, destinations, tags. */
const MARKUP = /!\[[^\]\n]{0,300}(?=\])|\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)|<\/?[a-z][^<>]*>/gi;

const DEFINITION = /^ {0,3}\[[^\]]+\]:.*$/;

function countMarkdownText(text: string, ledger: SourceLedger): void {
  const owed: string[] = [];
  const optional: string[] = [];
  const front = /^---\r?\n[\s\S]*?\n(?:---|\.\.\.)\r?\n/.exec(text)?.[0] ?? '';
  optional.push(front);
  let fence: string | null = null;
  let prose: string[] = [];
  const putAside = (markup: string) => {
    optional.push(markup);
    return ' ';
  };
  const endProse = () => {
    for (const { text: part, opener } of delimitedSpans(prose.join('\n'), /<!--/g, () => '-->')) {
      if (opener !== null) optional.push(part);
      else owed.push(resolveReferences(part.replace(MARKUP, putAside)));
    }
    prose = [];
  };
  for (const line of text.slice(front.length).split(/\r?\n/)) {
    const [, mark, info = ''] = FENCE.exec(line) ?? [];
    if (fence !== null) {
      if (mark?.startsWith(fence) && info.trim() === '') fence = null;
      else owed.push(line);
    } else if (mark !== undefined) {
      endProse();
      fence = mark;
      optional.push(info);
    } else if (DEFINITION.test(line)) optional.push(line);
    else prose.push(line);
  }
  endProse();
  ledger.addOwedText('', owed.join('\n'));
  ledger.mayHold(optional.join('\n'));
}

/** Values are text; names of fields are labels, which a table has once. */
export function countJson(bytes: Buffer, { ledger, language }: ParseOptions, { warnings }: NormalizedDocument): void {
  const text = decodeTextFile(bytes, language);
  if (warnings.some((sentence) => sentence.includes('not valid JSON'))) {
    ledger.addOwedText('', text);
    return;
  }
  const owed: string[] = [];
  const optional: string[] = [];
  for (const [token, name] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[-\d][\d.eE+-]*|true|false/g)) {
    if (name !== undefined || !/^["\d-]/.test(token)) optional.push(token);
    else if (token.startsWith('"')) owed.push(token.includes('\\') ? String(JSON.parse(token)) : token);
    else owed.push(token);
  }
  ledger.addOwedText('', owed.join('\n'));
  ledger.mayHold(optional.join('\n'));
}

type Fields = Record<string, unknown>;

/** The sources of a notebook's cells, and one form of each output. */
export function countNotebook(bytes: Buffer, { ledger, language }: ParseOptions): void {
  const notebook = parseOwnJson<Fields>(decodeTextFile(bytes, language));
  const sheets = notebookRecords(notebook.worksheets).flatMap(({ cells }) => notebookRecords(cells));
  for (const [index, cell] of [...notebookRecords(notebook.cells), ...sheets].entries()) {
    const source = notebookText(cell.source ?? cell.input);
    if (cell.cell_type === 'markdown') countMarkdownText(source, ledger);
    else ledger.addOwedText(`cell ${index + 1}`, source);
    for (const output of notebookRecords(cell.outputs)) addOutput(output, `cell ${index + 1}`, ledger);
  }
}

function addOutput(output: Fields, where: string, ledger: SourceLedger): void {
  const forms = (output.data ?? output) as Fields;
  const html = notebookText(forms['text/html'] ?? forms.html);
  const markdown = notebookText(forms['text/markdown']);
  if (/<table\b/i.test(html)) countPage(html, where, ledger);
  else if (markdown !== '') countMarkdownText(markdown, ledger);
  else if (output.ename !== undefined) {
    ledger.addOwedText(where, `${notebookText(output.ename)} ${notebookText(output.evalue)}`);
    ledger.mayHold(notebookStrings(output.traceback).join('\n').replace(TERMINAL_CODES, ''));
  } else if (notebookText(output.text ?? forms['text/plain']) !== '') {
    ledger.addOwedText(where, notebookText(output.text ?? forms['text/plain']).replace(TERMINAL_CODES, ''));
  } else countOnlyForm(forms, where, ledger);
}

/** An output without plain text. */
function countOnlyForm(forms: Fields, where: string, ledger: SourceLedger): void {
  for (const [type, value] of Object.entries(forms)) {
    if (type === 'text/html' || type === 'html') countPage(notebookText(value), where, ledger);
    else if (/^text\//.test(type)) ledger.addOwedText(where, notebookText(value));
    else if (/json$/.test(type)) ledger.addOwedText(where, JSON.stringify(value));
  }
}

function notebookStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal codes are no text.
const TERMINAL_CODES = /\u001b\[[\d;?]*[A-Za-z]/g;

function notebookRecords(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

function notebookText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}

const TIMES = /^\s*\d[\d:.,]*\s*-{1,2}>/;

/** Blocks that are no cues. */
const ASIDE = /^(?:NOTE|STYLE|REGION)\b/;

/**
 * The lines below the times of each cue, also after an empty line. A line that a cue repeats from the one before it
 * counts once.
 */
export function countCaptions(bytes: Buffer, { ledger, language }: ParseOptions): void {
  const optional: string[] = [];
  let before: string[] | null = null;
  for (const cue of decodeTextFile(bytes, language).split(/\r?\n[ \t]*\r?\n/)) {
    const lines = cue.split(/\r?\n/);
    const at = lines.findIndex((line) => TIMES.test(line));
    const isText = at === -1 && before !== null && !ASIDE.test(cue.trimStart());
    if (!isText) optional.push(...lines.slice(0, at === -1 ? undefined : at));
    if (at === -1 && !isText) continue;
    const known: readonly string[] = before ?? [];
    const spoken = lines.slice(at + 1).map((line) => spokenLine(line, optional));
    const isKnown = (line: string) => known.includes(line) || /^\d+$/.test(line) || TIMES.test(line);
    ledger.addOwedText('', spoken.filter((line) => !isKnown(line)).join('\n'));
    optional.push(...spoken.filter(isKnown));
    before = spoken;
  }
  ledger.mayHold(optional.join('\n'));
}

function spokenLine(line: string, optional: string[]): string {
  const text = line.replace(/<[^<>]*>|\{\\[^{}]*\}/g, (markup) => {
    optional.push(markup);
    return ' ';
  });
  return resolveReferences(text).trim();
}
