/** What was read aloud, as a podcast: RSS 2.0 with the tags of iTunes and of the podcast namespace. */

import type { Item } from '../library/schema.ts';
import type { Reading } from './schema.ts';

export interface Book {
  item: Item;
  reading: Reading;
}

const MEDIA_TYPES = { mp3: 'audio/mpeg', m4b: 'audio/mp4' } as const;

/** @param address of the feed, without its file name */
export function podcastOf(books: readonly Book[], address: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom"
 xmlns:podcast="https://podcastindex.org/namespace/1.0">
<channel>
<title>Read aloud by Quarry</title>
<link>${escapeXml(address)}</link>
<atom:link href="${escapeXml(`${address}/podcast.xml`)}" rel="self" type="application/rss+xml"/>
<description>What was read aloud on your computer. Only who has the address hears it.</description>
<language>en</language>
<generator>Quarry</generator>
<itunes:author>Quarry</itunes:author>
<itunes:explicit>false</itunes:explicit>
<itunes:block>Yes</itunes:block>
<podcast:locked>yes</podcast:locked>
${books.map((book) => episodeOf(book, address)).join('\n')}
</channel>
</rss>
`;
}

function episodeOf({ item, reading }: Book, address: string): string {
  const sound = reading.files.find(({ form }) => form === 'mp3') ?? reading.files.find(({ form }) => form === 'm4b');
  if (sound === undefined || (sound.form !== 'mp3' && sound.form !== 'm4b')) return '';
  const fileAt = (ending: string) => escapeXml(`${address}/${item.itemId}.${ending}`);
  const about = `${item.source.url ?? item.source.name ?? item.title}. Read by ${reading.voice.name}.`;
  return `<item>
<title>${escapeXml(item.title)}</title>
<guid isPermaLink="false">${escapeXml(`${item.itemId} ${reading.createdAt}`)}</guid>
<pubDate>${new Date(reading.updatedAt).toUTCString()}</pubDate>
<description>${escapeXml(about)}</description>
<enclosure url="${fileAt(sound.form)}" length="${sound.sizeBytes}" type="${MEDIA_TYPES[sound.form]}"/>
<itunes:duration>${Math.round(reading.seconds ?? 0)}</itunes:duration>
<itunes:episodeType>full</itunes:episodeType>
<podcast:chapters url="${fileAt('json')}" type="application/json+chapters"/>
<podcast:transcript url="${fileAt('vtt')}" type="text/vtt"/>
</item>`;
}

/** The chapters of a book, as the podcast namespace wants them. */
export function podcastChapters({ chapters }: Reading): string {
  const marks = chapters.map(({ title, startSeconds }) => ({ startTime: startSeconds ?? 0, title }));
  return JSON.stringify({ version: '1.2.0', chapters: marks });
}

/** Letters that XML does not know are left out. */
function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has none of them.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  );
}
