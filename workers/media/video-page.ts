/** Videos in a page's own markup: the video tag, JSON-LD and Open Graph. */
import { Parser } from 'htmlparser2';
import { oneLine } from '../../src-server/platform/text/one-line.ts';
import { dateOf, durationOf, emptyPage, isRecord, urlOf } from './page-values.ts';
import type { VideoChapter, VideoPage } from './tasks.ts';

const MEDIA_TYPES = /^(VideoObject|AudioObject|PodcastEpisode|Clip)$/;
const DEPTH_MAX = 8;
const LIST_MAX = 1000;

/** What the markup holds, before it is put together. */
interface Found {
  meta: Map<string, string>;
  linked: unknown[];
  sources: string[];
  tracks: { url: string; language: string | null; isDefault: boolean }[];
  poster: string | null;
  title: string;
  language: string | null;
}

export function readPage(html: string, url: string): VideoPage {
  const found = collect(html, url);
  const object = found.linked.map((value) => findObject(value, 0)).find((value) => value !== null) ?? null;
  const meta = (...names: string[]) => names.map((name) => found.meta.get(name)).find((value) => value !== undefined);
  const inner = object === null ? null : isRecord(object.associatedMedia) ? object.associatedMedia : object;
  const stated = [inner?.contentUrl, meta('og:video:secure_url', 'og:video:url', 'og:video', 'og:audio')];
  const mediaUrls = [...found.sources, ...stated.map((value) => urlOf(value, url))].filter((value) => value !== null);
  return {
    ...emptyPage(),
    title: oneLine(object?.name) ?? oneLine(meta('og:title')) ?? oneLine(found.title),
    channel: nameOf(object?.author) ?? nameOf(object?.publisher) ?? oneLine(meta('og:site_name')),
    publishedAt: dateOf(
      object?.uploadDate ?? object?.datePublished ?? meta('article:published_time', 'og:video:release_date'),
    ),
    durationSeconds: durationOf(object?.duration ?? meta('og:video:duration', 'video:duration')),
    thumbnailUrl: urlOf(firstOf(object?.thumbnailUrl) ?? meta('og:image'), url) ?? found.poster,
    language: oneLine(object?.inLanguage) ?? found.language,
    mediaUrls: [...new Set(mediaUrls)],
    captions: [...found.tracks]
      .sort((a, b) => Number(b.isDefault) - Number(a.isDefault))
      .map(({ url: at, language }) => ({ url: at, language })),
    chapters: chaptersOf(object?.hasPart),
  };
}

function collect(html: string, url: string): Found {
  const found: Found = {
    meta: new Map(),
    linked: [],
    sources: [],
    tracks: [],
    poster: null,
    title: '',
    language: null,
  };
  let script: string | null = null;
  let inTitle = false;
  let media = 0;
  const addSource = (value: string | undefined) => {
    const source = urlOf(value, url);
    if (source !== null) found.sources.push(source);
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'html') found.language = oneLine(attributes.lang);
      if (name === 'title') inTitle = found.title === '';
      if (name === 'meta') {
        const key = (attributes.property ?? attributes.name ?? '').toLowerCase();
        if (attributes.content !== undefined && !found.meta.has(key)) found.meta.set(key, attributes.content);
      }
      if (name === 'script' && /ld\+json/i.test(attributes.type ?? '')) script = '';
      if (name === 'video' || name === 'audio') {
        media += 1;
        // The first one is what the page is about.
        if (media === 1) addSource(attributes.src);
        if (media === 1) found.poster = urlOf(attributes.poster, url);
      }
      if (name === 'source' && media === 1) addSource(attributes.src);
      if (name === 'track' && media === 1 && /^(captions|subtitles)?$/i.test(attributes.kind ?? '')) {
        const at = urlOf(attributes.src, url);
        const isDefault = attributes.default !== undefined;
        if (at !== null) found.tracks.push({ url: at, language: oneLine(attributes.srclang), isDefault });
      }
    },
    ontext(text) {
      if (script !== null) script += text;
      if (inTitle) found.title += text;
    },
    onclosetag(name) {
      if (name === 'title') inTitle = false;
      if (name !== 'script' || script === null) return;
      found.linked.push(parsed(script));
      script = null;
    },
  });
  parser.end(html);
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Many a page's JSON-LD is broken; the rest of its markup still counts.
    return null;
  }
}

/** The first object that is a video or a sound, wherever it stands. */
function findObject(value: unknown, depth: number): Record<string, unknown> | null {
  if (depth > DEPTH_MAX) return null;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, LIST_MAX)) {
      const found = findObject(item, depth + 1);
      if (found !== null) return found;
    }
    return null;
  }
  if (!isRecord(value)) return null;
  const types = [value['@type']].flat();
  if (types.some((type) => typeof type === 'string' && MEDIA_TYPES.test(type))) return value;
  return findObject(value['@graph'] ?? value.video ?? value.mainEntity, depth + 1);
}

function chaptersOf(parts: unknown): VideoChapter[] {
  return [parts]
    .flat()
    .slice(0, LIST_MAX)
    .flatMap((part): VideoChapter[] => {
      const startSeconds = isRecord(part) ? durationOf(part.startOffset) : null;
      if (!isRecord(part) || startSeconds === null) return [];
      return [{ title: oneLine(part.name) ?? '', startSeconds, endSeconds: durationOf(part.endOffset) }];
    });
}

function nameOf(value: unknown): string | null {
  const first = firstOf(value);
  return isRecord(first) ? oneLine(first.name) : oneLine(first);
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}
