import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { recordOf } from '../../src-server/platform/records.ts';
/** The part of the OpenAPI document that forms need. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Described {
  tags?: string[];
  summary?: string;
  description?: string;
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
  parameters?: { $ref?: string; name?: string; in?: string; schema?: Schema; description?: string }[];
  'x-quarry-price'?: { amount: string; asset: string; maxTimeoutSeconds: number };
  'x-quarry-mode'?: string;
}

export interface OpenApi {
  servers: { url: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
}

/** An operation with the schema of its body. */
export interface OperationForm {
  /** `extract/doc` */
  id: string;
  group: string;
  summary: string;
  description: string;
  schema: Schema;
  /** Whether the operation accepts a file instead of a URL. */
  takesFile: boolean;
  example: Record<string, unknown>;
  /** In the 6-decimal unit; null if free. */
  amount: string | null;
  mode: string;
  /** Whether the response can be streamed. */
  streams: boolean;
}

/** All operations: the POST paths of the document that have a mode. */
export function operationsOf(document: OpenApi): OperationForm[] {
  return Object.entries(document.paths).flatMap(([path, methods]) => {
    const { post } = methods;
    const content = post?.requestBody?.content;
    const json = content?.['application/json'];
    if (post?.['x-quarry-mode'] === undefined || json === undefined) return [];
    const multipart = content?.['multipart/form-data'];
    return [
      {
        id: path.slice(1),
        group: post.tags?.[0] ?? '',
        summary: post.summary ?? path,
        description: post.description ?? '',
        schema: resolveFormSchema(json.schema, document),
        takesFile:
          multipart !== undefined && resolveFormSchema(multipart.schema, document).properties?.file !== undefined,
        example: recordOf(json.example),
        amount: post['x-quarry-price']?.amount ?? null,
        mode: post['x-quarry-mode'],
        streams: post.parameters?.some(({ name, $ref }) => (name ?? $ref?.split('/').at(-1)) === 'stream') ?? false,
      },
    ];
  });
}

/** Resolves references and merges `allOf` into plain objects. Request schemas are finite. */
export function resolveFormSchema(schema: Schema, document: OpenApi): Schema {
  const named = schema.$ref?.split('/').at(-1);
  const found =
    named === undefined ? schema : { ...document.components.schemas[named], ...withoutSchemaMember(schema, '$ref') };
  const merged = (found.allOf ?? []).reduce<Schema>(
    (all, part) => mergeSchemas(all, resolveFormSchema(part, document)),
    {
      ...withoutSchemaMember(found, 'allOf'),
    },
  );
  const single = onlyRealChoice(merged, document);
  const { properties, items } = single;
  return {
    ...single,
    ...omitUndefined({
      properties: properties
        ? Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, resolveFormSchema(one, document)]))
        : undefined,
      items: items ? resolveFormSchema(items, document) : undefined,
    }),
  };
}

/**
 * A union of one shape and null becomes that shape, optional. A union of objects becomes one object with all fields.
 */
function onlyRealChoice(schema: Schema, document: OpenApi): Schema {
  const choices = (schema.anyOf ?? schema.oneOf)?.map((one) => resolveFormSchema(one, document));
  if (choices === undefined) return schema;
  const real = choices.filter(({ type }) => type !== 'null');
  const rest = withoutSchemaMember(withoutSchemaMember(schema, 'anyOf'), 'oneOf');
  const constants = real.flatMap((one) => (one.const === undefined ? [] : [one.const]));
  if (constants.length === real.length && real.length > 0) return { ...rest, type: 'string', enum: constants };
  if (real.every(({ type }) => type === 'object') || schema.properties) {
    return real.reduce<Schema>((all, one) => mergeSchemas(all, { ...withoutSchemaMember(one, 'required') }), rest);
  }
  return { ...real[0], ...rest };
}

function mergeSchemas(one: Schema, other: Schema): Schema {
  const required = [...(one.required ?? []), ...(other.required ?? [])];
  return {
    ...one,
    ...other,
    ...omitUndefined({
      properties: one.properties || other.properties ? { ...one.properties, ...other.properties } : undefined,
      required: required.length > 0 ? required : undefined,
    }),
  };
}

function withoutSchemaMember<Name extends keyof Schema>(schema: Schema, name: Name): Omit<Schema, Name> {
  const { [name]: _, ...rest } = schema;
  return rest;
}
