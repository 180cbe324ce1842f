import { defineOperation } from '../../operation.ts';
import { SearchAnswer, SearchRequest } from './schema.ts';

const TIME_LIMIT_SECONDS = 90;

export const search = defineOperation({
  id: 'search',
  summary: 'Search what your jobs have extracted',
  description: `Finds chunks of your completed jobs, of crawls shared with you, and approved contributions, best matches
first. \`lexical\` matches words, ignoring case, accents and the endings of 19 languages; chunks with all words come
before those with some. The last word may be unfinished. Versions and codes stay whole. Words in quotation marks must
occur in a row, and \`-word\` must not occur. A word that occurs nowhere is corrected, and \`corrected\` says so. The
same text is one result.
\`semantic\` ranks chunks by meaning: by the vectors of an installed embedding model, or without one by topics
that are learned from your own chunks. \`hybrid\` fuses all rankings. \`meaning\` names what searched by meaning.
\`facets\` counts the matches by what \`filter\` can narrow. \`legs\` lists the ways
that were used, \`warnings\` why one was not. A result has its place: page, second, heading or URL.

With \`answer\` a text model answers by quotations of the results. \`?stream=true\` sends them as server-sent events
while they are written: \`accepted\`, \`citation\` with the words so far (it replaces that of the same \`index\`), then
\`done\` with the whole answer, or \`error\` with a problem.`,
  words: {
    group: 'search',
    icon: 'search',
    name: 'Search',
    noun: 'Search',
    plural: 'Searches',
    doing: 'Searching',
    leads: { label: 'Search', about: 'Everything read so far', plural: 'Searches' },
  },
  mode: 'inline',
  order: 1,
  price: { amount: 1000, timeoutSeconds: 60 },
  idPrefix: 'job',
  keyScope: 'read',
  queueClass: 'light',
  request: SearchRequest,
  result: SearchAnswer,
  example: {
    request: { query: 'sales second quarter' },
    result: {
      results: [
        {
          chunkId: 'chk_7b4226f88f7e5f624eec5fb467c68794',
          jobId: 'job_9Tz4bWm1qVcR6nX3sLd8pYf5JkH',
          score: 1,
          text: 'Sales rose in the second quarter and stayed there.',
          snippet: 'Sales rose in the second quarter and stayed there.',
          highlights: [
            { start: 0, end: 5 },
            { start: 18, end: 24 },
            { start: 25, end: 32 },
          ],
          page: 1,
          heading: null,
          sourceName: 'Annual report',
          url: null,
          kind: 'text',
        },
      ],
      corrected: [],
      legs: ['lexical', 'topics'],
      meaning: 'lsi',
      warnings: [],
    },
  },
  uses: ['search'],
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: TIME_LIMIT_SECONDS,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
  inline: { jobId: 'random', streams: true, body: (result, jobId) => ({ ...result, jobId }) },
  // A search that is not possible is refused before payment.
  admit: async ({ mode, filter }, ports) => {
    await (await ports.use('search')).admit(mode, filter);
    return undefined;
  },
  run: async (request, ports, signal) => {
    const search = await ports.use('search');
    return search.find(ports.accountId, request, signal, (cited) => ports.emit('citation', cited));
  },
});
