import { defineFeature } from '../../feature.ts';
import { jobs } from '../jobs/feature.ts';
import { library } from '../library/feature.ts';
import { limits } from '../limits/feature.ts';
import { mcpErrorResponse } from './errors.ts';
import { MCP_ADDRESSES, mcpRoutes } from './routes.ts';

/** The Model Context Protocol, on the operations of production. */
export const mcp = defineFeature({
  name: 'mcp',
  uses: { jobs, limits, library },
  open: (_environment, { jobs: { service }, limits: { identify, rateLimit, openPayment }, library }) => ({
    service: {
      service,
      admit: [identify, rateLimit],
      openPayment,
      library: library.library,
      finding: library.finding,
    },
  }),
  addresses: MCP_ADDRESSES,
  errorForms: { mcp: mcpErrorResponse },
  mount: ({ environments: { production } }) => [{ path: '/mcp', routes: mcpRoutes(production) }],
});
