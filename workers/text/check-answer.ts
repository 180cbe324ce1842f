import { isRecord, recordOf } from '../../src-server/platform/records.ts';
/**
 * Checks an answer against the schema of its caller, for the keywords that no grammar holds. Threat: a pattern of a
 * caller may take for ever, so this runs on a thread with a time limit.
 */
import type { CheckAnswerInput } from './tasks.ts';

type Json = Record<string, unknown>;

const VALUE_CHARS_MAX = 60;

/** Tolerance of a division by `multipleOf`, which decimals seldom survive. */
const EPSILON = 1e-9;

/** What does not fit, as words for a sentence; null: all does. */
export async function checkAnswer({ content, schema }: CheckAnswerInput): Promise<string | null> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return 'it is not JSON';
  }
  return new Check(recordOf(schema)).schemaFault(value, schema, []);
}

class Check {
  readonly #root: Json;

  constructor(root: Json) {
    this.#root = root;
  }

  schemaFault(value: unknown, given: unknown, path: readonly string[]): string | null {
    if (typeof given === 'boolean') return given ? null : faultMessage(path, value, 'is not allowed');
    const schema = recordOf(given);
    if (typeof schema.$ref === 'string') return this.schemaFault(value, this.#resolveSchemaRef(schema.$ref), path);
    if (value === null && schema.nullable === true) return null;
    if (!fitsType(value, schema.type)) return faultMessage(path, value, `is no ${String(schema.type)}`);
    if ('const' in schema && schema.const !== value)
      return faultMessage(path, value, `is not ${JSON.stringify(schema.const)}`);
    if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return faultMessage(path, value, 'is none of enum');
    return this.#choiceFault(value, schema, path) ?? this.#contentFault(value, schema, path);
  }

  #resolveSchemaRef(ref: string): unknown {
    const steps = ref === '#' ? [] : decodeURIComponent(ref.slice(2)).split('/');
    return steps
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, step) => (at as Json)[step], this.#root);
  }

  #choiceFault(value: unknown, { anyOf, oneOf, allOf }: Json, path: readonly string[]): string | null {
    for (const choices of [anyOf, oneOf]) {
      if (!Array.isArray(choices)) continue;
      const faults = choices.map((one) => this.schemaFault(value, one, path));
      if (!faults.includes(null))
        return faults.length === 1 ? (faults[0] ?? null) : faultMessage(path, value, 'fits no choice');
    }
    return firstFault(Array.isArray(allOf) ? allOf : [], (one) => this.schemaFault(value, one, path));
  }

  #contentFault(value: unknown, schema: Json, path: readonly string[]): string | null {
    if (typeof value === 'number') return numberFault(value, schema, path);
    if (typeof value === 'string') return stringFault(value, schema, path);
    if (Array.isArray(value)) return this.#listFault(value, schema, path);
    return isRecord(value) ? this.#objectFault(value, schema, path) : null;
  }

  #listFault(value: readonly unknown[], schema: Json, path: readonly string[]): string | null {
    const isOld = Array.isArray(schema.items);
    const places = (isOld ? schema.items : (schema.prefixItems ?? [])) as unknown[];
    const rest = isOld ? schema.additionalItems : schema.items;
    const range = rangeFault(value.length, [schema.minItems, schema.maxItems], 'items');
    if (range !== null) return faultMessage(path, value, range);
    if (schema.uniqueItems === true && new Set(value.map((one) => JSON.stringify(one))).size < value.length) {
      return faultMessage(path, value, 'has an item twice');
    }
    return firstFault([...value.entries()], ([index, one]) => {
      return this.schemaFault(one, places[index] ?? rest ?? true, [...path, String(index)]);
    });
  }

  #objectFault(value: Json, schema: Json, path: readonly string[]): string | null {
    const { properties, required, additionalProperties: others = true, propertyNames: names = true } = schema;
    const missing = (Array.isArray(required) ? required : []).find((name: string) => !Object.hasOwn(value, name));
    if (missing !== undefined) return faultMessage(path, value, `has no ${missing}`);
    const range = rangeFault(Object.keys(value).length, [schema.minProperties, schema.maxProperties], 'properties');
    if (range !== null) return faultMessage(path, value, range);
    const known = recordOf(properties);
    return firstFault(Object.entries(value), ([name, one]) => {
      const at = [...path, name];
      return (
        this.schemaFault(one, Object.hasOwn(known, name) ? known[name] : others, at) ??
        this.schemaFault(name, names, at)
      );
    });
  }
}

function firstFault<One>(list: readonly One[], faultOf: (one: One) => string | null): string | null {
  for (const one of list) {
    const fault = faultOf(one);
    if (fault !== null) return fault;
  }
  return null;
}

function fitsType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true;
  if (Array.isArray(type)) return type.some((one) => fitsType(value, one));
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function numberFault(value: number, schema: Json, path: readonly string[]): string | null {
  const { minimum: low, maximum: high, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = schema;
  if (typeof low === 'number' && (above === true ? value <= low : value < low))
    return faultMessage(path, value, 'is too small');
  if (typeof high === 'number' && (below === true ? value >= high : value > high)) {
    return faultMessage(path, value, 'is too large');
  }
  if (typeof above === 'number' && value <= above) return faultMessage(path, value, 'is too small');
  if (typeof below === 'number' && value >= below) return faultMessage(path, value, 'is too large');
  const parts = typeof step === 'number' ? value / step : 0;
  return Math.abs(parts - Math.round(parts)) > EPSILON
    ? faultMessage(path, value, `is no multiple of ${String(step)}`)
    : null;
}

function stringFault(value: string, { minLength, maxLength, pattern }: Json, path: readonly string[]): string | null {
  const range = rangeFault([...value].length, [minLength, maxLength], 'characters');
  if (range !== null) return faultMessage(path, value, range);
  const fits = typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value);
  return fits ? null : faultMessage(path, value, `does not match ${String(pattern)}`);
}

function rangeFault(count: number, [low, high]: [unknown, unknown], what: string): string | null {
  if (typeof low === 'number' && count < low) return `has fewer than ${low} ${what}`;
  return typeof high === 'number' && count > high ? `has more than ${high} ${what}` : null;
}

function faultMessage(path: readonly string[], value: unknown, what: string): string {
  const text = JSON.stringify(value);
  const shown = text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text;
  return `${path.length === 0 ? 'the answer' : path.join('.')} (${shown}) ${what}`;
}
