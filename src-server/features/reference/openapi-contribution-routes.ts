import { z } from 'zod';
import {
  Contribution,
  ContributionListQuery,
  ContributionReport,
  ContributionRequest,
} from '../contributions/schema.ts';
import type { ParameterDescription, RouteDescription } from './route-description.ts';

const CONTRIBUTED = {
  kind: 'source' as const,
  text: 'The tide tables of the harbour office, with the corrections of this year.',
  url: 'https://harbour.example/tides',
  author: 'A. Pilot',
  license: 'CC-BY-4.0',
} satisfies z.input<typeof ContributionRequest>;

const EXAMPLE: z.input<typeof Contribution> = {
  ...CONTRIBUTED,
  contributionId: 'ctb_5uQ1nR8wYc3kZ6vTb2mXh9LpGj',
  status: 'pending',
  jobId: null,
  chunkId: null,
  reason: null,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
};

const contributionId: ParameterDescription = {
  name: 'contributionId',
  in: 'path',
  required: true,
  description: 'Identifier of the contribution.',
  schema: z.string(),
  example: EXAMPLE.contributionId,
};

const one = { mediaType: 'application/json', schema: Contribution, example: EXAMPLE } as const;

export const CONTRIBUTION_ROUTES: readonly RouteDescription[] = [
  {
    method: 'post',
    path: '/contributions',
    scope: 'environment',
    operationId: 'contribute',
    tag: 'Contributions',
    summary: 'Send in a correction, a remark or a source',
    description: `Free, also without an account, within bounds: of a wallet 50 may wait for a decision and 200
come in a day, of an address 5 and 10. Nothing shows before the owner of the appliance has approved it. An
approved correction stands in the job's chunk (\`originalText\` keeps what it said); an approved annotation or
source is found by search. The same contribution again is the one that waits.`,
    auth: 'none',
    request: {
      schema: ContributionRequest,
      example: CONTRIBUTED,
    },
    answers: [{ status: 202, description: 'It waits for a decision.', content: one }],
    errors: ['invalid_request', 'not_found', 'body_too_large', 'unsupported_content_type'],
  },
  {
    method: 'get',
    path: '/contributions',
    scope: 'environment',
    operationId: 'listContributions',
    tag: 'Contributions',
    summary: 'List contributions',
    description: 'Approved remarks and sources, and all of your own, newest first.',
    auth: 'none',
    parameters: [
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'Entries per page.',
        schema: ContributionListQuery.shape.limit,
      },
      {
        name: 'cursor',
        in: 'query',
        required: false,
        description: 'The `nextCursor` of the page before.',
        schema: ContributionListQuery.shape.cursor,
      },
    ],
    answers: [
      {
        status: 200,
        description: 'One page.',
        content: {
          mediaType: 'application/json',
          schema: z.object({ contributions: z.array(Contribution), nextCursor: z.string().nullable() }),
          example: { contributions: [EXAMPLE], nextCursor: null },
        },
      },
    ],
    errors: ['invalid_request'],
  },
  {
    method: 'get',
    path: '/contributions/{contributionId}',
    scope: 'environment',
    operationId: 'getContribution',
    tag: 'Contributions',
    summary: 'Read a contribution',
    description: 'An approved remark or source, or one of your own. The job it is about is shown to you only.',
    auth: 'none',
    parameters: [contributionId],
    answers: [{ status: 200, description: 'The contribution.', content: one }],
    errors: ['not_found'],
  },
  {
    method: 'post',
    path: '/contributions/{contributionId}/report',
    scope: 'environment',
    operationId: 'reportContribution',
    tag: 'Contributions',
    summary: 'Report a contribution',
    description: 'Tells the owner what is wrong with it. One report of an account counts.',
    auth: 'none',
    parameters: [contributionId],
    request: { schema: ContributionReport, example: { reason: 'The address leads to something else.' } },
    answers: [{ status: 204, description: 'It is noted.' }],
    errors: ['invalid_request', 'not_found', 'body_too_large', 'unsupported_content_type'],
  },
];
