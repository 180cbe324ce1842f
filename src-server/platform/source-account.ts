/**
 * The account of a source: how much it held, how much of it the result delivers, and what was left out, with reason and
 * place. `source` is counted by a path of its own, close to the bytes, and never from the blocks that become text.
 */
import { z } from 'zod';

/** Why a part of a source is not in the result. A closed list: clients translate it. */
export const LEFT_OUT_REASONS = [
  'repeated-header-or-footer',
  'hidden',
  'deleted-by-tracked-changes',
  'overprinted-copy',
  'repeated-caption',
  'navigation',
  'embedded-picture',
  'unsupported-part',
  'over-limit',
  'damaged',
  'silence',
  'no-speech-recognised',
  // Of addresses:
  'duplicate',
  'site-rules',
  'not-requested',
  'part-of-page',
  'address-list',
  'unreachable',
] as const;

export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

const LeftOut = z
  .object({
    reason: z
      .enum(LEFT_OUT_REASONS)
      .describe(
        'The last six are of addresses: another address of a page; refused by robots.txt or the page itself; outside ' +
          'the request; pictures, scripts and pixels; sitemaps and feeds; no answer, an error or a refused address.',
      ),
    count: z.number().min(0).describe('In the unit of the account.'),
    where: z.string().describe('The place, for example `page 3`, `sheet Tides`, `0:24–0:49` or `whole file`.'),
    sample: z.string().optional().describe('The beginning of what was left out, at most 80 characters.'),
  })
  .meta({ id: 'LeftOut' });

export type LeftOut = z.output<typeof LeftOut>;

export const SourceAccount = z
  .object({
    unit: z
      .enum(['letters', 'cells', 'seconds', 'addresses'])
      .describe(
        'Letters and digits of documents, pages and captions; cells with a value of workbooks; seconds of recordings ' +
          'and streams; addresses of crawls.',
      ),
    source: z.number().min(0).describe('What the source holds, counted apart from the result.'),
    delivered: z.number().min(0),
    leftOut: z.array(LeftOut).describe('What is not in the result, with its reason; at most 200 entries.'),
    unexplained: z
      .number()
      .min(0)
      .describe('In the source, but neither delivered nor left out. A larger gap has a warning with its place.'),
  })
  .meta({ id: 'SourceAccount' });

export type SourceAccount = z.output<typeof SourceAccount>;

/** The account of a result. Results of versions that did not count have none. */
export const resultAccount = SourceAccount.nullable().describe(
  'What the source held, and where it went; of a crawl, its addresses. Null for a job of an earlier version, which ' +
    'did not count.',
);

/** Entries of `leftOut`. Further ones are added to the last entry of their reason. */
export const LEFT_OUT_MAX = 200;

/** Characters of a sample or quotation. */
export const SAMPLE_CHARACTERS = 80;

/** One account of several sources, such as the pages of a file, in their order. */
export function mergeAccounts(accounts: readonly SourceAccount[]): SourceAccount {
  const sumOverAccounts = (value: (account: SourceAccount) => number) =>
    accounts.reduce((all, one) => all + value(one), 0);
  return {
    unit: accounts[0]?.unit ?? 'letters',
    source: sumOverAccounts(({ source }) => source),
    delivered: sumOverAccounts(({ delivered }) => delivered),
    leftOut: boundedLeftOut(accounts.flatMap(({ leftOut }) => leftOut)),
    unexplained: sumOverAccounts(({ unexplained }) => unexplained),
  };
}

/** Joins entries of one reason and place, then adds those beyond the bound to the last entry of their reason. */
export function boundedLeftOut(entries: readonly LeftOut[]): LeftOut[] {
  const joined = new Map<string, LeftOut>();
  for (const entry of entries) {
    const key = `${entry.reason} ${entry.where}`;
    const known = joined.get(key);
    if (known === undefined) joined.set(key, { ...entry });
    else known.count += entry.count;
  }
  const all = [...joined.values()];
  const kept = all.slice(0, LEFT_OUT_MAX);
  for (const entry of all.slice(LEFT_OUT_MAX)) {
    const last = kept.findLast(({ reason }) => reason === entry.reason);
    if (last === undefined) kept.push({ ...entry });
    else last.count += entry.count;
  }
  return kept;
}

/** Why a delivered text may be wrong. */
export const DOUBT_REASONS = [
  'unlikely-letters',
  'unsure-word',
  'unclear-formula',
  'no-speech-evidence',
  'other-language',
] as const;

/** A place of the result whose text may be wrong. It is delivered and marked, never dropped. */
export const Doubt = z
  .object({
    reason: z
      .enum(DOUBT_REASONS)
      .describe(
        'unlikely-letters: recognised text that does not look like its language. unsure-word: a recognised word of ' +
          'low confidence. unclear-formula: a formula whose signs are in no clear order. no-speech-evidence: words ' +
          'where no speech was found. other-language: text or sound in another language than the one used.',
      ),
    quote: z.string().describe('The beginning of the text, at most 80 characters.'),
    before: z.string().optional().describe('The words before a doubtful word on its line.'),
    page: z.int().min(1).optional(),
    box: z
      .tuple([z.number(), z.number(), z.number(), z.number()])
      .optional()
      .describe('Left, top, right and bottom of a doubtful word as shares of the page, from 0 to 1.'),
    startSeconds: z.number().min(0).optional(),
    endSeconds: z.number().min(0).optional(),
    isCorrected: z.literal(true).optional().describe('A person has corrected all words of this place.'),
  })
  .meta({ id: 'Doubt' });

export type Doubt = z.output<typeof Doubt>;
