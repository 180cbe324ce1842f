/**
 * The files of a crawl with corrections and annotations. Only pages that have one, now or before, are read as a whole.
 */

import type { Chunk } from '../../src-server/operation.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { KeptFiles } from '../media/kept-files.ts';
import { placeAnnotations, withAnnotations } from '../media/place-annotations.ts';
import { writingFiles } from '../pages/page-files.ts';
import { textLines } from '../pages/site-parts.ts';
import { type CorrectedPage, correctPage, type PageLine } from './correct-page.ts';
import type { Corrected, Given } from './corrected.ts';
import type { NotCorrected } from './tasks.ts';

const [PAGES, CHUNKS] = ['pages.jsonl', 'chunks.jsonl'];

/** Names of the files that corrections change. */
export const PAGE_FILES: readonly string[] = [PAGES, CHUNKS];

/** Members of a page in the result of a crawl. */
interface ResultPages {
  pages?: { url: string; markdown?: string }[];
  search?: { pages: { url: string }[] };
  guardrails?: { pages: { url: string }[] };
  context?: { tokens: number; pages: { url: string; tokens: number }[] };
}

export function correctPages(kept: KeptFiles, { corrections, annotations: given }: Given): Corrected {
  const annotated = new Set(given.map(({ chunkId }) => chunkId));
  const chunks = chunksOfPages(kept, (id) => corrections.has(id) || annotated.has(id));
  const pages = new Map<string, CorrectedPage>();
  const notCorrected: NotCorrected[] = [];
  for (const line of textLines(kept.pathOfExtractedFile(PAGES))) {
    const url = [...chunks.keys()].find((one) => line.includes(JSON.stringify(one)));
    if (url === undefined) continue;
    const page = parseOwnJson<PageLine>(line);
    const own = chunks.get(page.url);
    if (own === undefined) continue;
    const corrected = correctPage(page, own, corrections);
    pages.set(page.url, corrected);
    notCorrected.push(...corrected.notCorrected.map((reason) => ({ name: PAGES, reason })));
  }
  const texts = [...pages.values()].flatMap((page) => page.chunks);
  const annotations = placeAnnotations(given, texts);
  const all = withAnnotations(texts, annotations);
  const ofPages = Map.groupBy(annotations, ({ pageUrl }) => pageUrl);
  const isChanged = all.some((chunk) => chunk.originalText !== undefined || chunk.annotations !== undefined);
  const byId = new Map(all.map((chunk) => [chunk.id, chunk]));
  const files: Corrected['files'] = new Map();
  if (isChanged) {
    files.set(PAGES, (path) =>
      copyLines(kept.pathOfExtractedFile(PAGES), path, (line) => {
        const { url } = parseOwnJson<PageLine>(line);
        const page = pages.get(url);
        if (page === undefined) return line;
        const own = ofPages.get(url);
        return JSON.stringify(own === undefined ? page.page : { ...page.page, annotations: own });
      }),
    );
    files.set(CHUNKS, (path) =>
      copyLines(kept.pathOfExtractedFile(CHUNKS), path, (line) => {
        const chunk = byId.get(idOf(line));
        return chunk === undefined ? line : JSON.stringify(chunk);
      }),
    );
  }
  const changeResultPages = (result: Record<string, unknown>) => changePages(result as ResultPages, pages);
  return { chunks: all, files, notCorrected, change: changeResultPages, annotations };
}

/** Members of a chunk that only corrections and annotations write. Within a text, the quotation marks are escaped. */
const CHANGED = /"(?:originalText|annotations)":/;

/** The extracted chunks of the pages that have a correction or an annotation, or had one, by address. */
function chunksOfPages(kept: KeptFiles, isChanged: (id: string) => boolean): Map<string, Chunk[]> {
  const pages = new Map<string, Chunk[]>();
  for (const line of textLines(kept.pathOfServedFile(CHUNKS))) {
    if (CHANGED.test(line) || isChanged(idOf(line))) pages.set(parseOwnJson<Chunk>(line).url ?? '', []);
  }
  if (pages.size === 0) return pages;
  for (const line of textLines(kept.pathOfExtractedFile(CHUNKS))) {
    const chunk = parseOwnJson<Chunk>(line);
    pages.get(chunk.url ?? '')?.push(chunk);
  }
  return pages;
}

/** The id is the first member of a chunk's line. */
function idOf(line: string): string {
  return /^\{"id":"([^"\\]*)"/.exec(line)?.[1] ?? '';
}

function copyLines(from: string, to: string, change: (line: string) => string): void {
  writingFiles([to], (writer) => {
    for (const line of textLines(from)) writer?.writeText(`${change(line)}\n`);
  });
}

function changePages(result: ResultPages, corrected: ReadonlyMap<string, CorrectedPage>): void {
  for (const page of result.pages ?? []) {
    const now = corrected.get(page.url);
    if (now !== undefined && page.markdown !== undefined) page.markdown = now.page.markdown;
  }
  for (const page of result.search?.pages ?? []) {
    const now = corrected.get(page.url);
    if (now !== undefined)
      Object.assign(page, { headings: now.page.search.headings, keywords: now.page.search.keywords });
  }
  for (const page of result.guardrails?.pages ?? []) {
    const now = corrected.get(page.url);
    if (now !== undefined) Object.assign(page, { signs: now.page.guardrails.signs });
  }
  const { context } = result;
  for (const page of context?.pages ?? []) {
    const now = corrected.get(page.url);
    if (now === undefined || context === undefined) continue;
    context.tokens += now.page.tokens - page.tokens;
    page.tokens = now.page.tokens;
  }
}
