import { escapeHtml, inlineCode, type Row, renderInline, table } from './guides.ts';
import { schemaOf } from './openapi-lookup.ts';
import type { JsonSchema, OpenApiDocument } from './openapi-types.ts';

const MAX_DEPTH = 5;

interface Field {
  name: string;
  schema: JsonSchema;
  required: boolean;
}

/** The fields of an object as a table; nested fields stand below their object, by their path. */
export function fieldTable(document: OpenApiDocument, schema: JsonSchema, title: string): string {
  const rows = rowsOf(document, schema, '', 0);
  if (rows.length === 0) return '';
  const head = ['Type', 'Required', 'Default', 'Bounds', 'Meaning'] as const;
  const shown = head.filter((name) => rows.some((row) => cell(row, name) !== ''));
  const body = rows.map((row): Row => [inlineCode(row.name), ...shown.map((name) => cell(row, name))]);
  return table(title, ['Field', ...shown], body);
}

function rowsOf(document: OpenApiDocument, reference: JsonSchema, prefix: string, depth: number): Field[] {
  const { properties, required = [], oneOf } = depth === 0 ? schemaOf(document, reference) : reference;
  if (properties === undefined || depth >= MAX_DEPTH) return [];
  const choices = oneOf?.flatMap((choice) => choice.required ?? []) ?? [];
  const rule = ` Give exactly one of ${choices.map((name) => `\`${name}\``).join(' and ')}.`;
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const row = { name: path, schema, required: required.includes(name) };
    const note = choices.includes(name) ? { ...schema, description: `${schema.description ?? ''}${rule}` } : schema;
    const inner = schema.items
      ? nested(document, schema.items, `${path}[].`, depth)
      : nested(document, schema, `${path}.`, depth);
    return [{ ...row, schema: note }, ...inner];
  });
}

/** A named schema has a table of its own, so it is linked instead. */
function nested(document: OpenApiDocument, schema: JsonSchema, prefix: string, depth: number): Field[] {
  return schema.$ref === undefined ? rowsOf(document, schema, prefix, depth + 1) : [];
}

function cell(row: Field, column: string): string {
  const { schema } = row;
  switch (column) {
    case 'Type':
      return typeOf(schema);
    case 'Required':
      return row.required ? 'yes' : 'no';
    case 'Default':
      return isShown(schema.default) ? inlineCode(JSON.stringify(schema.default)) : '';
    case 'Bounds':
      return boundsOf(schema.items ?? schema, schema);
    default:
      return renderInline(schema.description ?? '');
  }
}

function isShown(value: unknown): boolean {
  return value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

/** A type in words; named schemas link to their table. */
export function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    // A result has no table among the resources: it stands with the one call that gives it.
    if (name.endsWith('Result')) return 'the result below';
    return `<a href="/reference#schema-${name}">${escapeHtml(name)}</a>`;
  }
  const choices = schema.anyOf ?? (schema.properties === undefined ? schema.oneOf : undefined);
  if (choices !== undefined) return choices.map(typeOf).join(' or ');
  if (schema.items !== undefined) return `array of ${typeOf(schema.items)}`;
  if (schema.const !== undefined) return inlineCode(JSON.stringify(schema.const));
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => inlineCode(String(value))).join(', ');
  }
  const format = schema.format === undefined ? '' : `, ${escapeHtml(schema.format)}`;
  if (schema.type === undefined) return 'any';
  return `${escapeHtml([schema.type].flat().join(' or '))}${format}`;
}

function boundsOf(schema: JsonSchema, whole: JsonSchema): string {
  const parts = [
    range(schema.minimum, schema.maximum, ''),
    schema.exclusiveMinimum === undefined ? '' : `over ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? '' : `under ${schema.exclusiveMaximum}`,
    range(schema.minLength, schema.maxLength, ' characters'),
    range(whole.minItems, whole.maxItems, ' entries'),
    schema.pattern === undefined || schema.format !== undefined ? '' : inlineCode(schema.pattern),
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (from !== undefined) return `at least ${from}${unit}`;
  return to === undefined ? '' : `at most ${to}${unit}`;
}
