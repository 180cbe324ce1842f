import { z } from 'zod';
import { say, tell } from '../../platform/text/say.ts';

const CONTRIBUTION_KINDS = ['correction', 'annotation', 'source'] as const;

export const CONTRIBUTION_STATUSES = ['pending', 'approved', 'rejected'] as const;

export type ContributionStatus = (typeof CONTRIBUTION_STATUSES)[number];

export const MAX_TEXT_CHARS = 20_000;

/** A chunk may be as long as a request asks for, and its correction says all of it. */
const MAX_CORRECTION_CHARS = 1_000_000;

const MAX_LINE_CHARS = 200;

/** A letter, digit, mark of punctuation or symbol; not one of those that are drawn as nothing. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

export const INVISIBLE = say`Give a text with at least one character that can be seen.`;

/** The body of `POST /contributions`. */
export const ContributionRequest = z
  .strictObject({
    kind: z
      .enum(CONTRIBUTION_KINDS)
      .describe('correction: what a chunk should say; annotation: a remark; source: where something can be read.'),
    jobId: z.string().min(1).max(100).optional().describe('Required for a correction.'),
    chunkId: z.string().min(1).max(100).optional().describe('A chunk of that job. Required for a correction.'),
    text: z
      .string()
      .trim()
      .max(MAX_CORRECTION_CHARS)
      .refine((text) => text === '' || VISIBLE.test(text), INVISIBLE)
      .describe(
        `The corrected text of the chunk, up to ${MAX_CORRECTION_CHARS} characters and empty to delete it; the ` +
          `remark, or what the source is, up to ${MAX_TEXT_CHARS}.`,
      ),
    quote: z
      .string()
      .max(MAX_TEXT_CHARS)
      .optional()
      .describe(
        'Words of the chunk that an annotation or a source is about. They are widened to whole words, and must be in ' +
          'the chunk. Shown to the contributor and in the files of the job only.',
      ),
    quoteStart: z
      .int()
      .min(0)
      .optional()
      .describe('Where the quotation begins in the text of the chunk, if it has it more than once: UTF-16 code units.'),
    url: z
      .url({ protocol: /^https?$/, error: say`Give an absolute http or https URL.` })
      .max(2048)
      .optional()
      .describe('Evidence. Required for a source.'),
    author: visibleText(MAX_LINE_CHARS).optional().describe('Name of the author.'),
    license: visibleText(MAX_LINE_CHARS).optional().describe('Terms of the text, for example CC-BY-4.0.'),
  })
  .meta({ id: 'ContributionRequest' });

export type ContributionRequest = z.infer<typeof ContributionRequest>;

/** A contribution as its contributor sees it, and all accounts once it is approved. */
export const Contribution = z
  .object({
    contributionId: z.string(),
    kind: z.enum(CONTRIBUTION_KINDS),
    status: z.enum(CONTRIBUTION_STATUSES),
    jobId: z
      .string()
      .nullable()
      .describe('Shown to its contributor only: knowing a jobId is the right to read the job.'),
    chunkId: z.string().nullable(),
    quote: z.string().nullable().describe('The words that it is about. Shown to its contributor only, as the job is.'),
    quoteStart: z.int().nullable(),
    text: z.string(),
    url: z.string().nullable(),
    author: z.string().nullable().describe('Name of the author.'),
    license: z.string().nullable(),
    reason: z.string().nullable().describe('Reason of the moderator.'),
    createdAt: z.iso.datetime({ precision: 3 }),
    updatedAt: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'Contribution' });

export type Contribution = z.infer<typeof Contribution>;

/** Where an approved correction or annotation is, after the decision. */
const CorrectionReach = z
  .object({
    isWritten: z
      .boolean()
      .describe(
        'Whether the result and its files have it. False: the job has no result yet, or they could not be written ' +
          'and are tried again.',
      ),
    notCorrected: z
      .array(
        z.object({
          name: z.string().describe('A file of the job, or `extracted`.'),
          reason: z.string().describe('Why, and what to do.'),
        }),
      )
      .describe('What it cannot reach.'),
  })
  .meta({ id: 'CorrectionReach' });

/** A contribution as the owner decides about it. */
export const ModeratedContribution = Contribution.extend({
  accountId: z.string(),
  reports: z.int(),
  correction: CorrectionReach.nullable().describe(
    'Where a correction or an annotation of a job is, in the answer to a decision; null elsewhere.',
  ),
  chunk: z
    .object({
      text: z.string(),
      originalText: z.string().nullable().describe('Before a correction; null where there is none.'),
      heading: z.string().nullable(),
      page: z.int(),
      startSeconds: z.number().nullable().describe('In a recording; null elsewhere.'),
      sourceName: z.string().nullable(),
      url: z.string().nullable(),
      jobType: z.string(),
    })
    .nullable(),
  contributor: z.object({ pending: z.int(), approved: z.int(), rejected: z.int() }),
  history: z.array(z.object({ action: z.string(), actor: z.string(), reason: z.string().nullable(), at: z.string() })),
}).meta({ id: 'ModeratedContribution' });

export type ModeratedContribution = z.infer<typeof ModeratedContribution>;

/** The body of `POST /contributions/{contributionId}/report`. */
export const ContributionReport = z
  .strictObject({ reason: visibleText(1000).describe('What is wrong with it.') })
  .meta({ id: 'ContributionReport' });

/** Text with visible characters: zero bytes, spaces or joiners alone could not be moderated. */
export function visibleText(maxChars: number) {
  return (
    z
      .string()
      .trim()
      .min(1)
      .max(maxChars)
      // No `regex`: the OpenAPI document would hold a pattern that few generators of clients can read.
      .refine((text) => text === '' || VISIBLE.test(text), INVISIBLE)
  );
}

const MAX_PAGE = 200;

const DEFAULT_PAGE = 50;

/** Query of `GET /contributions`. */
export const ContributionListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE).describe('Entries per page.'),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, tell`Give the nextCursor of the page before.`)
    .optional()
    .describe('The `nextCursor` of the page before.'),
});
