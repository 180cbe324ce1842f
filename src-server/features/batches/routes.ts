import { z } from 'zod';
import { BODY_ERRORS, json, routesOf } from '../../platform/http/route.ts';
import {
  Batch,
  BatchListQuery,
  BatchPage,
  BatchQuery,
  BatchRequest,
  EXAMPLE_BATCH,
  MAX_ITEMS,
  MAX_OPEN_BATCHES,
} from './schema.ts';
import type { Batches } from './service.ts';

const route = routesOf<{ batches: Batches }>();

const common = { scope: 'environment', tag: 'Batches' } as const;

const params = {
  batchId: z.string().describe('Identifier of the batch.').meta({ example: EXAMPLE_BATCH.batchId }),
};

const EXAMPLE_REQUEST = {
  operation: 'extract/doc',
  request: { options: { segmentLength: 800 } },
  items: [
    { sourceUrl: 'https://harbour.example/minutes-1.pdf' },
    { sourceUrl: 'https://harbour.example/minutes-2.pdf', sourceName: 'February' },
  ],
  webhookUrl: 'https://app.example/hooks/quarry',
} satisfies z.input<typeof BatchRequest>;

/** Many sources in one request. */
export const BATCH_ROUTES = [
  route(
    {
      ...common,
      method: 'post',
      path: '/batches',
      operationId: 'createBatch',
      summary: 'Send many files or addresses at once',
      description: `Each item becomes a job of its own, ${MAX_ITEMS} at most; one that fails does not stop the others.
For files send a form (\`multipart/form-data\`): parts named \`file\`, and this JSON in the field \`batch\`. For the
owner and for named keys with the scope \`run:<operation>\`; callers who pay send the requests one by one (403). At most
${MAX_OPEN_BATCHES} batches may be unfinished. The webhook is called once, with \`batch.completed\`: the batch, and its
failed items in \`failures\`.`,
      auth: 'owner',
      keyScope: 'own-job',
      request: { schema: BatchRequest, example: EXAMPLE_REQUEST },
      answers: { 202: json('The batch.', Batch, EXAMPLE_BATCH) },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async ({ batches }, { context, reply }) => {
      const batch = await batches.create(context.get('principal'), context.env.incoming);
      context.header('Location', batch.statusUrl);
      return reply(202, batch);
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/batches',
      operationId: 'listBatches',
      summary: 'List the batches',
      description: 'Newest first.',
      auth: 'owner',
      keyScope: 'read',
      query: BatchListQuery,
      answers: {
        200: json('One page.', z.object({ batches: z.array(Batch), nextCursor: z.string().nullable() }), {
          batches: [EXAMPLE_BATCH],
          nextCursor: null,
        }),
      },
    },
    async ({ batches }, { context, query, reply }) => {
      const { limit, cursor } = query();
      const page = batches.list(context.get('principal'), cursor === undefined ? null : Number(cursor), limit);
      return reply(200, { batches: page.batches, nextCursor: page.next === null ? null : String(page.next) });
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/batches/{batchId}',
      operationId: 'getBatch',
      summary: 'Read a batch',
      description: 'Its counts, and one page of its items. Knowing the identifier is the right to read, as for jobs.',
      auth: 'none',
      params,
      query: BatchQuery,
      answers: { 200: json('The batch.', BatchPage, { ...EXAMPLE_BATCH, items: [], nextCursor: null }) },
      errors: ['not_found'],
    },
    async ({ batches }, { param, query, reply }) => {
      const { status, limit, cursor } = query();
      return reply(
        200,
        batches.get(param('batchId'), { status, limit, after: cursor === undefined ? undefined : Number(cursor) }),
      );
    },
  ),
  route(
    {
      ...common,
      method: 'delete',
      path: '/batches/{batchId}',
      operationId: 'deleteBatch',
      summary: 'Cancel or forget a batch',
      description: 'Cancels the items and jobs that have not ended; forgets a batch that has ended. Ended jobs stay.',
      auth: 'owner',
      keyScope: 'own-job',
      params,
      answers: { 204: { description: 'Cancelled or forgotten.' } },
      errors: ['not_found'],
    },
    async ({ batches }, { context, param, end }) => {
      await batches.remove(context.get('principal'), param('batchId'));
      return end(204);
    },
  ),
];
