/**
 * The entry of an operation in catalogues of paid services: x402's extension `bazaar` of a version 2 challenge. Clients
 * send it back with their proof, in a header of bounded size, so it has an example and not the schema of the request:
 * /openapi.json has that.
 */
export function discoveryOf(example: Record<string, unknown>): object {
  const text = (...values: string[]) => ({ type: 'string', enum: values });
  const input = { type: { type: 'string', const: 'http' }, method: text('POST'), bodyType: text('json') };
  return {
    info: { input: { type: 'http', method: 'POST', bodyType: 'json', body: example }, output: { type: 'json' } },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: { ...input, body: { type: 'object' } },
          required: ['type', 'method', 'bodyType', 'body'],
          additionalProperties: false,
        },
        output: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
      },
      required: ['input'],
    },
  };
}
