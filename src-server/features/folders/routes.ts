import type { z } from 'zod';
import { SourceRoutes } from '../jobs/service.ts';
import {
  FILE_STATUSES,
  FolderWatch,
  FolderWatchRequest,
  FolderWatchUpdate,
  MAX_FOLDER_WATCHES,
  WatchedFile,
} from './schema.ts';
import type { Folders } from './service.ts';

const EXAMPLE = {
  name: 'Scans',
  path: '/srv/scans',
  recipe: { operation: 'extract/doc', request: { options: { segmentLength: 800 } } },
  extensions: ['pdf', 'docx'],
  results: 'beside',
} satisfies z.input<typeof FolderWatchRequest>;

const folders = new SourceRoutes<'folders', FolderWatchRequest, FolderWatchUpdate, Folders>({
  name: 'folders',
  path: 'folders',
  idName: 'watchId',
  tag: 'Watched folders',
  // A key could otherwise read any folder of the computer.
  keyScope: 'owner',
  one: 'watch',
  many: 'watches',
  shown: FolderWatch,
  request: { schema: FolderWatchRequest, example: EXAMPLE },
  update: FolderWatchUpdate,
  words: {
    list: [
      'listFolderWatches',
      'List the watched folders',
      `Newest first, each with its state. At most ${MAX_FOLDER_WATCHES}.`,
    ],
    create: [
      'watchFolder',
      'Watch a folder',
      `Each file of the folder and of its folders becomes a job of the owner by the recipe, once: a file
that is moved, renamed, copied or touched is not read again, a changed one is. Links are not followed, hidden and
temporary files are left out.`,
    ],
    get: ['getFolderWatch', 'Read a watched folder', 'With its state and counts.'],
    change: [
      'changeFolderWatch',
      'Change, pause or resume a watched folder',
      'Fields that are left out stay. For another folder, make another watch.',
    ],
    delete: [
      'deleteFolderWatch',
      'Delete a watched folder and its history',
      'The folder, the jobs and written results stay.',
    ],
  },
});

/** Watched folders. Mounted under `/admin`, behind the owner check. */
export const ADMIN_FOLDER_ROUTES = [
  ...folders.commonRoutes,
  folders.actionRoute(
    'look',
    [
      'lookThroughFolder',
      'Look through a folder now',
      `Compares all files with what is known. Quarry does it itself at the start, after many changes at
once and every hour. A conflict while the watch is paused.`,
    ],
    (service, id) => service.requestFolderLook(id),
  ),
  folders.actionRoute(
    'retry',
    [
      'retryFolderFiles',
      'Read the failed files again',
      'Those that are still in the folder. A conflict while the watch is paused.',
    ],
    (service, id) => service.retryFailedFiles(id),
  ),
  folders.pageRoute(
    'files',
    WatchedFile,
    [
      'listWatchedFiles',
      'List the files of a watched folder',
      'The history: one entry for each content, newest first.',
    ],
    (service, id, wish) => service.watchedFilePage(id, wish),
    FILE_STATUSES,
  ),
];
