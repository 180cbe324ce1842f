/**
 * What the elements of articles (JATS), books (DocBook, FictionBook), outlines (OPML) and patents (USPTO) are, beyond
 * what other XML has.
 */

import { byName } from '../../../src-server/platform/records.ts';

export interface XmlVocabulary {
  /** Elements whose values describe the document; they follow its text. */
  facts: ReadonlySet<string>;
  /** Elements within them that belong to the text. */
  shown: ReadonlySet<string>;
  titles: ReadonlySet<string>;
  texts: ReadonlySet<string>;
  /** Elements that are running text in other XML, and hold sections here. */
  containers: ReadonlySet<string>;
  /** Headings for sections that have no title of their own. */
  headings: ReadonlyMap<string, string>;
  /** A person who wrote the document, and the parts of names in the order in which they are read. */
  author: ReadonlySet<string>;
  names: readonly ReadonlySet<string>[];
  claims: ReadonlySet<string>;
  /** `raised`: marks other than raised and lowered text are for the layout. */
  marks: 'all' | 'raised';
}

const PLAIN: XmlVocabulary = {
  facts: new Set(),
  shown: new Set(),
  titles: new Set(),
  texts: new Set(),
  containers: new Set(),
  headings: new Map(),
  author: new Set(),
  names: [],
  claims: new Set(),
  marks: 'all',
};

/** Articles of DocBook have the outermost element of JATS, and other elements inside. */
const ARTICLE: XmlVocabulary = {
  ...PLAIN,
  facts: new Set(['front', 'front-stub']),
  shown: new Set(['title-group', 'contrib-group', 'contrib', 'aff', 'abstract', 'trans-abstract', 'kwd-group']),
  headings: new Map([
    ['abstract', 'Abstract'],
    ['ref-list', 'References'],
  ]),
  author: new Set(['contrib', 'author']),
  names: [new Set(['given-names', 'firstname', 'givenname']), new Set(['surname'])],
};

const FICTION: XmlVocabulary = {
  ...PLAIN,
  facts: new Set(['description']),
  shown: new Set(['annotation']),
  titles: new Set(['book-title']),
  containers: new Set(['description']),
  author: new Set(['author']),
  names: [new Set(['first-name']), new Set(['middle-name']), new Set(['last-name'])],
};

/** Outlines (OPML), whose items are attributes. */
const OUTLINE: XmlVocabulary = {
  ...PLAIN,
  containers: new Set(['head']),
};

const PATENT: XmlVocabulary = {
  ...PLAIN,
  facts: new Set([
    'us-bibliographic-data-application',
    'us-bibliographic-data-grant',
    'subdoc-bibliographic-information',
    'SDOBI',
  ]),
  shown: new Set(['abstract']),
  titles: new Set(['invention-title', 'title-of-invention', 'B540', 'heading', 'H']),
  texts: new Set(['p', 'paragraph', 'PARA', 'claim-text', 'us-claim-statement']),
  containers: new Set(['description', 'summary']),
  headings: new Map([
    ['abstract', 'Abstract'],
    ['subdoc-abstract', 'Abstract'],
    ['SDOAB', 'Abstract'],
    ['claims', 'Claims'],
    ['subdoc-claims', 'Claims'],
    ['SDOCL', 'Claims'],
  ]),
  author: new Set(['inventor', 'first-named-inventor', 'B721']),
  names: [new Set(['first-name', 'given-name', 'FNM']), new Set(['last-name', 'family-name', 'SNM'])],
  claims: new Set(['claim', 'CLM']),
  marks: 'raised',
};

const VOCABULARIES: Readonly<Record<string, XmlVocabulary>> = byName({
  article: ARTICLE,
  book: ARTICLE,
  chapter: ARTICLE,
  FictionBook: FICTION,
  opml: OUTLINE,
  'us-patent-application': PATENT,
  'us-patent-grant': PATENT,
  'patent-application-publication': PATENT,
  PATDOC: PATENT,
});

/** Elements of these names inside others are records, such as the books of a catalogue. */
const OUTERMOST = new Set(['book', 'chapter', 'opml']);

/** The vocabulary of a document by its outermost element that has one; null for other XML. */
export function vocabularyOf(local: string, { isOutermost }: { isOutermost: boolean }): XmlVocabulary | null {
  return isOutermost || !OUTERMOST.has(local) ? (VOCABULARIES[local] ?? null) : null;
}

/** Whether the XML of this text is a patent, whose attributes are for layout and references. */
export const PATENT_ROOT = /<(?:us-patent-(?:application|grant)|patent-application-publication|PATDOC)[\s>]/;
