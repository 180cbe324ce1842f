import type { VideoPage } from '../../../workers/tasks.ts';
import type { HostedVideoFacts } from '../../contract/index.ts';
import { oneLine } from '../../platform/text/one-line.ts';
import type { Described } from './yt-dlp.ts';

/** Caption files that can be read, the best of them first. */
const READABLE = ['vtt', 'srt', 'ass', 'ssa', 'ttml', 'dfxp'];

/** What yt-dlp says, in the shape of what pages say. */
export function pageOf(video: Described): VideoPage {
  const day = /^(\d{4})(\d{2})(\d{2})$/.exec(video.upload_date ?? '');
  const captions = Object.entries(video.subtitles ?? {}).flatMap(([language, files]) => {
    const [readable] = READABLE.flatMap((wanted) => files.find(({ ext }) => ext === wanted) ?? []);
    return readable === undefined ? [] : [{ url: readable.url, language }];
  });
  return {
    title: oneLine(video.title),
    channel: oneLine(video.channel) ?? oneLine(video.uploader),
    publishedAt: day === null ? null : `${day[1]}-${day[2]}-${day[3]}T00:00:00.000Z`,
    durationSeconds: video.duration ?? null,
    thumbnailUrl: video.thumbnail ?? null,
    language: video.language ?? null,
    mediaUrls: [],
    captions,
    chapters: (video.chapters ?? []).map((chapter) => ({
      title: oneLine(chapter.title) ?? '',
      startSeconds: chapter.start_time,
      endSeconds: chapter.end_time ?? null,
    })),
  };
}

/** A video as the result shows it. */
export function factsOf(url: string, page: VideoPage, foundBy: HostedVideoFacts['foundBy']): HostedVideoFacts {
  const { title, channel, publishedAt, durationSeconds, thumbnailUrl } = page;
  return { url, title, channel, publishedAt, durationSeconds, thumbnailUrl, foundBy };
}
