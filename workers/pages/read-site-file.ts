/**
 * Threat: a robots.txt or sitemap of any size, a decompression bomb, XML that nests endlessly or never ends. Bytes are
 * bounded before and during inflation, and XML is read as events without a tree or entities.
 */

import { gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { QuarryError, systemCodeOf } from '../../src-server/platform/errors.ts';
import { normalUrl } from '../../src-server/platform/net/normal-url.ts';
import { opensSitemap, parseRobots } from '../../src-server/platform/net/robots-txt.ts';
import { decodeText } from '../../src-server/platform/text/decode-text.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { MIB } from '../../src-server/platform/units.ts';
import type { ReadSiteFileInput, ReadSiteFileOutput } from './tasks.ts';

/** The protocol's size limit of an inflated sitemap. */
const MAX_SITEMAP_BYTES = 50 * MIB;

const MAX_LOCATION_CHARS = 4096;

/** Also matches after content that must not precede a list, such as a document type. */
const LIST_TAG = /<(?:\w+:)?(?:urlset|sitemapindex|rss|feed)[\s>]/i;

/** Reads a robots.txt or a possible sitemap. Errors: `corrupt_input`, `source_too_large`. */
export function readSiteFile(input: ReadSiteFileInput): ReadSiteFileOutput {
  const bytes = inflateSiteFile(Buffer.from(input.body.buffer, input.body.byteOffset, input.body.byteLength));
  const { text } = decodeText(bytes);
  if (input.kind === 'robots') return { kind: 'robots', robots: parseRobots(text) };
  const start = text.slice(0, 2000);
  if (LIST_TAG.test(start) || opensSitemap(text)) return readXml(text, input);
  if (!/<(?:!doctype|html|head|body|\?xml)/i.test(start)) return readList(text, input);
  return { kind: 'none' };
}

function inflateSiteFile(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_SITEMAP_BYTES });
  } catch (cause) {
    if (systemCodeOf(cause) === 'ERR_BUFFER_TOO_LARGE') {
      throw new QuarryError('source_too_large', say`The sitemap exceeds the limit of 50 MB.`, { cause });
    }
    throw new QuarryError('corrupt_input', say`The compressed sitemap is damaged.`, { cause });
  }
}

function readXml(text: string, { url, maxUrls }: ReadSiteFileInput): ReadSiteFileOutput {
  const urls: string[] = [];
  const sitemaps: string[] = [];
  let dropped = 0;
  let within: 'url' | 'sitemap' | null = null;
  let location: string | null = null;
  let prefix = '';
  const translations: string[] = [];
  // Each translation lists all the others.
  const listed = new Set<string>();
  // With the prefix of the enclosing element: `image:loc` is no page, and `xhtml:link` a translation of one.
  const isLocation = (name: string) => name === `${prefix}loc` || name === `${prefix}link`;
  const takeSitemapLocation = () => {
    const found = location === null || location.trim() === '' ? null : normalUrl(location, url);
    location = null;
    if (found === null || within === null || (within === 'url' && listed.has(found))) return;
    if (urls.length + sitemaps.length >= maxUrls) dropped += 1;
    else (within === 'sitemap' ? sitemaps : urls).push(found);
  };
  const takeTranslations = () => {
    const own = urls.at(-1);
    if (translations.length > 0 && own !== undefined) listed.add(own);
    for (const address of translations.splice(0)) {
      const found = normalUrl(address, url);
      if (found === null || listed.has(found)) continue;
      listed.add(found);
      if (urls.length + sitemaps.length >= maxUrls) dropped += 1;
      else urls.push(found);
    }
  };
  const parser = new Parser(
    {
      onopentag(name, { href, rel = 'alternate', hreflang }) {
        const tag = name.slice(name.indexOf(':') + 1);
        if (tag === 'url' || tag === 'item' || tag === 'entry') {
          within = 'url';
          prefix = name.slice(0, -tag.length);
        } else if (tag === 'sitemap') {
          within = 'sitemap';
          prefix = name.slice(0, -tag.length);
        } else if (isLocation(name)) {
          // RSS has the address between the tags; Atom in an attribute, beside other addresses.
          location = href === undefined || rel !== 'alternate' ? '' : href;
        } else if (tag === 'link' && within === 'url' && hreflang !== undefined && href !== undefined) {
          if (rel === 'alternate') translations.push(href.slice(0, MAX_LOCATION_CHARS));
        }
      },
      ontext(part) {
        if (location !== null && location.length < MAX_LOCATION_CHARS) location += part;
      },
      onclosetag(name) {
        if (isLocation(name)) takeSitemapLocation();
        else if (name === `${prefix}url`) takeTranslations();
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  return { kind: 'sitemap', urls, sitemaps, dropped };
}

/** A plain-text sitemap: only absolute addresses, one per line. */
function readList(text: string, { maxUrls }: ReadSiteFileInput): ReadSiteFileOutput {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const urls = lines.slice(0, maxUrls).map((line) => (/^https?:\/\//i.test(line) ? normalUrl(line) : null));
  const known = urls.filter((url) => url !== null);
  if (lines.length === 0 || known.length !== urls.length) return { kind: 'none' };
  return { kind: 'sitemap', urls: known, sitemaps: [], dropped: lines.length - urls.length };
}
