import { z } from 'zod';
import { OWNER } from '../../context.ts';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { SearchAnswer, SearchRequest, type SearchService } from './schema.ts';

export type AdminSearchDeps = Record<EnvironmentName, { service: SearchService }>;

const RESULTS_MAX = 20;

const LIMIT_MS = 30_000;

const FindQuery = EnvironmentQuery.extend({
  query: SearchRequest.shape.query,
  limit: z.coerce.number().int().min(1).max(RESULTS_MAX).default(5),
});

/** Search for the owner. Mounted under `/admin`, behind the owner check. */
export const ADMIN_SEARCH_ROUTES = [
  routesOf<AdminSearchDeps>()(
    {
      scope: 'owner',
      tag: 'Jobs',
      auth: 'owner',
      method: 'get',
      path: '/search',
      forDevices: true,
      operationId: 'findWords',
      summary: 'Find words in results, without a job',
      description:
        'For a search while someone types. Finds words alone, like `POST /search` with `mode` `lexical`, ' +
        'but makes no job and calls no webhook.',
      query: FindQuery,
      answers: { 200: jsonAnswer('The best matches first.', SearchAnswer) },
      errors: ['invalid_request', 'engine_unavailable'],
    },
    async (environments, { query: readQuery, reply }) => {
      const { environment, query, limit } = readQuery();
      const { service } = environments[environment];
      const words = { query, limit, offset: 0, mode: 'lexical', filter: {}, facets: false, answer: false } as const;
      return reply(200, await service.find(OWNER.accountId, words, AbortSignal.timeout(LIMIT_MS)));
    },
  ),
];
