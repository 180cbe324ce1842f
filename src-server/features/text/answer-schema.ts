/**
 * JSON Schemas of answers, as the text engine's grammars can hold them. What a grammar cannot hold is refused by its
 * keyword: an answer that only looks as if it followed the schema is worse than none. Threat: a caller's schema becomes
 * a grammar, so its size, depth and repetitions are bounded.
 */

const DEPTH_MAX = 24;

const NODES_MAX = 400;

/** A grammar spells out repetitions: the sum of all lengths and counts. */
const REPEATS_MAX = 2000;

const CHOICES_MAX = 400;

/** Keywords without effect on what is valid. */
const NOTES: ReadonlySet<string> = new Set([
  ...[
    '$schema',
    '$id',
    '$comment',
    'title',
    'description',
    'default',
    'examples',
    'deprecated',
    'readOnly',
    'writeOnly',
  ],
]);

const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems'],
  string: ['format', 'minLength', 'maxLength'],
  number: [],
  integer: [],
  boolean: [],
  null: [],
};

const FORMATS: readonly unknown[] = ['date', 'time', 'date-time'];

const REFERENCE = /^#\/(?:\$defs|definitions)\/([^/~%]+)$/;

type Json = Record<string, unknown>;

export interface SchemaFault {
  path: string[];
  message: string;
}

class Fault extends Error {
  readonly path: string[];

  constructor(path: readonly string[], message: string) {
    super(message);
    this.path = [...path];
  }
}

/** The schema in the words of the engine, or its first fault. */
export function grammarSchema(schema: Json): { schema: object } | SchemaFault {
  try {
    return { schema: new Reading(schema).whole() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { path: error.path, message: error.message };
  }
}

class Reading {
  readonly #root: Json;
  readonly #definitions: Map<string, unknown>;
  #nodes = 0;
  #repeats = 0;

  constructor(root: Json) {
    this.#root = root;
    this.#definitions = new Map(['definitions', '$defs'].flatMap((key) => Object.entries(objectOr(root[key]))));
  }

  whole(): object {
    const { $defs: _defs, definitions: _definitions, ...root } = this.#root;
    const whole = this.#node(root, [], 1);
    const defs = [...this.#definitions].map(([name, one]) => [name, this.#node(one, ['$defs', name], 1)]);
    return defs.length === 0 ? whole : { ...whole, $defs: Object.fromEntries(defs) };
  }

  #node(given: unknown, path: readonly string[], depth: number): Json {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw new Fault(path, 'Give a schema object.');
    }
    this.#nodes += 1;
    if (depth > DEPTH_MAX) throw new Fault(path, `The schema has more than ${DEPTH_MAX} levels.`);
    if (this.#nodes > NODES_MAX) throw new Fault(path, `The schema has more than ${NODES_MAX} parts.`);
    const schema = Object.fromEntries(Object.entries(given).filter(([key]) => !NOTES.has(key)));
    if ('$ref' in schema) return this.#reference(schema, path);
    for (const key of ['anyOf', 'oneOf', 'allOf']) if (key in schema) return this.#choice(schema, key, path, depth);
    if ('const' in schema) return { const: this.#literals(schema, [schema.const], 'const', path)[0] };
    if ('enum' in schema) return { enum: this.#literals(schema, schema.enum, 'enum', path) };
    if (Array.isArray(schema.type)) return this.#types(schema, schema.type, path, depth);
    return this.#typed(schema, path, depth);
  }

  #reference(schema: Json, path: readonly string[]): Json {
    only(schema, ['$ref'], path);
    const name = typeof schema.$ref === 'string' ? REFERENCE.exec(schema.$ref)?.[1] : undefined;
    if (name !== undefined && this.#definitions.has(name)) return { $ref: `#/$defs/${name}` };
    throw new Fault([...path, '$ref'], 'A reference names a definition under #/$defs/ of this schema.');
  }

  #choice(schema: Json, key: string, path: readonly string[], depth: number): Json {
    only(schema, [key, 'type'], path);
    const parts = schema[key];
    if (!Array.isArray(parts) || parts.length === 0) throw new Fault([...path, key], 'Give a list of schemas.');
    const nodes = parts.map((part, index) => this.#node(part, [...path, key, String(index)], depth + 1));
    if (nodes.length === 1) return nodes[0] as Json;
    if (key === 'allOf')
      throw new Fault([...path, key], 'allOf of several schemas is not supported. Write one schema.');
    return { oneOf: nodes };
  }

  #literals(schema: Json, values: unknown, key: string, path: readonly string[]): unknown[] {
    only(schema, [key, 'type'], path);
    const isList = Array.isArray(values) && values.length > 0 && values.length <= CHOICES_MAX;
    if (isList && values.every((value) => value === null || typeof value !== 'object')) return values;
    throw new Fault([...path, key], `Give 1 to ${CHOICES_MAX} texts, numbers, booleans or null.`);
  }

  /** Each type with the keywords that are about it. */
  #types(schema: Json, types: readonly unknown[], path: readonly string[], depth: number): Json {
    const known = types.flatMap((type) => KEYWORDS[String(type)] ?? []);
    only(schema, ['type', ...known], path);
    const oneOf = types.map((type) => {
      const own = ['type', ...(KEYWORDS[String(type)] ?? [])];
      const part = Object.fromEntries(Object.entries(schema).filter(([key]) => own.includes(key)));
      return this.#typed({ ...part, type }, path, depth + 1);
    });
    if (oneOf.length === 0) throw new Fault([...path, 'type'], 'Give at least one type.');
    return oneOf.length === 1 ? (oneOf[0] as Json) : { oneOf };
  }

  #typed(schema: Json, path: readonly string[], depth: number): Json {
    const type = schema.type ?? ('properties' in schema ? 'object' : undefined);
    const keywords = typeof type === 'string' && Object.hasOwn(KEYWORDS, type) ? KEYWORDS[type] : undefined;
    if (keywords === undefined) {
      throw new Fault([...path, 'type'], `Give a type: ${Object.keys(KEYWORDS).join(', ')}.`);
    }
    only(schema, ['type', ...keywords], path);
    if (type === 'object') return this.#object(schema, path, depth);
    if (type === 'array') return this.#array(schema, path, depth);
    if (type === 'string') return this.#string(schema, path);
    return { type };
  }

  #object(schema: Json, path: readonly string[], depth: number): Json {
    const { properties = {}, required = [], additionalProperties: others } = schema;
    if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) {
      throw new Fault([...path, 'properties'], 'Give an object of schemas.');
    }
    const entries = Object.entries(properties);
    const names = new Set<unknown>(entries.map(([name]) => name));
    if (!Array.isArray(required) || !required.every((name) => names.has(name))) {
      throw new Fault([...path, 'required'], 'Give a list of names in properties.');
    }
    const nodes = entries.map(([name, one]) => [name, this.#node(one, [...path, 'properties', name], depth + 1)]);
    // Without any property an object of the grammar would be empty.
    const rest = others ?? entries.length === 0;
    const additionalProperties =
      typeof rest === 'boolean' ? rest : this.#node(rest, [...path, 'additionalProperties'], depth + 1);
    return { type: 'object', properties: Object.fromEntries(nodes), additionalProperties };
  }

  #array(schema: Json, path: readonly string[], depth: number): Json {
    const { items, prefixItems } = schema;
    const node: Json = { type: 'array', ...this.#range(schema, ['minItems', 'maxItems'], path) };
    if (items !== undefined) node.items = this.#node(items, [...path, 'items'], depth + 1);
    if (prefixItems === undefined) return node;
    const at = [...path, 'prefixItems'];
    if (!Array.isArray(prefixItems)) throw new Fault(at, 'Give a list of schemas.');
    return {
      ...node,
      prefixItems: prefixItems.map((one, index) => this.#node(one, [...at, String(index)], depth + 1)),
    };
  }

  #string(schema: Json, path: readonly string[]): Json {
    const range = this.#range(schema, ['minLength', 'maxLength'], path);
    const { format } = schema;
    if (format === undefined) return { type: 'string', ...range };
    if (FORMATS.includes(format) && Object.keys(range).length === 0) return { type: 'string', format };
    throw new Fault([...path, 'format'], `Give ${FORMATS.join(', ')} without lengths, or leave format out.`);
  }

  #range(schema: Json, [low, high]: [string, string], path: readonly string[]): Json {
    const range: Json = {};
    for (const key of [low, high]) {
      const value = schema[key];
      if (value === undefined) continue;
      if (!Number.isInteger(value) || (value as number) < 0)
        throw new Fault([...path, key], 'Give a whole number from 0.');
      this.#repeats += value as number;
      if (this.#repeats > REPEATS_MAX)
        throw new Fault([...path, key], `Lengths of a schema sum up to ${REPEATS_MAX} at most.`);
      range[key] = value;
    }
    if ((range[high] as number) < ((range[low] ?? 0) as number))
      throw new Fault([...path, high], `It is below ${low}.`);
    return range;
  }
}

function only(schema: Json, keys: readonly string[], path: readonly string[]): void {
  const other = Object.keys(schema).find((key) => !keys.includes(key));
  if (other !== undefined) throw new Fault([...path, other], `${other} is not supported here. Leave it out.`);
}

function objectOr(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
