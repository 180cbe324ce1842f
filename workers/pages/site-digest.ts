import { wholeSlice } from '../../src-server/platform/text/strings.ts';
import { countTextTokens } from '../../src-server/platform/text/tokens.ts';

/** Token budget of a site's digest: it fits into any prompt. */
const BUDGET_TOKENS = 4000;
const MAX_DESCRIPTION_CHARS = 160;
/** More pages than the budget can hold, however short their lines. */
const MAX_CANDIDATES = 1000;
/** The separator and site name at the end of a page title. */
const SITE_NAME = /\s(?:[|·»«–—-]|::)\s[^|·»«–—]{1,100}$/;
/** Minimum share of titles with the same ending, and their minimum number. */
const SITE_NAME_SHARE = 0.6;
const SITE_NAME_PAGES = 3;

export interface PageSummary {
  url: string;
  title: string | null;
  description: string | null;
  rank: number;
}

/** Candidates for the digest among any number of pages: the best-linked ones, and the root. */
export class DigestPages {
  readonly #rootUrl: string;
  #root: PageSummary | null = null;
  #best: PageSummary[] = [];

  constructor(rootUrl: string) {
    this.#rootUrl = rootUrl;
  }

  get isDigestEmpty(): boolean {
    return this.#best.length === 0;
  }

  /** The page at which the crawl started, or the first one. */
  get rootPageSummary(): PageSummary | null {
    return this.#root;
  }

  get digestHost(): string {
    return new URL(this.#rootUrl).host;
  }

  addDigestPage(page: PageSummary): void {
    if (this.#root === null || page.url === this.#rootUrl) this.#root = page;
    this.#best.push(page);
    if (this.#best.length >= 2 * MAX_CANDIDATES) this.#best = this.bestDigestPages();
  }

  bestDigestPages(): PageSummary[] {
    return [...this.#best].sort((one, other) => other.rank - one.rank).slice(0, MAX_CANDIDATES);
  }
}

/** The site in the style of llms.txt: the best-linked pages by section, within the budget. */
export function writeDigest(pages: DigestPages): string {
  const { rootPageSummary: root } = pages;
  const head = `# ${digestLine(root?.title ?? pages.digestHost)}\n`;
  const about = root?.description == null ? '' : `\n> ${digestLine(root.description)}\n`;
  let tokens = countTextTokens(head + about);
  const sections = new Map<string, string[]>();
  const best = pages.bestDigestPages();
  const siteName = siteNameOf(best);
  for (const page of best) {
    const name = sectionOf(page.url);
    const line = digestEntry(page, siteName);
    const cost = countTextTokens(line) + (sections.has(name) ? 0 : countTextTokens(`## ${name}`));
    if (tokens + cost > BUDGET_TOKENS) continue;
    tokens += cost;
    const section = sections.get(name);
    if (section === undefined) sections.set(name, [line]);
    else section.push(line);
  }
  const body = [...sections].map(([name, lines]) => `\n## ${name}\n\n${lines.join('\n')}\n`);
  return head + about + body.join('');
}

/** The common ending of most titles, which the head states once. */
function siteNameOf(pages: readonly PageSummary[]): string | null {
  const counts = new Map<string, number>();
  for (const { title } of pages) {
    const [ending] = SITE_NAME.exec(digestLine(title ?? '')) ?? [];
    if (ending !== undefined) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  const isSiteName = most !== undefined && most[1] >= Math.max(SITE_NAME_PAGES, pages.length * SITE_NAME_SHARE);
  return isSiteName ? most[0] : null;
}

function digestEntry({ url, title, description }: PageSummary, siteName: string | null): string {
  const about = description === null ? '' : `: ${wholeSlice(digestLine(description), 0, MAX_DESCRIPTION_CHARS)}`;
  const line = digestLine(title ?? new URL(url).pathname);
  const name = siteName !== null && line.endsWith(siteName) ? line.slice(0, -siteName.length) : line;
  return `- [${name.replace(/[[\]]/g, '\\$&')}](${url})${about}`;
}

function sectionOf(url: string): string {
  const { host, pathname } = new URL(url);
  const [first, ...deeper] = pathname.split('/').filter((part) => part !== '');
  return first === undefined || deeper.length === 0 ? host : `${host}/${first}`;
}

function digestLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
