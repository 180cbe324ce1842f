/** The addresses of a crawl, each with what became of it. */
import { type Fields, fieldsOf, listOf } from './shapes.ts';

export interface CrawledUrl {
  url: string;
  /** Null for an address that was not read. */
  page: Fields | null;
  guardrails: Fields | null;
  /** Why it was not read; null for a page. */
  skipped: { verdict: string; reason: string } | null;
  /** How many signs of prompt injection and kinds of personal data stand on it. */
  findings: number;
}

export interface CrawlNode {
  name: string;
  entry: CrawledUrl | null;
  children: Map<string, CrawlNode>;
}

export function crawledUrlsOf(result: Fields): CrawledUrl[] {
  const guardrails = new Map(listOf(fieldsOf(result.guardrails)?.pages).map((entry) => [String(entry.url), entry]));
  const pages = listOf(result.pages).map((page): CrawledUrl => {
    const found = guardrails.get(String(page.url)) ?? null;
    const findings = listOf(found?.signs).length + listOf(found?.personalData).length;
    return { url: String(page.url), page, guardrails: found, skipped: null, findings };
  });
  const skipped = listOf(result.skipped).map((one): CrawledUrl => {
    const why = { verdict: String(one.verdict ?? ''), reason: String(one.reason ?? '') };
    return { url: String(one.url), page: null, guardrails: null, skipped: why, findings: 0 };
  });
  return [...pages, ...skipped];
}

/** Stands by its whole address where its path has no place of its own: `/guide/` beside `/guide`, or none at all. */
function alone(node: CrawlNode, entry: CrawledUrl): void {
  node.children.set(entry.url, { name: entry.url, entry, children: new Map() });
}

/** Addresses as the tree that their paths are. */
export function treeOf(urls: readonly CrawledUrl[]): CrawlNode {
  const root: CrawlNode = { name: '', entry: null, children: new Map() };
  for (const entry of urls) {
    const url = URL.parse(entry.url);
    if (url === null) {
      alone(root, entry);
      continue;
    }
    const parts = [url.host, ...url.pathname.split('/').filter((part) => part !== '')];
    if (url.search !== '') parts.push(url.search);
    let node = root;
    for (const part of parts) {
      const next = node.children.get(part) ?? { name: part, entry: null, children: new Map() };
      node.children.set(part, next);
      node = next;
    }
    if (node.entry === null) node.entry = entry;
    else alone(node, entry);
  }
  return root;
}
