import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import type { Covers } from './covers.ts';
import { bookOfItems, type ExportedFiles, markdownOfItems, zipOfItems } from './export.ts';
import { type FindDeps, findItems, findPassages } from './find.ts';
import type { Mirrors } from './mirrors.ts';
import type { Originals } from './originals.ts';
import { type RelatedDeps, relatedTo } from './related.ts';
import {
  Collection,
  CollectionChange,
  CollectionRequest,
  ExportRequest,
  FoundItems,
  flagInAddress,
  Item,
  ItemChange,
  ItemCounts,
  ItemFilter,
  ItemListQuery,
  ItemQuestion,
  ItemSearchQuery,
  ItemVersion,
  LookupQuery,
  ManyChange,
  Mirror,
  MirrorRequest,
  Note,
  NoteChange,
  NoteRequest,
  OriginalsRequest,
  RelatedItems,
} from './schema.ts';
import type { Library } from './service.ts';
import { streamAnswer } from './stream-answer.ts';

interface LibraryRouteDeps {
  library: Library;
  exported: ExportedFiles;
  finding: FindDeps & RelatedDeps;
  covers: Covers;
  originals: Originals;
}

const route = routesOf<LibraryRouteDeps>();

const common = { scope: 'environment', tag: 'Library', auth: 'owner' } as const;

const read = { ...common, keyScope: 'read' } as const;

const write = { ...common, keyScope: 'write' } as const;

const itemId = { itemId: z.string().describe('Identifier of the item.').meta({ example: 'itm_5uQ1nR8wYc3kZ6vTb2m' }) };

const collectionId = {
  collectionId: z.string().describe('Identifier of the collection.').meta({ example: 'col_8wYc3kZ6vTb2mXh9Lp' }),
};

const Items = z.object({ items: z.array(Item), total: z.int().describe('Of all that the filters leave.') });

const FORMS = {
  zip: { type: 'application/zip', ending: 'zip', pieces: zipOfItems },
  markdown: { type: 'text/markdown; charset=utf-8', ending: 'md', pieces: markdownOfItems },
  epub: { type: 'application/epub+zip', ending: 'epub', pieces: bookOfItems },
};

/** Free routes of the owner, and of keys with `read`; changes need `write`. */
export const LIBRARY_ROUTES = [
  route(
    {
      ...read,
      method: 'get',
      path: '/library/items',
      operationId: 'listItems',
      summary: 'List the library',
      description: `What the owner keeps: every source that was read and every sound or text that was made, except by
keys. It stays until it is deleted. Filters narrow the list together.`,
      query: ItemListQuery,
      answers: { 200: jsonAnswer('One page.', Items) },
      errors: ['not_found'],
    },
    ({ library }, { query, reply }) => reply(200, library.listItems(query())),
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/counts',
      operationId: 'countItems',
      summary: 'Count what filters leave',
      description: 'For each value of a filter, how many of the items that all filters leave have it.',
      query: ItemFilter.extend({ deleted: flagInAddress() }),
      answers: { 200: jsonAnswer('The counts.', ItemCounts) },
      errors: ['not_found'],
    },
    ({ library }, { query, reply }) => {
      const { deleted, ...filter } = query();
      return reply(200, library.countItems(filter, deleted));
    },
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/search',
      operationId: 'searchItems',
      summary: 'Search the library',
      description: `Places in what is kept, gathered by item: first items with the words in their title, then by their
best place. Deleted items and versions that are not shown are left out. Free, and makes no job.`,
      query: ItemSearchQuery,
      answers: { 200: jsonAnswer('One page.', FoundItems) },
      errors: ['not_found', 'engine_unavailable', 'engine_failed', 'rate_limited'],
    },
    async ({ finding }, { query, reply }) => reply(200, await findItems(query(), finding)),
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/answer',
      operationId: 'answerFromItems',
      summary: 'Answer a question from the library',
      description: `A text model answers by quotations of the best places within the filters. Server-sent events:
\`citation\` with the words so far, which replaces that of the same \`index\`, then \`done\` with the whole answer, or
\`error\` with a problem. Free, and makes no job. Who closes the connection stops the model.`,
      query: ItemQuestion,
      answers: { 200: { description: 'The stream.', content: { mediaType: 'text/event-stream', schema: null } } },
      errors: ['not_found', 'engine_unavailable', 'engine_failed', 'rate_limited'],
    },
    async ({ finding }, { context, query: readQuery }) => {
      const query = readQuery();
      // Before the stream, so that a fault has its status.
      const passages = await findPassages(query, finding);
      return streamAnswer(context, (onCitation, signal) =>
        finding.answerQuestion(query.query, passages, signal, onCitation),
      );
    },
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/lookup',
      operationId: 'lookUpItem',
      summary: 'Find what is there already',
      description: `The items of a file, by the SHA-256 of its bytes, of an address in any spelling, or of a job.
Deleted ones too.`,
      query: LookupQuery,
      answers: { 200: jsonAnswer('The items; none for a new source.', z.object({ items: z.array(Item) })) },
    },
    ({ library }, { query, reply }) => reply(200, { items: library.findItemsOf(query()) }),
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/items/{itemId}',
      operationId: 'getItem',
      summary: 'Read an item',
      description: 'Its result and files are those of its job: `GET /jobs/{jobId}`.',
      params: itemId,
      answers: { 200: jsonAnswer('The item.', Item) },
      errors: ['not_found'],
    },
    ({ library }, { param, reply }) => reply(200, library.readItem(param('itemId'))),
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/items/{itemId}/cover',
      operationId: 'getItemCover',
      summary: 'The cover of an item',
      description: `The first page, the picture, a frame of the video, or icon and first screen of the site, made once
while no job runs.`,
      params: itemId,
      query: z.strictObject({ v: z.string().optional().describe('Of the version, so that it can be kept.') }),
      answers: { 200: { description: 'A WebP.', content: { mediaType: 'image/webp', schema: null } } },
      errors: ['not_found'],
    },
    async ({ library, covers }, { context, param }) => {
      const bytes = await covers.readCover(library.rowOf(param('itemId')));
      context.header('Content-Type', 'image/webp');
      context.header('Cache-Control', 'private, max-age=86400, immutable');
      return context.body(bytes);
    },
  ),
  route(
    {
      ...write,
      method: 'patch',
      path: '/library/items/{itemId}',
      operationId: 'changeItem',
      summary: 'Change an item',
      description: 'Title, date, language, tags, collections, position, and the version that is shown.',
      params: itemId,
      request: { schema: ItemChange, example: { title: 'Annual report of the harbour', addTags: ['harbour'] } },
      answers: { 200: jsonAnswer('The item.', Item) },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async ({ library }, { param, body, reply }) => reply(200, library.changeItem(param('itemId'), await body())),
  ),
  route(
    {
      ...write,
      method: 'delete',
      path: '/library/items/{itemId}',
      operationId: 'deleteItem',
      summary: 'Delete an item',
      description: `It leaves the library and search at once, and the disk after \`deletedDays\` of the settings;
\`PATCH\` with \`deleted\` false brings it back. With \`now\` it is gone with all its results.`,
      params: itemId,
      query: z.strictObject({ now: flagInAddress().describe('True: for good.') }),
      answers: { 204: { description: 'Deleted.' } },
      errors: ['not_found', 'conflict'],
    },
    async ({ library }, { param, query, end }) => {
      if (query().now) await library.removeItem(param('itemId'));
      else library.changeItem(param('itemId'), { deleted: true });
      return end(204);
    },
  ),
  route(
    {
      ...write,
      method: 'post',
      path: '/library/changes',
      operationId: 'changeItems',
      summary: 'Change many items',
      description: 'By their identifiers, or all that a filter leaves, at most 10,000. All are changed or none.',
      request: { schema: ManyChange, example: { filter: { kind: 'talk' }, addTags: ['podcast'] } },
      answers: { 200: jsonAnswer('How many.', z.object({ changed: z.int() })) },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async ({ library }, { body, reply }) => reply(200, { changed: await library.changeItems(await body()) }),
  ),
  route(
    {
      ...write,
      method: 'post',
      path: '/library/originals/removal',
      operationId: 'removeOriginals',
      summary: 'Remove original files',
      description: `The files that items were made from go for good, of all their versions; texts, notes and covers
stay. Such an item cannot be played, nor read again without its file. Originals whose cover is not drawn yet go soon.`,
      request: { schema: OriginalsRequest, example: { filter: { kind: 'talk' } } },
      answers: {
        200: jsonAnswer(
          'Of how many items, and how much of the disk.',
          z.object({ items: z.int(), bytes: z.number() }),
        ),
      },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async ({ library, originals }, { body, reply }) =>
      reply(200, await originals.removeOriginals(library.selectItems(await body()))),
  ),
  route(
    {
      ...read,
      method: 'post',
      path: '/library/export',
      operationId: 'exportItems',
      summary: 'Export items',
      description: `\`zip\`: a folder for each, with its text as Markdown (front matter, notes below) and its files,
or only the \`parts\` that are named.
\`markdown\`: one file with all texts. \`epub\`: a book with a chapter for each. Items without a result are left out
and named: in \`manifest.json\` of the ZIP, at the end of the text, in the last chapter.`,
      request: { schema: ExportRequest, example: { filter: { tag: 'harbour' }, as: 'zip' } },
      answers: {
        200: {
          description: 'The file.',
          content: { mediaType: '*/*', schema: null },
          headers: ['Content-Disposition', 'X-Quarry-Left-Out'],
        },
      },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async ({ library, exported }, { context, body }) => {
      const { as, parts, ...selected } = await body();
      const chosen = library.selectItems(selected).flatMap((seq) => library.itemOf(seq) ?? []);
      const items = chosen.filter(({ state }) => state === 'ready');
      const leftOut = chosen.filter(({ state }) => state !== 'ready');
      if (items.length === 0) throw new QuarryError('not_found', 'None of these items has a result yet.');
      const { type, ending, pieces } = FORMS[as];
      context.header('Content-Type', type);
      context.header('Content-Disposition', `attachment; filename="library.${ending}"`);
      context.header('X-Quarry-Left-Out', String(leftOut.length));
      context.header('Cache-Control', 'no-store');
      return context.body(ReadableStream.from(await pieces({ items, leftOut, parts }, exported)));
    },
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/items/{itemId}/versions',
      operationId: 'listVersions',
      summary: 'List the versions of an item',
      description: 'Each reading of its source, oldest first.',
      params: itemId,
      answers: { 200: jsonAnswer('The versions.', z.object({ versions: z.array(ItemVersion) })) },
      errors: ['not_found'],
    },
    ({ library }, { param, reply }) => reply(200, { versions: library.versionsOf(param('itemId')) }),
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/items/{itemId}/related',
      operationId: 'listRelatedItems',
      summary: 'List related items',
      description: `Items that say the same rare words, or share collections or tags, the nearest first, at most five;
none where nothing is near. Copies are left out. Free, and makes no job.`,
      params: itemId,
      answers: { 200: jsonAnswer('The items, each with why.', RelatedItems) },
      errors: ['not_found', 'engine_unavailable', 'engine_failed', 'rate_limited'],
    },
    async ({ finding }, { param, reply }) => reply(200, { items: await relatedTo(param('itemId'), finding) }),
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/items/{itemId}/notes',
      operationId: 'listItemNotes',
      summary: 'List the notes of an item',
      description: 'Notes and highlights, oldest first.',
      params: itemId,
      answers: { 200: jsonAnswer('The notes.', z.object({ notes: z.array(Note) })) },
      errors: ['not_found'],
    },
    ({ library }, { param, reply }) => reply(200, { notes: library.notesOf(param('itemId')) }),
  ),
  route(
    {
      ...write,
      method: 'post',
      path: '/library/items/{itemId}/notes',
      operationId: 'addNote',
      summary: 'Add a note or a highlight',
      description: 'With the words it stands at, up to 32 characters around them, and the page or second.',
      params: itemId,
      request: { schema: NoteRequest, example: { text: 'Ask the harbour office.', quote: 'tide tables' } },
      answers: { 201: jsonAnswer('The note.', Note) },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async ({ library }, { param, body, reply }) => reply(201, library.addNote(param('itemId'), await body())),
  ),
  route(
    {
      ...write,
      method: 'patch',
      path: '/library/items/{itemId}/notes/{noteId}',
      operationId: 'changeNote',
      summary: 'Change a note',
      description: 'Its text.',
      params: { ...itemId, noteId: z.string().describe('Identifier of the note.') },
      request: { schema: NoteChange, example: { text: 'Asked: they are right.' } },
      answers: { 200: jsonAnswer('The note.', Note) },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async ({ library }, { param, body, reply }) =>
      reply(200, library.changeNote(param('itemId'), param('noteId'), (await body()).text)),
  ),
  route(
    {
      ...write,
      method: 'delete',
      path: '/library/items/{itemId}/notes/{noteId}',
      operationId: 'deleteNote',
      summary: 'Delete a note',
      description: 'A highlight too.',
      params: { ...itemId, noteId: z.string().describe('Identifier of the note.') },
      answers: { 204: { description: 'Deleted.' } },
      errors: ['not_found'],
    },
    ({ library }, { param, end }) => {
      library.removeNote(param('itemId'), param('noteId'));
      return end(204);
    },
  ),
  route(
    {
      ...read,
      method: 'get',
      path: '/library/collections',
      operationId: 'listCollections',
      summary: 'List the collections',
      description: 'By name, each with the number of its items.',
      answers: { 200: jsonAnswer('The collections.', z.object({ collections: z.array(Collection) })) },
    },
    ({ library }, { reply }) => reply(200, { collections: library.collections() }),
  ),
  route(
    {
      ...write,
      method: 'post',
      path: '/library/collections',
      operationId: 'addCollection',
      summary: 'Make a collection',
      description: 'With a filter it is a smart one: it holds what the filter leaves, and takes no items by hand.',
      request: { schema: CollectionRequest, example: { name: 'Harbour' } },
      answers: { 201: jsonAnswer('The collection.', Collection) },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async ({ library }, { body, reply }) => reply(201, library.addCollection(await body())),
  ),
  route(
    {
      ...write,
      method: 'patch',
      path: '/library/collections/{collectionId}',
      operationId: 'changeCollection',
      summary: 'Change a collection',
      description: 'Its name, or the filter of a smart one.',
      params: collectionId,
      request: { schema: CollectionChange, example: { name: 'Harbours' } },
      answers: { 200: jsonAnswer('The collection.', Collection) },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async ({ library }, { param, body, reply }) =>
      reply(200, library.changeCollection(param('collectionId'), await body())),
  ),
  route(
    {
      ...write,
      method: 'delete',
      path: '/library/collections/{collectionId}',
      operationId: 'deleteCollection',
      summary: 'Delete a collection',
      description: 'Its items stay.',
      params: collectionId,
      answers: { 204: { description: 'Deleted.' } },
      errors: ['not_found'],
    },
    ({ library }, { param, end }) => {
      library.removeCollection(param('collectionId'));
      return end(204);
    },
  ),
];

const mirrorRoute = routesOf<Record<EnvironmentName, { mirrors: Mirrors }>>();

const ofOwner = {
  scope: 'owner',
  tag: 'Library',
  auth: 'owner',
  keyScope: 'owner',
  query: EnvironmentQuery,
} as const;

const mirrorId = { mirrorId: z.string().describe('Identifier of the folder in step.') };

/** They write on the disk of this machine: no key may. Mounted under `/admin`. */
export const MIRROR_ROUTES = [
  mirrorRoute(
    {
      ...ofOwner,
      method: 'get',
      path: '/library/mirrors',
      operationId: 'listMirrors',
      summary: 'List the folders in step with the library',
      description: 'In the order in which they were added.',
      answers: { 200: jsonAnswer('The folders.', z.object({ mirrors: z.array(Mirror) })) },
      errors: ['invalid_request'],
    },
    (environments, { query, reply }) => reply(200, { mirrors: environments[query().environment].mirrors.mirrors() }),
  ),
  mirrorRoute(
    {
      ...ofOwner,
      method: 'post',
      path: '/library/mirrors',
      operationId: 'addMirror',
      summary: 'Keep a folder in step with the library',
      description: `Writes a Markdown file for each item (front matter, notes) with its pictures and subtitles, and
follows changes. Files that Quarry did not write, or that were changed since, are never touched.`,
      request: { schema: MirrorRequest, example: { path: '/srv/notes', filter: { tag: 'harbour' } } },
      answers: { 201: jsonAnswer('The folder, in step or with the reason why not.', Mirror) },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async (environments, { query, body, reply }) =>
      reply(201, await environments[query().environment].mirrors.addMirror(await body())),
  ),
  mirrorRoute(
    {
      ...ofOwner,
      method: 'post',
      path: '/library/mirrors/{mirrorId}/sync',
      operationId: 'syncMirror',
      summary: 'Bring a folder in step now',
      description: 'Answers when it is done.',
      params: mirrorId,
      answers: { 200: jsonAnswer('The folder.', Mirror) },
      errors: ['invalid_request', 'not_found'],
    },
    async (environments, { query, param, reply }) =>
      reply(200, await environments[query().environment].mirrors.syncMirror(param('mirrorId'))),
  ),
  mirrorRoute(
    {
      ...ofOwner,
      method: 'delete',
      path: '/library/mirrors/{mirrorId}',
      operationId: 'deleteMirror',
      summary: 'Keep a folder in step no more',
      description: 'Its files stay.',
      params: mirrorId,
      answers: { 204: { description: 'Done.' } },
      errors: ['invalid_request', 'not_found'],
    },
    (environments, { query, param, end }) => {
      environments[query().environment].mirrors.removeMirror(param('mirrorId'));
      return end(204);
    },
  ),
];
