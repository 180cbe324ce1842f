/** What of recognised pages may be wrong or missing. It is delivered as it is, marked, and told in warnings. */

import type { RecognizedLine } from '../../../src-server/features/documents/schema.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { type Doubt, SAMPLE_CHARACTERS } from '../../../src-server/platform/source-account.ts';
import { listedUpTo, type Said, say } from '../../../src-server/platform/text/say.ts';
import type { NormalizedDocument } from '../blocks.ts';
import { guessLanguage } from '../language.ts';
import { quoteTextStart } from '../letter-account.ts';
import { WORD_CONFIDENCE_MIN } from '../ocr/confidence.ts';
import { isSurprising } from '../ocr/judge.ts';
import type { PagePart, PdfPage, UnsureWord } from './page-content.ts';

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
    for (const text of parts.flatMap(unlikelyTexts)) {
      doubtful.add(page);
      if (doubts.length < DOUBTS_MAX) doubts.push({ reason: 'unlikely-letters', quote: quoteTextStart(text), page });
    }
  }
  for (const { number: page, parts } of pages) {
    for (const { text: quote, before, box } of parts.flatMap(unsureWordsOfPart)) {
      if (doubts.length >= DOUBTS_MAX) break;
      doubts.push({ reason: 'unsure-word', quote, ...(before !== '' && { before }), page, box });
    }
  }
  for (const { number: page, unclearFormulas = [] } of pages) {
    for (const text of unclearFormulas) {
      if (doubts.length < DOUBTS_MAX) doubts.push({ reason: 'unclear-formula', quote: quoteTextStart(text), page });
    }
  }
  const others = pages.flatMap(otherLanguageOf);
  const warnings = [...unreadWarnings(pages), ...formulaWarnings(pages), ...languageWarnings(others)];
  const first = doubts.find(({ reason }) => reason === 'unlikely-letters');
  for (const { page, quote } of others.slice(0, DOUBTS_MAX)) doubts.push({ reason: 'other-language', quote, page });
  if (first !== undefined) {
    const quote = first.quote.length > QUOTED_MAX ? `${first.quote.slice(0, QUOTED_MAX).toWellFormed()}…` : first.quote;
    const where = formatPageList([...doubtful]);
    warnings.push(
      say`Some letters of ${where} are probably wrong, for example “${quote}”.
        Compare them with the picture. If it is in another language, send it again with that language.`,
    );
  }
  return { ...omitUndefined({ doubts: doubts.length === 0 ? undefined : doubts }), warnings };
}

/** A page that was read in another language than it is written in. */
interface OtherLanguage {
  page: number;
  quote: string;
  /** Code of the language in which it was read. */
  used: string;
  /** Code of the language that its words are of; null if only its letters are strange. */
  found: string | null;
}

/** Pairs of letters from which a page without a likely word is judged. */
const STRANGE_LETTERS_MIN = 200;

function otherLanguageOf({ number: page, parts, recognizedIn }: PdfPage): OtherLanguage[] {
  const used = recognizedIn === undefined ? [] : codesOf(recognizedIn);
  const [first] = used;
  if (first === undefined) return [];
  const lines = parts.flatMap((part) => (part.kind === 'lines' ? part.lines.filter((line) => line.recognized) : []));
  const text = lines.map((line) => line.text).join('\n');
  const found = guessLanguage(text);
  const quote = quoteTextStart(text);
  if (found !== null) return used.includes(found) ? [] : [{ page, quote, used: first, found }];
  // Another script that is read as Latin gives letters of no language.
  const isStrange = used.length === 1 && first === 'en' && text.length >= STRANGE_LETTERS_MIN && isSurprising(text);
  return isStrange ? [{ page, quote, used: first, found: null }] : [];
}

/** ISO 639-1 codes of Tesseract's names, as `deu+eng` or `chi_sim`; none for names of other models. */
function codesOf(name: string): string[] {
  return name.split('+').flatMap((one) => {
    const [code = ''] = one.split('_');
    try {
      return code.length === 3 ? [new Intl.Locale(Intl.getCanonicalLocales(code)[0] ?? code).language] : [];
    } catch {
      return [];
    }
  });
}

const languageDisplayName = (code: string) => new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code;

/** One sentence for the pages of each pair of languages. */
function languageWarnings(others: readonly OtherLanguage[]): Said[] {
  const groups = Map.groupBy(others, ({ used, found }) => `${used} ${found ?? ''}`);
  return [...groups.values()].flatMap((group) => {
    const [one] = group;
    if (one === undefined) return [];
    const named = listedUpTo(
      group.map(({ page }) => page),
      LISTED_PAGES_MAX,
    );
    const used = languageDisplayName(one.used);
    if (one.found === null) {
      return group.length === 1
        ? [
            say`Page ${named} is probably in another language or script, but read as ${used}: letters may be wrong.
              Send it with its language.`,
          ]
        : [
            say`Pages ${named} are probably in another language or script, but read as ${used}: letters may be wrong.
              Send it with its language.`,
          ];
    }
    const found = languageDisplayName(one.found);
    return group.length === 1
      ? [
          say`Page ${named} is probably in ${found}, but read as ${used}: letters may be wrong.
            Send it with the language \`${one.found}\`.`,
        ]
      : [
          say`Pages ${named} are probably in ${found}, but read as ${used}: letters may be wrong.
            Send it with the language \`${one.found}\`.`,
        ];
  });
}

function unlikelyTexts(part: PagePart): string[] {
  if (part.kind === 'table') return part.unlikely ?? [];
  return part.lines.filter(({ unlikely }) => unlikely === true).map(({ text }) => text);
}

function unsureWordsOfPart(part: PagePart): UnsureWord[] {
  return part.kind === 'table' ? (part.unsure ?? []) : part.lines.flatMap(({ unsure }) => unsure ?? []);
}

/** Words before a doubtful one that tell which of equal words it is. */
const WORDS_BEFORE = 3;

const SHARE_DIGITS = 4;

/** The words of a line that the engine is not sure of. Of an unlikely line the whole is a doubt. */
export function unsureWordsOf(
  { words, unlikely }: RecognizedLine,
  { width, height }: { width: number; height: number },
): UnsureWord[] {
  if (unlikely === true) return [];
  return words.flatMap(({ text, confidence, box: [left, top, right, bottom] }, index) => {
    if (confidence >= WORD_CONFIDENCE_MIN || !/[\p{L}\p{N}]/u.test(text)) return [];
    const before = words.slice(Math.max(0, index - WORDS_BEFORE), index);
    const box = [left / width, top / height, right / width, bottom / height].map(
      (share) => Math.round(Math.min(1, Math.max(0, share)) * 10 ** SHARE_DIGITS) / 10 ** SHARE_DIGITS,
    ) as UnsureWord['box'];
    const quote = quoteTextStart(text);
    return quote === '' ? [] : [{ text: quote, before: before.map((word) => word.text).join(' '), box }];
  });
}

/** Formulas that are not as the page shows them. */
function formulaWarnings(pages: readonly PdfPage[]): Said[] {
  const unclear = pages.filter(({ unclearFormulas = [] }) => unclearFormulas.length > 0);
  const flat = pages.filter(({ hasFlatScripts }) => hasFlatScripts === true);
  const warnings: Said[] = [];
  if (unclear.length > 0) {
    const where = formatPageList(unclear.map(({ number }) => number));
    warnings.push(
      say`Some formulas of ${where} may be wrong: their signs are in no clear order. Compare with the page.`,
    );
  }
  if (flat.length > 0) {
    const where = formatPageList(flat.map(({ number }) => number));
    warnings.push(say`Formulas within sentences of ${where} have their raised and lowered signs on the line.`);
  }
  return warnings;
}

/** Tables whose raised numbers stand on the line. */
export function flatNumberWarnings(pages: readonly number[]): Said[] {
  if (pages.length === 0) return [];
  const where = formatPageList([...new Set(pages)]);
  return [say`Raised numbers in tables of ${where} may stand on the line. Compare with the page.`];
}

/** The pages that have letters outside of all recognised words. */
function unreadWarnings(pages: readonly PdfPage[]): Said[] {
  const unread = pages.filter(({ unreadShare = 0 }) => unreadShare > 0);
  if (unread.length === 0) return [];
  const worst = Math.max(...unread.map(({ unreadShare = 0 }) => unreadShare));
  const share = Math.max(1, Math.round(worst * 100));
  const named = listedUpTo(
    unread.map(({ number }) => number),
    LISTED_PAGES_MAX,
  );
  return unread.length === 1
    ? [
        say`Page ${named} was probably not read whole: about ${share} % of what looks like letters was not recognised.
          Compare with the picture, or send a sharper and straighter one.`,
      ]
    : [
        say`Pages ${named} were probably not read whole: up to ${share} % of what looks like letters was not recognised.
          Compare with the picture, or send a sharper and straighter one.`,
      ];
}

function formatPageList(pages: readonly number[]): Said {
  const [page = 0] = pages;
  return pages.length === 1 ? say`page ${page}` : say`pages ${listedUpTo(pages, LISTED_PAGES_MAX)}`;
}
