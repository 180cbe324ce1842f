/** The addresses of a crawl with their outcomes, and the text of its pages. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { parseOwnJson } from '../../../src-server/platform/own-json.ts';
import { errorOf, fetchApi } from '../../api/client.ts';
import { type Fields, type NamedFile, objectFields, recordList } from './shapes.ts';
import { results as texts } from './texts.ts';

export interface CrawledPage {
  url: string;
  title: string;
  fields: Fields;
  guardrails: Fields | null;
  /** Passages that try to instruct a model, hidden text and suspicious links. */
  signs: readonly Fields[];
  /** Signs and kinds of personal data. */
  findings: number;
}

export interface SkippedUrl {
  url: string;
  /** Why, as one of the crawl's outcomes: the groups of the list. */
  verdict: string;
  reason: string;
}

/** Outcomes of addresses that were asked for and not answered with a page. The others were not asked for. */
const FAILED: readonly string[] = ['script-failed', 'status', 'forbidden', 'unreachable', 'unreadable'];

/** Whether the address was asked for, and not answered with a page. */
export const isFailure = (verdict: string) => FAILED.includes(verdict);

export interface Crawled {
  rootUrl: string;
  pages: readonly CrawledPage[];
  skipped: readonly SkippedUrl[];
  failed: readonly SkippedUrl[];
}

export function crawledOf(result: Fields): Crawled {
  const guardrails = new Map(
    recordList(objectFields(result.guardrails)?.pages).map((entry) => [String(entry.url), entry]),
  );
  const pages = recordList(result.pages).map((fields): CrawledPage => {
    const url = String(fields.url);
    const found = guardrails.get(url) ?? null;
    const signs = recordList(found?.signs);
    const findings = signs.length + recordList(found?.personalData).length;
    return { url, title: String(fields.title ?? ''), fields, guardrails: found, signs, findings };
  });
  const skipped = recordList(result.skipped).map(({ url, verdict, reason }): SkippedUrl => {
    return { url: String(url), verdict: String(verdict ?? ''), reason: String(reason ?? '') };
  });
  const others = [...skipped, ...recordList(result.addresses).map(listedOf)];
  return {
    rootUrl: String(result.rootUrl ?? ''),
    pages,
    skipped: others.filter(({ verdict }) => !isFailure(verdict)),
    failed: others.filter(({ verdict }) => isFailure(verdict)),
  };
}

/** An address of a map. */
function listedOf({ url, foundOn }: Fields): SkippedUrl {
  const reason = typeof foundOn === 'string' ? texts.crawl.foundOn({ address: foundOn }) : '';
  return { url: String(url), verdict: 'listed', reason };
}

/** What the middle shows. */
export type Choice =
  | { kind: 'page'; page: CrawledPage }
  | { kind: 'skipped'; entry: SkippedUrl }
  | { kind: 'summary' }
  | { kind: 'chunks' };

export type Shown = 'all' | 'read' | 'risky' | 'skipped' | 'failed';

export interface Folder {
  name: string;
  path: string;
  folders: Folder[];
  pages: CrawledPage[];
  /** Pages in it, at any depth. */
  count: number;
}

/** The pages as folders by host and path. A folder with one page and nothing else is that page. */
export function foldersOf(pages: readonly CrawledPage[]): Folder[] {
  const hosts = new Map<string, Folder>();
  for (const page of pages) {
    const url = URL.parse(page.url);
    const host = url?.host ?? page.url;
    const root = hosts.get(host) ?? emptyFolder(host, host);
    hosts.set(host, root);
    const steps = url?.pathname.split('/').filter((step) => step !== '') ?? [];
    placePageInFolder(root, steps, page);
  }
  return [...hosts.values()].map(flattenFolder);
}

function emptyFolder(name: string, path: string): Folder {
  return { name, path, folders: [], pages: [], count: 0 };
}

function placePageInFolder(root: Folder, steps: readonly string[], page: CrawledPage): void {
  let node = root;
  node.count += 1;
  for (const step of steps.slice(0, -1)) {
    const path = `${node.path}/${step}`;
    const next = node.folders.find((one) => one.path === path) ?? emptyFolder(decodeUrlStep(step), path);
    if (!node.folders.includes(next)) node.folders.push(next);
    node = next;
    node.count += 1;
  }
  node.pages.push(page);
}

function decodeUrlStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function flattenFolder(node: Folder): Folder {
  const folders = node.folders.map(flattenFolder);
  const single = folders.filter(({ count, folders: inner }) => count === 1 && inner.length === 0);
  return {
    ...node,
    folders: folders.filter((one) => !single.includes(one)),
    pages: [...node.pages, ...single.flatMap(({ pages }) => pages)],
  };
}

interface PageText {
  text: string;
  markdown: string;
}

/**
 * The text of a page, from the file of all pages. Null if the file does not have it.
 *
 * @param changedAt when the job changed last: a correction changes its files
 */
export function usePageText(file: NamedFile | undefined, url: string | null, changedAt: string) {
  return useQuery({
    queryKey: ['page-text', file?.url, url, changedAt],
    queryFn: ({ signal }) => findPage(file?.url ?? '', url ?? '', signal),
    enabled: file !== undefined && url !== null,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Reads the file up to the page, because the file of a large crawl does not fit into memory. */
async function findPage(path: string, url: string, signal: AbortSignal): Promise<PageText | null> {
  const answer = await fetchApi(path, { signal });
  if (!answer.ok) throw await errorOf(answer);
  if (answer.body === null) return null;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const start = `{"url":${JSON.stringify(url)},`;
  let rest = '';
  for (;;) {
    const { done, value = '' } = await reader.read();
    const lines = (rest + value).split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    const line = lines.find((one) => one.startsWith(start));
    if (line !== undefined) {
      await reader.cancel();
      return parseOwnJson(line);
    }
    if (done) return null;
  }
}
