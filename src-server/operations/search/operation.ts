import { z } from 'zod';
import { QuarryError, SEARCH_MODES, SearchAnswer, SearchFilter } from '../../contract/index.ts';
import { defineOperation } from '../operation.ts';

const MAX_QUERY_CHARS = 1000;
const MAX_RESULTS = 50;
const TIME_LIMIT_SECONDS = 30;

export const search = defineOperation({
  id: 'search',
  summary: 'Search what your jobs have extracted',
  description: `Finds chunks of your own completed jobs, and approved contributions, by the words of \`query\`: without
regard to case, accents and English endings, best matches first. Chunks with all of the words come before those with
some. A result points to its place: page, second, heading or URL. \`legs\` says which ways of searching took part:
\`semantic\` needs an embedding model; \`hybrid\` does without where there is none.`,
  mode: 'inline',
  price: { amount: 1000, timeoutSeconds: 60 },
  idPrefix: 'job',
  lane: 'light',
  request: z.strictObject({
    query: z.string().trim().min(1).max(MAX_QUERY_CHARS).describe('Words, or a sentence.'),
    limit: z.int().min(1).max(MAX_RESULTS).default(10),
    mode: z.enum(SEARCH_MODES).default('hybrid'),
    filter: SearchFilter.prefault({}),
  }),
  result: SearchAnswer,
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: TIME_LIMIT_SECONDS,
  inline: { jobId: 'random', streams: false, body: (result, jobId) => ({ ...result, jobId }) },
  // No engine here makes vectors of text yet, so nothing is charged for an answer that could not be given.
  admit: async ({ mode }) => {
    if (mode !== 'semantic') return undefined;
    throw new QuarryError(
      'model_not_installed',
      'Semantic search needs an embedding model, and none is in use here. Search with mode lexical or hybrid.',
    );
  },
  run: (request, ports) => ports.search.find(request),
});
