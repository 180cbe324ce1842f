/** Parts of a result, read by field. The view depends on the fields, not on the operation. */

import { kindOfName } from '../../../src-server/platform/files/kinds.ts';
import { adminPath } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Chunk, Job } from '../../api/generated/public.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { compareTexts } from '../../components/format.ts';

export type Fields = Record<string, unknown>;

/** What each view of a result gets. */
export interface ResultProps {
  job: Job;
  record: JobRecord | undefined;
  /** The chunk to scroll to. */
  chunkId: string | undefined;
}

/** A part of a recording with a name: a chapter, or a section of music. */
export interface Part {
  title: string;
  startSeconds: number;
  endSeconds: number;
  /** A text model made it. */
  byModel?: boolean;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectFields(value: unknown): Fields | null {
  return isFields(value) ? value : null;
}

/** The fields of a job's result; none where it has no result. */
export function resultOf({ result }: { result?: unknown }): Fields {
  return objectFields(result) ?? {};
}

export function recordList(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((one) => objectFields(one) !== null) : [];
}

export function resultChunks(result: Fields): Chunk[] {
  return recordList(result.chunks).filter(({ text }) => typeof text === 'string') as unknown as Chunk[];
}

export interface Line {
  startSeconds: number;
  endSeconds: number;
  text: string;
  /** Words with times, and how sure the engine is of each, from 0 to 1, where it says so. */
  words: readonly { start: number; end: number; text: string; confidence?: number }[];
  /** Null where the speakers are unknown. */
  speaker: string | null;
  /** Whether the text has an approved correction. */
  corrected: boolean;
  /** Whether the text may be wrong. */
  doubtful: boolean;
}

/** Timed lines: segments if present, else chunks with a time. */
export function timedResultLines(result: Fields, chunks: readonly Chunk[]): Line[] {
  const segments = recordList(result.segments);
  const source = segments.length > 0 ? segments : recordList(result.chunks);
  const doubted = new Set(recordList(result.doubts).map((doubt) => numberOrNull(doubt.startSeconds)));
  const lines = source.flatMap((one) => {
    const startSeconds = numberOrNull(one.startSeconds ?? one.start);
    if (startSeconds === null || typeof one.text !== 'string') return [];
    const endSeconds = numberOrNull(one.endSeconds ?? one.end) ?? startSeconds;
    const words = recordList(one.words) as unknown as Line['words'];
    const speaker = typeof one.speaker === 'string' ? one.speaker : null;
    const corrected = one.originalText !== undefined;
    const doubtful = doubted.has(startSeconds);
    return [{ startSeconds, endSeconds, text: one.text, words, speaker, corrected, doubtful }];
  });
  const corrected = chunks.filter(({ originalText }) => originalText !== undefined);
  return segments.length === 0 || corrected.length === 0 ? lines : lines.map((line) => withMark(line, corrected));
}

/** A speaker of a recording, and how long. */
export interface SpeakerFacts {
  name: string;
  seconds: number;
  /** The remembered voice that this one is like. */
  voice: { name: string; similarity: number; recognised: boolean } | null;
}

export function resultSpeakers(result: Fields): SpeakerFacts[] {
  return recordList(result.speakers).flatMap(({ name, seconds, voice }) =>
    typeof name === 'string'
      ? [{ name, seconds: numberOrNull(seconds) ?? 0, voice: voiceOf(objectFields(voice)) }]
      : [],
  );
}

function voiceOf(voice: Fields | null): SpeakerFacts['voice'] {
  const { name, similarity, recognised } = voice ?? {};
  if (typeof name !== 'string') return null;
  return { name, similarity: numberOrNull(similarity) ?? 0, recognised: recognised === true };
}

/** A line per line of a talk, with the name of the speaker where that changes. */
export function spokenText(lines: readonly Line[]): string {
  return lines
    .map(({ text, speaker }, row) => {
      return speaker === null || speaker === lines[row - 1]?.speaker ? text : `${speaker}: ${text}`;
    })
    .join('\n');
}

/** Marks a line that says what no chunk said before its correction. */
function withMark(line: Line, corrected: readonly Chunk[]): Line {
  const own = corrected.filter(
    ({ startSeconds = 0, endSeconds = 0 }) =>
      line.startSeconds >= startSeconds - 0.001 && line.startSeconds < Math.max(endSeconds, startSeconds + 0.001),
  );
  const isNew =
    own.length > 0 &&
    own.every(({ originalText = '' }) => !stripWhitespace(originalText).includes(stripWhitespace(line.text)));
  return isNew ? { ...line, corrected: true } : line;
}

function stripWhitespace(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Chapters of the page, else those of the file, with those that a text model made. */
export function resultChapters(result: Fields): Part[] {
  const stated = chapterParts(recordList(result.chapters ?? objectFields(result.file)?.chapters));
  const made = chapterParts(recordList(objectFields(result.digest)?.chapters)).map((part) => ({
    ...part,
    byModel: true,
  }));
  return [...stated, ...made].sort((one, other) => one.startSeconds - other.startSeconds);
}

/** A chapter without an end lasts until the next one. */
function chapterParts(chapters: readonly Fields[]): Part[] {
  return chapters.map(({ title, startSeconds, endSeconds }, index) => {
    const start = numberOrNull(startSeconds) ?? 0;
    const end = numberOrNull(endSeconds) ?? numberOrNull(chapters[index + 1]?.startSeconds) ?? start;
    return { title: String(title ?? ''), startSeconds: start, endSeconds: end };
  });
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Peaks between 0 and 1, from any field that holds them. */
export function peaksOf(result: Fields): number[] {
  const places = [
    result.waveform,
    objectFields(result.waveform)?.peaks,
    objectFields(result.analysis)?.peaks,
    result.peaks,
  ];
  const peaks = (places.find(Array.isArray) ?? []).map((peak) =>
    Math.abs(Array.isArray(peak) ? Number(peak[1]) : Number(peak)),
  );
  const loudest = Math.max(...peaks, Number.EPSILON);
  return peaks.map((peak) => peak / loudest);
}

export interface NamedFile {
  name: string;
  url: string;
}

/** All files in the result, at any depth. Only URLs of this origin count. */
export function resultFiles(job: Job, record: JobRecord | undefined): NamedFile[] {
  const found = new Map<string, NamedFile>();
  const marker = `/jobs/${job.jobId}/files/`;
  const visitResultValue = (value: unknown): void => {
    if (typeof value === 'string' && value.includes(marker)) {
      const at = value.indexOf(marker) + marker.length;
      const name = decodeURIComponent(value.slice(at));
      const base = new URL(job.statusUrl).pathname;
      found.set(name, { name, url: withAccessTicket(`${base}/files/${value.slice(at)}`, record) });
    } else if (Array.isArray(value)) value.forEach(visitResultValue);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visitResultValue);
  };
  visitResultValue(job.result);
  return [...found.values()].sort((one, other) => compareTexts(one.name, other.name));
}

/** The URL of a job's file with its access ticket. */
export function withAccessTicket(url: string, record: JobRecord | undefined): string {
  if (record?.fileTicket === undefined) return url;
  return `${url}${url.includes('?') ? '&' : '?'}ticket=${record.fileTicket}`;
}

/** A recording to play. */
export interface Media {
  url: string;
  video: boolean;
  /** Where the server computes the peaks; null if the result has them. */
  peaksUrl: string | null;
}

/** The generated recording of a result. Compressed audio first, because it starts sooner. */
export function mediaOf(files: readonly NamedFile[]): Media | null {
  const video = files.find(({ name }) => kindOfName(name) === 'video');
  if (video) return { url: video.url, video: true, peaksUrl: null };
  const whole = files.filter(({ name }) => kindOfName(name) === 'audio' && !/preview/i.test(name));
  const sound = whole.find(({ name }) => name.endsWith('.mp3')) ?? whole[0];
  return sound ? { url: sound.url, video: false, peaksUrl: null } : null;
}

/** The uploaded recording; null for other sources. */
export function sourceMediaOf(
  environment: EnvironmentName,
  record: JobRecord | undefined,
  hasPicture: boolean,
): Media | null {
  const { jobId, source } = record ?? {};
  if (!source || (source.kind !== 'audio' && source.kind !== 'video')) return null;
  const jobMediaPath = (part: string) => adminPath(environment, `/jobs/${jobId}/${part}`);
  return {
    url: withAccessTicket(jobMediaPath('source'), record),
    video: source.kind === 'video' && hasPicture,
    peaksUrl: jobMediaPath('peaks'),
  };
}

/** A video frame with the text in it. */
export interface Frame {
  seconds: number;
  text: string;
  /** In percent. */
  confidence: number | null;
  imageUrl: string;
}

export function resultFrames(result: Fields, files: readonly NamedFile[]): Frame[] {
  return recordList(result.frames).flatMap((frame) => {
    const seconds = numberOrNull(frame.seconds);
    const file = files.find(({ name }) => name === objectFields(frame.image)?.name);
    if (seconds === null || file === undefined) return [];
    const text = typeof frame.text === 'string' ? frame.text : '';
    return [{ seconds, text, confidence: numberOrNull(frame.confidence), imageUrl: file.url }];
  });
}

/** Sections of generated music, each until the next one. */
export function musicSections(result: Fields): Part[] {
  const length = numberOrNull(result.durationSeconds) ?? 0;
  const sections = recordList(objectFields(result.music)?.sections);
  return sections.map(({ name, startSeconds }, index) => {
    const start = numberOrNull(startSeconds) ?? 0;
    return {
      title: String(name),
      startSeconds: start,
      endSeconds: numberOrNull(sections[index + 1]?.startSeconds) ?? length,
    };
  });
}
