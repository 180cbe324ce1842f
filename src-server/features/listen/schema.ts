import { z } from 'zod';
import { ERROR_CODES } from '../../platform/error-codes.ts';
import { VoiceSlug } from '../audio/schema.ts';

const Timestamp = z.iso.datetime({ precision: 3 });

/** Pace of the voice. */
const SPEED_MIN = 0.5;

const SPEED_MAX = 2;

export const ReadingRequest = z
  .strictObject({
    voice: VoiceSlug.optional().describe('A voice of GET /voices; by default one for the language of the item.'),
    speed: z.number().min(SPEED_MIN).max(SPEED_MAX).default(1).describe('Factor of the pace of the voice.'),
  })
  .meta({ id: 'ReadingRequest' });

export const ReadingPosition = z
  .strictObject({ seconds: z.number().min(0).describe('The second that is heard.') })
  .meta({ id: 'ReadingPosition' });

const Part = z.object({
  number: z.int().min(0).describe('Its place, from 0.'),
  chapter: z.int().min(0).describe('Index of its chapter.'),
  startSeconds: z.number().min(0).nullable().describe('Null until all before it are spoken.'),
  seconds: z.number().min(0).nullable().describe('Null until it is spoken.'),
});

const FILES = ['mp3', 'm4b', 'vtt', 'txt'] as const;

export const BookFile = z.enum(FILES);

export type BookFile = z.infer<typeof BookFile>;

/** An item that is read aloud. */
export const Reading = z
  .object({
    itemId: z.string(),
    jobId: z.string().describe('The version that is read.'),
    state: z.enum(['reading', 'ready', 'failed']).describe('`ready`: the files of the whole are there.'),
    error: z.object({ code: z.enum(ERROR_CODES), message: z.string() }).nullable(),
    voice: z.object({ slug: z.string(), name: z.string() }),
    speed: z.number(),
    chapters: z.array(z.object({ title: z.string(), startSeconds: z.number().nullable() })),
    parts: z.array(Part).describe('Each is an .mp3 of its own; parts that are asked for are spoken first.'),
    spokenParts: z.int().min(0),
    seconds: z.number().min(0).nullable().describe('Length of the whole; null until all is spoken.'),
    position: z.number().min(0).describe('The second where the owner stopped.'),
    leftUnread: z
      .object({
        code: z.int().min(0),
        tables: z.int().min(0),
        footnotes: z.int().min(0),
        pictures: z.int().min(0),
        formulas: z.int().min(0),
      })
      .describe('What is named in a sentence instead of being read; footnotes are left out.'),
    unspoken: z.int().min(0).describe('Words and sentences so far for which the voice has no sounds.'),
    files: z
      .array(z.object({ form: BookFile, sizeBytes: z.int().min(0) }))
      .describe('Of the whole: sound with marks of its chapters, captions, and the text. Empty until it is ready.'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Reading' });

export type Reading = z.infer<typeof Reading>;

export const SpokenPart = z
  .object({
    number: z.int().min(0),
    seconds: z.number().min(0),
    cues: z.array(z.object({ start: z.number().min(0), end: z.number().min(0), text: z.string() })),
  })
  .meta({ id: 'SpokenPart' });

export type SpokenPart = z.infer<typeof SpokenPart>;

const FEED_NAME_CHARS = 80;

export const FeedRequest = z
  .strictObject({ name: z.string().trim().min(1).max(FEED_NAME_CHARS).describe('Such as the name of the phone.') })
  .meta({ id: 'ListenFeedRequest' });

/** An address that a podcast app subscribes to. */
export const ListenFeed = z
  .object({
    feedId: z.string(),
    name: z.string(),
    urls: z.array(z.string()).describe('Anyone who has one can listen: at this computer, and in its network.'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ListenFeed' });

export type ListenFeed = z.infer<typeof ListenFeed>;
