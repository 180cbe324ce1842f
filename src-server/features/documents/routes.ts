/** Routes that work on the documents of finished jobs. */

import { z } from 'zod';
import { Chunk, type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { EXAMPLE_CHUNKS, EXAMPLE_JOB, RechunkRequest } from '../jobs/schema.ts';
import { type JobService, jobSourceOf } from '../jobs/service.ts';

/** More pages than any accepted PDF has. */
const PDF_PAGES_MAX = 100_000;

/** Pages of a job never change. */
const KEPT_FOR = 'private, max-age=86400, immutable';

/** The default is sharp on a screen, and small enough to turn pages quickly. */
const PictureQuery = EnvironmentQuery.extend({
  width: z.coerce.number().int().min(40).max(2000).default(1000).describe('Width of the picture, in pixels.'),
});

const PageNumber = z.strictObject({ page: z.coerce.number().int().min(1).max(PDF_PAGES_MAX) });

interface DocumentRouteDeps {
  service: JobService;
  runTask: RunTask;
  /** Cuts the document of a job into other chunks. Errors: `not_found` when the job keeps no document. */
  rechunk(jobId: string, accountId: string, how: RechunkRequest): Promise<{ chunks: Chunk[] }>;
}

const environmentRoute = routesOf<DocumentRouteDeps>();

const route = routesOf<Record<EnvironmentName, DocumentRouteDeps>>();

const ofOne = {
  scope: 'owner',
  tag: 'Jobs',
  auth: 'owner',
  params: { jobId: z.string().describe('Identifier of the job.') },
} as const;

export const DOCUMENT_ROUTES = [
  environmentRoute(
    {
      scope: 'environment',
      tag: 'Jobs',
      method: 'post',
      path: '/jobs/{jobId}/chunks',
      operationId: 'rechunkJob',
      summary: 'Chunk an extracted document again',
      description:
        'Free: gives the chunks of another `segmentLength` without extracting again, and leaves the job as it is. ' +
        'Documents and PDFs keep what is needed until they expire.',
      auth: 'none',
      keyScope: 'none',
      params: { jobId: z.string().describe('Identifier returned at creation.').meta({ example: EXAMPLE_JOB.jobId }) },
      request: { schema: RechunkRequest, example: { segmentLength: 50 } },
      answers: {
        200: jsonAnswer('The chunks, as the extraction would have made them.', z.object({ chunks: z.array(Chunk) }), {
          chunks: EXAMPLE_CHUNKS,
        }),
      },
      errors: [...BODY_ERRORS, 'not_found', 'job_expired', 'rate_limited'],
    },
    async ({ service, rechunk }, { context, param, body, reply }) => {
      const job = await service.jobs.row(param('jobId'));
      const request = await body();
      return reply(200, await rechunk(job.id, context.get('principal').accountId, request));
    },
  ),
];

/** Mounted under `/admin`, behind the owner check. */
export const ADMIN_DOCUMENT_ROUTES = [
  route(
    {
      ...ofOne,
      method: 'get',
      path: '/jobs/{jobId}/pages/{page}',
      forDevices: true,
      operationId: 'drawJobPage',
      summary: 'Draw a page of the PDF a job was made from',
      description: 'The header `X-Pages` says how many pages there are.',
      params: { ...ofOne.params, page: z.string().describe('Number of the page, from 1.') },
      query: PictureQuery,
      answers: {
        200: {
          description: 'The page.',
          content: { mediaType: 'image/png', schema: null },
          headers: [{ name: 'X-Pages', description: 'Pages of the PDF.', example: '3' }],
        },
      },
      errors: ['invalid_request', 'not_found', 'job_expired', 'engine_failed', 'timeout', 'corrupt_input'],
    },
    async (environments, { context, param, query: readQuery }) => {
      const { environment, width: widthPixels } = readQuery();
      const { service, runTask } = environments[environment];
      const job = await service.jobs.row(param('jobId'));
      const { page } = parseWithSchema(PageNumber, { page: param('page') });
      if (jobSourceOf(job)?.kind !== 'pdf') throw new QuarryError('not_found', 'This job was not made from a PDF.');
      const { drawPage } = await import('./service.ts');
      const { png, pages } = await drawPage(runTask, service.sourcePathOf(job.id), { page, widthPixels });
      context.header('Content-Type', 'image/png');
      context.header('Cache-Control', KEPT_FOR);
      context.header('X-Pages', String(pages));
      return context.body(new Uint8Array(png));
    },
  ),
];
