import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { defineFeature, type Environment } from '../../feature.ts';
import { Listeners } from '../../platform/listeners.ts';
import { crawl } from '../crawl/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { type JobEvents, type JobService, type Jobs, jobSourceOf, storedResult } from '../jobs/service.ts';
import { media } from '../media/feature.ts';
import { search } from '../search/feature.ts';
import { Covers } from './covers.ts';
import { type ExportedFiles, textOf } from './export.ts';
import type { FindDeps } from './find.ts';
import { Items } from './items.ts';
import { addCovers, addOriginals, addSizes, createLibrary, createMirrors, drawMoreCovers } from './migrations.ts';
import { Mirrors } from './mirrors.ts';
import { Originals } from './originals.ts';
import type { RelatedDeps } from './related.ts';
import { LIBRARY_ROUTES, MIRROR_ROUTES } from './routes.ts';
import { Library } from './service.ts';

const textsIn = (files: ExportedFiles) => (item: { jobId: string }) => textOf(item, files);

/** What the owner keeps: items, their versions, tags, collections and notes. */
export const library = defineFeature({
  name: 'library',
  uses: { jobs, search, crawl, media },
  migrations: {
    '052-library': { up: createLibrary },
    '053-covers': { up: addCovers },
    '054-mirrors': { up: createMirrors },
    '055-library-sizes': { up: addSizes },
    '057-more-covers': { up: drawMoreCovers },
    '058-originals': { up: addOriginals },
  },
  open(environment, { jobs: { jobs, events, finished, ports, service }, search: { search }, crawl, media }) {
    const { sourcePathOf } = service;
    const { pool } = environment.context;
    const { openFirstScreens: openSites } = crawl;
    const { openSketches } = media;
    const parts = { jobs, pool, sourcePathOf, filesOf: finished.filesOf, openSketches, openSites };
    const changed = new Listeners<void>();
    const afterMade = () => originals.kickOriginals();
    const covers = new Covers({ ...environment, ...parts, afterMade });
    const library: Library = new Library({
      ...environment,
      jobs,
      hideFromSearch: (tx, jobId) => search.onRemoved(tx, jobId),
      showInSearch: (tx, jobId) => search.onTerminal(tx, jobs.row(jobId), storedResult(tx, jobId)),
      onChanged: () => mirrors.kickMirrors(),
      dropVersion: (tx, jobId) => items.onRemoved(tx, jobId),
    });
    const items = new Items({
      ...environment,
      jobs,
      filesOf: finished.filesOf,
      folderOf: (jobId) => dirname(sourcePathOf(jobId)),
      sourcePathOf,
      afterRead: () => {
        covers.kickCovers();
        mirrors.kickMirrors();
        originals.kickOriginals();
      },
      onChanged: () => changed.notifyListeners(),
      afterDropped: (jobId) => void covers.removeCover(jobId),
      bringBack: (tx, seq) => library.bringBack(tx, seq),
    });
    const afterRemoved = () => items.onCommitted();
    const originals: Originals = new Originals({ ...environment, jobs, afterRemoved });
    ports.keeps = (tx, jobId) => items.isItem(tx, jobId);
    followJobs(events, items, originals);
    const exported = exportedFiles(environment, { service, jobs, library });
    const mirrors: Mirrors = new Mirrors({
      ...environment,
      dataFolder: dirname(environment.folder),
      files: exported,
      itemsOf: (...of) => library.itemsOf(...of),
      readItem: (itemId) => library.readItem(itemId),
      resultChangedAt: (jobId) => jobs.row(jobId).updated_at,
    });
    const finding: FindDeps & RelatedDeps = {
      textOf: textsIn(exported),
      findAmongJobs: search.findAmongJobs,
      answerQuestion: search.answerQuestion,
      itemsOf: (...of) => library.itemsOf(...of),
      readItem: (itemId) => library.readItem(itemId),
      countItemsOf: (itemIds, timeZone) => library.countItemsOf(itemIds, timeZone),
    };
    return {
      service: { library, items, changed, originals, exported, finding, covers, mirrors, textOf: textsIn(exported) },
      start: async () => {
        await items.startItems();
        library.startLibrary();
        mirrors.startMirrors();
      },
      close: async () => {
        await mirrors.closeMirrors();
        await covers.closeCovers();
        await originals.closeOriginals();
        await items.closeItems();
        await library.closeLibrary();
      },
    };
  },
  routes: { environment: LIBRARY_ROUTES, owner: MIRROR_ROUTES },
});

function followJobs(events: JobEvents, items: Items, originals: Originals): void {
  events.on('accepted', (tx, jobId, draft) => items.onAccepted(tx, jobId, draft));
  events.on('repeated', (tx, jobId, draft) => items.onAccepted(tx, jobId, draft));
  events.on('ended', (tx, job) => {
    items.onEnded(tx, job);
    originals.onEnded(tx, job);
  });
  events.on('retried', (tx, jobId) => items.onRetried(tx, jobId));
  events.on('removed', (tx, jobId) => items.onRemoved(tx, jobId));
  events.on('committed', () => items.onCommitted());
  events.on('changed', (jobId) => items.onResultChanged(jobId));
}

interface ExportedParts {
  service: Pick<JobService, 'fileNamesOf' | 'filePathOf' | 'sourcePathOf'>;
  jobs: Jobs;
  library: Library;
}

/** What exports read. */
function exportedFiles({ clock }: Environment, { service, jobs, library }: ExportedParts): ExportedFiles {
  return {
    fileNamesOf: service.fileNamesOf,
    filePathOf: service.filePathOf,
    resultText: async (jobId: string) => (await jobs.storedResultText(jobId)) ?? null,
    notesOf: (itemId: string) => library.notesOf(itemId),
    originalOf: async (jobId: string) => {
      const source = jobSourceOf(jobs.row(jobId));
      const path = service.sourcePathOf(jobId);
      return source !== null && existsSync(path) ? { path, name: source.fileName ?? `source.${source.kind}` } : null;
    },
    collections: () => library.collections(),
    now: () => clock.now(),
  };
}
