import { z } from 'zod';
import { TranscriptResult } from './schema.ts';

export const HostedVideoFacts = z
  .object({
    url: z.string().nullable().describe('The address that was given; null for a file.'),
    title: z.string().nullable(),
    channel: z.string().nullable(),
    publishedAt: z.string().nullable().describe('ISO 8601.'),
    durationSeconds: z.number().min(0).nullable(),
    thumbnailUrl: z.string().nullable(),
    foundBy: z.enum(['page', 'yt-dlp', 'file']).describe('Its own page’s markup, or yt-dlp.'),
  })
  .meta({ id: 'HostedVideoFacts' });
export type HostedVideoFacts = z.infer<typeof HostedVideoFacts>;

export const VideoChapter = z
  .object({ title: z.string(), startSeconds: z.number().min(0), endSeconds: z.number().min(0).nullable() })
  .meta({ id: 'VideoChapter' });
export type VideoChapter = z.infer<typeof VideoChapter>;

export const HostedVideoResult = TranscriptResult.omit({ frames: true }).extend({
  video: HostedVideoFacts,
  chapters: z.array(VideoChapter).optional().describe('With captureChapters.'),
  source: z
    .enum(['captions', 'speech', 'captions-and-speech'])
    .describe('Where the words are from: official captions, speech recognition, or captions with their gaps filled.'),
});
