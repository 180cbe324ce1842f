/** What elements of articles, books, editions and instructions (JATS, DocBook, TEI, DITA) are, by their names. */

import { byName } from '../../../src-server/platform/records.ts';
import type { LeftOutReason } from '../../../src-server/platform/source-account.ts';
import type { Block } from '../blocks.ts';
import { LISTS } from './lists.ts';

export type Callout = NonNullable<Extract<Block, { kind: 'paragraph' }>['callout']>;

export const TITLES = new Set(['title', 'head', 'heading', 'article-title', 'booktitle']);

/** Elements of running text in DocBook, JATS, TEI, DITA and feeds. Marks inside a text belong to it. */
export const TEXTS = new Set(['p', 'para', 'simpara', 'description', 'summary', 'shortdesc', 'cmd']);

/** Elements of running text in books and editions, and of values in records. */
const BOOK_TEXTS = new Set([
  ...['subtitle', 'text-author', 'speaker', 'byline', 'signed', 'salute', 'opener', 'closer', 'dateline', 'trailer'],
  ...['titlePart', 'docImprint', 'imprimatur', 'ab', 'stage'],
]);

/** Lines of verse by what holds them. */
const VERSES: Readonly<Record<string, RegExp>> = byName({ v: /^stanza$/, l: /^(?:lg|sp|q|quote|ab)$/ });

/** Admonitions by their name, or in DITA by the type of a note. */
export const CALLOUTS: Readonly<Record<string, Callout>> = byName({
  attention: 'WARNING',
  caution: 'CAUTION',
  danger: 'CAUTION',
  fastpath: 'TIP',
  important: 'IMPORTANT',
  note: 'NOTE',
  remember: 'IMPORTANT',
  restriction: 'IMPORTANT',
  tip: 'TIP',
  warning: 'WARNING',
});

export const ADMONITIONS = new Set(['note', 'tip', 'important', 'warning', 'caution', 'danger']);

/** Elements with running text, or with paragraphs of it. */
export const MIXED = new Set([
  ...ADMONITIONS,
  ...['info', 'context', 'result', 'prereq', 'postreq', 'stepresult', 'stepxmp', 'stepsection'],
]);

/** Elements of articles and books whose parts make one line: authors, addresses, references. */
export const LINES = new Set([
  ...['contrib', 'aff', 'ref', 'mixed-citation', 'element-citation', 'citation', 'bibl', 'biblioentry', 'bibliomixed'],
  ...['corresp', 'pub-date', 'kwd', 'license-p', 'personname', 'fn'],
]);

/** What holds the authors of DocBook. */
export const AUTHORS_OF = /^(?:authorgroup|(?:article|book|chapter|sect\d)?info)$/;

/** Parts of such a line that have no space between them. */
export const LINE_PARTS = new Set([
  ...[
    'label',
    'surname',
    'given-names',
    'name',
    'string-name',
    'collab',
    'xref',
    'contrib-id',
    'institution',
    'country',
  ],
  ...['year', 'month', 'day', 'addr-line', 'email', 'role', 'degrees', 'firstname', 'othername', 'orgname'],
]);

/** References whose parts have no punctuation of their own. */
export const LISTED = new Set(['element-citation', 'biblioentry']);

/** Elements with a title of their own; the depth of a heading counts them. */
export const SECTIONS = new Set([
  ...[
    'sec',
    'section',
    'simplesect',
    'sect1',
    'sect2',
    'sect3',
    'sect4',
    'sect5',
    'chapter',
    'part',
    'appendix',
    'app',
  ],
  ...[
    'abstract',
    'trans-abstract',
    'ref-list',
    'ack',
    'div',
    'div1',
    'div2',
    'div3',
    'boxed-text',
    'fn-group',
    'notes',
  ],
  ...['glossary', 'bibliography', 'preface', 'topic', 'concept', 'task', 'reference', 'list', 'def-list'],
]);

export const TABLES = new Set(['table', 'informaltable', 'tgroup', 'simpletable']);

/** What a title captions instead of heading a section. */
export const CAPTIONED = new Set([
  'caption',
  'table',
  'figure',
  'fig',
  'table-wrap',
  'example',
  'equation',
  'simpletable',
]);

export const BREAKS = new Set(['break', 'br', 'lb', 'sbr']);

/** Signs of a document with running text: its attributes are for layout and references. */
export const PROSE = /<(?:p|para|simpara|shortdesc|taskbody|conbody|refbody)[\s>]/;

/** Text whose lines and spaces are kept. */
export const LISTINGS = new Set([
  'programlisting',
  'screen',
  'codeblock',
  'pre',
  'verbatim',
  'literallayout',
  'preformat',
  'eg',
]);

export const QUOTES = new Set(['blockquote', 'disp-quote', 'lq', 'epigraph']);

/** Blocks that may stand inside a paragraph. */
export const INNER_BLOCKS = new Set([
  ...['table', 'tables', 'table-wrap', 'informaltable'],
  ...LISTS,
  ...LISTINGS,
  ...QUOTES,
]);

/** Notes at the place that they belong to. */
export const NOTES = new Set(['footnote', 'fn']);

/** Lines whose raised numbers are keys, `Ann Lee 1`. */
export const KEYED_LINES = new Set(['contrib', 'aff']);

/** Titles of patents' sections, below that of the patent. */
export const SUBTITLES = new Set(['heading', 'H']);

/** In DocBook, `info` holds what describes a part. */
export function isMixed(local: string, above: string | undefined): boolean {
  return MIXED.has(local) && (local !== 'info' || above === 'step' || above === 'substep');
}

/** Whether an element of a document with running text is a paragraph. */
export function isBookText(local: string, above: string | undefined): boolean {
  return BOOK_TEXTS.has(local) || VERSES[local]?.test(above ?? '') === true || isMixed(local, above);
}

/** Letters of a file in base64, at least. */
export const ENCODED_CHARS_MIN = 400;

const ENCODED = /^[A-Za-z0-9+/]{60}[A-Za-z0-9+/\s]+={0,2}$/;

/** What bytes of files have in base64, and sequences of molecules do not. */
const KINDS_OF_CHARACTER = [/[a-z]/, /[A-Z]/, /\d/];

/** The first bytes of PNG, JPEG, GIF and WebP. */
const PICTURE = /^\s*(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)/;

/** Why a value is not text: it is a file in base64, such as a picture of a book; null for text. */
export function reasonOfEncodedFile(value: string): LeftOutReason | null {
  if (value.length < ENCODED_CHARS_MIN || !ENCODED.test(value.trim())) return null;
  if (!KINDS_OF_CHARACTER.every((kind) => kind.test(value))) return null;
  return PICTURE.test(value) ? 'embedded-picture' : 'unsupported-part';
}
