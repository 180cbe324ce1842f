import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { BODY_ERRORS, json, routesOf } from '../../platform/http/route.ts';
import {
  FILE_STATUSES,
  FolderWatch,
  FolderWatchRequest,
  FolderWatchUpdate,
  MAX_FOLDER_WATCHES,
  WatchedFile,
} from './schema.ts';
import type { Folders } from './service.ts';

const DEFAULT_PAGE = 50;

const MAX_PAGE = 200;

const EXAMPLE = {
  name: 'Scans',
  path: '/srv/scans',
  recipe: { operation: 'extract/doc', request: { options: { segmentLength: 800 } } },
  extensions: ['pdf', 'docx'],
  results: 'beside',
} satisfies z.input<typeof FolderWatchRequest>;

type FolderRouteDeps = Record<EnvironmentName, { folders: Folders }>;

const route = routesOf<FolderRouteDeps>();

/** A key could otherwise read any folder of the computer. */
const owner = { scope: 'owner', tag: 'Watched folders', auth: 'owner', keyScope: 'owner' } as const;

const params = { watchId: z.string().describe('Identifier of the watch.') };

const FilesQuery = EnvironmentQuery.extend({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z.coerce.number().int().min(1).optional(),
  status: z.enum(FILE_STATUSES).optional(),
});

/** Watched folders. Mounted under `/admin`, behind the owner check. */
export const ADMIN_FOLDER_ROUTES = [
  route(
    {
      ...owner,
      method: 'get',
      path: '/folders',
      operationId: 'listFolderWatches',
      summary: 'List the watched folders',
      description: `Newest first, each with its state. At most ${MAX_FOLDER_WATCHES}.`,
      query: EnvironmentQuery,
      answers: { 200: json('All watches.', z.object({ folders: z.array(FolderWatch) })) },
    },
    async (environments, { query, reply }) => reply(200, { folders: environments[query().environment].folders.list() }),
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/folders',
      operationId: 'watchFolder',
      summary: 'Watch a folder',
      description: `Each file of the folder and of its folders becomes a job of the owner by the recipe, once: a file
that is moved, renamed, copied or touched is not read again, a changed one is. Links are not followed, hidden and
temporary files are left out.`,
      query: EnvironmentQuery,
      request: { schema: FolderWatchRequest, example: EXAMPLE },
      answers: { 201: json('The watch.', FolderWatch) },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async (environments, { query, body, reply }) =>
      reply(201, await environments[query().environment].folders.create(await body())),
  ),
  route(
    {
      ...owner,
      method: 'get',
      path: '/folders/{watchId}',
      operationId: 'getFolderWatch',
      summary: 'Read a watched folder',
      description: 'With its state and counts.',
      params,
      query: EnvironmentQuery,
      answers: { 200: json('The watch.', FolderWatch) },
      errors: ['not_found'],
    },
    async (environments, { query, param, reply }) =>
      reply(200, environments[query().environment].folders.get(param('watchId'))),
  ),
  route(
    {
      ...owner,
      method: 'patch',
      path: '/folders/{watchId}',
      operationId: 'changeFolderWatch',
      summary: 'Change, pause or resume a watched folder',
      description: 'Fields that are left out stay. For another folder, make another watch.',
      params,
      query: EnvironmentQuery,
      request: { schema: FolderWatchUpdate, example: { status: 'paused' } },
      answers: { 200: json('The watch.', FolderWatch) },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async (environments, { query, param, body, reply }) =>
      reply(200, await environments[query().environment].folders.change(param('watchId'), await body())),
  ),
  route(
    {
      ...owner,
      method: 'delete',
      path: '/folders/{watchId}',
      operationId: 'deleteFolderWatch',
      summary: 'Delete a watched folder and its history',
      description: 'The folder, the jobs and written results stay.',
      params,
      query: EnvironmentQuery,
      answers: { 204: { description: 'Deleted.' } },
      errors: ['not_found'],
    },
    async (environments, { query, param, end }) => {
      await environments[query().environment].folders.delete(param('watchId'));
      return end(204);
    },
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/folders/{watchId}/look',
      operationId: 'lookThroughFolder',
      summary: 'Look through a folder now',
      description: `Compares all files with what is known. Quarry does it itself at the start, after many changes at
once and every hour. A conflict while the watch is paused.`,
      params,
      query: EnvironmentQuery,
      answers: { 202: json('The watch.', FolderWatch) },
      errors: ['not_found', 'conflict'],
    },
    async (environments, { query, param, reply }) =>
      reply(202, environments[query().environment].folders.look(param('watchId'))),
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/folders/{watchId}/retry',
      operationId: 'retryFolderFiles',
      summary: 'Read the failed files again',
      description: 'Those that are still in the folder. A conflict while the watch is paused.',
      params,
      query: EnvironmentQuery,
      answers: { 202: json('The watch.', FolderWatch) },
      errors: ['not_found', 'conflict'],
    },
    async (environments, { query, param, reply }) =>
      reply(202, await environments[query().environment].folders.retry(param('watchId'))),
  ),
  route(
    {
      ...owner,
      method: 'get',
      path: '/folders/{watchId}/files',
      operationId: 'listWatchedFiles',
      summary: 'List the files of a watched folder',
      description: 'The history: one entry for each content, newest first.',
      params,
      query: FilesQuery,
      answers: {
        200: json('One page.', z.object({ files: z.array(WatchedFile), nextCursor: z.string().nullable() })),
      },
      errors: ['not_found'],
    },
    async (environments, { query, param, reply }) => {
      const { environment, cursor: before = null, limit, status } = query();
      const { files, next } = environments[environment].folders.files(param('watchId'), { status, before, limit });
      return reply(200, { files, nextCursor: next === null ? null : String(next) });
    },
  ),
];
