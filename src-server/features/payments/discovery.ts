const textEnumSchema = (...values: string[]) => ({ type: 'string', enum: values });

/**
 * The entry of an operation in catalogues of paid services: x402's extension `bazaar` of a version 2 challenge. Clients
 * send it back with their proof, in a header of bounded size, so it has an example and not the schema of the request:
 * /openapi.json has that.
 */
export function discoveryOf(example: Record<string, unknown>): object {
  const input = {
    type: { type: 'string', const: 'http' },
    method: textEnumSchema('POST'),
    bodyType: textEnumSchema('json'),
  };
  const output = { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] };
  return {
    info: { input: { type: 'http', method: 'POST', bodyType: 'json', body: example }, output: { type: 'json' } },
    schema: schemaOf({ ...input, body: { type: 'object' } }, ['type', 'method', 'bodyType', 'body'], { output }),
  };
}

/** The same for the tool of an operation. Its whole input schema is in `tools/list`. */
export function toolDiscoveryOf(toolName: string, example: Record<string, unknown>): object {
  const transport = 'streamable-http';
  const input = { type: 'mcp', toolName, transport, inputSchema: { type: 'object' }, example };
  const properties = {
    type: { type: 'string', const: 'mcp' },
    toolName: { type: 'string' },
    transport: textEnumSchema(transport),
    inputSchema: { type: 'object' },
    example: { type: 'object' },
  };
  return { info: { input }, schema: schemaOf(properties, ['type', 'toolName', 'inputSchema']) };
}

function schemaOf(properties: object, required: string[], others: object = {}): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { input: { type: 'object', properties, required, additionalProperties: false }, ...others },
    required: ['input'],
  };
}
