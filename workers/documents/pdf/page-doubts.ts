/** What of recognised pages may be wrong or missing. It is delivered as it is, marked, and told in warnings. */

import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { type Doubt, SAMPLE_CHARACTERS } from '../../../src-server/platform/source-account.ts';
import type { NormalizedDocument } from '../blocks.ts';
import { quoteOf } from '../letter-account.ts';
import type { PageLine, PagePart, PdfPage } from './page-content.ts';

/** Further doubtful lines are told by the warning alone. */
const DOUBTS_MAX = 200;

const LISTED_PAGES_MAX = 20;

/** Characters of a quotation in a warning. */
const QUOTED_MAX = SAMPLE_CHARACTERS / 2;

/** Doubtful lines of the pages, and sentences about them and about pages that were not read whole. */
export function doubtsOfPages(pages: readonly PdfPage[]): Pick<NormalizedDocument, 'doubts' | 'warnings'> {
  const doubts: Doubt[] = [];
  const doubtful = new Set<number>();
  for (const { number: page, parts } of pages) {
    for (const { text } of parts.flatMap(unlikelyLines)) {
      doubtful.add(page);
      if (doubts.length < DOUBTS_MAX) doubts.push({ reason: 'unlikely-letters', quote: quoteOf(text), page });
    }
  }
  const warnings = unreadWarnings(pages);
  const [first] = doubts;
  if (first !== undefined) {
    const quote = first.quote.length > QUOTED_MAX ? `${first.quote.slice(0, QUOTED_MAX).toWellFormed()}…` : first.quote;
    const what = `Some letters of ${listed([...doubtful])} are probably wrong, for example “${quote}”.`;
    warnings.push(
      `${what} Compare them with the picture. If it is in another language, send it again with that language.`,
    );
  }
  return { ...omitUndefined({ doubts: doubts.length === 0 ? undefined : doubts }), warnings };
}

function unlikelyLines(part: PagePart): PageLine[] {
  return part.kind === 'lines' ? part.lines.filter(({ unlikely }) => unlikely === true) : [];
}

/** The pages that have letters outside of all recognised words. */
function unreadWarnings(pages: readonly PdfPage[]): string[] {
  const unread = pages.filter(({ unreadShare = 0 }) => unreadShare > 0);
  if (unread.length === 0) return [];
  const were = unread.length === 1 ? 'was' : 'were';
  const worst = Math.max(...unread.map(({ unreadShare = 0 }) => unreadShare));
  const share = `${unread.length === 1 ? 'about' : 'up to'} ${Math.max(1, Math.round(worst * 100))} %`;
  const where = listed(unread.map(({ number }) => number)).replace('p', 'P');
  const what = `${where} ${were} probably not read whole: ${share} of what looks like letters was not recognised.`;
  return [`${what} Compare with the picture, or send a sharper and straighter one.`];
}

function listed(pages: readonly number[]): string {
  const shown = pages.slice(0, LISTED_PAGES_MAX).join(', ');
  const more = pages.length - LISTED_PAGES_MAX;
  return `${pages.length === 1 ? 'page' : 'pages'} ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
