import { z } from 'zod';
import type { Embedded } from '../../../workers/text/tasks.ts';
import { InstallChoice } from '../../platform/install-choice.ts';
import { type Said, say } from '../../platform/text/say.ts';

export interface SearchService {
  /**
   * Called before payment. Errors: `invalid_request` for an unknown operation; for a search by meaning alone,
   * `model_not_installed`, `engine_unavailable`, `engine_failed`.
   */
  admit(mode: SearchMode, filter: SearchFilter): Promise<void>;
  /**
   * Searches what an account may see. The signal ends waiting for the text model that answers a question.
   *
   * @param onCitation called with the quotations of the answer while they are written
   */
  find(
    accountId: string,
    query: SearchQuery,
    signal: AbortSignal,
    onCitation?: (cited: CitedWords) => void,
  ): Promise<SearchAnswer>;
}

export const SEARCH_MODES = ['hybrid', 'lexical', 'semantic'] as const;

export type SearchMode = (typeof SEARCH_MODES)[number];

const SEARCH_LEGS = ['lexical', 'semantic', 'topics'] as const;

const MAX_SOURCE_CHARS = 500;

const MAX_TAGS = 16;

const MAX_TAG_CHARS = 64;

export const SearchFilter = z
  .strictObject({
    jobType: z.string().max(100).optional().describe('For example crawl or extract/pdf.'),
    jobId: z.string().max(100).optional(),
    language: z.string().max(35).optional().describe('Language of the source, by its first part: en finds en-GB.'),
    kind: z
      .enum(['text', 'table', 'caption', 'comment', 'frame-text', 'annotation', 'source'])
      .optional()
      .describe('Kind of chunk; annotation and source are contributions.'),
    source: z
      .string()
      .min(1)
      .max(MAX_SOURCE_CHARS)
      .optional()
      .describe('Host of web pages, or the name of a file or recording, as `facets.sources` gives it.'),
    tags: z
      .array(z.string().min(1).max(MAX_TAG_CHARS))
      .min(1)
      .max(MAX_TAGS)
      .optional()
      .describe('Only your jobs with all of these tags, see `Quarry-Tags`.'),
    from: z.iso.date().optional().describe('First day (UTC) on which the job was submitted.'),
    to: z.iso.date().optional().describe('Last day (UTC) on which the job was submitted.'),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['to'],
    message: say`Give a day that is not before \`from\`.`,
  });

const MAX_QUERY_CHARS = 1000;

const MAX_RESULTS = 50;

const MAX_OFFSET = 500;

export const SearchRequest = z.strictObject({
  query: z
    .string()
    .trim()
    .min(1)
    .max(MAX_QUERY_CHARS)
    .describe(
      'Words, or a sentence. `"these words"` must occur in a row, `-word` and `-"these words"` must not occur.',
    ),
  limit: z.int().min(1).max(MAX_RESULTS).default(10),
  offset: z.int().min(0).max(MAX_OFFSET).default(0).describe('Results to skip, for the next page.'),
  mode: z.enum(SEARCH_MODES).default('hybrid'),
  filter: SearchFilter.prefault({}),
  facets: z.boolean().default(false).describe('Count the matches by kind, job type, source and month.'),
  answer: z
    .boolean()
    .default(false)
    .describe('Answer the query as a question, by quotations of the results. Takes a text model and up to a minute.'),
});

export type SearchQuery = z.output<typeof SearchRequest>;

export type SearchFilter = z.infer<typeof SearchFilter>;

export const SearchHit = z
  .object({
    chunkId: z.string(),
    jobId: z.string().nullable().describe('Null for a contribution that belongs to no job.'),
    text: z.string(),
    originalText: z.string().optional().describe('The text before an approved correction.'),
    score: z.number().min(0).max(1).describe('Share of the best possible rank; comparable within one answer.'),
    snippet: z.string(),
    highlights: z
      .array(z.object({ start: z.int().min(0), end: z.int().min(0) }))
      .describe('Ranges of the snippet that the query matched, in UTF-16 code units.'),
    page: z.int().min(1),
    heading: z.string().nullable(),
    startSeconds: z.number().min(0).optional(),
    sourceName: z.string().nullable(),
    url: z.string().nullable(),
    kind: z.string(),
  })
  .meta({ id: 'SearchHit' });

export type SearchHit = z.infer<typeof SearchHit>;

const Corrected = z.object({ from: z.string(), to: z.string() }).meta({ id: 'CorrectedWord' });

export type Corrected = z.infer<typeof Corrected>;

const Facet = z.array(z.object({ value: z.string(), count: z.int().min(1) }));

const SearchFacets = z
  .object({
    jobTypes: Facet,
    kinds: Facet,
    sources: Facet.describe('The 20 most frequent.'),
    months: Facet.describe('YYYY-MM in which the jobs were submitted, the 20 newest.'),
    counted: z.int().min(0).describe('Chunks that were counted, each text once: all that `offset` can come to.'),
    isComplete: z.boolean().describe('False if more chunks match: then the newest 10,000 were counted.'),
  })
  .meta({ id: 'SearchFacets' });

export type SearchFacets = z.infer<typeof SearchFacets>;

const SearchReply = z
  .object({
    model: z.string().describe('The text model that chose the quotations.'),
    isFound: z.boolean().describe('False if none of the best results answers the question.'),
    citations: z
      .array(
        z.object({
          quote: z.string().describe('Words of the result, letter by letter.'),
          chunkId: z.string(),
          jobId: z.string().nullable(),
          page: z.int().min(1),
          startSeconds: z.number().min(0).optional(),
          sourceName: z.string().nullable(),
          url: z.string().nullable(),
        }),
      )
      .describe('The answer, best quotation first.'),
  })
  .meta({ id: 'SearchReply' });

export type SearchReply = z.infer<typeof SearchReply>;

/** A quotation while it is written: it replaces that of the same index. */
export type CitedWords = SearchReply['citations'][number] & { index: number };

export const SearchAnswer = z.object({
  results: z.array(SearchHit),
  corrected: z
    .array(Corrected)
    .describe('Words of the query that occur in no chunk within `filter`, and the words searched in their place.'),
  legs: z
    .array(z.enum(SEARCH_LEGS))
    .describe('The ways of searching that were used: words, vectors of a model, topics learned from your chunks.'),
  meaning: z
    .string()
    .nullable()
    .describe('What searched by meaning: `lsi` (topics), or the name of the embedding model; null if nothing did.'),
  facets: SearchFacets.optional().describe('Present if asked for.'),
  answer: SearchReply.nullable().optional().describe('Present if asked for; null if there is none, see `warnings`.'),
  answerNeeds: z
    .object({ need: z.literal('text'), reason: z.string(), choices: z.array(InstallChoice) })
    .optional()
    .describe('What has to be installed for an answer.'),
  warnings: z
    .array(z.string())
    .describe('Why a requested search mode was not used, or only in part; what is not indexed yet.'),
});

export type SearchAnswer = z.infer<typeof SearchAnswer>;

/** What an answer adds to that of a search. */
export type AnswerParts = Pick<SearchAnswer, 'answerNeeds'> & { answer: SearchReply | null; warning?: Said };

/** The embedding model as search uses it. */
export interface EmbeddingModel {
  name: string;
  /** Identifies the model's file: vectors of another file with the same name cannot be compared. */
  key: string;
}

/** Models are trained with different prefixes for queries and documents. */
export type EmbeddingPurpose = 'query' | 'document';

export interface Embeddings {
  /** The model in use; null while none is installed. */
  current(): Promise<EmbeddingModel | null>;
  /**
   * The vector of a text, which is cut if too long for the model. Queries come before documents. Errors:
   * `engine_failed`, `engine_unavailable` for a model that cannot be loaded, `model_not_installed` for a removed one,
   * `rate_limited` if too many queries wait, and the signal's reason.
   */
  embedForPurpose(
    model: EmbeddingModel,
    text: string,
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
  ): Promise<readonly number[]>;
}

/** The same model for callers that add their own prefixes. */
export interface PlainEmbeddings extends Pick<Embeddings, 'current'> {
  /** The vector of a text without a prefix, with its tokens. It waits for queries. Errors: those of `embed`. */
  embedPlain(model: EmbeddingModel, text: string, signal: AbortSignal): Promise<Embedded>;
}

declare module '../../operation.ts' {
  interface Services {
    search: SearchService;
  }
}
