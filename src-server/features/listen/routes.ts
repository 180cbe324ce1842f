import { z } from 'zod';
import { QuarryError } from '../../platform/errors.ts';
import { FILE_ANSWERS, FILE_HEADERS, sendFile } from '../../platform/http/file-response.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import type { FeedKeys } from './feed-keys.ts';
import { BookFile, FeedRequest, ListenFeed, Reading, ReadingPosition, ReadingRequest, SpokenPart } from './schema.ts';
import type { Listening } from './service.ts';

interface ListenRouteDeps {
  listening: Listening;
  keys: FeedKeys;
}

const route = routesOf<ListenRouteDeps>();

const common = { scope: 'environment', tag: 'Listen', auth: 'owner' } as const;

const read = { ...common, keyScope: 'read' } as const;

const write = { ...common, keyScope: 'write' } as const;

const itemId = { itemId: z.string().describe('Identifier of the item.').meta({ example: 'itm_5uQ1nR8wYc3kZ6vTb2m' }) };

const part = { part: z.string().describe('Number of the part, from 0.').meta({ example: '0' }) };

const SPEECH_ERRORS = [
  'model_not_installed',
  'engine_unavailable',
  'engine_failed',
  'unsupported_media',
  'timeout',
] as const;

function partNumber(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new QuarryError('not_found', 'The reading has no such part.');
}

/** Free routes of the owner, and of keys with `read`; changes need `write`. */
export const LISTEN_ROUTES = [
  route(
    {
      ...write,
      method: 'post',
      path: '/library/items/{itemId}/reading',
      operationId: 'beginReading',
      summary: 'Read an item aloud',
      description: `A document, a page, a talk or a text is spoken by a voice, part by part: the first part is there
within seconds, and the whole becomes one file with marks for its chapters. Code, tables and formulas are named in a
sentence, footnotes are left out. The same request goes on where the reading is; another voice, pace or version starts
over.`,
      params: itemId,
      request: { schema: ReadingRequest, example: { voice: 'rowan' } },
      answers: { 200: jsonAnswer('The reading.', Reading) },
      errors: [...BODY_ERRORS, ...SPEECH_ERRORS, 'not_found', 'conflict', 'source_too_large'],
    },
    async ({ listening }, { param, body, reply }) =>
      reply(200, await listening.beginReading(param('itemId'), await body())),
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/items/{itemId}/reading',
      operationId: 'getReading',
      summary: 'How far an item is read aloud',
      description: 'Its chapters and parts with their times, the files of the whole, and where the owner stopped.',
      params: itemId,
      answers: { 200: jsonAnswer('The reading.', Reading) },
      errors: ['not_found'],
    },
    async ({ listening }, { param, reply }) => reply(200, await listening.readingOf(param('itemId'))),
  ),
  route(
    {
      ...write,
      method: 'delete',
      path: '/library/items/{itemId}/reading',
      operationId: 'removeReading',
      summary: 'Stop a reading and remove its files',
      description: 'The item stays.',
      params: itemId,
      answers: { 204: { description: 'It is gone.' } },
      errors: ['not_found'],
    },
    async ({ listening }, { param, end }) => {
      await listening.stopReading(param('itemId'));
      return end(204);
    },
  ),
  route(
    {
      ...write,
      method: 'put',
      path: '/library/items/{itemId}/reading/position',
      operationId: 'moveReading',
      summary: 'Remember where the owner stopped listening',
      description: 'One place for all devices.',
      params: itemId,
      request: { schema: ReadingPosition, example: { seconds: 268.5 } },
      answers: { 204: { description: 'It is remembered.' } },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async ({ listening }, { param, body, end }) => {
      listening.movePosition(param('itemId'), (await body()).seconds);
      return end(204);
    },
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/items/{itemId}/reading/parts/{part}',
      operationId: 'getSpokenPart',
      summary: 'The words of a part with their times',
      description: 'Answers when the part is spoken, which then comes before the others.',
      params: { ...itemId, ...part },
      answers: { 200: jsonAnswer('The words.', SpokenPart) },
      errors: ['not_found', ...SPEECH_ERRORS],
    },
    async ({ listening }, { context, param, reply }) =>
      reply(200, await listening.spokenPart(param('itemId'), partNumber(param('part')), context.req.raw.signal)),
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/items/{itemId}/reading/parts/{part}/sound',
      operationId: 'getPartSound',
      summary: 'The sound of a part',
      description: 'An .mp3. Answers when the part is spoken, which then comes before the others.',
      params: { ...itemId, ...part },
      headers: FILE_HEADERS,
      answers: FILE_ANSWERS,
      errors: ['not_found', 'range_not_satisfiable', ...SPEECH_ERRORS],
    },
    async ({ listening }, { context, param }) => {
      const path = await listening.partPath(param('itemId'), partNumber(param('part')), context.req.raw.signal);
      return sendFile(context, path, 'part.mp3');
    },
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/items/{itemId}/reading/files/{form}',
      operationId: 'getReadingFile',
      summary: 'A file of the whole reading',
      description: 'Once the reading is `ready`: `mp3` and `m4b` with marks for chapters, `vtt` and `txt`.',
      params: { ...itemId, form: BookFile.describe('Which of the files.').meta({ example: 'm4b' }) },
      headers: FILE_HEADERS,
      answers: FILE_ANSWERS,
      errors: ['not_found', 'range_not_satisfiable'],
    },
    ({ listening }, { context, param }) => {
      const form = BookFile.safeParse(param('form'));
      if (!form.success) throw new QuarryError('not_found', 'A reading has the files mp3, m4b, vtt and txt.');
      const { path, title } = listening.bookFile(param('itemId'), form.data);
      return sendFile(context, path, `book.${form.data}`, `${title}.${form.data}`);
    },
  ),
  ...feedRoutesOfOwner(),
];

function feedRoutesOfOwner() {
  const admin = { ...common, keyScope: 'admin' } as const;
  return [
    route(
      {
        ...admin,
        method: 'get',
        path: '/library/feeds',
        operationId: 'listListenFeeds',
        summary: 'List the addresses for podcast apps',
        description: 'Each leads to a feed of all that was read aloud to its end.',
        answers: { 200: jsonAnswer('All of them.', z.object({ feeds: z.array(ListenFeed) })) },
      },
      ({ keys }, { reply }) => reply(200, { feeds: keys.listFeeds() }),
    ),
    route(
      {
        ...admin,
        method: 'post',
        path: '/library/feeds',
        operationId: 'createListenFeed',
        summary: 'Make an address for a podcast app',
        description: `RSS 2.0. Its address is signed: who has it hears what was read, until it is removed. Apps of
other devices reach it where "Open on your phone" is on.`,
        request: { schema: FeedRequest, example: { name: 'My phone' } },
        answers: { 200: jsonAnswer('The address.', ListenFeed) },
        errors: [...BODY_ERRORS, 'conflict'],
      },
      async ({ keys }, { body, reply }) => reply(200, keys.createFeed((await body()).name)),
    ),
    route(
      {
        ...admin,
        method: 'delete',
        path: '/library/feeds/{feedId}',
        operationId: 'removeListenFeed',
        summary: 'Remove an address for podcast apps',
        description: 'It leads nowhere at once.',
        params: { feedId: z.string().describe('Identifier of the feed.').meta({ example: 'lsf_8wYc3kZ6vTb2mXh9Lp' }) },
        answers: { 204: { description: 'It is gone.' } },
        errors: ['not_found'],
      },
      ({ keys }, { param, end }) => {
        keys.removeFeed(param('feedId'));
        return end(204);
      },
    ),
  ];
}
