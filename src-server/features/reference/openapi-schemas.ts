import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { JsonSchema } from './openapi-types.ts';

/** `input`: what a request may hold, defaults optional; `output`: what an answer holds. */
export type Direction = 'input' | 'output';

const COMPONENTS = '#/components/schemas/';

/**
 * Turns schemas into JSON Schema and gathers the named ones (`.meta({ id })`) as components, so that each resource is
 * described once. A resource whose request form differs from its answer form gets a second component, `…Input`; so the
 * answers come first.
 */
export class SchemaBook {
  readonly #components = new Map<string, JsonSchema>();

  /** The schema, or a reference to its component when it has a name. */
  referToSchema(schema: z.ZodType, direction: Direction): JsonSchema {
    // Inside an object, so that a named schema itself comes out as a reference too.
    const whole = z.toJSONSchema(z.object({ value: schema }), {
      io: direction,
      target: 'draft-2020-12',
      override: ({ jsonSchema }) => simplifySchema(jsonSchema as JsonSchema, direction),
    }) as JsonSchema;
    const renamed = new Map<string, string>();
    for (const [name, component] of Object.entries(whole.$defs ?? {})) {
      renamed.set(name, this.#nameFor(name, component, direction));
    }
    for (const [name, component] of Object.entries(whole.$defs ?? {})) {
      this.#components.set(renamed.get(name) ?? name, withReferences(component, renamed));
    }
    return withReferences(whole.properties?.value ?? {}, renamed);
  }

  /** Adds a component under a name of the caller's choice, and gives the reference to it. */
  addNamedSchema(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#components.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, schema)) throw new Error(`Two schemas are called ${name}.`);
    this.#components.set(name, schema);
    return { $ref: COMPONENTS + name };
  }

  /** The target of a reference; other schemas unchanged. */
  resolveComponent(schema: JsonSchema): JsonSchema {
    return resolveIn(Object.fromEntries(this.#components), schema);
  }

  /** All components, by name. */
  schemaComponents(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #nameFor(name: string, component: JsonSchema, direction: Direction): string {
    const known = this.#components.get(name);
    if (known === undefined || isDeepStrictEqual(known, withReferences(component, new Map()))) return name;
    if (direction === 'output') throw new Error(`Describe the answers before the requests: ${name} has two forms.`);
    return `${name}Input`;
  }
}

export function resolveIn(components: Record<string, JsonSchema>, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const target = components[schema.$ref.slice(COMPONENTS.length)];
  if (target === undefined) throw new Error(`The schema ${schema.$ref} does not exist.`);
  const { $ref, ...beside } = schema;
  return { ...target, ...beside };
}

/**
 * Removes what is useful only to validators: the bound of every integer, and the pattern of a time beside its format.
 * Answers stay open, because later versions add fields (resources/reference/changes.md).
 */
function simplifySchema(schema: JsonSchema, direction: Direction): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.format === 'date-time') delete schema.pattern;
  if (direction === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
}

function withReferences<Value>(value: Value, renamed: ReadonlyMap<string, string>): Value {
  const text = JSON.stringify(value, (key, part: unknown) => {
    if (key !== '$ref' || typeof part !== 'string') return part;
    const name = part.replace('#/$defs/', '');
    return COMPONENTS + (renamed.get(name) ?? name);
  });
  return parseOwnJson(text);
}
