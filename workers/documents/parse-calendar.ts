/**
 * Calendars (iCalendar, RFC 5545) and contacts (vCard, RFC 6350): each event, task or card as its name and its fields.
 * Lines are unfolded, values unescaped. Threat: millions of lines, which the builder bounds.
 */

import { say } from '../../src-server/platform/text/say.ts';
import type { DocumentParser } from './blocks.ts';
import { FIELD_LABELS } from './calendar-fields.ts';
import { DocumentBuilder } from './document-builder.ts';
import { decodeTextFile } from './parse-text.ts';

/** Fields that name an entry, the most telling first. */
const NAMES = ['SUMMARY', 'FN', 'N', 'X-WR-CALNAME'];

/** Fields for programs. */
const TECHNICAL = new Set([
  ...['VERSION', 'PRODID', 'CALSCALE', 'METHOD', 'UID', 'DTSTAMP', 'SEQUENCE', 'CREATED', 'LAST-MODIFIED', 'TRANSP'],
  ...['CLASS', 'REV', 'ACTION', 'RECURRENCE-ID', 'X-WR-TIMEZONE'],
]);

/** Fields whose whole text is a paragraph. */
const TEXTS = new Set(['DESCRIPTION', 'NOTE', 'X-WR-CALDESC']);

/** Fields whose parts a semicolon separates. */
const STRUCTURED = new Set(['N', 'ADR', 'ORG', 'GENDER']);

interface Field {
  name: string;
  parameters: ReadonlyMap<string, string>;
  value: string;
}

export const parseCalendar: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const source = decodeTextFile(bytes, options.language, builder);
  const lines = unfoldCalendarLines(source.replace(/\r\n?/g, '\n').replace(/^\ufeff/, ''));
  const format = /^BEGIN:VCARD/i.test(lines[0]?.trim() ?? '') ? 'vcard' : 'icalendar';
  const writer = new EntryWriter(builder);
  writer.readCalendarLines(lines);
  return builder.buildNormalizedDocument({ format, title: writer.title });
};

/** A line that begins with white space continues the one before; so does one after a soft break of quoted-printable. */
function unfoldCalendarLines(text: string): string[] {
  const whole = text.replace(/\n[ \t]/g, '');
  return whole.replace(/^([^:\n]*;ENCODING=QUOTED-PRINTABLE[^\n]*)=\n/gim, '$1').split('\n');
}

class EntryWriter {
  /** The first name. */
  title: string | null = null;
  readonly #builder: DocumentBuilder;
  /** Open entries; those of a time zone have no text. */
  readonly #open: { kind: string; fields: Field[] }[] = [];

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  readCalendarLines(lines: readonly string[]) {
    for (const line of lines) {
      this.#builder.checkCancellation();
      const field = parseField(line);
      if (field === null) {
        if (line.trim() !== '') this.#builder.addDocumentBlock({ kind: 'paragraph', text: line });
      } else if (field.name === 'BEGIN') {
        // What a calendar says of itself comes before its entries.
        this.#writeCalendarEntry(false);
        this.#open.push({ kind: field.value.trim().toUpperCase(), fields: [] });
      } else if (field.name === 'END') {
        this.#writeCalendarEntry(true);
        this.#open.pop();
      } else if (this.#open.length > 0) this.#open.at(-1)?.fields.push(field);
      else this.#builder.addDocumentBlock({ kind: 'paragraph', text: line });
    }
    while (this.#open.length > 0) {
      this.#writeCalendarEntry(true);
      this.#open.pop();
    }
  }

  #writeCalendarEntry(isEnd: boolean) {
    const entry = this.#open.at(-1);
    if (entry === undefined) return;
    const { fields, kind } = entry;
    if (this.#open.some((one) => one.kind === 'VTIMEZONE')) fields.length = 0;
    const name = NAMES.map((one) => fields.find((field) => field.name === one)).find((field) => field !== undefined);
    if (!isEnd && name === undefined) return;
    const level = kind === 'VCALENDAR' ? 1 : 2;
    if (name !== undefined) {
      const text = calendarFieldText(name).replaceAll('\n', ' ');
      this.title ??= text;
      this.#builder.addDocumentBlock({ kind: 'heading', level, text });
    }
    const shown = fields.filter((field) => field !== name && !TECHNICAL.has(field.name));
    const short = shown.filter((field) => !TEXTS.has(field.name));
    this.#builder.addDocumentBlock({
      kind: 'paragraph',
      text: short.flatMap((field) => this.#calendarFieldLines(field)).join('\n'),
    });
    for (const field of shown) {
      if (TEXTS.has(field.name)) this.#builder.addDocumentBlock({ kind: 'paragraph', text: calendarFieldText(field) });
    }
    fields.length = 0;
  }

  #calendarFieldLines(field: Field): string[] {
    const encoding = field.parameters.get('ENCODING') ?? '';
    if (/^b/i.test(encoding) || /^data:[^,]*;base64,/i.test(field.value)) {
      this.#builder.addWarning(say`Files inside the entries (pictures, attachments) were not read.`);
      return [];
    }
    const text = calendarFieldText(field);
    return text === '' ? [] : [`${FIELD_LABELS[field.name] ?? field.name}: ${text.replaceAll('\n', ' ')}`];
  }
}

/** `NAME;PARAMETER=value:value`; null for other lines. A name may have a group before it: `item1.TEL`. */
function parseField(line: string): Field | null {
  const [head = '', name = '', rest = ''] =
    /^(?:[\w-]+\.)?([A-Za-z][\w-]*)((?:;[\w-]+(?:=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)?)*):/.exec(line) ??
    [];
  if (head === '') return null;
  const parameters = new Map<string, string>();
  for (const [, key = '', quoted, plain] of rest.matchAll(/;([\w-]+)(?:=(?:"([^"]*)"|([^";:]*)))?/g)) {
    parameters.set(key.toUpperCase(), quoted ?? plain ?? '');
  }
  return { name: name.toUpperCase(), parameters, value: line.slice(head.length) };
}

function calendarFieldText(field: Field): string {
  const { name, parameters } = field;
  const value = decodedValue(field);
  if (/^\d{8}(?:T\d{4,6}Z?)?$/.test(value.trim())) return dateText(value.trim(), parameters.get('TZID') ?? '');
  const person = /^mailto:(.*)$/i.exec(value.trim())?.[1];
  const common = parameters.get('CN');
  if (person !== undefined) return common === undefined ? person : `${common} <${person}>`;
  const parts = STRUCTURED.has(name) ? value.split(/(?<!\\);/).filter((part) => part.trim() !== '') : [value];
  const text = parts.map(unescapeCalendarValue).join(', ');
  return common === undefined ? text : `${common} <${text}>`;
}

/** Old cards have quoted-printable. */
function decodedValue({ parameters, value }: Field): string {
  if (!/^quoted-printable$/i.test(parameters.get('ENCODING') ?? '')) return value;
  const bytes = value.replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

function unescapeCalendarValue(value: string): string {
  return value.replace(/\\([\\;,nN])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character)).trim();
}

/** `20240903T100000Z` as `2024-09-03 10:00 UTC`. */
function dateText(value: string, zone: string): string {
  const [date = '', time = ''] = value.split('T');
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}`;
  if (time === '') return day;
  const seconds = time.slice(4, 6).replace(/^00$|^Z$/, '');
  const clock = `${time.slice(0, 2)}:${time.slice(2, 4)}${/^\d\d$/.test(seconds) ? `:${seconds}` : ''}`;
  return [day, clock, time.endsWith('Z') ? 'UTC' : zone].filter((part) => part !== '').join(' ');
}
