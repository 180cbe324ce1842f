import type { JsonSchema } from './openapi-types.ts';

/** Examples computed from schemas, so that no example can contradict what it illustrates. */

const MAX_DEPTH = 6;

/** Values for fields that a bare type says too little about, by their name. */
const BY_NAME: Record<string, unknown> = {
  sourceUrl: 'https://example.com/report.docx',
  url: 'https://example.com/',
  webhookUrl: 'https://example.com/hooks/quarry',
  sourceName: 'Annual report',
  prompt: 'A calm morning by the sea.',
  language: 'en',
  jobId: 'job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh',
  statusUrl: 'http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh',
  crawlId: 'crl_3v1cQm0pXbJ2nT8yLk5sWd7RfGh',
  query: 'notice period',
};

/** A value that fits the schema: required fields, and optional ones only where `full`. */
export function exampleOf(schema: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema, full = false): unknown {
  return build(schema, '', { resolve, full }, 0);
}

interface Builder {
  resolve: (schema: JsonSchema) => JsonSchema;
  full: boolean;
}

function build(reference: JsonSchema, name: string, builder: Builder, depth: number): unknown {
  const schema = builder.resolve(reference);
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (BY_NAME[name] !== undefined && schema.type === 'string' && schema.enum === undefined) return BY_NAME[name];
  if (schema.default !== undefined && schema.type !== 'object') return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? (schema.properties === undefined ? schema.oneOf : undefined) ?? [];
  if (first !== undefined && schema.properties === undefined) return build(first, name, builder, depth);
  switch (schema.type) {
    case 'object':
      return objectOf(schema, builder, depth);
    case 'array':
      return schema.items === undefined || depth >= MAX_DEPTH ? [] : [build(schema.items, name, builder, depth + 1)];
    case 'integer':
      return schema.minimum ?? 1;
    case 'number':
      return schema.minimum ?? 0.5;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return textOf(schema);
  }
}

function objectOf(schema: JsonSchema, builder: Builder, depth: number): Record<string, unknown> {
  const required = new Set([...(schema.required ?? []), ...(schema.oneOf?.[0]?.required ?? [])]);
  const others = new Set(schema.oneOf?.slice(1).flatMap((alternative) => alternative.required ?? []) ?? []);
  const shown = Object.entries(schema.properties ?? {}).filter(
    ([field]) => required.has(field) || (builder.full && !others.has(field) && depth < MAX_DEPTH),
  );
  return Object.fromEntries(shown.map(([field, inner]) => [field, build(inner, field, builder, depth + 1)]));
}

function textOf(schema: JsonSchema): string {
  if (schema.format === 'date-time') return '2026-03-02T09:30:00.000Z';
  if (schema.format === 'uri') return 'https://example.com/';
  return 'text'.padEnd(schema.minLength ?? 0, 't');
}
