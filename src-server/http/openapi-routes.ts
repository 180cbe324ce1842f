import { COMMON_ERRORS, COMMON_HEADERS, type ErrorBook, headerReferences } from './openapi-errors.ts';
import type { SchemaBook } from './openapi-schemas.ts';
import type { OpenApiHeader, OpenApiMedia, OpenApiOperation, OpenApiResponse } from './openapi-types.ts';
import type { AnswerDescription, RouteDescription } from './route-description.ts';

const SECURITY: Record<RouteDescription['auth'], Record<string, string[]>[]> = {
  none: [{}],
  account: [{ owner: [] }, { wallet: [] }],
};

/** The answers of a route. Made before any request is described: see SchemaBook. */
export function routeAnswers(
  route: RouteDescription,
  book: SchemaBook,
  errors: ErrorBook,
): OpenApiOperation['responses'] {
  const successes = route.answers.map((answer) => [String(answer.status), answerOf(route, answer, book)] as const);
  const common = route.scope === 'environment' ? COMMON_ERRORS : (['forbidden', 'internal'] as const);
  return {
    ...Object.fromEntries(successes),
    ...errors.of([...route.errors, ...common], route.scope),
  };
}

function answerOf(route: RouteDescription, answer: AnswerDescription, book: SchemaBook): OpenApiResponse {
  const own = (answer.headers ?? []).map(({ name, description, example }): [string, OpenApiHeader] => [
    name,
    { description, schema: { type: 'string' }, example },
  ]);
  return {
    description: answer.description,
    headers: { ...headerReferences(COMMON_HEADERS[route.scope]), ...Object.fromEntries(own) },
    ...(answer.content ? { content: { [answer.content.mediaType]: mediaOf(answer.content, book) } } : {}),
  };
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
  const parameters = (route.parameters ?? []).map(({ schema, example, ...parameter }) => ({
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
