import type { ReactNode } from 'react';
import { Code } from '../../components/code.tsx';
import { DataTable } from '../../components/data-table.tsx';
import {
  clockTime,
  formatByteCount,
  formatElapsedTime,
  formatWholeNumber,
  humanizeName,
  joinTexts,
} from '../../components/format.ts';
import { CopyId, Facts, Panel, Time } from '../../components/page-elements.tsx';
import { inSentence } from '../../language/locale.ts';
import { texts } from '../../texts.ts';
import { type Fields, objectFields } from './shapes.ts';
import { results } from './texts.ts';

/** Longer lists of records are shown as JSON. */
const TABLE_ROWS_MAX = 50;
const SECOND_MS = 1000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** A position in a recording, not a duration. */
const PLACE = /^(?:start|end)Seconds$/;
const ID = /^(?:job|crl|txt|whk|dlv|ctb)_[\w-]{20,}$/;

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** A value that fits on one line: text, a number, or a list of these. */
function isShort(value: unknown): boolean {
  return isPlain(value) || (Array.isArray(value) && value.every(isPlain));
}

/** A value formatted for readers. */
export function readableValue(value: unknown): ReactNode {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number') return Number.isInteger(value) ? formatWholeNumber(value) : String(value);
  if (typeof value === 'boolean') return value ? texts.common.yes : texts.common.no;
  if (typeof value === 'string') return readableText(value);
  if (Array.isArray(value) && value.every(isPlain)) return joinTexts(value) || '–';
  const rows = recordsOf(value);
  if (rows !== null) return <Records rows={rows} />;
  const fields = objectFields(value);
  if (fields !== null && Object.values(fields).every(isShort)) {
    const present = Object.entries(fields).filter(([, one]) => one !== null);
    return joinTexts(present.map(([name, one]) => `${inSentence(factName(name))} ${one}`)) || '–';
  }
  return <Code value={JSON.stringify(value, null, 2)} label="value" maxHeight={180} />;
}

function readableText(value: string): ReactNode {
  if (TIME.test(value)) return <Time at={value} />;
  if (ID.test(value) || URL.canParse(value)) return <CopyId value={value} full label={texts.common.value} />;
  return value;
}

/** What a field is called: `Mean confidence`. Fields of later versions have their English names. */
export function factName(name: string): string {
  // A reader's schema may name a field `constructor`, which every object has.
  const known = Object.hasOwn(results.facts, name) ? results.facts[name] : undefined;
  return known ?? humanizeName(name);
}

/** A field with a label. A unit at the end of the name moves to the value. */
function labelledField(name: string, value: unknown): [string, ReactNode] {
  if (typeof value === 'number' && PLACE.test(name))
    return [factName(name.slice(0, -'Seconds'.length)), clockTime(value)];
  if (typeof value === 'number' && name.endsWith('Seconds')) {
    return [factName(name.slice(0, -'Seconds'.length)), formatElapsedTime(value * SECOND_MS)];
  }
  if (typeof value === 'number' && name.endsWith('Bytes'))
    return [factName(name.slice(0, -'Bytes'.length)), formatByteCount(value)];
  return [factName(name), readableValue(value)];
}

/** Records with the same fields, few enough for a table; else null. */
function recordsOf(value: unknown): Fields[] | null {
  if (!Array.isArray(value) || value.length > TABLE_ROWS_MAX) return null;
  const rows = value.map(objectFields).filter((one) => one !== null);
  return rows.length === value.length && rows.every((row) => Object.values(row).every(isShort)) ? rows : null;
}

function Records({ rows }: { rows: readonly Fields[] }) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((name) => ({
    title: labelledField(name, 0)[0],
    cell: (row: Fields) => labelledField(name, row[name])[1],
  }));
  // Rows can be equal and never move.
  return <DataTable columns={columns} rows={rows} rowKey={(row) => String(rows.indexOf(row))} />;
}

/** Any object as names and values. Shows all fields without a viewer of their own. */
export function FieldsPanel({ title, fields }: { title: string; fields: Fields }) {
  const rows = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .flatMap(([name, value]): [string, ReactNode][] => {
      const inner = objectFields(value);
      if (inner === null || !Object.values(inner).every(isShort)) return [labelledField(name, value)];
      return Object.entries(inner).map(([part, one]) => {
        const [label, said] = labelledField(part, one);
        return [`${factName(name)}: ${inSentence(label)}`, said];
      });
    });
  if (rows.length === 0) return null;
  return (
    <Panel title={title}>
      <Facts rows={rows} />
    </Panel>
  );
}
