import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { type Said, tell } from '../../platform/text/say.ts';
import {
  CONTRIBUTION_STATUSES,
  Contribution,
  ContributionListQuery,
  ContributionReport,
  ContributionRequest,
  INVISIBLE,
  MAX_TEXT_CHARS,
  ModeratedContribution,
  visibleText,
} from './schema.ts';
import type { Contributions } from './service.ts';

const CONTRIBUTED = {
  kind: 'annotation' as const,
  text: 'The tide tables are those of the harbour office, with the corrections of this year.',
  author: 'A. Pilot',
  license: 'CC-BY-4.0',
} satisfies ContributionRequest;

const EXAMPLE: Contribution = {
  ...CONTRIBUTED,
  contributionId: 'ctb_5uQ1nR8wYc3kZ6vTb2mXh9LpGj',
  status: 'pending',
  jobId: null,
  chunkId: null,
  quote: null,
  quoteStart: null,
  url: null,
  reason: null,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
};

interface ContributionRouteDeps {
  contributions: Contributions;
}

const route = routesOf<ContributionRouteDeps>();

const common = { scope: 'environment', tag: 'Contributions', auth: 'none' } as const;

const params = {
  contributionId: z.string().describe('Identifier of the contribution.').meta({ example: EXAMPLE.contributionId }),
};

/** The free routes of contributions. Anyone may contribute, within limits by account. */
export const CONTRIBUTION_ROUTES = [
  route(
    {
      ...common,
      method: 'post',
      path: '/contributions',
      operationId: 'contribute',
      summary: 'Submit a correction, a remark or a source',
      description: `Free, also without an account, within bounds: of a wallet 50 may wait for a decision and 200
come in a day, of an address 5 and 10. Nothing shows before the owner of the appliance has approved it. An
approved correction replaces the text of the job's chunk (\`originalText\` keeps the former one) and is in all files of
the job; an empty one deletes the text. An approved annotation or source is found by search, and one of a job is in its
result and in its JSON, Markdown and WebVTT files; the text of chunks and the files .txt and .srt stay as they are.
Repeating a waiting contribution returns it.`,
      request: { schema: ContributionRequest, example: CONTRIBUTED },
      answers: { 202: jsonAnswer('It waits for a decision.', Contribution, EXAMPLE) },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async ({ contributions }, { context, body, reply }) => {
      const request = await body();
      checkFields(request);
      return reply(202, await contributions.submitContribution(context.get('principal'), request));
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/contributions',
      operationId: 'listContributions',
      summary: 'List contributions',
      description: 'Approved remarks and sources, and all of your own, newest first.',
      query: ContributionListQuery,
      answers: {
        200: jsonAnswer(
          'One page.',
          z.object({ contributions: z.array(Contribution), nextCursor: z.string().nullable() }),
          {
            contributions: [EXAMPLE],
            nextCursor: null,
          },
        ),
      },
    },
    async ({ contributions }, { context, query, reply }) => {
      const { limit, cursor } = query();
      const before = cursor === undefined ? null : Number(cursor);
      return reply(200, await contributions.listVisibleContributions(context.get('principal'), before, limit));
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/contributions/{contributionId}',
      operationId: 'getContribution',
      summary: 'Read a contribution',
      description: 'An approved remark or source, or one of your own. The job it is about is shown to you only.',
      params,
      answers: { 200: jsonAnswer('The contribution.', Contribution, EXAMPLE) },
      errors: ['not_found'],
    },
    async ({ contributions }, { context, param, reply }) =>
      reply(200, await contributions.readContribution(context.get('principal'), param('contributionId'))),
  ),
  route(
    {
      ...common,
      method: 'post',
      path: '/contributions/{contributionId}/report',
      operationId: 'reportContribution',
      summary: 'Report a contribution',
      description: 'Sends the owner a reason. Each account has one report.',
      params,
      request: { schema: ContributionReport, example: { reason: 'The address leads to something else.' } },
      answers: { 204: { description: 'Reported.' } },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async ({ contributions }, { context, param, body, end }) => {
      const { reason } = await body();
      await contributions.fileContributionReport(context.get('principal'), param('contributionId'), reason);
      return end(204);
    },
  ),
];

/** What a kind needs, which its schema cannot say. */
function checkFields({ kind, jobId, chunkId, url, text, quote, quoteStart }: ContributionRequest): void {
  const missingFieldProblem = (path: string, message: Said) => ({ path, message });
  const fields = [
    ...(kind === 'correction' && jobId === undefined
      ? [missingFieldProblem('jobId', tell`A correction names the job.`)]
      : []),
    ...(kind === 'correction' && chunkId === undefined
      ? [missingFieldProblem('chunkId', tell`A correction names the chunk.`)]
      : []),
    ...(chunkId !== undefined && jobId === undefined && kind !== 'correction'
      ? [missingFieldProblem('jobId', tell`Name the job of the chunk.`)]
      : []),
    ...(kind !== 'correction' && text === '' ? [missingFieldProblem('text', INVISIBLE)] : []),
    ...(kind !== 'correction' && text.length > MAX_TEXT_CHARS
      ? [missingFieldProblem('text', tell`Give at most ${MAX_TEXT_CHARS} characters.`)]
      : []),
    ...(quote !== undefined && kind === 'correction'
      ? [missingFieldProblem('quote', tell`A correction says the whole chunk: give its text.`)]
      : []),
    ...(quote !== undefined && chunkId === undefined
      ? [missingFieldProblem('chunkId', tell`Name the chunk of the quotation.`)]
      : []),
    ...(quote === undefined && quoteStart !== undefined
      ? [missingFieldProblem('quote', tell`Give the words that begin there.`)]
      : []),
    ...(kind === 'source' && url === undefined ? [missingFieldProblem('url', tell`A source has a URL.`)] : []),
  ];
  if (fields.length > 0) throw invalidRequest(fields);
}

const MAX_REASON_CHARS = 1000;

const QueueQuery = EnvironmentQuery.extend({
  status: z.enum(CONTRIBUTION_STATUSES).default('pending'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.coerce.number().int().min(1).optional(),
});

const Reason = visibleText(MAX_REASON_CHARS);

type AdminContributionDeps = Record<EnvironmentName, { contributions: Contributions }>;

const adminRoute = routesOf<AdminContributionDeps>();

const owner = { scope: 'owner', tag: 'Contributions', auth: 'owner' } as const;

/** The owner's moderation. Mounted under `/admin`, behind the owner check. */
export const ADMIN_CONTRIBUTION_ROUTES = [
  adminRoute(
    {
      ...owner,
      method: 'get',
      path: '/contributions',
      operationId: 'listContributionsToDecide',
      summary: 'List contributions in one status',
      description: 'Oldest first, each with the text it is about, its reports and the record of its contributor.',
      query: QueueQuery,
      answers: {
        200: jsonAnswer(
          'One page.',
          z.object({ contributions: z.array(ModeratedContribution), nextCursor: z.string().nullable() }),
        ),
      },
    },
    async (environments, { query, reply }) => {
      const { environment, status, limit, cursor } = query();
      return reply(200, await environments[environment].contributions.moderationQueue(status, cursor ?? null, limit));
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'get',
      path: '/jobs/{jobId}/notes',
      forDevices: true,
      operationId: 'listNotes',
      summary: 'List the notes about a job',
      description: 'Remarks and sources that were not rejected, oldest first, at most 100.',
      params: { jobId: z.string().describe('Identifier of the job.') },
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('The notes.', z.object({ notes: z.array(ModeratedContribution) })) },
      errors: ['invalid_request'],
    },
    async (environments, { param, query, reply }) =>
      reply(200, { notes: environments[query().environment].contributions.moderatorNotesOfJob(param('jobId')) }),
  ),
  adminRoute(
    {
      ...owner,
      method: 'post',
      path: '/contributions/{contributionId}/approve',
      operationId: 'approveContribution',
      summary: 'Approve a contribution',
      description: 'A decision can be changed; the same one again is a conflict.',
      params,
      query: EnvironmentQuery,
      request: { schema: z.strictObject({ reason: Reason.optional() }) },
      answers: { 200: jsonAnswer('The contribution.', ModeratedContribution) },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async (environments, { param, query, body, reply }) => {
      const { contributions } = environments[query().environment];
      const { reason = null } = await body();
      return reply(
        200,
        await contributions.decideOnContribution(param('contributionId'), { status: 'approved', reason }),
      );
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'post',
      path: '/contributions/{contributionId}/reject',
      operationId: 'rejectContribution',
      summary: 'Reject a contribution',
      description: 'A decision can be changed; the same one again is a conflict.',
      params,
      query: EnvironmentQuery,
      request: { schema: z.strictObject({ reason: Reason.describe('Shown to the contributor.') }) },
      answers: { 200: jsonAnswer('The contribution.', ModeratedContribution) },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async (environments, { param, query, body, reply }) => {
      const { contributions } = environments[query().environment];
      const { reason } = await body();
      return reply(
        200,
        await contributions.decideOnContribution(param('contributionId'), { status: 'rejected', reason }),
      );
    },
  ),
];
