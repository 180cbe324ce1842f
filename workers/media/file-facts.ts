/** What a media file states about itself: tags, chapters, subtitle tracks. */

import {
  AV_CODEC_ID_ASS,
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_SUBRIP,
  AV_CODEC_ID_TEXT,
  AV_CODEC_ID_WEBVTT,
  AV_NOPTS_VALUE,
  AVMEDIA_TYPE_SUBTITLE,
} from 'node-av/constants';
import { avGetCodecName, type Dictionary, type FormatContext, type Packet, type Stream } from 'node-av/lib';
import { byName } from '../../src-server/platform/records.ts';
import { detailsOf } from './libav-messages.ts';
import type { FileTags, MediaChapter, SubtitleCue, SubtitleTrack } from './tasks.ts';

/** ISO 639-2 codes for undetermined, multiple, non-linguistic and uncoded. */
const NO_LANGUAGE = new Set(['', 'und', 'mul', 'zxx', 'mis']);

const TAG_CHARS_MAX = 500;

/** One more than a result has. */
const CHAPTERS_MAX = 1001;

/** Enough for a day of speech. */
const CUES_MAX = 50_000;

const CUE_CHARS_MAX = 2000;

/** Language of a track as the file states it; null when it states none, or an undetermined one. */
export function trackLanguage(metadata: Dictionary | null): string | null {
  const language = metadata?.get('language') ?? '';
  return NO_LANGUAGE.has(language) ? null : language;
}

/** Tags of the container. Ogg keeps them in its audio track. */
export function tagsOf(context: FormatContext, audio: readonly Stream[]): FileTags {
  const all = new Map<string, string>();
  for (const metadata of [audio[0]?.metadata, context.metadata]) {
    for (const [key, value] of Object.entries(metadata?.getAll() ?? {})) all.set(key.toLowerCase(), value);
  }
  const firstMetadataValue = (...keys: string[]) => {
    for (const key of keys) {
      const value = cleanMetadataText(all.get(key) ?? '');
      if (value !== '') return value;
    }
    return null;
  };
  return {
    title: firstMetadataValue('title'),
    artist: firstMetadataValue('artist', 'author', 'album_artist', 'composer'),
    album: firstMetadataValue('album', 'show'),
    date: firstMetadataValue('date', 'year', 'creation_time', 'date_released'),
    description: firstMetadataValue('description', 'synopsis', 'comment'),
  };
}

function cleanMetadataText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, TAG_CHARS_MAX);
}

const CHAPTER = /^\s+Chapter #\d+:\d+: $/;

const TIME = /^(?:start|end) (-?[\d.]+)/;

const FIELD = /^\s+(\S+)\s*: $/;

/**
 * Chapters of any container. The binding gives no access to them, so they are read from the description of the file
 * that FFmpeg writes piece by piece: `Chapter #0:1: `, `start 4.000000, `, `end 8.000000`, …, `title : `, `Opening`.
 */
export async function readChapters(context: FormatContext): Promise<MediaChapter[]> {
  const chapters: MediaChapter[] = [];
  const pieces = await detailsOf(() => context.dumpFormat(0, 'file', false));
  const timeAt = (place: number) => {
    const seconds = Number(TIME.exec(pieces[place] ?? '')?.[1] ?? Number.NaN);
    return Number.isNaN(seconds) ? null : Math.max(0, roundCueSeconds(seconds));
  };
  for (const [place, piece] of pieces.entries()) {
    // Streams follow the chapters, and have titles too.
    if (piece.startsWith('  Stream #') || chapters.length >= CHAPTERS_MAX) break;
    const last = chapters.at(-1);
    if (CHAPTER.test(piece)) {
      chapters.push({ title: '', startSeconds: timeAt(place + 1) ?? 0, endSeconds: timeAt(place + 2) });
    } else if (last !== undefined && FIELD.exec(piece)?.[1] === 'title')
      last.title = cleanMetadataText(pieces[place + 1] ?? '');
  }
  return chapters;
}

/** What writers put there when they have no name for a track. */
const NO_TITLE = /^(?:(?:sound|video|core media|gpac|iso)[\w ]*(?:handler|media)[\w ]*|handler)$/i;

/** The name of a track, as recorders state it; null without one. */
export function trackTitle(metadata: Stream['metadata']): string | null {
  const title = cleanMetadataText(metadata?.get('title') ?? metadata?.get('handler_name') ?? '');
  return title === '' || NO_TITLE.test(title) ? null : title;
}

const READABLE = new Set<number>([
  AV_CODEC_ID_ASS,
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_SUBRIP,
  AV_CODEC_ID_TEXT,
  AV_CODEC_ID_WEBVTT,
]);

export function isSubtitle({ codecpar }: Stream): boolean {
  return codecpar.codecType === AVMEDIA_TYPE_SUBTITLE;
}

/** Subtitle tracks in the order of the file. Those that are pictures, as of discs, are not text. */
export function subtitleTracks(streams: readonly Stream[]): SubtitleTrack[] {
  return streams.filter(isSubtitle).map(({ codecpar, metadata }) => ({
    codec: avGetCodecName(codecpar.codecId) ?? 'none',
    language: trackLanguage(metadata),
    title: cleanMetadataText(metadata?.get('title') ?? '') || null,
    isText: READABLE.has(codecpar.codecId),
  }));
}

/** Collects the cues of one text track. */
export class CueReader {
  readonly cues: SubtitleCue[] = [];
  readonly #stream: Stream;
  readonly #startSeconds: number;
  /** Cues beyond the most that are kept. */
  leftOut = 0;

  constructor(stream: Stream, startSeconds: number) {
    this.#stream = stream;
    this.#startSeconds = startSeconds;
  }

  readCuePacket(packet: Packet): void {
    const text = subtitlePacketText(this.#stream.codecpar.codecId, packet.data);
    if (text === '' || packet.pts === AV_NOPTS_VALUE) return;
    if (this.cues.length >= CUES_MAX) {
      this.leftOut += 1;
      return;
    }
    const { num, den } = this.#stream.timeBase;
    const start = Math.max(0, (Number(packet.pts) * num) / den - this.#startSeconds);
    const end = start + Math.max(0, (Number(packet.duration) * num) / den);
    this.cues.push({ start: roundCueSeconds(start), end: roundCueSeconds(end), text });
  }
}

const MOV_LENGTH_BYTES = 2;

/** Fields before the text in a line of Advanced SubStation. */
const ASS_FIELDS = 8;

function subtitlePacketText(codec: number, data: Buffer | null): string {
  if (data === null) return '';
  const written =
    codec === AV_CODEC_ID_MOV_TEXT
      ? data.subarray(MOV_LENGTH_BYTES, MOV_LENGTH_BYTES + (data.length >= MOV_LENGTH_BYTES ? data.readUInt16BE(0) : 0))
      : data;
  const text = written.toString('utf8');
  return plainSubtitleText(codec === AV_CODEC_ID_ASS ? text.split(',').slice(ASS_FIELDS).join(',') : text);
}

const NAMED: Record<string, string> = byName({ amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' });

function plainSubtitleText(text: string): string {
  return text
    .replace(/\{\\[^}]*\}/g, '')
    .replace(/\\[Nnh]/g, ' ')
    .replace(/<\/?[a-z][^>]{0,200}>/gi, '')
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => NAMED[name] ?? '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, CUE_CHARS_MAX);
}

function roundCueSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
