import { ERRORS, type ErrorCode, errorFaultOf, JOB_ERROR_CODES } from '../../platform/error-codes.ts';
import { BODY_ERRORS, JOB_REQUEST_ERRORS, type RouteDescription } from '../../platform/http/route.ts';
import { byName } from '../../platform/records.ts';
import type { JsonSchema, OpenApiHeader, OpenApiResponse } from './openapi-types.ts';

/** Kinds of routes by their headers. */
type Family = RouteDescription['scope'] | 'limited';

/** A route outside an environment is rate limited if it can answer `rate_limited`. */
export function errorFamilyOf({ scope, errors }: Pick<RouteDescription, 'scope' | 'errors'>): Family {
  return scope === 'origin' && errors.includes('rate_limited') ? 'limited' : scope;
}

/** Codes that any route under an environment's base path can answer. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal',
  'shutting_down',
  'storage_full',
  'storage_unavailable',
];

/** Codes that any route of a scope can answer. */
export const SCOPE_ERRORS: Record<RouteDescription['scope'], readonly ErrorCode[]> = {
  environment: COMMON_ERRORS,
  owner: ['unauthorized', 'forbidden', 'rate_limited', 'internal', 'storage_full', 'storage_unavailable'],
  origin: ['forbidden', 'internal'],
};

/** Codes of every operation: its body, and the life of the job it makes. */
export const OPERATION_ERRORS: readonly ErrorCode[] = [...COMMON_ERRORS, ...BODY_ERRORS, ...JOB_REQUEST_ERRORS];

/** Codes of inline operations, whose failure is the answer. */
export const INLINE_ERRORS: readonly ErrorCode[] = [
  ...JOB_ERROR_CODES.filter((code) => errorFaultOf(code) === 'appliance'),
  'cancelled',
];

/** Headers of answers, each described once. */
export const HEADERS: Record<string, OpenApiHeader> = byName({
  'X-Request-Id': {
    description: 'Identifies this request in the logs; quote it in problem reports.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The quota `q` and its window `w` in seconds. Absent for the owner, who is not limited.',
    schema: { type: 'string' },
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description: 'Requests left (`r`) and seconds (`t`) until the whole quota is available again.',
    schema: { type: 'string' },
    example: '"default";r=599;t=60',
  },
  'Retry-After': {
    description: 'Whole seconds to wait; the next request passes after them.',
    schema: { type: 'integer', minimum: 0 },
    example: 12,
  },
  Location: { description: 'The same URL as `statusUrl`.', schema: { type: 'string', format: 'uri' } },
  'Preference-Applied': { description: 'The applied preferences.', schema: { type: 'string' }, example: 'wait=30' },
  'X-PAYMENT-RESPONSE': {
    description: 'Base64 JSON: the settlement record of a payment made with `X-PAYMENT`.',
    schema: { type: 'string' },
  },
  'PAYMENT-RESPONSE': {
    description: 'Base64 JSON: the settlement record of a payment made with `PAYMENT-SIGNATURE`.',
    schema: { type: 'string' },
  },
  'PAYMENT-REQUIRED': {
    description:
      'Base64 JSON: the same challenge as x402 version 2, which the owner can switch off. With a 401, the message ' +
      'that a wallet signs to sign in.',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  ETag: {
    description: 'Identifies these bytes: send it in `If-None-Match` or `If-Range`.',
    schema: { type: 'string' },
    example: '"5z-mwssrkvb"',
  },
  'Accept-Ranges': { description: 'The unit of ranges.', schema: { type: 'string' }, example: 'bytes' },
  'Content-Range': {
    description: 'The range sent, and the total size.',
    schema: { type: 'string' },
    example: 'bytes 0-1023/65536',
  },
  'X-Quarry-Left-Out': {
    description: 'How many of the items have no result. The file names them.',
    schema: { type: 'integer', minimum: 0 },
    example: 0,
  },
  'Content-Disposition': {
    description: 'The name of the file.',
    schema: { type: 'string' },
    example: 'inline; filename="Report.md"',
  },
});

/** Headers that every answer of a family carries. */
export const COMMON_HEADERS: Record<Family, readonly string[]> = {
  environment: ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'],
  limited: ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'],
  owner: ['X-Request-Id'],
  origin: ['X-Request-Id'],
};

const NAME_ENDINGS: Record<Family, string> = {
  environment: '',
  owner: '',
  limited: 'AtFacilitator',
  origin: 'AtOrigin',
};

/** Headers of an error beside the common ones. */
const ERROR_HEADERS: Partial<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate', 'PAYMENT-REQUIRED'],
  416: ['Content-Range', 'ETag', 'Accept-Ranges'],
  429: ['Retry-After'],
  503: ['Retry-After'],
  507: ['Retry-After'],
};

/** The owner is not limited; requests with a wrong credential are. */
const REFUSAL_HEADERS: Partial<Record<number, readonly string[]>> = {
  401: ['RateLimit-Policy', 'RateLimit'],
  403: ['RateLimit-Policy', 'RateLimit'],
  429: ['RateLimit-Policy', 'RateLimit'],
};

export function headerReferences(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The error answers of all routes, each combination of codes described once as a component. */
export class ErrorBook {
  readonly #problem: JsonSchema;
  readonly #responses = new Map<string, OpenApiResponse>();

  constructor(problem: JsonSchema) {
    this.#problem = problem;
  }

  /** One response per status, with the codes it can carry and an example of the first. */
  errorResponsesFor(codes: readonly ErrorCode[], family: Family): Record<string, { $ref: string }> {
    const byStatus = Map.groupBy([...new Set(codes)].sort(), (code) => ERRORS[code].status);
    return Object.fromEntries(
      [...byStatus].map(([status, group]) => {
        const name = group.map(pascalCase).join('Or') + NAME_ENDINGS[family];
        this.#responses.set(name, responseOf(status, group, this.#problem, family));
        return [String(status), { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  responseComponents(): Record<string, OpenApiResponse> {
    return Object.fromEntries([...this.#responses].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

function pascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
}

function responseOf(status: number, codes: readonly ErrorCode[], problem: JsonSchema, family: Family): OpenApiResponse {
  const [first] = codes;
  if (first === undefined) throw new Error(`No code has the status ${status}.`);
  return {
    description: `${codes.map((code) => `${ERRORS[code].title} (\`${code}\`)`).join('; ')}.`,
    headers: headerReferences([
      ...COMMON_HEADERS[family],
      ...((family === 'owner' && REFUSAL_HEADERS[status]) || []),
      ...(ERROR_HEADERS[status] ?? []),
    ]),
    content: { 'application/problem+json': { schema: problem, example: exampleProblem(first) } },
    'x-quarry-codes': [...codes],
  };
}

function exampleProblem(code: ErrorCode): object {
  const { status, title } = ERRORS[code];
  return { type: `/problems/${code}`, title, status, detail: `${title}.`, code };
}
