/** Values out of foreign markup, made safe to be shown: bounded, of one line, and addresses absolute. */
import type { VideoPage } from './tasks.ts';

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
  };
}

/** Null for everything but http and https. */
export function urlOf(value: unknown, base: string): string | null {
  if (typeof value !== 'string') return null;
  const url = URL.parse(value.trim(), base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

export function dateOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Seconds as a number, `1:02:03` or ISO 8601 (`PT1H2M3S`). */
export function durationOf(value: unknown): number | null {
  if (typeof value === 'number') return within(value);
  if (typeof value !== 'string') return null;
  const iso = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(value.trim());
  if (iso !== null && value.trim().length > 1) {
    const [days, hours, minutes, seconds] = iso.slice(1).map((part) => Number(part ?? 0));
    return within((days ?? 0) * 86_400 + (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0));
  }
  if (!/^\d+(:\d{1,2}){0,2}(\.\d+)?$/.test(value.trim())) return null;
  return within(
    value
      .trim()
      .split(':')
      .reduce((sum, part) => sum * 60 + Number(part), 0),
  );
}

function within(seconds: number): number | null {
  return Number.isFinite(seconds) && seconds >= 0 && seconds <= DURATION_SECONDS_MAX ? seconds : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
