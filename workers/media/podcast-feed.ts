import { Parser } from 'htmlparser2';
import { oneLine } from '../../src-server/platform/text/one-line.ts';
import { dateOf, durationOf, emptyPage, urlOf } from './page-values.ts';
import type { VideoPage } from './tasks.ts';

/** No feed nests so deep. The parser would move its whole stack for each element. */
const DEPTH_MAX = 500;

/** The newest episode of a podcast: the first item of its feed that has an enclosure. */
export function readFeed(xml: string, base: string): VideoPage {
  let page = emptyPage();
  const path: string[] = [];
  let items = 0;
  let text = '';
  let channel: string | null = null;
  let done = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        path.push(name);
        if (path.length > DEPTH_MAX) parser.pause();
        if (name === 'item') items += 1;
        text = '';
        if (done) return;
        if (name === 'item') page = emptyPage();
        const inItem = items > 0;
        const url = urlOf(attributes.url ?? attributes.href, base);
        if (name === 'enclosure' && inItem && url !== null) page.mediaUrls.push(url);
        if (name === 'itunes:image' && url !== null) page.thumbnailUrl = url;
        if (name === 'podcast:transcript' && inItem && url !== null && /vtt|srt|subrip/.test(attributes.type ?? '')) {
          page.captions.push({ url, language: oneLine(attributes.language) });
        }
      },
      ontext(part) {
        text += part;
      },
      onclosetag(name) {
        const inItem = items > 0;
        if (path.pop() === 'item') items -= 1;
        if (done) return;
        if (name === 'title' && inItem) page.title = oneLine(text);
        else if (name === 'title' && path.at(-1) === 'channel') channel = oneLine(text);
        else if (name === 'pubDate' && inItem) page.publishedAt = dateOf(text);
        else if (name === 'itunes:duration' && inItem) page.durationSeconds = durationOf(text);
        else if (name === 'item' && page.mediaUrls.length > 0) done = true;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return { ...page, channel };
}
