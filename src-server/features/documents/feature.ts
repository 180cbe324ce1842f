import { defineFeature } from '../../feature.ts';
import { MIB } from '../../platform/units.ts';
import { WorkBudget } from '../../platform/work-budget.ts';
import { jobs } from '../jobs/feature.ts';
import type { RechunkRequest } from '../jobs/schema.ts';
import { models } from '../models/feature.ts';
import { extractDoc, extractPdf } from './operation.ts';
import { ADMIN_DOCUMENT_ROUTES, DOCUMENT_ROUTES } from './routes.ts';

/** Bytes of documents that are chunked again for an account in a minute. */
const FREE_CHUNKING_BYTES = 32 * MIB;

/** Documents, pictures and PDFs. The engine is loaded with the first of them. */
export const documents = defineFeature({
  name: 'documents',
  uses: { jobs, models },
  operations: [extractDoc, extractPdf],
  open({ context, clock }, { jobs }) {
    const { services, folders, service } = jobs;
    const runTask = context.pool.run;
    const budget = new WorkBudget(clock, FREE_CHUNKING_BYTES);
    services.provideService('documents', async () => (await import('./service.ts')).documentsOf(context));
    return {
      service: {
        service,
        runTask,
        rechunk: async (jobId: string, accountId: string, { segmentLength, language }: RechunkRequest) => {
          const how = { folder: folders.filesFolderPath(jobId), segmentLength, language: language ?? null };
          const { rechunkText: rechunk, documentBytes } = await import('./service.ts');
          if (accountId !== 'owner') budget.spendWorkBudget(accountId, await documentBytes(how.folder));
          return rechunk(runTask, accountId, how);
        },
      },
    };
  },
  routes: { environment: DOCUMENT_ROUTES, owner: ADMIN_DOCUMENT_ROUTES },
});
