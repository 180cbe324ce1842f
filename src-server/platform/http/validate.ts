/** Converts schema errors to sentences for callers: the path of each field and the accepted values. */

import type { Context } from 'hono';
import type { z } from 'zod';
import { type FieldError, QuarryError } from '../errors.ts';
import { byName, recordOf } from '../records.ts';
import { nearestName } from '../text/nearest-name.ts';
import { type Said, saidElsewhere, say, tell } from '../text/say.ts';

const MAX_FIELD_ERRORS = 20;

/** Names from the request are truncated. */
const MAX_NAME_CHARS = 80;

const MAX_LISTED_VALUES = 20;

type Issue = z.core.$ZodIssue;

type RawIssue = z.core.$ZodRawIssue;

/**
 * Parses a value and returns the schema's output with defaults. Errors: `invalid_request` with one entry per invalid
 * field (`options.segmentLength`, `events.0`, `$`).
 */
export function parseWithSchema<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const knownNames = new Map<string, readonly string[]>();
  const parsed = schema.safeParse(value, {
    error(issue) {
      if (issue.code === 'unrecognized_keys') knownNames.set(fieldPathText(issue.path ?? []), shapeFieldNames(issue));
      return issueSentence(issue);
    },
  });
  if (parsed.success) return parsed.data;
  const fields = ofRightType(parsed.error.issues).flatMap((issue) => fieldErrorsOf(issue, [], knownNames));
  throw invalidRequest(fields.slice(0, MAX_FIELD_ERRORS));
}

/** Drops bound errors of fields with the wrong type: zod checks a list's bounds on text, too. */
function ofRightType(issues: readonly Issue[]): Issue[] {
  const wrong = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => fieldPathText(path)));
  return issues.filter(({ code, path }) => code === 'invalid_type' || !wrong.has(fieldPathText(path)));
}

/** A 400 that names each invalid field. */
export function invalidRequest(fields: readonly FieldError[]): QuarryError {
  const [first] = fields;
  const rest = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  const message = first === undefined ? say`The request is not valid.` : tell`${first.path}: ${first.message}${rest}`;
  return new QuarryError('invalid_request', message, { fields });
}

function fieldErrorsOf(
  issue: Issue,
  above: readonly PropertyKey[],
  knownNames: ReadonlyMap<string, readonly string[]>,
): FieldError[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const known = knownNames.get(fieldPathText(issue.path)) ?? [];
    return issue.keys.map((key) => ({ path: fieldPathText([...path, key]), message: unknownField(key, known) }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // The best matching alternative is probably the intended one.
    const [best = []] = issue.errors.toSorted((one, other) => one.length - other.length);
    return best.flatMap((nested) => fieldErrorsOf(nested, path, knownNames));
  }
  return [{ path: fieldPathText(path), message: saidElsewhere(issue.message) }];
}

function unknownField(name: string, known: readonly string[]): Said {
  if (known.length === 0) return say`This field is not known.`;
  const guess = nearestName(name.slice(0, MAX_NAME_CHARS), known);
  if (guess !== undefined) return say`This field is not known; did you mean ${guess}?`;
  return say`This field is not known; known are ${known.join(', ')}.`;
}

function shapeFieldNames(issue: RawIssue): readonly string[] {
  return Object.keys(recordOf(recordOf(issue.inst?._zod.def).shape));
}

function fieldPathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '$';
  return path.map((step) => String(step).slice(0, MAX_NAME_CHARS)).join('.');
}

const TYPE_NAMES: Readonly<Record<string, Said>> = byName({
  string: say`a string`,
  number: say`a number`,
  int: say`a whole number`,
  boolean: say`true or false`,
  array: say`a list`,
  object: say`an object`,
  record: say`an object`,
});

const FORMAT_NAMES: Readonly<Record<string, Said>> = byName({
  url: say`an absolute URL`,
  datetime: say`an ISO 8601 time, such as 2026-03-02T09:30:00Z`,
  email: say`an e-mail address`,
});

const NO_FORM = say`Give a value of the documented form.`;

function oneOf(values: readonly unknown[]): Said {
  return say`Give one of: ${values.slice(0, MAX_LISTED_VALUES).map(String).join(', ')}.`;
}

function issueSentence(issue: RawIssue): Said {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return required(typeName(issue));
      return give(typeName(issue));
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      // For a union with a discriminator: its accepted values.
      return Array.isArray(issue.options) ? oneOf(issue.options) : NO_FORM;
    case 'too_small':
      if (issue.inclusive === false) return say`Give a number more than ${Number(issue.minimum)}.`;
      return atLeast(issue.origin, Number(issue.minimum));
    case 'too_big':
      if (issue.inclusive === false) return say`Give a number less than ${Number(issue.maximum)}.`;
      return atMost(issue.origin, Number(issue.maximum));
    case 'invalid_format': {
      const format = FORMAT_NAMES[issue.format];
      return format === undefined ? NO_FORM : give(format);
    }
    case 'not_multiple_of':
      return say`Give a multiple of ${String(issue.divisor)}.`;
    default:
      return NO_FORM;
  }
}

function give(what: Said): Said {
  return say`Give ${what}.`;
}

function required(what: Said): Said {
  return say`This field is required: give ${what}.`;
}

function typeName(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): Said {
  // A schema for integers first expects a `number`, then checks for fractions.
  const { format } = recordOf(issue.inst?._zod.def);
  const expected = typeof format === 'string' && format.includes('int') ? 'int' : issue.expected;
  // Names the format, such as a URL, instead of any text.
  if (typeof format === 'string' && FORMAT_NAMES[format] !== undefined) return FORMAT_NAMES[format];
  return TYPE_NAMES[expected] ?? say`a value of type ${expected}`;
}

function atLeast(origin: string, limit: number): Said {
  if (origin === 'string') {
    return limit === 1 ? say`Give at least 1 character.` : say`Give at least ${limit} characters.`;
  }
  if (origin === 'array' || origin === 'set') {
    return limit === 1 ? say`Give at least 1 entry.` : say`Give at least ${limit} entries.`;
  }
  return say`Give at least ${limit}.`;
}

function atMost(origin: string, limit: number): Said {
  if (origin === 'string') return limit === 1 ? say`Give at most 1 character.` : say`Give at most ${limit} characters.`;
  if (origin === 'array' || origin === 'set') {
    return limit === 1 ? say`Give at most 1 entry.` : say`Give at most ${limit} entries.`;
  }
  return say`Give at most ${limit}.`;
}

/** The query parameters. Repeated ones are refused: one of the values would be dropped silently. */
export function queryOf(context: Context): Record<string, string> {
  const twice = Object.entries(context.req.queries()).filter(([, values]) => values.length > 1);
  if (twice.length > 0)
    throw invalidRequest(twice.map(([path]) => ({ path, message: tell`Give this parameter once.` })));
  return context.req.query();
}

/** A number in decimal digits: no `1e1`, `0x2` or spaces, which a conversion would take. */
const DIGITS = /^-?\d+(?:\.\d+)?$/;

/** Parses the parameters of a query. Errors: `invalid_request`. */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: Record<string, string>,
): z.output<Schema> {
  const odd = Object.entries(query).filter(([name, text]) => isNumber(schema.shape[name]) && !DIGITS.test(text));
  if (odd.length > 0) throw invalidRequest(odd.map(([path]) => ({ path, message: say`Give a number in digits.` })));
  return parseWithSchema(schema, query);
}

/** Whether a schema is of a number, under its defaults and the like. */
function isNumber(schema: unknown): boolean {
  const { type, innerType } = recordOf(recordOf(schema).def);
  return type === 'number' || (innerType !== undefined && isNumber(innerType));
}

/** Field names of an operation, and their names in another interface. */
type Names = Readonly<Record<string, string>>;

/** Awaits an operation and renames the field of its validation error to the one that the client sent. */
export async function inTermsOf<Answer>(names: Names, work: Promise<Answer>): Promise<Answer> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    const [first] = error.fields ?? [];
    const own = Object.keys(names).find((one) => first?.path === one || first?.path.startsWith(`${one}.`));
    if (first === undefined || own === undefined) throw error;
    const name = names[own] + first.path.slice(own.length);
    const { code, message } = error;
    const start = `${first.path}: `;
    const renamed = message.startsWith(start) ? `${name}: ${message.slice(start.length)}` : message;
    throw new QuarryError(code, saidElsewhere(renamed), { fields: [{ ...first, path: name }], cause: error });
  }
}
