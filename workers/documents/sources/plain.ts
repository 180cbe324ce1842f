import { parseOwnJson } from '../../../src-server/platform/own-json.ts';
import type { NormalizedDocument, ParseOptions } from '../blocks.ts';
import { readText } from '../parse-text.ts';
import type { SourceLedger } from '../source-ledger.ts';
import { countPage } from './markup.ts';
import { resolved } from './scan-xml.ts';
import { spansOf } from './spans.ts';

/** All characters are text. */
export function countText(bytes: Buffer, { ledger, language }: ParseOptions): void {
  ledger.add('', readText(bytes, language));
}

export function countMarkdown(bytes: Buffer, { ledger, language }: ParseOptions): void {
  addMarkdown(readText(bytes, language), ledger);
}

const FENCE = /^[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)$/;

/** Markup whose letters are no text: descriptions of pictures, destinations, tags. */
const MARKUP = /!\[[^\]\n]{0,300}(?=\])|\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)|<\/?[a-z][^<>]*>/gi;

const DEFINITION = /^ {0,3}\[[^\]]+\]:.*$/;

function addMarkdown(text: string, ledger: SourceLedger): void {
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
    for (const { text: part, opener } of spansOf(prose.join('\n'), /<!--/g, () => '-->')) {
      if (opener !== null) optional.push(part);
      else owed.push(resolved(part.replace(MARKUP, putAside)));
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
  ledger.add('', owed.join('\n'));
  ledger.mayHold(optional.join('\n'));
}

/** Values are text; names of fields are labels, which a table has once. */
export function countJson(bytes: Buffer, { ledger, language }: ParseOptions, { warnings }: NormalizedDocument): void {
  const text = readText(bytes, language);
  if (warnings.some((sentence) => sentence.includes('not valid JSON'))) {
    ledger.add('', text);
    return;
  }
  const owed: string[] = [];
  const optional: string[] = [];
  for (const [token, name] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[-\d][\d.eE+-]*|true|false/g)) {
    if (name !== undefined || !/^["\d-]/.test(token)) optional.push(token);
    else if (token.startsWith('"')) owed.push(token.includes('\\') ? String(JSON.parse(token)) : token);
    else owed.push(String(Number(token)));
  }
  ledger.add('', owed.join('\n'));
  ledger.mayHold(optional.join('\n'));
}

type Fields = Record<string, unknown>;

/** The sources of a notebook's cells, and one form of each output. */
export function countNotebook(bytes: Buffer, { ledger, language }: ParseOptions): void {
  const notebook = parseOwnJson<Fields>(readText(bytes, language));
  const sheets = listOf(notebook.worksheets).flatMap(({ cells }) => listOf(cells));
  for (const [index, cell] of [...listOf(notebook.cells), ...sheets].entries()) {
    const source = textOf(cell.source ?? cell.input);
    if (cell.cell_type === 'markdown') addMarkdown(source, ledger);
    else ledger.add(`cell ${index + 1}`, source);
    for (const output of listOf(cell.outputs)) addOutput(output, `cell ${index + 1}`, ledger);
  }
}

function addOutput(output: Fields, where: string, ledger: SourceLedger): void {
  const forms = (output.data ?? output) as Fields;
  const html = textOf(forms['text/html'] ?? forms.html);
  const markdown = textOf(forms['text/markdown']);
  if (/<table\b/i.test(html)) countPage(html, where, ledger);
  else if (markdown !== '') addMarkdown(markdown, ledger);
  else if (output.ename !== undefined) ledger.add(where, `${textOf(output.ename)} ${textOf(output.evalue)}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal codes are no text.
  else ledger.add(where, textOf(output.text ?? forms['text/plain']).replace(/\u001b\[[\d;?]*[A-Za-z]/g, ''));
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}

const TIMES = /\d[\d:.,]*\s*-->\s*\d/;

/** The lines below the times of each cue. A line that a cue repeats from the one before it counts once. */
export function countCaptions(bytes: Buffer, { ledger, language }: ParseOptions): void {
  const optional: string[] = [];
  let before: string[] = [];
  for (const cue of readText(bytes, language).split(/\r?\n[ \t]*\r?\n/)) {
    const lines = cue.split(/\r?\n/);
    const at = lines.findIndex((line) => TIMES.test(line));
    optional.push(...lines.slice(0, at === -1 ? undefined : at));
    if (at === -1) continue;
    const spoken = lines.slice(at + 1).map((line) =>
      resolved(
        line.replace(/<[^<>]*>|\{\\[^{}]*\}/g, (markup) => {
          optional.push(markup);
          return ' ';
        }),
      ).trim(),
    );
    ledger.add('', spoken.filter((line) => !before.includes(line)).join('\n'));
    optional.push(...spoken.filter((line) => before.includes(line)));
    before = spoken;
  }
  ledger.mayHold(optional.join('\n'));
}
