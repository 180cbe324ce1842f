import { appendFileSync, writeFileSync } from 'node:fs';
import { UrlIndex } from '../../src-server/platform/net/url-index.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { pagesSaid, say } from '../../src-server/platform/text/say.ts';
import { writingFiles } from './page-files.ts';
import type { PageLink } from './scan-page.ts';
import { type AnchorLine, draftsOf, MAX_ANCHORS, type PageNode, partFile } from './site-parts.ts';
import { SiteSurvey } from './site-survey.ts';
import type { SurveyPagesInput } from './tasks.ts';

/**
 * First pass over a part of the crawl's pages: counts possible repetitions across the site, and writes links and their
 * texts. Errors: `cancelled`.
 */
export function surveyPages(input: SurveyPagesInput, context: TaskContext): null {
  const survey = new SiteSurvey(input);
  const links = new PartLinks(new UrlIndex(input.index));
  writingFiles([partFile(input.folder, input.part, 'nodes')], (nodes) => {
    for (const { draft, page, index } of draftsOf(input)) {
      context.progress(0, 'finishing', say`Comparing ${pagesSaid(input.totalPages)}`);
      context.signal.throwIfAborted();
      survey.surveyPage(draft.prints, draft.words);
      links.addPartLinks(draft.links, index);
      const { title, description } = draft.facts;
      nodes?.writeJsonLine({ depth: page.depth, title, description } satisfies PageNode);
    }
  });
  writeFileSync(partFile(input.folder, input.part, 'edges'), Uint32Array.from(links.edges));
  links.writeAnchors(input);
  return null;
}

/** Links within the crawl that start in one part. */
class PartLinks {
  readonly edges: number[] = [];
  readonly #index: UrlIndex;
  /** By target page: texts, and the first page of this part that uses each. */
  readonly #anchors = new Map<number, Map<string, number>>();

  constructor(index: UrlIndex) {
    this.#index = index;
  }

  addPartLinks(found: readonly PageLink[], from: number): void {
    const seen = new Set<number>();
    for (const { url, text, nofollow } of found) {
      const to = this.#index.findUrlPage(url);
      if (to === null || to === from) continue;
      if (text !== '') this.#addAnchor(to, text, from);
      if (nofollow || seen.has(to)) continue;
      seen.add(to);
      this.edges.push(from, to);
    }
  }

  /**
   * Writes each text to the part of its target page. Appends whole lines at once, because other parts write to the same
   * files.
   */
  writeAnchors({ folder, part, partStarts }: SurveyPagesInput): void {
    const lines = new Map<number, string[]>([[part, []]]);
    for (const [to, texts] of this.#anchors) {
      const target = partStarts.findLastIndex((start) => start <= to);
      const list = lines.get(target) ?? [];
      lines.set(target, list);
      for (const [text, from] of texts) list.push(`${JSON.stringify({ to, from, text } satisfies AnchorLine)}\n`);
    }
    for (const [target, list] of lines) appendFileSync(partFile(folder, target, 'anchors'), list.join(''));
  }

  #addAnchor(to: number, text: string, from: number): void {
    const texts = this.#anchors.get(to) ?? new Map<string, number>();
    this.#anchors.set(to, texts);
    if (texts.size < MAX_ANCHORS && !texts.has(text)) texts.set(text, from);
  }
}
