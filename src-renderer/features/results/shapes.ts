/** Parts of a result, read by field. The view depends on the fields, not on the operation. */

import { adminPath } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Chunk, Job } from '../../api/generated/public.ts';
import type { EnvironmentName } from '../../api/names.ts';

export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((one) => fieldsOf(one) !== null) : [];
}

export function chunksOf(result: Fields): Chunk[] {
  return listOf(result.chunks).filter(({ text }) => typeof text === 'string') as unknown as Chunk[];
}

export interface Line {
  startSeconds: number;
  endSeconds: number;
  text: string;
}

/** Timed lines: segments if present, else chunks with a time. */
export function linesOf(result: Fields): Line[] {
  const segments = listOf(result.segments);
  const source = segments.length > 0 ? segments : listOf(result.chunks);
  return source.flatMap((one) => {
    const startSeconds = numberOf(one.startSeconds ?? one.start);
    if (startSeconds === null || typeof one.text !== 'string') return [];
    return [{ startSeconds, endSeconds: numberOf(one.endSeconds ?? one.end) ?? startSeconds, text: one.text }];
  });
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Peaks between 0 and 1, from any field that holds them. */
export function peaksOf(result: Fields): number[] {
  const places = [result.waveform, fieldsOf(result.waveform)?.peaks, fieldsOf(result.analysis)?.peaks, result.peaks];
  const found = places.find((place) => Array.isArray(place)) as unknown[] | undefined;
  const peaks = (found ?? []).map((peak) => Math.abs(Array.isArray(peak) ? Number(peak[1]) : Number(peak)));
  const loudest = Math.max(...peaks, Number.EPSILON);
  return peaks.map((peak) => peak / loudest);
}

export interface NamedFile {
  name: string;
  url: string;
}

/** All files in the result, at any depth. Only URLs of this origin count. */
export function filesOf(job: Job, record: JobRecord | undefined): NamedFile[] {
  const found = new Map<string, NamedFile>();
  const marker = `/jobs/${job.jobId}/files/`;
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && value.includes(marker)) {
      const at = value.indexOf(marker) + marker.length;
      const name = decodeURIComponent(value.slice(at));
      const base = new URL(job.statusUrl).pathname;
      found.set(name, { name, url: ticketed(`${base}/files/${value.slice(at)}`, record) });
    } else if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(job.result);
  return [...found.values()].sort((one, other) => one.name.localeCompare(other.name));
}

/** The URL of a job's file with its access ticket. */
export function ticketed(url: string, record: JobRecord | undefined): string {
  if (record?.fileTicket === undefined) return url;
  return `${url}${url.includes('?') ? '&' : '?'}ticket=${record.fileTicket}`;
}

const SOUND = /\.(wav|mp3|m4a|ogg|opus|flac|aac)$/i;

const MOVING = /\.(mp4|webm|mov|mkv)$/i;

/** A recording to play. */
export interface Media {
  url: string;
  video: boolean;
  /** Where the server computes the peaks; null if the result has them. */
  peaksUrl: string | null;
}

/** The generated recording of a result. Compressed audio first, because it starts sooner. */
export function mediaOf(files: readonly NamedFile[]): Media | null {
  const video = files.find(({ name }) => MOVING.test(name));
  if (video) return { url: video.url, video: true, peaksUrl: null };
  const whole = files.filter(({ name }) => SOUND.test(name) && !/preview/i.test(name));
  const sound = whole.find(({ name }) => name.endsWith('.mp3')) ?? whole[0];
  return sound ? { url: sound.url, video: false, peaksUrl: null } : null;
}

/** The uploaded recording; null for other sources. */
export function sourceMediaOf(environment: EnvironmentName, record: JobRecord | undefined): Media | null {
  const { jobId, source } = record ?? {};
  if (!source || (source.kind !== 'audio' && source.kind !== 'video')) return null;
  const at = (part: string) => adminPath(environment, `/jobs/${jobId}/${part}`);
  return { url: ticketed(at('source'), record), video: source.kind === 'video', peaksUrl: at('peaks') };
}

/** A video frame with the text in it. */
export interface Frame {
  seconds: number;
  text: string;
  /** In percent. */
  confidence: number | null;
  imageUrl: string;
}

export function framesOf(result: Fields, files: readonly NamedFile[]): Frame[] {
  return listOf(result.frames).flatMap((frame) => {
    const seconds = numberOf(frame.seconds);
    const file = files.find(({ name }) => name === fieldsOf(frame.image)?.name);
    if (seconds === null || file === undefined) return [];
    const text = typeof frame.text === 'string' ? frame.text : '';
    return [{ seconds, text, confidence: numberOf(frame.confidence), imageUrl: file.url }];
  });
}
