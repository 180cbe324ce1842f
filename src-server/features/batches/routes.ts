import { z } from 'zod';
import {
  BODY_ERRORS,
  JOB_REQUEST_ERRORS,
  jsonAnswer,
  PAYMENT_ERRORS,
  routesOf,
  SOURCE_ERRORS,
} from '../../platform/http/route.ts';
import { PaymentChallenge } from '../payments/schema.ts';
import {
  Batch,
  BatchListQuery,
  BatchOrder,
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
For files send a form (\`multipart/form-data\`): parts named \`file\`, and this JSON in the field \`batch\`. Callers who
pay give \`operation\` and \`items\` in the query: the 402 names the price of so many requests, and one proof buys the
whole batch. Their items are checked before the payment, and one that cannot work refuses the batch. At most
${MAX_OPEN_BATCHES} batches of an account may be unfinished. The webhook is called once, with \`batch.completed\`.`,
      auth: 'none',
      keyScope: 'own-job',
      query: BatchOrder,
      parameters: ['X-PAYMENT', 'PAYMENT-SIGNATURE', 'Prefer', 'Idempotency-Key', 'Quarry-Tags', 'Quarry-Metadata'],
      request: { schema: BatchRequest, example: EXAMPLE_REQUEST, form: { field: 'batch', files: 'file' } },
      answers: {
        202: {
          ...jsonAnswer('The batch.', Batch, EXAMPLE_BATCH),
          headers: ['Location', 'Preference-Applied', 'X-PAYMENT-RESPONSE', 'PAYMENT-RESPONSE'],
        },
        402: {
          ...jsonAnswer('No valid payment. Pay one entry of `accepts`, and send the request again.', PaymentChallenge),
          headers: ['PAYMENT-REQUIRED'],
        },
      },
      errors: [...BODY_ERRORS, ...JOB_REQUEST_ERRORS, ...SOURCE_ERRORS, ...PAYMENT_ERRORS],
    },
    async ({ batches }, { context, query, reply }) => {
      const submitted = await batches.submitBatch(context, query());
      for (const [name, value] of Object.entries(submitted.headers)) context.header(name, value);
      if (submitted.kind === 'refused') {
        context.header('Cache-Control', 'no-store');
        return reply(402, submitted.challenge);
      }
      if (submitted.kind === 'unavailable') throw submitted.error;
      const batch = batches.get(submitted.batchId);
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
      description: 'Newest first. The owner sees the batches of all accounts.',
      auth: 'account',
      keyScope: 'read',
      query: BatchListQuery,
      answers: {
        200: jsonAnswer('One page.', z.object({ batches: z.array(Batch), nextCursor: z.string().nullable() }), {
          batches: [EXAMPLE_BATCH],
          nextCursor: null,
        }),
      },
    },
    async ({ batches }, { context, query, reply }) => {
      const { limit, cursor } = query();
      const page = batches.listBatchesOf(context.get('principal'), cursor === undefined ? null : Number(cursor), limit);
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
      answers: { 200: jsonAnswer('The batch.', BatchPage, { ...EXAMPLE_BATCH, items: [], nextCursor: null }) },
      errors: ['not_found'],
    },
    async ({ batches }, { param, query, reply }) => {
      const { status, limit, cursor } = query();
      return reply(
        200,
        batches.getPage(param('batchId'), { status, limit, after: cursor === undefined ? undefined : Number(cursor) }),
      );
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/batches/{batchId}/results.zip',
      operationId: 'downloadBatch',
      summary: 'Download all results',
      description:
        'A ZIP with a folder for each completed item: the job object as `job.json`, and the files of the job. ' +
        'Knowing the identifier is the right to read.',
      auth: 'none',
      params,
      answers: {
        200: {
          description: 'The ZIP.',
          content: { mediaType: '*/*', schema: null },
          headers: ['Content-Disposition'],
        },
      },
      errors: ['not_found', 'conflict'],
    },
    async ({ batches }, { context, param }) => {
      const batchId = param('batchId');
      const pieces = await batches.batchResultsZip(batchId);
      context.header('Content-Type', 'application/zip');
      context.header('Content-Disposition', `attachment; filename="${batchId}.zip"`);
      context.header('Cache-Control', 'no-store');
      return context.body(ReadableStream.from(pieces));
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
      auth: 'account',
      keyScope: 'own-job',
      params,
      answers: { 204: { description: 'Cancelled or forgotten.' } },
      errors: ['not_found'],
    },
    async ({ batches }, { context, param, end }) => {
      await batches.removeBatch(context.get('principal'), param('batchId'));
      return end(204);
    },
  ),
  route(
    {
      ...common,
      method: 'post',
      path: '/batches/{batchId}/retry',
      operationId: 'retryBatch',
      summary: 'Run the failed items again',
      description:
        'Runs failed jobs of an ended batch again, and addresses that became no job; the webhook is called again at ' +
        'the end. Free. Payers retry where `error.retryable` is true; after a fault of the appliance they send the ' +
        'request with the same proof again.',
      auth: 'account',
      keyScope: 'own-job',
      params,
      answers: { 202: jsonAnswer('The batch.', Batch, EXAMPLE_BATCH) },
      errors: ['not_found', 'conflict'],
    },
    ({ batches }, { context, param, reply }) =>
      reply(202, batches.retryFailedItems(context.get('principal'), param('batchId'))),
  ),
];
