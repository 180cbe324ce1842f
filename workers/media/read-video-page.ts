import { Parser } from 'htmlparser2';
import { decodeText } from '../../src-server/platform/text/decode-text.ts';
import { sanitizeOneLine } from '../../src-server/platform/text/strings.ts';
import type { ReadVideoPageInput, VideoChapter, VideoPage, VideoPerson } from './tasks.ts';

/** Bytes in which a page or feed declares its encoding. */
const HEAD_BYTES = 2048;

/** Video metadata of a page, feed or API response; null if there is none. */
export function readVideoPage(input: ReadVideoPageInput): VideoPage | null {
  if (input.kind === 'peertube') return readPeerTube(input);
  if (input.kind === 'chapters') return { ...emptyPage(), chapters: readPodcastChapters(input.body) };
  const head = Buffer.from(input.body.subarray(0, HEAD_BYTES)).toString('latin1');
  const declared = [/<(?:meta|\?xml)\b[^>]{0,500}?(?:charset|encoding)\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ?? null];
  const { text } = decodeText(input.body, { declared });
  const isFeed = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<rss[\s>]/.test(text);
  const page = isFeed ? readFeed(text, input.url) : readVideoPageFacts(text, input.url);
  return page.mediaUrls.length === 0 && page.embedUrls.length === 0 ? null : page;
}

// Videos in a page's markup: the video tag, JSON-LD and Open Graph.

const MEDIA_TYPES = /^(VideoObject|AudioObject|PodcastEpisode|Clip)$/;

const DEPTH_MAX = 8;

const LIST_MAX = 1000;

/** Players of a page that are looked at. */
const EMBEDS_MAX = 3;

/** Metadata in the markup, by source. */
interface Found {
  meta: Map<string, string>;
  linked: unknown[];
  sources: string[];
  /** Frames that look like players. */
  frames: string[];
  tracks: { url: string; language: string | null; isDefault: boolean }[];
  chapterTracks: string[];
  poster: string | null;
  title: string;
  language: string | null;
}

export function readVideoPageFacts(html: string, url: string): VideoPage {
  const found = collectPageMarkup(html, url);
  const object = found.linked.map((value) => findObject(value, 0)).find((value) => value !== null) ?? null;
  const firstMetaValue = (...names: string[]) =>
    names.map((name) => found.meta.get(name)).find((value) => value !== undefined);
  const inner = object === null ? null : isLinkedRecord(object.associatedMedia) ? object.associatedMedia : object;
  const stated = [inner?.contentUrl, firstMetaValue('og:video:secure_url', 'og:video:url', 'og:video', 'og:audio')];
  const mediaUrls = [...found.sources, ...stated.map((value) => webUrlOrNull(value, url))].filter(
    (value) => value !== null,
  );
  return {
    ...emptyPage(),
    title: sanitizeOneLine(object?.name) ?? sanitizeOneLine(firstMetaValue('og:title')) ?? sanitizeOneLine(found.title),
    channel:
      linkedName(object?.author) ?? linkedName(object?.publisher) ?? sanitizeOneLine(firstMetaValue('og:site_name')),
    publishedAt: linkedDate(
      object?.uploadDate ?? object?.datePublished ?? firstMetaValue('article:published_time', 'og:video:release_date'),
    ),
    durationSeconds: parseMediaDuration(object?.duration ?? firstMetaValue('og:video:duration', 'video:duration')),
    thumbnailUrl:
      webUrlOrNull(firstLinkedValue(object?.thumbnailUrl) ?? firstMetaValue('og:image'), url) ?? found.poster,
    language: sanitizeOneLine(object?.inLanguage) ?? found.language,
    mediaUrls: [...new Set(mediaUrls)],
    captions: [...found.tracks]
      .sort((a, b) => Number(b.isDefault) - Number(a.isDefault))
      .map(({ url: at, language }) => ({ url: at, language })),
    chapters: linkedChapters(object?.hasPart),
    chapterTracks: found.chapterTracks,
    embedUrls: [...new Set([webUrlOrNull(inner?.embedUrl, url), ...found.frames].filter((value) => value !== null))],
  };
}

function collectPageMarkup(html: string, url: string): Found {
  const found: Found = {
    meta: new Map(),
    linked: [],
    sources: [],
    frames: [],
    tracks: [],
    chapterTracks: [],
    poster: null,
    title: '',
    language: null,
  };
  let script: string | null = null;
  let inTitle = false;
  let media = 0;
  const addSource = (value: string | undefined) => {
    const source = webUrlOrNull(value, url);
    if (source !== null) found.sources.push(source);
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'html') found.language = sanitizeOneLine(attributes.lang);
      if (name === 'title') inTitle = found.title === '';
      if (name === 'meta') {
        const key = (attributes.property ?? attributes.name ?? '').toLowerCase();
        if (attributes.content !== undefined && !found.meta.has(key)) found.meta.set(key, attributes.content);
      }
      if (name === 'script' && /ld\+json/i.test(attributes.type ?? '')) script = '';
      if (name === 'video' || name === 'audio') {
        media += 1;
        // The first one is the page's subject.
        if (media === 1) addSource(attributes.src);
        if (media === 1) found.poster = webUrlOrNull(attributes.poster, url);
      }
      if (name === 'source' && media === 1) addSource(attributes.src);
      if (name === 'iframe' && isPlayerFrame(attributes)) {
        const player = webUrlOrNull(attributes.src, url);
        if (player !== null && found.frames.length < EMBEDS_MAX) found.frames.push(player);
      }
      if (name === 'track' && media === 1 && /^(captions|subtitles)?$/i.test(attributes.kind ?? '')) {
        const at = webUrlOrNull(attributes.src, url);
        const isDefault = attributes.default !== undefined;
        if (at !== null) found.tracks.push({ url: at, language: sanitizeOneLine(attributes.srclang), isDefault });
      }
      if (name === 'track' && media === 1 && attributes.kind?.toLowerCase() === 'chapters') {
        const at = webUrlOrNull(attributes.src, url);
        if (at !== null) found.chapterTracks.push(at);
      }
    },
    ontext(text) {
      if (script !== null) script += text;
      if (inTitle) found.title += text;
    },
    onclosetag(name) {
      if (name === 'title') inTitle = false;
      if (name !== 'script' || script === null) return;
      found.linked.push(parseLinkedJson(script));
      script = null;
    },
  });
  parser.end(html);
  return found;
}

/** Other frames are advertisements, maps and forms. */
function isPlayerFrame({ src = '', allow = '', allowfullscreen }: Record<string, string>): boolean {
  return (
    allowfullscreen !== undefined || /fullscreen|picture-in-picture/i.test(allow) || /\b(?:embed|player)\b/i.test(src)
  );
}

function parseLinkedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Broken JSON-LD is frequent; the rest of the markup still counts.
    return null;
  }
}

/** The first video or audio object, at any depth. */
function findObject(value: unknown, depth: number): Record<string, unknown> | null {
  if (depth > DEPTH_MAX) return null;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, LIST_MAX)) {
      const found = findObject(item, depth + 1);
      if (found !== null) return found;
    }
    return null;
  }
  if (!isLinkedRecord(value)) return null;
  const types = [value['@type']].flat();
  if (types.some((type) => typeof type === 'string' && MEDIA_TYPES.test(type))) return value;
  return findObject(value['@graph'] ?? value.video ?? value.mainEntity, depth + 1);
}

function linkedChapters(parts: unknown): VideoChapter[] {
  return [parts]
    .flat()
    .slice(0, LIST_MAX)
    .flatMap((part): VideoChapter[] => {
      const startSeconds = isLinkedRecord(part) ? parseMediaDuration(part.startOffset) : null;
      if (!isLinkedRecord(part) || startSeconds === null) return [];
      return [
        { title: sanitizeOneLine(part.name) ?? '', startSeconds, endSeconds: parseMediaDuration(part.endOffset) },
      ];
    });
}

function linkedName(value: unknown): string | null {
  const first = firstLinkedValue(value);
  return isLinkedRecord(first) ? sanitizeOneLine(first.name) : sanitizeOneLine(first);
}

function firstLinkedValue(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

/** PeerTube's API, which has files, captions and chapters. Null for other responses. */
export function readPeerTube(input: Extract<ReadVideoPageInput, { kind: 'peertube' }>): VideoPage | null {
  const video = parsedBody(input.video);
  if (!isLinkedRecord(video) || typeof video.uuid !== 'string') return null;
  const inner = linkedRecords(video.streamingPlaylists).flatMap((playlist) => linkedRecords(playlist.files));
  const files = [...linkedRecords(video.files), ...inner].map((file) => ({
    url: webUrlOrNull(file.fileUrl, input.url),
    size: typeof file.size === 'number' ? file.size : Number.POSITIVE_INFINITY,
  }));
  // All files have the same sound; the smallest downloads fastest.
  const media = files.filter(({ url }) => url !== null).sort((a, b) => a.size - b.size);
  const captions = linkedRecords(inputList(input.captions)).map((caption) => ({
    url: webUrlOrNull(caption.fileUrl ?? caption.captionPath, input.url),
    language: isLinkedRecord(caption.language) ? sanitizeOneLine(caption.language.id) : null,
  }));
  return {
    ...emptyPage(),
    title: sanitizeOneLine(video.name),
    channel: isLinkedRecord(video.channel) ? sanitizeOneLine(video.channel.displayName) : null,
    publishedAt: linkedDate(video.publishedAt),
    durationSeconds: parseMediaDuration(video.duration),
    thumbnailUrl: webUrlOrNull(video.previewPath ?? video.thumbnailPath, input.url),
    language: isLinkedRecord(video.language) ? sanitizeOneLine(video.language.id) : null,
    mediaUrls: media.map(({ url }) => url as string),
    captions: captions.flatMap(({ url, language }) => (url === null ? [] : [{ url, language }])),
    chapters: linkedRecords(
      isLinkedRecord(parsedBody(input.chapters))
        ? (parsedBody(input.chapters) as Record<string, unknown>).chapters
        : [],
    )
      .map((chapter) => ({
        title: sanitizeOneLine(chapter.title) ?? '',
        startSeconds: parseMediaDuration(chapter.timecode),
        endSeconds: null,
      }))
      .flatMap((chapter) =>
        chapter.startSeconds === null ? [] : [{ ...chapter, startSeconds: chapter.startSeconds }],
      ),
  };
}

function inputList(body: Uint8Array | null): unknown {
  const value = parsedBody(body);
  return isLinkedRecord(value) ? value.data : [];
}

function parsedBody(body: Uint8Array | null): unknown {
  if (body === null) return null;
  try {
    return JSON.parse(new TextDecoder('utf-8').decode(body)) as unknown;
  } catch {
    // Any other response means that the site is not PeerTube.
    return null;
  }
}

function linkedRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.slice(0, LIST_MAX).filter(isLinkedRecord) : [];
}

/** Bound on nesting: the parser copies its stack for each element. */
const FEED_DEPTH_MAX = 500;

const PEOPLE_MAX = 50;

/** The newest podcast episode: the first item of the feed with an enclosure. */
export function readFeed(xml: string, base: string): VideoPage {
  let page = emptyPage();
  const path: string[] = [];
  let items = 0;
  let text = '';
  let channel: string | null = null;
  let role: string | null = null;
  const everywhere: VideoPerson[] = [];
  let done = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        path.push(name);
        if (path.length > FEED_DEPTH_MAX) parser.pause();
        if (name === 'item') items += 1;
        text = '';
        if (done) return;
        if (name === 'item') page = emptyPage();
        const inItem = items > 0;
        const url = webUrlOrNull(attributes.url ?? attributes.href, base);
        if (name === 'enclosure' && inItem && url !== null) page.mediaUrls.push(url);
        if (name === 'itunes:image' && url !== null) page.thumbnailUrl = url;
        if (name === 'podcast:chapters' && inItem && url !== null) page.chapterFiles.push(url);
        if (name === 'podcast:person') role = sanitizeOneLine(attributes.role)?.toLowerCase() ?? null;
        if (name === 'podcast:transcript' && inItem && url !== null && /vtt|srt|subrip/.test(attributes.type ?? '')) {
          page.captions.push({ url, language: sanitizeOneLine(attributes.language) });
        }
      },
      ontext(part) {
        text += part;
      },
      onclosetag(name) {
        const inItem = items > 0;
        if (path.pop() === 'item') items -= 1;
        if (done) return;
        if (name === 'title' && inItem) page.title = sanitizeOneLine(text);
        else if (name === 'title' && path.at(-1) === 'channel') channel = sanitizeOneLine(text);
        else if (name === 'pubDate' && inItem) page.publishedAt = linkedDate(text);
        else if (name === 'itunes:duration' && inItem) page.durationSeconds = parseMediaDuration(text);
        else if (name === 'podcast:person') {
          const person = sanitizeOneLine(text);
          const people = inItem ? page.people : everywhere;
          if (person !== null && people.length < PEOPLE_MAX) people.push({ name: person, role });
        } else if (name === 'item' && page.mediaUrls.length > 0) done = true;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  // Those of the episode stand for those of all.
  return { ...page, channel, people: page.people.length > 0 ? page.people : everywhere };
}

/** The chapters of a podcast, as its namespace wants them; none for other files. */
function readPodcastChapters(body: Uint8Array): VideoChapter[] {
  const file = parsedBody(body);
  return linkedRecords(isLinkedRecord(file) ? file.chapters : []).flatMap((chapter): VideoChapter[] => {
    const startSeconds = parseMediaDuration(chapter.startTime);
    // Pictures between chapters have no place in the table of contents.
    if (startSeconds === null || chapter.toc === false) return [];
    const title = sanitizeOneLine(chapter.title) ?? '';
    return [{ title, startSeconds, endSeconds: parseMediaDuration(chapter.endTime) }];
  });
}

// Sanitises values from untrusted markup: bounded, on one line, with absolute addresses.

const DURATION_SECONDS_MAX = 1_000_000;

export function emptyPage(): VideoPage {
  return {
    title: null,
    channel: null,
    publishedAt: null,
    durationSeconds: null,
    thumbnailUrl: null,
    language: null,
    mediaUrls: [],
    captions: [],
    chapters: [],
    chapterTracks: [],
    chapterFiles: [],
    embedUrls: [],
    people: [],
  };
}

/** Null for schemes other than http and https. */
export function webUrlOrNull(value: unknown, base: string): string | null {
  if (typeof value !== 'string') return null;
  const url = URL.parse(value.trim(), base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

export function linkedDate(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Parses seconds as a number, `1:02:03` or ISO 8601 (`PT1H2M3S`). */
export function parseMediaDuration(value: unknown): number | null {
  if (typeof value === 'number') return boundedDurationSeconds(value);
  if (typeof value !== 'string') return null;
  const iso = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(value.trim());
  if (iso !== null && value.trim().length > 1) {
    const [days, hours, minutes, seconds] = iso.slice(1).map((part) => Number(part ?? 0));
    return boundedDurationSeconds((days ?? 0) * 86_400 + (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0));
  }
  if (!/^\d+(:\d{1,2}){0,2}(\.\d+)?$/.test(value.trim())) return null;
  return boundedDurationSeconds(
    value
      .trim()
      .split(':')
      .reduce((sum, part) => sum * 60 + Number(part), 0),
  );
}

function boundedDurationSeconds(seconds: number): number | null {
  return Number.isFinite(seconds) && seconds >= 0 && seconds <= DURATION_SECONDS_MAX ? seconds : null;
}

export function isLinkedRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
