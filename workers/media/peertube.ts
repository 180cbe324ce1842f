import { oneLine } from '../../src-server/platform/text/one-line.ts';
import { dateOf, durationOf, emptyPage, isRecord, urlOf } from './page-values.ts';
import type { ReadVideoPageInput, VideoPage } from './tasks.ts';

const LIST_MAX = 1000;

/** PeerTube's own interface knows everything: files, captions, chapters. Null where the answer is not PeerTube's. */
export function readPeerTube(input: Extract<ReadVideoPageInput, { kind: 'peertube' }>): VideoPage | null {
  const video = parsed(input.video);
  if (!isRecord(video) || typeof video.uuid !== 'string') return null;
  const inner = listOf(video.streamingPlaylists).flatMap((playlist) => listOf(playlist.files));
  const files = [...listOf(video.files), ...inner].map((file) => ({
    url: urlOf(file.fileUrl, input.url),
    size: typeof file.size === 'number' ? file.size : Number.POSITIVE_INFINITY,
  }));
  // The words are the same in all of them: the smallest comes soonest.
  const media = files.filter(({ url }) => url !== null).sort((a, b) => a.size - b.size);
  const captions = listOf(inputList(input.captions)).map((caption) => ({
    url: urlOf(caption.fileUrl ?? caption.captionPath, input.url),
    language: isRecord(caption.language) ? oneLine(caption.language.id) : null,
  }));
  return {
    ...emptyPage(),
    title: oneLine(video.name),
    channel: isRecord(video.channel) ? oneLine(video.channel.displayName) : null,
    publishedAt: dateOf(video.publishedAt),
    durationSeconds: durationOf(video.duration),
    thumbnailUrl: urlOf(video.previewPath ?? video.thumbnailPath, input.url),
    language: isRecord(video.language) ? oneLine(video.language.id) : null,
    mediaUrls: media.map(({ url }) => url as string),
    captions: captions.flatMap(({ url, language }) => (url === null ? [] : [{ url, language }])),
    chapters: listOf(
      isRecord(parsed(input.chapters)) ? (parsed(input.chapters) as Record<string, unknown>).chapters : [],
    )
      .map((chapter) => ({
        title: oneLine(chapter.title) ?? '',
        startSeconds: durationOf(chapter.timecode),
        endSeconds: null,
      }))
      .flatMap((chapter) =>
        chapter.startSeconds === null ? [] : [{ ...chapter, startSeconds: chapter.startSeconds }],
      ),
  };
}

function inputList(body: Uint8Array | null): unknown {
  const value = parsed(body);
  return isRecord(value) ? value.data : [];
}

function parsed(body: Uint8Array | null): unknown {
  if (body === null) return null;
  try {
    return JSON.parse(new TextDecoder('utf-8').decode(body)) as unknown;
  } catch {
    // A page that answers with something else is no PeerTube.
    return null;
  }
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.slice(0, LIST_MAX).filter(isRecord) : [];
}
