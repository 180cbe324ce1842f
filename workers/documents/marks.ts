/**
 * Facts that travel inside the text from the rewriting pass through the conversion: Unicode noncharacters, which no
 * text may hold for interchange. Those that a document holds all the same are removed before any mark is set.
 */
export const MARKS = {
  /** A page begins here. */
  page: '\uFDD0',
  /** Around what a paragraph is: `h2`, `l0:1.`, `c`, `k`, `a`. */
  factOpen: '\uFDD1',
  factClose: '\uFDD2',
  deletionOpen: '\uFDD3',
  deletionClose: '\uFDD4',
  insertionOpen: '\uFDD5',
  insertionClose: '\uFDD6',
  /** Author, `commentText`, text, `commentClose`. */
  commentOpen: '\uFDD7',
  commentText: '\uFDD8',
  commentClose: '\uFDD9',
  /** Number of the address, `linkText`, text, `linkClose`. */
  linkOpen: '\uFDDA',
  linkText: '\uFDDB',
  linkClose: '\uFDDC',
  /** A soft line break. */
  line: '\uFDDD',
  tab: '\uFDDE',
} as const;

/** Besides what could be taken for a mark: controls, soft hyphens and byte-order marks, which no reader sees. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
const UNSEEN = /[\uFDD0-\uFDEF\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\uFEFF]/g;

/** Text of a document, ready to have marks set in it. */
export function withoutMarks(text: string): string {
  return text.replace(UNSEEN, '');
}

/** What a paragraph is, beyond its text. */
export type ParagraphFact =
  | { kind: 'heading'; level: number; marker: string }
  | { kind: 'list-item'; depth: number; marker: string }
  | { kind: 'caption' }
  | { kind: 'code' }
  /** The description of an image: shown where the image has no caption. */
  | { kind: 'description' };

const FACT = /\uFDD1([^\uFDD2]*)\uFDD2/g;

export function writeFact(fact: ParagraphFact): string {
  return `${MARKS.factOpen}${JSON.stringify(fact)}${MARKS.factClose}`;
}

/** Takes the facts out of a paragraph's text. Where paragraphs were joined, the last one's mark survived. */
export function takeFact(raw: string): { text: string; fact: ParagraphFact | null } {
  if (!raw.includes(MARKS.factOpen)) return { text: raw, fact: null };
  let fact: ParagraphFact | null = null;
  const text = raw.replace(FACT, (_, json: string) => {
    fact = JSON.parse(json) as ParagraphFact;
    return '';
  });
  return { text, fact };
}
