import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { CrawlSoFar } from './schema.ts';

/** What a crawl has read so far. Errors: `not_found`, `job_expired`. */
export type AdminCrawlDeps = Record<EnvironmentName, { crawlSoFar(jobId: string): Promise<CrawlSoFar> }>;

/** Running crawls for the owner. Mounted under `/admin`, behind the owner check. */
export const ADMIN_CRAWL_ROUTES = [
  routesOf<AdminCrawlDeps>()(
    {
      scope: 'owner',
      tag: 'Jobs',
      auth: 'owner',
      method: 'get',
      path: '/jobs/{jobId}/crawl',
      forDevices: true,
      operationId: 'getCrawlSoFar',
      summary: 'What a crawl has read so far',
      description: 'From the ledger of a crawl that runs or waits to continue. The result of an ended crawl has more.',
      params: { jobId: z.string().describe('Identifier of the job.') },
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('Its pages and counts.', CrawlSoFar) },
      errors: ['invalid_request', 'not_found', 'job_expired'],
    },
    async (environments, { param, query, reply }) =>
      reply(200, await environments[query().environment].crawlSoFar(param('jobId'))),
  ),
];
