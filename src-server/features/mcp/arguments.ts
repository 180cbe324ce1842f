/** Schemas of tools as all clients of MCP take them, and arguments as language models write them. */

import { isRecord, recordOf } from '../../platform/records.ts';

type Json = Record<string, unknown>;

/** Definitions deeper than this refer to themselves. */
const DEPTH_MAX = 12;

/**
 * A schema that stands alone: definitions in their places, `anyOf` for `oneOf`, `enum` for `const`, and without what
 * clients stumble over and only narrows a value. The tool itself checks its arguments by the whole schema.
 */
export function plainSchema(schema: Json): Json {
  const { $defs, ...root } = schema;
  return recordOf(plainSchemaNode(root, recordOf($defs), 0));
}

function plainSchemaNode(given: unknown, defs: Json, depth: number): unknown {
  if (Array.isArray(given)) return given.map((one) => plainSchemaNode(one, defs, depth));
  if (!isRecord(given)) return given;
  const { $ref, ...node } = given;
  if (typeof $ref === 'string') {
    const target = defs[$ref.replace('#/$defs/', '')];
    if (typeof target !== 'object' || target === null || depth > DEPTH_MAX) return { ...node };
    return plainSchemaNode({ ...target, ...node }, defs, depth + 1);
  }
  return Object.fromEntries(Object.entries(node).flatMap(([key, value]) => plainEntry(key, value, defs, depth)));
}

function plainEntry(key: string, value: unknown, defs: Json, depth: number): [string, unknown][] {
  if (key === 'propertyNames' || key === 'id' || isEndless(key, value)) return [];
  if (key === 'const') return [['enum', [value]]];
  // What only a default or an example holds is no schema.
  if (key === 'default' || key === 'enum' || key === 'examples' || key === 'required') return [[key, value]];
  if (key === 'properties') {
    const members = Object.entries(recordOf(value)).map(([name, one]) => [name, plainSchemaNode(one, defs, depth)]);
    return [[key, Object.fromEntries(members)]];
  }
  const names: Json = { oneOf: 'anyOf', exclusiveMinimum: 'minimum', exclusiveMaximum: 'maximum' };
  return [[String(names[key] ?? key), plainSchemaNode(value, defs, depth)]];
}

/** The bounds of the safe integers, which every integer has. */
function isEndless(key: string, value: unknown): boolean {
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

/**
 * Arguments as the schema declares them: null for what may not be null is left out, and a text that is JSON of the
 * declared type is read. Anything else stays as it is, for the tool to refuse by its name.
 */
export function readToolArguments(given: Json, schema: Json): Json {
  return readMembers(given, schema);
}

function readMembers(given: Json, { properties }: Json): Json {
  const known = (properties ?? {}) as Record<string, Json>;
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const schema = Object.hasOwn(known, name) ? known[name] : undefined;
      if (schema === undefined) return [[name, value]];
      if (value === null && !typesOf(schema).has('null') && typesOf(schema).size > 0) return [];
      return [[name, readValue(value, schema)]];
    }),
  );
}

function readValue(value: unknown, schema: Json): unknown {
  const types = typesOf(schema);
  if (typeof value === 'string' && types.size > 0 && !types.has('string')) {
    const parsed = parsedJson(value);
    return parsed !== undefined && types.has(jsonTypeName(parsed)) ? readValue(parsed, schema) : value;
  }
  return isRecord(value) ? readMembers(value, schema) : value;
}

/** JSON types that a schema takes; none where it does not say. An integer is a number. */
function typesOf({ type, enum: values, anyOf }: Json): ReadonlySet<string> {
  const own = [type].flat().flatMap((one) => (typeof one === 'string' ? [one === 'integer' ? 'number' : one] : []));
  if (own.length > 0) return new Set(own);
  if (Array.isArray(values)) return new Set(values.map(jsonTypeName));
  if (!Array.isArray(anyOf)) return new Set();
  const choices = anyOf.map((one: Json) => typesOf(one));
  return choices.some(({ size }) => size === 0) ? new Set() : new Set(choices.flatMap((one) => [...one]));
}

function jsonTypeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function parsedJson(text: string): unknown {
  try {
    // Python's clients write True and None.
    const json = { True: 'true', False: 'false', None: 'null' }[text.trim()] ?? text;
    const parsed: unknown = JSON.parse(json);
    return parsed;
  } catch {
    return undefined;
  }
}
