/**
 * Facts that a page states about itself: JSON-LD, OpenGraph and other meta tags, `time`. Threat: JSON of any size and
 * shape. Its text is bounded before it is parsed, and it is walked without recursion, to a bounded number of objects.
 */

import { normalUrl } from '../../src-server/platform/net/normal-url.ts';
import { wholeSlice } from '../../src-server/platform/text/strings.ts';
import { KIB } from '../../src-server/platform/units.ts';
import { AUTHOR_LABEL, BylineReader, differentNames, nameKey, peopleIn } from './page-authors.ts';
import { type DateStatement, dateOfPage, dateOfUrl } from './page-dates.ts';
import type { FactEvidence } from './page-evidence.ts';
import type { LanguageStatement } from './page-language.ts';

const MAX_JSON_CHARS = 256 * KIB;

const MAX_OBJECTS = 500;

const MAX_FACT_CHARS = 300;

const MAX_AUTHORS = 5;

export interface PageMetadata {
  author: string | null;
  /** ISO 8601: a date, or an instant in UTC. */
  published: string | null;
  modified: string | null;
  siteName: string | null;
  image: string | null;
  evidence: { published: FactEvidence | null; modified: FactEvidence | null };
}

export const NO_METADATA: PageMetadata = {
  author: null,
  published: null,
  modified: null,
  siteName: null,
  image: null,
  evidence: { published: null, modified: null },
};

/** What the tags and the JSON-LD of a page state. */
export interface StatedFacts extends PageMetadata {
  title: string | null;
  languages: LanguageStatement[];
  /** The article's text, for a page without text. */
  articleBody: string | null;
  /** The page declares itself an article: a news story or a post. */
  isArticle: boolean;
  /** The page was made by a generator of manuals. */
  isManual: boolean;
}

type Fact = Exclude<keyof PageMetadata, 'evidence'> | 'title' | 'language';

type DateFact = 'published' | 'modified';

/** Names of meta tags, the most reliable first. */
const META_NAMES: Record<Fact, readonly string[]> = {
  author: ['author', 'article:author', 'parsely-author', 'sailthru.author', 'citation_author', 'dc.creator'],
  published: [
    ...[
      'article:published_time',
      'og:published_time',
      'datepublished',
      'parsely-pub-date',
      'citation_publication_date',
    ],
    ...['dcterms.issued', 'dcterms.created', 'dc.date.issued', 'dc.date', 'pubdate', 'publish-date', 'date'],
  ],
  modified: ['article:modified_time', 'og:updated_time', 'datemodified', 'dcterms.modified', 'last-modified'],
  siteName: ['og:site_name', 'application-name', 'twitter:site:name'],
  image: ['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image', 'twitter:image:src', 'image'],
  title: ['og:title', 'twitter:title', 'dc.title'],
  language: ['og:locale', 'dc.language'],
};

const FACT_OF = new Map(
  Object.entries(META_NAMES).flatMap(([fact, names]) =>
    names.map((name, rank) => [name, { fact: fact as Fact, rank }]),
  ),
);

/** Objects that describe something else than the page. */
const OTHER_TYPE =
  /(?:Comment|Review|Rating|Person|Organization|Corporation|BreadcrumbList|ListItem|ImageObject|Action)$/;

const ARTICLE_TYPE = /(?:Article|Posting|Report)$/;

/** Not a TechArticle or APIReference, which are manuals. */
const NEWS_TYPE = /^(?:(?:\w*News|Social\w+|Medical\w+|Scholarly|Satirical|Opinion\w*)?Article|\w*Posting|Report)$/;

/** Generators that make manuals, by what they write into the page. */
const MANUAL_GENERATOR = new RegExp(
  'sphinx|docutils|docbook|asciidoc|doxygen|mkdocs|docusaurus|vitepress|mdbook|rustdoc|texinfo|latex2html|pandoc|' +
    'gitbook|publican|javadoc',
  'i',
);

const SITE_TYPE = /^WebSite$/;

type JsonObject = Record<string, unknown>;

/** Collects the statements of a page while its tags pass. */
export class MetadataReader {
  readonly bylines = new BylineReader();
  readonly #meta = new Map<Fact, { rank: number; text: string }>();
  readonly #times = new Map<DateFact, { text: string; isLabelled: boolean }>();
  readonly #scripts: string[] = [];
  #chars = 0;
  #isArticle = false;
  #isManual = false;
  #items = 0;
  #isAuthorLabel = false;
  #labelled: string | null = null;

  readMetaTag(name: string, content: string): void {
    if (name === 'article:published_time' || (name === 'og:type' && /^(?:article|blog)/i.test(content.trim())))
      this.#isArticle = true;
    if (name === 'generator' && MANUAL_GENERATOR.test(content)) this.#isManual = true;
    this.#readLabelledTag(name, content);
    const known = FACT_OF.get(name);
    if (known === undefined || content.trim() === '') return;
    const old = this.#meta.get(known.fact);
    if (old === undefined || known.rank < old.rank) this.#meta.set(known.fact, { rank: known.rank, text: content });
  }

  /** Cards of Twitter have a value beside its label. */
  #readLabelledTag(name: string, content: string): void {
    if (name.startsWith('twitter:label')) this.#isAuthorLabel = AUTHOR_LABEL.test(content);
    else if (name.startsWith('twitter:data') && this.#isAuthorLabel) {
      this.#labelled ??= content;
      this.#isAuthorLabel = false;
    }
  }

  /** A microdata item of a type begins. Several articles are a list. */
  beginMicrodataItem(type: string): void {
    if (NEWS_TYPE.test(type.replace(/^.*[/#]/, ''))) this.#items += 1;
  }

  readTimeTag({ datetime, itemprop, pubdate }: Readonly<Record<string, string>>, isInArticle: boolean): void {
    if (datetime === undefined) return;
    const fact = itemprop === 'dateModified' ? 'modified' : 'published';
    const isStated = itemprop === 'dateModified' || itemprop === 'datePublished' || pubdate !== undefined;
    const old = this.#times.get(fact);
    if (isStated ? old?.isLabelled !== true : isInArticle && old === undefined)
      this.#times.set(fact, { text: datetime, isLabelled: isStated });
  }

  /** A script of JSON-LD begins. */
  openScript(): void {
    this.#scripts.push('');
  }

  scriptText(text: string): void {
    this.#chars += text.length;
    if (this.#chars <= MAX_JSON_CHARS) this.#scripts.push(`${this.#scripts.pop() ?? ''}${text}`);
  }

  statedMetadata(base: string, title: string | null): StatedFacts {
    const objects = this.#scripts.flatMap((text) => objectsOf(parseLinkedDataJson(text)));
    const pages = objects.filter((object) => !isOf(object, OTHER_TYPE) && !isOf(object, SITE_TYPE));
    pages.sort((one, other) => Number(isOf(other, ARTICLE_TYPE)) - Number(isOf(one, ARTICLE_TYPE)));
    const firstStatedValue = <Value>(read: (object: JsonObject) => Value | null) => firstReadValue(pages, read);
    const site = objects.find((object) => isOf(object, SITE_TYPE));
    const published = dateOfPage([
      ...this.#dateStatements(
        'published',
        firstStatedValue(({ datePublished }) => metadataLine(datePublished)),
      ),
      { by: 'url', text: dateOfUrl(base), isLabelled: false },
    ]);
    const modified = dateOfPage(
      this.#dateStatements(
        'modified',
        firstStatedValue(({ dateModified }) => metadataLine(dateModified)),
      ),
    );
    const image = firstStatedValue(({ image: value }) => linkedDataAddress(value)) ?? null;
    return {
      isManual: this.#isManual,
      isArticle: this.#isArticle || this.#items === 1 || pages.some((object) => isOf(object, NEWS_TYPE)),
      author: this.#authors(pages, objects, base, title),
      published: published?.date ?? null,
      modified: modified?.date ?? null,
      evidence: { published: published?.evidence ?? null, modified: modified?.evidence ?? null },
      siteName:
        this.#metaLine('siteName') ??
        metadataLine(site?.name) ??
        firstStatedValue(({ publisher }) => authorNames(publisher)),
      image: absoluteAddress(this.#meta.get('image')?.text, base) ?? absoluteAddress(image, base),
      title: this.#metaLine('title') ?? firstStatedValue(({ headline }) => metadataLine(headline)),
      languages: this.#languageStatements(firstStatedValue(({ inLanguage }) => metadataLine(inLanguage))),
      articleBody: firstStatedValue(({ articleBody }) =>
        typeof articleBody === 'string' ? articleBody.trim() || null : null,
      ),
    };
  }

  /** The authors that most certainly are people: as stated, of the byline, of the tags. */
  #authors(
    pages: readonly JsonObject[],
    objects: readonly JsonObject[],
    base: string,
    title: string | null,
  ): string | null {
    const isUnsaid =
      pages.every(({ author }) => author === undefined) && !this.#meta.has('author') && this.#labelled === null;
    if (isUnsaid && !this.bylines.hasBylines) return null;
    const sites = this.#siteNames(objects, base);
    const byId = new Map(
      objects.flatMap((object) => (typeof object['@id'] === 'string' ? [[object['@id'], object]] : [])),
    );
    const peopleOf = (author: unknown) => linkedDataPeople(author, byId, sites);
    const stated = pages.flatMap(({ author }) => peopleOf(author)).slice(0, MAX_AUTHORS);
    const ofPage = peopleOf(pages[0]?.author);
    const tagged = peopleIn(this.#meta.get('author')?.text ?? '', sites, true);
    const isFull = (names: readonly string[]) => names.length > 0 && names.every((name) => name.includes(' '));
    const beside = this.bylines.authorsAtHeadline(sites, this.#metaLine('title') ?? title ?? '');
    const certain = this.bylines.statedAuthors(sites);
    const only = beside === null ? [] : this.bylines.onlyAuthors(sites);
    const labelled = peopleIn(this.#labelled ?? '', sites, true);
    const found = [beside ?? [], ofPage, stated.slice(0, 1), certain, only, labelled, tagged];
    const names = found.find(isFull) ?? found.find((one) => one.length > 0) ?? [];
    return names.length === 0 ? null : withMoreNames(names, found).join(', ');
  }

  /** Names of the site and its publisher, and of its address: no authors. */
  #siteNames(objects: readonly JsonObject[], base: string): Set<string> {
    const names = new Set<string>();
    const addSiteName = (name: string | null) => {
      if (name !== null) names.add(nameKey(name));
    };
    addSiteName(this.#metaLine('siteName'));
    for (const object of objects) {
      // The site of a person has that person's name.
      if (isOf(object, /Person$/)) continue;
      if (isOf(object, SITE_TYPE) || isOf(object, /Organization$|Corporation$/)) addSiteName(metadataLine(object.name));
      const { publisher } = object;
      if (isObject(publisher) && !isOf(publisher, /Person$/)) addSiteName(metadataLine(publisher.name));
    }
    const host = URL.parse(base)?.hostname.replace(/^www\./, '') ?? '';
    names.add(nameKey(host));
    for (const label of host.split('.')) names.add(nameKey(label));
    return names;
  }

  #metaLine(fact: Fact): string | null {
    return metadataLine(this.#meta.get(fact)?.text);
  }

  #dateStatements(fact: DateFact, linked: string | null): DateStatement[] {
    const time = this.#times.get(fact);
    return [
      { by: 'json-ld', text: linked, isLabelled: true },
      { by: 'meta', text: this.#meta.get(fact)?.text, isLabelled: true },
      { by: 'time', text: time?.text, isLabelled: time?.isLabelled === true },
    ];
  }

  #languageStatements(linked: string | null): LanguageStatement[] {
    const tagged = this.#metaLine('language');
    return [
      ...(linked === null ? [] : [{ by: 'json-ld' as const, code: linked }]),
      ...(tagged === null ? [] : [{ by: 'meta' as const, code: tagged }]),
    ];
  }
}

/** Some generators wrap the JSON for parsers of XML. Null for text that is no JSON: pages have many such mistakes. */
export function parseLinkedDataJson(text: string): unknown {
  const json = text.replace(/^\s*(?:\/\/\s*)?<!\[CDATA\[/, '').replace(/(?:\/\/\s*)?\]\]>\s*$/, '');
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The objects at the top, in lists and in the members that describe the page. */
function objectsOf(json: unknown): JsonObject[] {
  const found: JsonObject[] = [];
  const waiting = [json];
  for (let at = 0; at < waiting.length && found.length < MAX_OBJECTS; at += 1) {
    const next = waiting[at];
    if (Array.isArray(next)) waiting.push(...next.slice(0, MAX_OBJECTS));
    else if (isObject(next)) {
      found.push(next);
      for (const member of ['@graph', 'mainEntity', 'mainEntityOfPage']) {
        if (typeof next[member] === 'object') waiting.push(next[member]);
      }
    }
  }
  return found;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOf(object: JsonObject, type: RegExp): boolean {
  const { '@type': types } = object;
  return (Array.isArray(types) ? types : [types]).some((one) => typeof one === 'string' && type.test(one));
}

function firstReadValue<Value>(
  objects: readonly JsonObject[],
  read: (object: JsonObject) => Value | null,
): Value | null {
  for (const object of objects) {
    const value = read(object);
    if (value !== null) return value;
  }
  return null;
}

/** The people among authors; an object that is stated as an organisation is none. */
function linkedDataPeople(
  value: unknown,
  byId: ReadonlyMap<unknown, JsonObject>,
  sites: ReadonlySet<string>,
): string[] {
  const all: unknown[] = Array.isArray(value) ? value.slice(0, MAX_AUTHORS) : [value];
  return all.flatMap((author) => {
    const id = isObject(author) ? author['@id'] : author;
    const one = isObject(author) && author.name !== undefined ? author : (byId.get(id) ?? author);
    if (isObject(one) && isOf(one, /Organization$|Corporation$|WebSite$/)) return [];
    return peopleIn(metadataLine(isObject(one) ? one.name : one) ?? '', sites, true);
  });
}

/** The names, or those of a list that has all of them and more. */
function withMoreNames(names: readonly string[], lists: readonly (readonly string[])[]): string[] {
  const hasAll = (list: readonly string[]) => names.every((name) => list.some((one) => nameKey(one) === nameKey(name)));
  const isFuller = (list: readonly string[]) =>
    list.length > names.length && list.length <= MAX_AUTHORS && hasAll(list);
  return differentNames(lists.find(isFuller) ?? names);
}

/** The names of one or several people or organisations. */
function authorNames(value: unknown): string | null {
  const all = (Array.isArray(value) ? value : [value]).slice(0, MAX_AUTHORS);
  const names = all.map((one) => withoutAddress(metadataLine(isObject(one) ? one.name : one)));
  return metadataLine([...new Set(names.filter((name) => name !== null))].join(', '));
}

/** Some pages give the address of a profile for an author. */
function withoutAddress(name: string | null): string | null {
  return name !== null && /^https?:\/\//i.test(name) ? null : name;
}

function linkedDataAddress(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return metadataLine(isObject(first) ? (first.url ?? first.contentUrl ?? first['@id']) : first);
}

function absoluteAddress(address: string | null | undefined, base: string): string | null {
  return address == null || address.trim() === '' ? null : normalUrl(address, base);
}

function metadataLine(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = wholeSlice(value.replace(/\s+/g, ' ').trim().toWellFormed(), 0, MAX_FACT_CHARS);
  return text === '' ? null : text;
}
