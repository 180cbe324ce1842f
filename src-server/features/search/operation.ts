import { defineOperation } from '../../operation.ts';
import { SearchAnswer, SearchRequest } from './schema.ts';

const TIME_LIMIT_SECONDS = 30;

export const search = defineOperation({
  id: 'search',
  summary: 'Search what your jobs have extracted',
  description: `Finds chunks of your own completed jobs and of crawls you were given, and approved contributions, best
matches first. By words (\`lexical\`): without regard to case, accents and English endings; chunks with all of the
words come before those with some. By meaning (\`semantic\`): chunks whose vectors lie nearest to that of the query; it
needs an embedding model, and without one this mode answers 503. \`hybrid\` fuses the two rankings where both can be
had. \`legs\` says which ways of searching took part, \`warnings\` why one did not. A result points to its place:
page, second, heading or URL.`,
  mode: 'inline',
  price: { amount: 1000, timeoutSeconds: 60 },
  idPrefix: 'job',
  queueClass: 'light',
  request: SearchRequest,
  result: SearchAnswer,
  example: {
    request: { query: 'sales second quarter' },
    result: {
      results: [
        {
          ...{ chunkId: 'chk_7b4226f88f7e5f624eec5fb467c68794', jobId: 'job_9Tz4bWm1qVcR6nX3sLd8pYf5JkH', score: 1 },
          text: 'Sales rose in the second quarter and stayed there.',
          snippet: 'Sales rose in the second quarter and stayed there.',
          highlights: [
            { start: 0, end: 5 },
            { start: 18, end: 24 },
            { start: 25, end: 32 },
          ],
          ...{ page: 1, heading: null, sourceName: 'Annual report', url: null, kind: 'text' },
        },
      ],
      legs: ['lexical', 'semantic'],
      warnings: [],
    },
  },
  uses: ['search'],
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: TIME_LIMIT_SECONDS,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
  inline: { jobId: 'random', streams: false, body: (result, jobId) => ({ ...result, jobId }) },
  // Nothing is charged for an answer that cannot be given.
  admit: async ({ mode, filter }, ports) => {
    await (await ports.use('search')).admit(mode, filter);
    return undefined;
  },
  run: async (request, ports) => (await ports.use('search')).find(ports.accountId, request),
});
