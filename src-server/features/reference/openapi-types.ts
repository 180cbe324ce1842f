/** The parts of OpenAPI 3.1 and JSON Schema 2020-12 that the derived document uses. */

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  not?: JsonSchema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
  example?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  examples?: unknown[];
  contentMediaType?: string;
  $defs?: Record<string, JsonSchema>;
}

export interface OpenApiParameter {
  name: string;
  in: string;
  required?: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface OpenApiHeader {
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface OpenApiMedia {
  schema?: JsonSchema;
  example?: unknown;
  encoding?: Record<string, { contentType: string }>;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, OpenApiHeader | { $ref: string }>;
  content?: Record<string, OpenApiMedia>;
  /** Error codes that this status can carry. */
  'x-quarry-codes'?: string[];
}

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: (OpenApiParameter | { $ref: string })[];
  requestBody?: { required: boolean; content: Record<string, OpenApiMedia> };
  responses: Record<string, OpenApiResponse | { $ref: string }>;
  security: Record<string, string[]>[];
  /** What a call costs: the amount is in the 6-decimal unit of the asset. */
  'x-quarry-price'?: { amount: string; asset: 'USDC'; maxTimeoutSeconds: number };
  /** `job`: 202, the work runs in the queue; `inline`: 200 with the result. */
  'x-quarry-mode'?: 'job' | 'inline';
  /** What `result` of the finished job holds. */
  'x-quarry-result'?: JsonSchema;
}

export interface OpenApiPath {
  servers?: { url: string; description: string }[];
  get?: OpenApiOperation;
  post?: OpenApiOperation;
  put?: OpenApiOperation;
  patch?: OpenApiOperation;
  delete?: OpenApiOperation;
}

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string; description: string }[];
  tags: { name: string }[];
  paths: Record<string, OpenApiPath>;
  /** The calls that this server makes itself. */
  webhooks: Record<string, OpenApiPath>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, OpenApiResponse>;
    parameters: Record<string, OpenApiParameter>;
    headers: Record<string, OpenApiHeader>;
    securitySchemes: Record<string, Record<string, string>>;
  };
}
