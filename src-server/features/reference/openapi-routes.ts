import { z } from 'zod';
import { COMMON_ERRORS, COMMON_HEADERS, type ErrorBook, familyOf, headerReferences } from './openapi-errors.ts';
import type { SchemaBook } from './openapi-schemas.ts';
import type { OpenApiHeader, OpenApiMedia, OpenApiOperation, OpenApiResponse } from './openapi-types.ts';
import type { AnswerDescription, ParameterDescription, RouteDescription } from './route-description.ts';

const SECURITY: Record<RouteDescription['auth'], Record<string, string[]>[]> = {
  none: [{}],
  account: [{ owner: [] }, { wallet: [] }],
};

/** Stock x402 clients sign in when a 402 asks them to, and never look at a 401. */
const SIGN_IN_PREFERENCE: ParameterDescription = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '`x402-sign-in=402` turns the 401 of who is not signed in into a 402.',
  schema: z.string(),
  example: 'x402-sign-in=402',
};
const SIGN_IN_ANSWER: AnswerDescription = {
  status: 402,
  description: 'Instead of the 401, to those who prefer it: signing in is all that is asked, and costs nothing.',
  content: {
    mediaType: 'application/json',
    schema: z.object({ x402Version: z.literal(2), accepts: z.array(z.unknown()).max(0), error: z.string() }),
    example: { x402Version: 2, accepts: [], error: 'Sign in with your wallet' },
  },
  headers: ['PAYMENT-REQUIRED'],
};

/** The answers of a route. Made before any request is described: see SchemaBook. */
export function routeAnswers(
  route: RouteDescription,
  book: SchemaBook,
  errors: ErrorBook,
): OpenApiOperation['responses'] {
  const answers = needsAccount(route) ? [...route.answers, SIGN_IN_ANSWER] : route.answers;
  const described = answers.map((answer) => [String(answer.status), answerOf(route, answer, book)] as const);
  const common = route.scope === 'environment' ? COMMON_ERRORS : (['forbidden', 'internal'] as const);
  return {
    ...Object.fromEntries(described),
    ...errors.of([...route.errors, ...common], familyOf(route)),
  };
}

function needsAccount({ auth, scope }: RouteDescription): boolean {
  return auth === 'account' && scope === 'environment';
}

function answerOf(route: RouteDescription, answer: AnswerDescription, book: SchemaBook): OpenApiResponse {
  const headers = answer.headers ?? [];
  const named = headers.filter((header) => typeof header === 'string');
  const own = headers.filter((header) => typeof header !== 'string');
  return {
    description: answer.description,
    headers: {
      ...headerReferences([...COMMON_HEADERS[familyOf(route)], ...named]),
      ...Object.fromEntries(own.map(({ name, ...header }): [string, OpenApiHeader] => [name, textHeader(header)])),
    },
    ...(answer.content ? { content: { [answer.content.mediaType]: mediaOf(answer.content, book) } } : {}),
  };
}

function textHeader(header: { description: string; example: string }): OpenApiHeader {
  return { ...header, schema: { type: 'string' } };
}

function mediaOf(content: NonNullable<AnswerDescription['content']>, book: SchemaBook): OpenApiMedia {
  if (content.mediaType === 'application/json') {
    return { schema: book.of(content.schema, 'output'), example: content.example };
  }
  if (content.mediaType === 'text/event-stream') return { schema: { type: 'string' }, example: content.example };
  return content.mediaType === 'text/html' ? { schema: { type: 'string' } } : {};
}

/** The rest of a route: what it is asked with. */
export function routeRequest(route: RouteDescription, book: SchemaBook): Omit<OpenApiOperation, 'responses'> {
  const asked = [...(route.parameters ?? []), ...(needsAccount(route) ? [SIGN_IN_PREFERENCE] : [])];
  const parameters = asked.map(({ schema, example, ...parameter }) => ({
    ...parameter,
    schema: book.of(schema, 'input'),
    ...(example === undefined ? {} : { example }),
  }));
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.request
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: book.of(route.request.schema, 'input'), example: route.request.example },
            },
          },
        }
      : {}),
    security: SECURITY[route.auth],
  };
}
