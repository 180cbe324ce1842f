/**
 * JSON Schemas of answers. What the engine's grammars hold, the model can only follow; the other keywords of a schema
 * are checked when the answer is there (`isChecked`). What changes the meaning and can be neither is refused by its
 * keyword: an answer that only looks as if it followed the schema is worse than none. Threat: a caller's schema becomes
 * a grammar, so its size, depth and repetitions are bounded.
 */

import { itemAt } from '../../platform/item-at.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { byName } from '../../platform/records.ts';

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
    'example',
    'externalDocs',
    'discriminator',
    'xml',
    'contentEncoding',
    'contentMediaType',
    '$anchor',
    '$defs',
    'definitions',
  ],
]);

const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

const KEYWORDS: Readonly<Record<string, readonly string[]>> = byName({
  object: ['properties', 'required', 'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties'],
  array: ['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['format', 'minLength', 'maxLength', 'pattern'],
  number: BOUNDS,
  integer: BOUNDS,
  boolean: [],
  null: [],
});

/** Formats that a grammar holds, by their names in schemas. Others say what a text is for, and bind nothing. */
const FORMATS: Readonly<Record<string, string>> = byName({
  date: 'date',
  time: 'time',
  'date-time': 'date-time',
  email: 'email',
  'idn-email': 'email',
  hostname: 'hostname',
  ipv4: 'ipv4',
  uri: 'uri',
  url: 'uri',
  'uri-reference': 'uri',
  uuid: 'uuid',
  guid: 'uuid',
});

/** The greatest number of which the engine's grammar takes every digit: a bound beyond it bounds nothing. */
const BOUND_MAX = 1e15;

/** How far a number is from a bound that it may not be, unless it is a whole number. */
const LEAST_STEP = 1e-6;

/** Steps of multiples that a grammar spells out. */
const MULTIPLES_MAX = 200;

const PATTERN_CHARS_MAX = 1000;

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

/**
 * The schema in the words of the engine, or its first fault.
 *
 * `isChecked`: the grammar does not hold all of it, so that the answer is checked.
 */
export function grammarSchema(schema: Json): { schema: object; isChecked: boolean } | SchemaFault {
  try {
    const reading = new Reading(schema);
    return { schema: reading.readWholeSchema(), isChecked: reading.isChecked };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { path: error.path, message: error.message };
  }
}

class Reading {
  readonly #root: Json;
  /** By the reference that leads to each. */
  readonly #definitions = new Map<string, { name: string; node: Json | null }>();
  #nodes = 0;
  #repeats = 0;
  isChecked = false;

  constructor(root: Json) {
    this.#root = root;
  }

  readWholeSchema(): object {
    const whole = this.#readGrammarNode(this.#root, [], 1);
    const defs = [...this.#definitions.values()].map(({ name, node }) => [name, node]);
    return defs.length === 0 ? whole : { ...whole, $defs: Object.fromEntries(defs) };
  }

  #readGrammarNode(given: unknown, path: readonly string[], depth: number): Json {
    this.#nodes += 1;
    if (given === true) return ANYTHING;
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw new Fault(path, 'Give a schema object.');
    }
    if (depth > DEPTH_MAX) throw new Fault(path, `The schema has more than ${DEPTH_MAX} levels.`);
    if (this.#nodes > NODES_MAX) throw new Fault(path, `The schema has more than ${NODES_MAX} parts.`);
    const { nullable, ...schema } = Object.fromEntries(Object.entries(given).filter(([key]) => !NOTES.has(key)));
    if (nullable === true) return { oneOf: [this.#readGrammarNode(schema, path, depth + 1), { type: 'null' }] };
    if (Object.keys(schema).length === 0) return ANYTHING;
    if ('$ref' in schema) return this.#readSchemaReference(schema, path);
    for (const key of ['anyOf', 'oneOf', 'allOf']) if (key in schema) return this.#readChoice(schema, key, path, depth);
    if ('const' in schema) return { const: this.#readLiterals(schema, [schema.const], 'const', path)[0] };
    if ('enum' in schema) return { enum: this.#readLiterals(schema, schema.enum, 'enum', path) };
    if (Array.isArray(schema.type)) return this.#readTypeUnion(schema, schema.type, path, depth);
    return this.#readTypedNode(schema, path, depth);
  }

  #readSchemaReference(schema: Json, path: readonly string[]): Json {
    refuseOtherKeywords(schema, ['$ref'], path);
    const ref = String(schema.$ref);
    const known = this.#definitions.get(ref);
    if (known !== undefined) return { $ref: `#/$defs/${known.name}` };
    const steps = stepsOf(ref);
    const target = this.#referenceTarget(ref);
    if (steps === null || target === undefined) {
      throw new Fault([...path, '$ref'], 'A reference leads to a part of this schema, such as #/$defs/Address.');
    }
    const definition = { name: `d${this.#definitions.size}`, node: null as Json | null };
    this.#definitions.set(ref, definition);
    definition.node = this.#readGrammarNode(target, steps, 1);
    return { $ref: `#/$defs/${definition.name}` };
  }

  #readChoice(given: Json, key: string, path: readonly string[], depth: number): Json {
    const { [key]: parts, type, ...schema } = given;
    if (!Array.isArray(parts) || parts.length === 0) throw new Fault([...path, key], 'Give a list of schemas.');
    const own = { ...schema, ...omitUndefined({ type }) };
    if (key === 'allOf' && (parts.length > 1 || Object.keys(schema).length > 0)) {
      const whole = parts.reduce<Json>((all, part) => this.#mergeForGrammar(all, part), own);
      return this.#readGrammarNode(whole, path, depth + 1);
    }
    // Keywords beside a choice are those of each.
    const choices = Object.keys(schema).length === 0 ? parts : parts.map((part) => this.#mergeForGrammar(own, part));
    const nodes = choices.map((part, index) => this.#readGrammarNode(part, [...path, key, String(index)], depth + 1));
    return nodes.length === 1 ? itemAt(nodes, 0) : { oneOf: nodes };
  }

  /** Two schemas as one for the grammar. Where they say different things, the check of the answer holds both. */
  #mergeForGrammar(one: Json, part: unknown): Json {
    this.isChecked = true;
    const other = isJson(part) && typeof part.$ref === 'string' ? this.#referenceTarget(part.$ref) : part;
    if (!isJson(other)) return one;
    const members = { ...objectOr(one.properties), ...objectOr(other.properties) };
    const required = [one.required, other.required].flatMap((names) => (Array.isArray(names) ? names : []));
    return {
      ...one,
      ...other,
      ...omitUndefined({
        properties: Object.keys(members).length === 0 ? undefined : members,
        required: required.length === 0 ? undefined : required,
      }),
    };
  }

  #referenceTarget(ref: string): unknown {
    return stepsOf(ref)?.reduce<unknown>((at, step) => (isJson(at) ? at[step] : listItem(at, step)), this.#root);
  }

  #readLiterals(schema: Json, values: unknown, key: string, path: readonly string[]): unknown[] {
    const { [key]: _, type: _type, ...others } = schema;
    // What else is said of a value that is given is checked.
    if (Object.keys(others).length > 0) this.#mergeForGrammar(others, {});
    const isList = Array.isArray(values) && values.length > 0 && values.length <= CHOICES_MAX;
    if (isList && values.every((value) => value === null || typeof value !== 'object')) return values;
    throw new Fault([...path, key], `Give 1 to ${CHOICES_MAX} texts, numbers, booleans or null.`);
  }

  /** Each type with the keywords that are about it. */
  #readTypeUnion(schema: Json, types: readonly unknown[], path: readonly string[], depth: number): Json {
    const known = types.flatMap((type) => KEYWORDS[String(type)] ?? []);
    refuseOtherKeywords(schema, ['type', ...known], path);
    const oneOf = types.map((type) => {
      const own = ['type', ...(KEYWORDS[String(type)] ?? [])];
      const part = Object.fromEntries(Object.entries(schema).filter(([key]) => own.includes(key)));
      return this.#readTypedNode({ ...part, type }, path, depth + 1);
    });
    if (oneOf.length === 0) throw new Fault([...path, 'type'], 'Give at least one type.');
    return oneOf.length === 1 ? itemAt(oneOf, 0) : { oneOf };
  }

  #readTypedNode(schema: Json, path: readonly string[], depth: number): Json {
    const type =
      schema.type ?? Object.keys(KEYWORDS).find((one) => KEYWORDS[one]?.some((keyword) => keyword in schema));
    const keywords = typeof type === 'string' && Object.hasOwn(KEYWORDS, type) ? KEYWORDS[type] : undefined;
    if (keywords === undefined) {
      throw new Fault([...path, 'type'], `Give a type: ${Object.keys(KEYWORDS).join(', ')}.`);
    }
    refuseOtherKeywords(schema, ['type', ...keywords], path);
    if (type === 'object') return this.#readObjectSchema(schema, path, depth);
    if (type === 'array') return this.#readArraySchema(schema, path, depth);
    if (type === 'string') return this.#readStringSchema(schema, path);
    if (type === 'number' || type === 'integer') return this.#readNumberSchema({ ...schema, type }, path);
    return { type };
  }

  #readObjectSchema(schema: Json, path: readonly string[], depth: number): Json {
    const { properties = {}, required = [], additionalProperties: others } = schema;
    if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) {
      throw new Fault([...path, 'properties'], 'Give an object of schemas.');
    }
    if (!Array.isArray(required) || !required.every((name) => typeof name === 'string')) {
      throw new Fault([...path, 'required'], 'Give a list of names.');
    }
    const rest = this.#readOtherMembers(schema, path, depth);
    const named = required.filter((name) => !Object.hasOwn(properties, name)).map((name: string) => [name, rest]);
    if (named.length > 0 && rest === false) {
      throw new Fault([...path, 'required'], 'Give a list of names in properties.');
    }
    const nodes = [
      ...Object.entries(properties).map(([name, one]) => [
        name,
        this.#readGrammarNode(one, [...path, 'properties', name], depth + 1),
      ]),
      ...named.map(([name, one]) => [name, one === true ? ANYTHING : one]),
    ];
    if ('minProperties' in schema || 'maxProperties' in schema) this.isChecked = true;
    // Without any property an object of the grammar would be empty.
    const isOpen = others !== undefined || nodes.length === 0;
    return { type: 'object', properties: Object.fromEntries(nodes), additionalProperties: isOpen ? rest : false };
  }

  /** Members beside those that are named. */
  #readOtherMembers(
    { additionalProperties: others = true, propertyNames: names }: Json,
    path: readonly string[],
    depth: number,
  ) {
    if (names !== undefined && Object.keys(objectOr(names)).some((key) => key !== 'type')) this.isChecked = true;
    if (names !== undefined)
      this.#readGrammarNode({ type: 'string', ...objectOr(names) }, [...path, 'propertyNames'], depth + 1);
    return typeof others === 'boolean'
      ? others
      : this.#readGrammarNode(others, [...path, 'additionalProperties'], depth + 1);
  }

  #readArraySchema(schema: Json, path: readonly string[], depth: number): Json {
    // Older drafts write the places of a list as items.
    const isOld = Array.isArray(schema.items);
    const items = isOld ? schema.additionalItems : schema.items;
    const prefixItems = isOld ? schema.items : schema.prefixItems;
    const node: Json = { type: 'array', ...this.#readLengthRange(schema, ['minItems', 'maxItems'], path) };
    if (schema.uniqueItems === true) this.isChecked = true;
    if (items !== undefined && items !== false)
      node.items = this.#readGrammarNode(items, [...path, 'items'], depth + 1);
    if (prefixItems === undefined) return node;
    const at = [...path, isOld ? 'items' : 'prefixItems'];
    if (!Array.isArray(prefixItems)) throw new Fault(at, 'Give a list of schemas.');
    const places = prefixItems.map((one, index) => this.#readGrammarNode(one, [...at, String(index)], depth + 1));
    return { ...node, prefixItems: places };
  }

  #readStringSchema(schema: Json, path: readonly string[]): Json {
    const range = this.#readLengthRange(schema, ['minLength', 'maxLength'], path);
    const { format, pattern } = schema;
    if (pattern !== undefined) this.#checkPattern(pattern, [...path, 'pattern']);
    if (format !== undefined && typeof format !== 'string') throw new Fault([...path, 'format'], 'Give a name.');
    const known = format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
    if (known === undefined) return { type: 'string', ...range };
    if (Object.keys(range).length > 0) this.isChecked = true;
    return { type: 'string', format: known };
  }

  #checkPattern(pattern: unknown, path: readonly string[]): void {
    this.isChecked = true;
    if (typeof pattern !== 'string' || pattern.length > PATTERN_CHARS_MAX || !isExpression(pattern)) {
      throw new Fault(path, `Give a regular expression of at most ${PATTERN_CHARS_MAX} characters.`);
    }
  }

  #readNumberSchema(schema: Json, path: readonly string[]): Json {
    const { type, multipleOf } = schema;
    for (const key of BOUNDS) {
      const value = schema[key];
      const isOld = typeof value === 'boolean' && key.startsWith('exclusive');
      if (value !== undefined && !isOld && !Number.isFinite(value)) throw new Fault([...path, key], 'Give a number.');
    }
    const low = lowestAllowedNumber(schema);
    const high = -lowestAllowedNumber(mirroredBounds(schema));
    const [minimum, maximum] = type === 'integer' ? [Math.ceil(low), Math.floor(high)] : [low, high];
    if (minimum > maximum) throw new Fault([...path, 'maximum'], 'No number is between the bounds.');
    if (typeof multipleOf === 'number') {
      if (multipleOf <= 0) throw new Fault([...path, 'multipleOf'], 'Give a number above 0.');
      const [first, last] = [Math.ceil(minimum / multipleOf), Math.floor(maximum / multipleOf)];
      if (last - first < MULTIPLES_MAX && Number.isInteger(multipleOf) && first <= last) {
        return { enum: Array.from({ length: last - first + 1 }, (_, index) => (first + index) * multipleOf) };
      }
      this.isChecked = true;
    }
    const isBound = BOUNDS.some((key) => key !== 'multipleOf' && key in schema);
    if (!isBound) return { type };
    return { type, minimum: Math.max(minimum, -BOUND_MAX), maximum: Math.min(maximum, BOUND_MAX) };
  }

  #readLengthRange(schema: Json, [low, high]: [string, string], path: readonly string[]): Json {
    const range: Json = {};
    for (const key of [low, high]) {
      const value = schema[key];
      if (value === undefined) continue;
      if (!Number.isInteger(value) || (value as number) < 0)
        throw new Fault([...path, key], 'Give a whole number from 0.');
      if (key === high && this.#repeats + (value as number) > REPEATS_MAX) {
        // A grammar spells out repetitions. So long a text or list is seldom meant, and is checked.
        this.isChecked = true;
        continue;
      }
      this.#repeats += value as number;
      if (this.#repeats > REPEATS_MAX)
        throw new Fault([...path, key], `Lengths of a schema sum up to ${REPEATS_MAX} at most.`);
      range[key] = value;
    }
    if ((range[high] ?? 0) < (range[low] ?? 0)) throw new Fault([...path, high], `It is below ${low}.`);
    return range;
  }
}

function refuseOtherKeywords(schema: Json, keys: readonly string[], path: readonly string[]): void {
  const other = Object.keys(schema).find((key) => !keys.includes(key));
  if (other !== undefined) throw new Fault([...path, other], `${other} is not supported here. Leave it out.`);
}

function objectOr(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listItem(value: unknown, step: string): unknown {
  return Array.isArray(value) && /^\d+$/.test(step) ? value[Number(step)] : undefined;
}

/** The steps of a JSON pointer within the schema; null for another address. */
function stepsOf(ref: string): string[] | null {
  if (ref === '#') return [];
  if (!ref.startsWith('#/')) return null;
  try {
    const steps = decodeURIComponent(ref.slice(2)).split('/');
    return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    return null;
  }
}

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** The least number that the bounds allow. Draft 4 says with a boolean that `minimum` itself is not allowed. */
function lowestAllowedNumber({ type, minimum, exclusiveMinimum }: Json): number {
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const from = typeof minimum === 'number' ? minimum : Number.NEGATIVE_INFINITY;
  if (typeof above !== 'number') return from;
  const next = type === 'integer' ? Math.floor(above) + 1 : above + LEAST_STEP * Math.max(1, Math.abs(above));
  return Math.max(from, next);
}

function mirroredBounds({ type, maximum, exclusiveMaximum }: Json): Json {
  const negateNumber = (value: unknown) => (typeof value === 'number' ? -value : value);
  return { type, minimum: negateNumber(maximum), exclusiveMinimum: negateNumber(exclusiveMaximum) };
}

/** Any value. */
const ANYTHING: Json = {
  oneOf: [
    ...['string', 'number', 'boolean', 'null', 'array'].map((type) => ({ type })),
    { type: 'object', additionalProperties: true },
  ],
};
