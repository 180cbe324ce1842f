/**
 * JSON as readable text: records as lines `name: value`, lists of flat records as tables, nested records below
 * headings. Threat: deep nesting; the depth is bounded.
 */

import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import type { DocumentParser } from './blocks.ts';
import { DocumentBuilder } from './document-builder.ts';
import { addPlainText, decodeTextFile } from './parse-text.ts';

const DEPTH_MAX = 100;

const LEVEL_MAX = 6;

const COLUMNS_MAX = 50;

/** Lists of plain values up to this length are one line. */
const LINE_CHARS_MAX = 200;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

type Plain = null | boolean | number | string;

/** Also JSON lines. A file that is no JSON is read as plain text, with a warning. Errors: `source_too_large`. */
export const parseJsonDocument: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const text = decodeTextFile(bytes, options.language, builder);
  const value = parseJsonOrLines(withDistinctNames(text));
  if (value === undefined) {
    builder.addWarning(say`The file is not valid JSON and was read as plain text.`);
    addPlainText(text, builder);
  } else {
    new JsonWriter(builder).writeJsonDocument(value);
  }
  return builder.buildNormalizedDocument({ format: 'json' });
};

/** Numbers that JavaScript would write in another way: long ones, `12.50`, `1e5`, `-0`. */
const REWRITTEN_NUMBER = /\d{16}|\.\d*0(?!\d)|\.\d{15}|\d[eE]|-0(?![.\d])/;

/** A number as the file writes it: most are amounts and numbers of things. */
function asWritten(_name: string, value: Json, context?: { source?: string }): Json {
  return typeof value === 'number' ? (context?.source ?? value) : value;
}

const STRINGS_AND_BRACES = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}]/g;

/** Ends a name that its object has had before, and its number. No name that is read ends so. */
const REPEATED = /\uffff\d+$/;

/** The text with each name once in an object: of a repeated one `JSON.parse` keeps the last value alone. */
function withDistinctNames(text: string): string {
  const open: Map<string, number>[] = [];
  return text.replace(STRINGS_AND_BRACES, (token: string, colon: string | undefined) => {
    if (token === '{') open.push(new Map());
    else if (token === '}') open.pop();
    const names = open.at(-1);
    if (colon === undefined || names === undefined) return token;
    const name = token.slice(0, -colon.length);
    const times = (names.get(name) ?? 0) + 1;
    names.set(name, times);
    return times === 1 ? token : `${name.slice(0, -1)}\\uffff${times}"${colon}`;
  });
}

/** Undefined if the text is neither JSON nor JSON lines. */
function parseJsonOrLines(text: string): Json | undefined {
  const keepNumber = REWRITTEN_NUMBER.test(text) ? asWritten : undefined;
  try {
    const value: Json = JSON.parse(text, keepNumber);
    return value;
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep();
  }
  try {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return lines.length > 1 ? lines.map((line): Json => JSON.parse(line, keepNumber)) : undefined;
  } catch {
    // Not valid as a whole, nor line by line: the caller reads it as text.
    return undefined;
  }
}

function tooDeep(): QuarryError {
  return new QuarryError('source_too_large', say`The JSON nests deeper than ${DEPTH_MAX} levels. Send a part of it.`);
}

class JsonWriter {
  readonly #builder: DocumentBuilder;
  #lines: string[] = [];

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  writeJsonDocument(value: Json): void {
    this.#writeJsonValue('', value, 0);
    this.#endRecord();
  }

  #writeJsonValue(stated: string, value: Json, depth: number): void {
    this.#builder.checkCancellation();
    if (depth > DEPTH_MAX) throw tooDeep();
    const name = stated.replace(REPEATED, '');
    if (isPlain(value)) this.#lines.push(namedValueLine(name, plainValueText(value)));
    else if (Array.isArray(value)) this.#writeList(name, value, depth);
    else {
      this.#writeJsonHeading(name, depth);
      // Plain fields first, so that they stay with the record and not below its last nested one.
      const fields = Object.entries(value);
      for (const [key, field] of fields) if (isPlain(field)) this.#writeJsonValue(key, field, depth + 1);
      this.#endRecord();
      for (const [key, field] of fields) if (!isPlain(field)) this.#writeJsonValue(key, field, depth + 1);
    }
  }

  #writeList(name: string, list: readonly Json[], depth: number): void {
    if (list.every(isPlain)) this.#writePlainList(name, list.map(plainValueText));
    else {
      const rows = tableOf(list);
      this.#writeJsonHeading(name, depth);
      if (rows !== null) this.#builder.addDocumentBlock({ kind: 'table', rows });
      else
        for (const [index, item] of list.entries()) {
          const label = `${name} ${index + 1}`.trim();
          // The file has the name of the list once, and no numbers.
          this.#builder.sourceLedger.mayHold(label);
          this.#writeJsonValue(label, item, depth + 1);
        }
    }
  }

  #writePlainList(name: string, values: readonly string[]): void {
    const line = namedValueLine(name, values.join(', '));
    if (line.length <= LINE_CHARS_MAX) {
      this.#lines.push(line);
      return;
    }
    this.#endRecord();
    if (name !== '') this.#builder.addDocumentBlock({ kind: 'paragraph', text: `${name}:` });
    for (const text of values) this.#builder.addDocumentBlock({ kind: 'list-item', depth: 0, marker: '•', text });
  }

  #writeJsonHeading(name: string, depth: number): void {
    this.#endRecord();
    if (name !== '')
      this.#builder.addDocumentBlock({ kind: 'heading', level: Math.min(LEVEL_MAX, Math.max(1, depth)), text: name });
  }

  #endRecord(): void {
    if (this.#lines.length > 0) this.#builder.addDocumentBlock({ kind: 'paragraph', text: this.#lines.join('\n') });
    this.#lines = [];
  }
}

function isPlain(value: Json): value is Plain {
  return value === null || typeof value !== 'object';
}

function plainValueText(value: Plain): string {
  return value === null ? '' : String(value);
}

function namedValueLine(name: string, text: string): string {
  return name === '' ? text : `${name}: ${text}`;
}

/** A header row of all names, and a row per record; null unless all are records of plain values. */
function tableOf(list: readonly Json[]): string[][] | null {
  const names = new Set<string>();
  for (const item of list) {
    if (isPlain(item) || Array.isArray(item)) return null;
    for (const [name, value] of Object.entries(item)) {
      if (!isPlain(value)) return null;
      names.add(name);
      if (names.size > COLUMNS_MAX) return null;
    }
  }
  const columns = [...names];
  const rows = list.map((item) => columns.map((name) => plainValueText((item as Record<string, Plain>)[name] ?? null)));
  return columns.length === 0 ? null : [columns.map((name) => name.replace(REPEATED, '')), ...rows];
}
