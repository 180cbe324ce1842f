/**
 * JSON by schema: the option `schema` of the extraction operations, and the fields that a text model reads into it.
 * Threat: a caller's schema becomes a grammar and prompts, so its size, depth and keywords are bounded here.
 */

import { z } from 'zod';
import type { JobFile, JobHandle, Travel, UseService } from '../../operation.ts';
import type { ModelFacts } from '../../platform/model-facts.ts';
import { byName } from '../../platform/records.ts';
import type { Said } from '../../platform/text/say.ts';
import { KIB } from '../../platform/units.ts';
import type { TextService } from '../text/schema.ts';

const SCHEMA_BYTES_MAX = 32 * KIB;

/** Levels of objects, lists and references. */
const DEPTH_MAX = 6;

const VALUES_MAX = 100;

const NAME_CHARS_MAX = 100;

const ENUM_MAX = 100;

const ENUM_CHARS_MAX = 200;

const ITEMS_MAX = 500;

const ITEMS_DEFAULT = 100;

/** Keywords without effect on the result. */
const NOTES = ['$schema', '$id', '$comment', '$defs', 'definitions', 'title', 'description', 'examples'];

const KEYWORDS: Readonly<Record<string, readonly string[]>> = byName({
  object: ['type', 'properties', 'required', 'additionalProperties'],
  array: ['type', 'items', 'maxItems'],
  string: ['type', 'enum', 'const', 'format', 'minLength', 'maxLength'],
  number: ['type', 'enum', 'const', 'minimum', 'maximum'],
  integer: ['type', 'enum', 'const', 'minimum', 'maximum'],
  boolean: ['type', 'enum', 'const'],
});

const FORMATS = ['date', 'time', 'date-time', 'email', 'uri'] as const;

const REFERENCE = /^#\/(?:\$defs|definitions)\/([^/]+)$/;

export type Scalar = string | number | boolean;

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** A single value. */
export interface Leaf {
  kind: 'leaf';
  type: 'string' | 'number' | 'integer' | 'boolean';
  about: string;
  choices?: Scalar[];
  format?: (typeof FORMATS)[number];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export interface Members {
  kind: 'object';
  about: string;
  members: [name: string, node: Node][];
}

/** A list has no lists in its items: each item comes from one answer of the model. */
export interface List {
  kind: 'list';
  about: string;
  item: Leaf | Members;
  maxItems: number;
}

export type Node = Leaf | Members | List;

/** A fault of a schema: where, and what to do. */
interface Fault {
  path: (string | number)[];
  message: string;
}

/** The option `schema`. */
export function schemaOption() {
  return z
    .record(z.string(), z.unknown())
    .superRefine((schema, context) => {
      const outcome = readSchema(schema);
      if ('message' in outcome) context.addIssue({ code: 'custom', ...outcome });
    })
    .meta({ examples: [{ type: 'object', properties: { total: { type: 'number', description: 'Total with tax' } } }] })
    .describe(
      'A JSON Schema of an object. A text model on this machine reads its values from the text, each with the words ' +
        'that state it; a value that the text does not state is null. The result has them in `extracted`.',
    );
}

/** The tree of values of a schema, or its first fault. */
export function readSchema(schema: Record<string, unknown>): Members | Fault {
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_BYTES_MAX) {
    return { path: [], message: `The schema is larger than ${SCHEMA_BYTES_MAX / KIB} KB. Send a smaller one.` };
  }
  try {
    const node = new SchemaReader(schema).readSchemaNode(schema, [], 1);
    if (node.kind === 'object') return node;
    throw new SchemaFault(['type'], 'The schema describes an object: give "type": "object" with properties.');
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    const { path, message } = error;
    return { path, message };
  }
}

class SchemaFault extends Error {
  readonly path: (string | number)[];

  constructor(path: (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

class SchemaReader {
  readonly #root: Record<string, unknown>;
  #values = 0;

  constructor(root: Record<string, unknown>) {
    this.#root = root;
  }

  readSchemaNode(given: unknown, path: (string | number)[], depth: number): Node {
    if (depth > DEPTH_MAX) throw new SchemaFault(path, `The schema is deeper than ${DEPTH_MAX} levels. Flatten it.`);
    if (!isObject(given)) throw new SchemaFault(path, 'Give a schema as an object.');
    if (typeof given.$ref === 'string')
      return this.readSchemaNode(this.#resolveSchemaReference(given.$ref, path), path, depth + 1);
    const choice = given.anyOf !== undefined ? 'anyOf' : 'oneOf';
    if (given[choice] !== undefined) return this.#readNullableChoice(given, choice, path, depth);
    const type = schemaTypeOf(given, path);
    checkKeywords(given, type, path);
    const about = aboutOf(given);
    if (type === 'object') return { kind: 'object', about, members: this.#readSchemaMembers(given, path, depth) };
    if (type === 'array') return this.#readSchemaList(given, about, path, depth);
    this.#values += 1;
    if (this.#values > VALUES_MAX) {
      throw new SchemaFault(path, `The schema has more than ${VALUES_MAX} values. Send several requests.`);
    }
    return { kind: 'leaf', type, about, ...schemaChoicesOf(given, type, path), ...boundsOf(given, path) };
  }

  #resolveSchemaReference(reference: string, path: (string | number)[]): unknown {
    const name = REFERENCE.exec(reference)?.[1];
    const lists = [this.#root.$defs, this.#root.definitions].filter(isObject);
    const found = name === undefined ? undefined : lists.find((list) => Object.hasOwn(list, name))?.[name];
    if (found !== undefined) return found;
    throw new SchemaFault([...path, '$ref'], 'Refer to a schema of $defs, such as "#/$defs/Address".');
  }

  /** `anyOf` and `oneOf` say that a value may be null, as every value may. */
  #readNullableChoice(given: Record<string, unknown>, choice: string, path: (string | number)[], depth: number): Node {
    const all = Array.isArray(given[choice]) ? given[choice] : [];
    const others = all.filter((one) => !(isObject(one) && one.type === 'null'));
    if (others.length !== 1) {
      throw new SchemaFault([...path, choice], `${choice} is supported for one schema beside {"type": "null"}.`);
    }
    const node = this.readSchemaNode(others[0], [...path, choice, all.indexOf(others[0])], depth + 1);
    return { ...node, about: aboutOf(given) || node.about };
  }

  #readSchemaMembers(given: Record<string, unknown>, path: (string | number)[], depth: number): Members['members'] {
    if (!isObject(given.properties) || Object.keys(given.properties).length === 0) {
      throw new SchemaFault([...path, 'properties'], 'Give the properties of the object.');
    }
    if (given.additionalProperties !== undefined && given.additionalProperties !== false) {
      throw new SchemaFault([...path, 'additionalProperties'], 'Only false is supported: name each property.');
    }
    return Object.entries(given.properties).map(([name, inner]) => {
      const at = [...path, 'properties', name];
      if (name === '' || name.length > NAME_CHARS_MAX) {
        throw new SchemaFault(at, `Name properties with 1 to ${NAME_CHARS_MAX} characters.`);
      }
      return [name, this.readSchemaNode(inner, at, depth + 1)];
    });
  }

  #readSchemaList(given: Record<string, unknown>, about: string, path: (string | number)[], depth: number): List {
    const item = this.readSchemaNode(given.items, [...path, 'items'], depth + 1);
    if (item.kind === 'list' || hasList(item)) {
      throw new SchemaFault([...path, 'items'], 'A list in a list is not supported. Give it a property of its own.');
    }
    return { kind: 'list', about, item, maxItems: schemaCountOf(given, 'maxItems', path, ITEMS_MAX) ?? ITEMS_DEFAULT };
  }
}

function hasList(node: Leaf | Members): boolean {
  return node.kind === 'object' && node.members.some(([, one]) => one.kind === 'list' || hasList(one));
}

function schemaTypeOf(given: Record<string, unknown>, path: (string | number)[]) {
  const named = [given.type].flat().filter((one) => one !== 'null' && one !== undefined);
  const choices = Array.isArray(given.enum) ? given.enum : given.const === undefined ? [] : [given.const];
  const known = choices.filter((one) => one !== null).map((one) => typeof one);
  if (named.length === 0 && given.properties !== undefined) return 'object';
  const [type] = named.length === 0 ? known : named;
  const isOne = named.length === 1 || (named.length === 0 && new Set(known).size === 1);
  if (isOne && typeof type === 'string' && KEYWORDS[type] !== undefined)
    return type as Leaf['type'] | 'object' | 'array';
  const types = Object.keys(KEYWORDS).join(', ');
  throw new SchemaFault([...path, 'type'], `Give one type of ${types}, alone or with "null".`);
}

function checkKeywords(given: Record<string, unknown>, type: string, path: (string | number)[]): void {
  const known = [...(KEYWORDS[type] ?? []), ...NOTES];
  for (const [keyword, value] of Object.entries(given)) {
    // Generators of schemas write it for optional values.
    if (known.includes(keyword) || (keyword === 'default' && value === null)) continue;
    const message =
      keyword === 'default'
        ? 'A default would be a value without a source. Leave it out.'
        : `This keyword is not supported for ${type}. Supported: ${KEYWORDS[type]?.join(', ')}.`;
    throw new SchemaFault([...path, keyword], message);
  }
}

function schemaChoicesOf(given: Record<string, unknown>, type: Leaf['type'], path: (string | number)[]) {
  const listed = given.const === undefined ? given.enum : [given.const];
  if (listed === undefined) return {};
  const choices = Array.isArray(listed) ? listed.filter((one) => one !== null) : [];
  const fitsSchemaType = (one: unknown) =>
    (type === 'integer' ? Number.isInteger(one) : typeof one === type) && String(one).length <= ENUM_CHARS_MAX;
  if (choices.length > 0 && choices.length <= ENUM_MAX && choices.every(fitsSchemaType))
    return { choices: choices.filter(isScalar) };
  const message = `Give 1 to ${ENUM_MAX} values of the type ${type}, of at most ${ENUM_CHARS_MAX} characters.`;
  throw new SchemaFault([...path, given.const === undefined ? 'enum' : 'const'], message);
}

function boundsOf(given: Record<string, unknown>, path: (string | number)[]): Partial<Leaf> {
  const format = FORMATS.find((one) => one === given.format);
  if (given.format !== undefined && format === undefined) {
    throw new SchemaFault([...path, 'format'], `Supported formats: ${FORMATS.join(', ')}.`);
  }
  const bounds = {
    format,
    minimum: schemaNumberOf(given, 'minimum', path),
    maximum: schemaNumberOf(given, 'maximum', path),
    minLength: schemaCountOf(given, 'minLength', path),
    maxLength: schemaCountOf(given, 'maxLength', path),
  };
  return Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined));
}

function schemaNumberOf(
  given: Record<string, unknown>,
  keyword: string,
  path: (string | number)[],
): number | undefined {
  const value = given[keyword];
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw new SchemaFault([...path, keyword], 'Give a number.');
}

function schemaCountOf(
  given: Record<string, unknown>,
  keyword: string,
  path: (string | number)[],
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = schemaNumberOf(given, keyword, path);
  if (value === undefined || (Number.isInteger(value) && value >= 0 && value <= most)) return value;
  const bound = most === Number.MAX_SAFE_INTEGER ? '' : `, at most ${most}`;
  throw new SchemaFault([...path, keyword], `Give a whole number${bound}.`);
}

function aboutOf({ title, description }: Record<string, unknown>): string {
  return [title, description].filter((one) => typeof one === 'string' && one !== '').join(': ');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const FieldCitation = z
  .object({
    chunkId: z.string(),
    page: z.int().min(1).optional().describe('Page of the chunk; for documents.'),
    seconds: z.number().min(0).optional().describe('Start of the chunk; for recordings.'),
    quote: z.string().describe('The words of the chunk that state the value.'),
  })
  .meta({ id: 'FieldCitation' });

export type FieldCitation = z.infer<typeof FieldCitation>;

const ExtractedField = z
  .object({
    path: z.string().describe('JSON Pointer to the value in `data`, such as /items/0/price.'),
    value: z.union([z.string(), z.number(), z.boolean()]).nullable(),
    citations: z.array(FieldCitation).describe('Empty if and only if the value is null.'),
  })
  .meta({ id: 'ExtractedField' });

export type ExtractedField = z.infer<typeof ExtractedField>;

/** What the option `schema` adds to a result. */
export const Extracted = z
  .object({
    data: z.record(z.string(), z.unknown()).describe('The object of the schema. Values without a source are null.'),
    fields: z.array(ExtractedField).describe('Every single value of `data` with its sources.'),
    model: z.string().describe('The text model that read them.'),
    passes: z.int().min(0).describe('Questions that the model answered.'),
  })
  .meta({ id: 'Extracted' });

export type Extracted = z.infer<typeof Extracted>;

const SENTENCES_MAX = 10;

const CHAPTERS_MAX = 30;

const CHAPTER_SECONDS_MIN = 30;

const ACTION_ITEMS_MAX = 50;

/** Bounds of a digest. */
export const DIGEST_LIMITS = {
  sentences: SENTENCES_MAX,
  chapters: CHAPTERS_MAX,
  chapterSeconds: CHAPTER_SECONDS_MIN,
  actionItems: ACTION_ITEMS_MAX,
};

const startSeconds = () => z.number().min(0).describe('Start of the first chunk that states it.');

const chunkIds = () => z.array(z.string()).min(1).describe('The chunks that state it.');

/** What the option `digest` adds to a result. */
export const Digest = z
  .object({
    title: z.string().nullable().describe('Null where the model gave none that the words support.'),
    summary: z
      .array(z.object({ text: z.string(), startSeconds: startSeconds(), chunkIds: chunkIds() }))
      .max(SENTENCES_MAX)
      .describe('Sentences in the order of the talk.'),
    chapters: z
      .array(z.object({ title: z.string(), startSeconds: z.number().min(0), endSeconds: z.number().min(0) }))
      .max(CHAPTERS_MAX)
      .describe('Without gaps from the start to the last words; at least 30 seconds each. Empty where none was found.'),
    actionItems: z
      .array(
        z.object({
          text: z.string(),
          who: z.string().nullable().describe('A speaker, or a name from the words; null where neither is said.'),
          startSeconds: startSeconds(),
        }),
      )
      .max(ACTION_ITEMS_MAX),
    model: z.string().describe('The text model that wrote it.'),
    passes: z.int().min(0).describe('Questions that the model answered.'),
  })
  .meta({ id: 'Digest' });

export type Digest = z.infer<typeof Digest>;

/** The option `digest`. */
export function digestOption() {
  return z
    .boolean()
    .default(false)
    .describe(
      'Summarise the recording: a title, a summary, chapters and action items by a text model on this machine, each ' +
        'sentence with its second. A sentence that shares no words with its source is left out.',
    );
}

/** Chunks with times, for a digest. */
export interface DigestSource {
  chunksPath: string;
  accountId: string;
  progress: JobHandle['progress'];
}

export const DIGEST_FILE = 'digest.md';

/** Begins each warning of a digest. */
export const DIGEST_WARNING = 'digest: ';

/** The parts of a result that reading fields adds to. */
interface Result {
  files: z.infer<typeof JobFile>[];
  warnings: Said[];
}

export interface FieldsService {
  /** The text model that would read. See `TextService.choose`. */
  choose: TextService['choose'];
  /** Errors: `model_not_installed`, `engine_unavailable`. */
  admit(): Promise<void>;
  /**
   * Runs `extract`, which writes chunks.jsonl, reads the fields of the schema from these chunks and writes
   * extracted.json. Errors: those of `extract`, `model_not_installed`, `engine_failed`, `engine_unavailable`.
   */
  fill<Extraction extends Result>(
    schema: Record<string, unknown>,
    job: JobHandle,
    signal: AbortSignal,
    extract: (job: JobHandle) => Promise<Extraction>,
  ): Promise<Extraction & { extracted: Extracted }>;
  /** Runs `extract`, which writes chunks.jsonl, adds a digest of them and writes digest.md. Errors: as `fill`. */
  summarise<Extraction extends Result>(
    job: JobHandle,
    signal: AbortSignal,
    extract: (job: JobHandle) => Promise<Extraction>,
  ): Promise<Extraction & { digest: Digest }>;
  /** Makes a digest of chunks. Errors: `model_not_installed`, `engine_failed`, `engine_unavailable`. */
  digest(source: DigestSource, signal: AbortSignal, textModel?: string): Promise<{ digest: Digest; warnings: Said[] }>;
}

/** Options whose values a text model makes from the text. */
interface ModelOptions {
  schema?: Record<string, unknown> | undefined;
  digest?: boolean;
}

/** `admit` of an operation with the option `schema` or `digest`. */
export async function admitReading(
  { schema, digest = false }: ModelOptions,
  { use }: { use: UseService<'fields'> },
): Promise<undefined> {
  if (schema !== undefined || digest) await (await use('fields')).admit();
  return undefined;
}

/**
 * Adds the text model to the travel of an extraction that needs one. Null where it is one of a text server: that is
 * asked from here.
 */
export async function withTextModel(
  { schema, digest = false }: ModelOptions,
  { use }: { use: UseService<'fields'> },
  models: readonly ModelFacts[] | null,
  travel: Travel,
): Promise<Travel | null> {
  if (schema === undefined && !digest) return travel;
  const { name, from } = await (await use('fields')).choose(undefined, models);
  if (from === 'server') return null;
  return { ...travel, models: [...travel.models, name], choices: { ...travel.choices, textModel: name } };
}

/** Runs `extract`; then reads the fields of the schema, if any, and the digest, if it is asked for. */
export async function withReading<Extraction extends Result>(
  { schema, digest = false }: ModelOptions,
  ports: JobHandle & { use: UseService<'fields'> },
  signal: AbortSignal,
  extract: (job: JobHandle) => Promise<Extraction>,
): Promise<Extraction & { extracted?: Extracted; digest?: Digest }> {
  const fillExtraction = async (job: JobHandle): Promise<Extraction & { extracted?: Extracted }> => {
    if (schema === undefined) return extract(job);
    return (await ports.use('fields')).fill(schema, job, signal, extract);
  };
  return digest ? (await ports.use('fields')).summarise(ports, signal, fillExtraction) : fillExtraction(ports);
}

declare module '../../operation.ts' {
  interface Services {
    fields: FieldsService;
  }
}
