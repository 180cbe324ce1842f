import { defineFeature } from '../../feature.ts';
import { VERSION } from '../../platform/version.ts';
import { crawl } from '../crawl/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { limits } from '../limits/feature.ts';
import { DOCLING_ADDRESSES, doclingErrorResponse, doclingRoutes } from './docling.ts';
import { FIRECRAWL_ADDRESSES, firecrawlErrorResponse, firecrawlRoutes } from './firecrawl.ts';
import { textErrorResponse } from './load.ts';
import { TIKA_ADDRESSES, TIKA_BASES, tikaRoutes } from './tika.ts';
import { WEBUI_ADDRESSES, webuiRoutes } from './webui.ts';

/** The interfaces of Tika, Open WebUI, docling-serve and Firecrawl, for the owner and named keys. */
export const loaders = defineFeature({
  name: 'loaders',
  uses: { crawl, jobs, limits },
  open: (_environment, { crawl: { crawlSoFar }, jobs: { service }, limits: { ownerOnly } }) => ({
    service: { service, ownerOnly, crawlSoFar, version: VERSION },
  }),
  addresses: [...TIKA_ADDRESSES, ...WEBUI_ADDRESSES, ...DOCLING_ADDRESSES, ...FIRECRAWL_ADDRESSES],
  errorForms: {
    ...Object.fromEntries(TIKA_BASES.map((base) => [base, textErrorResponse])),
    webui: textErrorResponse,
    docling: doclingErrorResponse,
    firecrawl: firecrawlErrorResponse,
  },
  mount: ({ environments: { production } }) => [
    { path: '/', routes: tikaRoutes(production) },
    { path: '/webui', routes: webuiRoutes(production) },
    { path: '/docling', routes: doclingRoutes(production) },
    { path: '/firecrawl', routes: firecrawlRoutes(production) },
  ],
});
