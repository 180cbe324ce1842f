import fc from 'fast-check';
import type { JsonSchema } from '../../src-server/features/reference/openapi-types.ts';

const MAX_ITEMS = 3;
const MAX_CHARS = 60;
const MAX_NUMBER = 1_000_000;

/**
 * Values that fit a schema. Addresses in them lead to a closed port of this machine: what is generated may be fetched by
 * the server under test, and no test may reach another one.
 */
export function valuesOf(
  schema: JsonSchema,
  resolve: (schema: JsonSchema) => JsonSchema,
  name = '',
): fc.Arbitrary<unknown> {
  const { $ref, ...whole } = schema.$ref === undefined ? schema : resolve(schema);
  if (whole.const !== undefined) return fc.constant(whole.const);
  if (whole.enum !== undefined) return fc.constantFrom(...whole.enum);
  const choices = whole.anyOf ?? (whole.properties === undefined ? whole.oneOf : undefined);
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valuesOf(choice, resolve, name)));
  switch (whole.type) {
    case 'object':
      // Of a free shape: what the document shows.
      if (whole.properties === undefined && whole.examples !== undefined) return fc.constantFrom(...whole.examples);
      return objectsOf(whole, resolve);
    case 'array':
      return fc.array(valuesOf(whole.items ?? {}, resolve, name), {
        minLength: whole.minItems ?? 0,
        maxLength: Math.min(whole.maxItems ?? MAX_ITEMS, Math.max(MAX_ITEMS, whole.minItems ?? 0)),
      });
    case 'integer':
      return fc.integer({ min: whole.minimum ?? -MAX_NUMBER, max: whole.maximum ?? MAX_NUMBER });
    case 'number':
      return fc.double({ min: whole.minimum ?? -MAX_NUMBER, max: whole.maximum ?? MAX_NUMBER, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return textsOf(whole, name);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectsOf(schema: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, valuesOf(inner, resolve, name)]);
  const record = Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>;
  const required = schema.required ?? [];
  const alternatives = schema.oneOf?.map((choice) => choice.required ?? []) ?? [[]];
  return fc.oneof(
    ...alternatives.map((chosen) => {
      const excluded = new Set(alternatives.flat().filter((name) => !chosen.includes(name)));
      const kept = Object.fromEntries(Object.entries(record).filter(([name]) => !excluded.has(name)));
      return fc.record(kept, { requiredKeys: [...required, ...chosen] });
    }),
  );
}

function textsOf(schema: JsonSchema, name: string): fc.Arbitrary<string> {
  if (name === 'file')
    return fc.lorem().map((text) => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`);
  if (schema.format === 'uri') return fc.nat(9999).map((number) => `http://127.0.0.1:9/${number}`);
  if (schema.format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  const minLength = schema.minLength ?? 0;
  const examples = (schema.examples ?? []).filter((example) => typeof example === 'string');
  // Names of what there is: no generated text would ever be one.
  if (examples.length > 0)
    return fc.oneof(fc.constantFrom(...examples), fc.string({ minLength, maxLength: MAX_CHARS }));
  return fc.string({ minLength, maxLength: Math.min(schema.maxLength ?? MAX_CHARS, Math.max(MAX_CHARS, minLength)) });
}
