/**
 * Threat: a feed of any form. The bytes are bounded before, entries here; a document type defines no entities, and a
 * parser that does not end is ended with its thread.
 */

import { parseFeed } from 'feedsmith';
import { Parser } from 'htmlparser2';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { normalUrl } from '../../src-server/platform/net/normal-url.ts';
import { decodeText } from '../../src-server/platform/text/decode-text.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { sanitizeOneLine } from '../../src-server/platform/text/strings.ts';
import { KIB } from '../../src-server/platform/units.ts';
import type { FeedItem, ReadFeedInput, ReadFeedOutput } from './tasks.ts';

/** More entries than feeds keep. */
const MAX_ENTRIES = 1000;

const PAGE_START = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)?<(?:!doctype\s+html|html)[\s>]/i;

const FEED_TYPE = /^application\/(?:rss\+xml|atom\+xml|feed\+json)\s*(?:;|$)/i;

/** Of a page that may name a feed. */
const MAX_HEAD_CHARS = 512 * KIB;

const MAX_ADDRESS_CHARS = 8192;

const MAX_GUID_CHARS = 4096;

/** Reads RSS, RDF, Atom and JSON feeds, and the address of a feed that a page names. Errors: `corrupt_input`. */
export function readFeed({ body, url, charset }: ReadFeedInput): ReadFeedOutput {
  const { text } = decodeText(body, { declared: [charset, /encoding=["']([\w-]+)/.exec(feedHead(body))?.[1] ?? null] });
  const feedUrl = PAGE_START.test(text) ? namedFeed(text, url) : null;
  if (feedUrl !== null) return { feedUrl, title: null, entries: [] };
  const { title, items } = parseFeedItems(text);
  const entries = items.map((item) => feedEntry(item, url));
  // Feeds are newest first where they give no times; the order of equal ones stays.
  entries.sort((one, other) => (other.publishedAt ?? 0) - (one.publishedAt ?? 0));
  return { feedUrl: null, title: sanitizeOneLine(title), entries };
}

/** The first feed that a page names in its head; null without one. */
function namedFeed(html: string, url: string): string | null {
  let found: string | null = null;
  let base = url;
  const parser = new Parser({
    onopentag(tag, { rel = '', type = '', href }) {
      if (tag === 'base' && href !== undefined) base = normalUrl(href, url) ?? url;
      const isNamed = tag === 'link' && /(?:^|\s)alternate(?:\s|$)/i.test(rel) && FEED_TYPE.test(type);
      if (isNamed && href !== undefined) found ??= normalUrl(href, base);
      if (tag === 'body') parser.pause();
    },
  });
  parser.end(html.slice(0, MAX_HEAD_CHARS));
  return found;
}

function feedHead(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, 200)).toString('latin1');
}

interface Item {
  guid: unknown;
  title: unknown;
  links: readonly unknown[];
  enclosures: readonly { url: unknown; type: unknown }[];
  dates: readonly unknown[];
}

function parseFeedItems(text: string): { title: unknown; items: Item[] } {
  try {
    const { format, feed } = parseFeed(text.trim(), { maxItems: MAX_ENTRIES });
    if (format === 'atom') return { title: feed.title?.value, items: (feed.entries ?? []).map(ofAtom) };
    if (format === 'json') return { title: feed.title, items: (feed.items ?? []).map(ofJson) };
    if (format === 'rdf') return { title: feed.title, items: (feed.items ?? []).map(ofRdf) };
    return { title: feed.title, items: (feed.items ?? []).map(ofRss) };
  } catch (cause) {
    const message = say`This is no feed. Give the address of an RSS, Atom or JSON feed.`;
    throw new QuarryError('corrupt_input', message, { cause });
  }
}

type Maybe<Value> = Value | undefined;

interface Dates {
  dates?: Maybe<unknown[]>;
}

interface Media {
  url?: unknown;
  type?: unknown;
}

interface RssItem {
  guid?: Maybe<{ value?: unknown; isPermaLink?: Maybe<boolean> }>;
  title?: unknown;
  link?: unknown;
  enclosures?: Maybe<Media[]>;
  pubDate?: unknown;
  dc?: Maybe<Dates>;
  media?: Maybe<{ contents?: Maybe<Media[]> }>;
}

interface RdfItem {
  title?: unknown;
  link?: unknown;
  rdf?: Maybe<{ about?: unknown }>;
  dc?: Maybe<Dates>;
}

interface AtomEntry {
  id?: unknown;
  title?: Maybe<{ value?: unknown }>;
  links?: Maybe<{ href?: unknown; rel?: Maybe<string>; type?: unknown }[]>;
  published?: unknown;
  updated?: unknown;
}

interface JsonItem {
  id?: unknown;
  title?: unknown;
  url?: unknown;
  external_url?: unknown;
  attachments?: Maybe<{ url?: unknown; mime_type?: unknown }[]>;
  date_published?: unknown;
  date_modified?: unknown;
}

function ofRss({ guid, title, link, enclosures, pubDate, dc, media }: RssItem): Item {
  const contents = media?.contents ?? [];
  return {
    guid: guid?.value,
    title,
    links: [link, guid?.isPermaLink === true ? guid.value : null],
    enclosures: [...(enclosures ?? []), ...contents].map(({ url, type }) => ({ url, type })),
    dates: [pubDate, dc?.dates?.[0]],
  };
}

function ofRdf({ title, link, rdf, dc }: RdfItem): Item {
  return { guid: rdf?.about, title, links: [link], enclosures: [], dates: [dc?.dates?.[0]] };
}

function ofAtom({ id, title, links = [], published, updated }: AtomEntry): Item {
  const enclosures = links.filter(({ rel }) => rel === 'enclosure').map(({ href, type }) => ({ url: href, type }));
  const pages = links.filter(({ rel }) => rel === undefined || rel === 'alternate').map(({ href }) => href);
  return { guid: id, title: title?.value, links: pages, enclosures, dates: [published, updated] };
}

function ofJson({ id, title, url, external_url, attachments, ...rest }: JsonItem): Item {
  const enclosures = (attachments ?? []).map((one) => ({ url: one.url, type: one.mime_type }));
  return { guid: id, title, links: [url, external_url], enclosures, dates: [rest.date_published, rest.date_modified] };
}

function feedEntry({ guid, title, links, enclosures, dates }: Item, base: string): FeedItem {
  const link = links.map((one) => feedItemUrl(one, base)).find((one) => one !== null) ?? null;
  const files = enclosures.filter(({ type }) => typeof type !== 'string' || !type.trim().startsWith('image/'));
  const enclosure = files.map(({ url }) => feedItemUrl(url, base)).find((one) => one !== null) ?? null;
  const id = typeof guid === 'string' && guid.trim() !== '' ? guid.trim().slice(0, MAX_GUID_CHARS) : null;
  const publishedAt = latestFeedTime(dates);
  // An entry that names neither itself nor an address is listed too, as one without address.
  const known =
    id ?? link ?? enclosure ?? `${sanitizeOneLine(title) ?? ''} ${publishedAt ?? ''}`.slice(0, MAX_GUID_CHARS);
  return { guid: known.toWellFormed(), title: sanitizeOneLine(title), link, enclosure, publishedAt };
}

function feedItemUrl(value: unknown, base: string): string | null {
  if (typeof value !== 'string' || value.length > MAX_ADDRESS_CHARS) return null;
  const url = URL.parse(value.trim(), base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

function latestFeedTime(dates: readonly unknown[]): number | null {
  const times = dates.map((date) => (date instanceof Date ? date.getTime() : Date.parse(String(date))));
  return times.find((time) => Number.isFinite(time)) ?? null;
}
