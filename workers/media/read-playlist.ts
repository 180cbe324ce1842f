/**
 * Reads a playlist of HLS or DASH into the list of its parts. Threats: playlists that name millions of parts, which the
 * heap and time limits of the thread end, and addresses of other schemes. The caller fetches every address through the
 * guarded client.
 */

import { Parser } from 'm3u8-parser';
import { parse } from 'mpd-parser';
import { SaxesParser } from 'saxes';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { decodeText } from '../../src-server/platform/text/decode-text.ts';
import { say } from '../../src-server/platform/text/say.ts';
import type { Playlist, ReadPlaylistInput, Rendition, StreamAddress, StreamRun, StreamSubtitles } from './tasks.ts';

/** Twelve hours in parts of a second. */
const PARTS_MAX = 43_200;

/** Parts of twenty renditions of that many are a million objects. */
const RENDITIONS_MAX = 20;

/** More periods than this, of a minute each in twelve hours, are an attack. */
const PERIODS_MAX = 720;

/** Runs become files of their own. In a playlist with more, those without initialisation segment stay together. */
const RUNS_MAX = 500;

/** Longer streams are refused later. */
const SECONDS_MAX = 864_000;

/** Playlists need ten. */
const DEPTH_MAX = 50;

/** Height in pixels at which text on slides is readable. */
const READABLE_HEIGHT = 720;

/** Errors: `corrupt_input`, `unsupported_media`. */
export function readPlaylist({ body, url, language, wantsPictures }: ReadPlaylistInput): Playlist {
  const text = decodeText(body, { declared: [] })
    .text.replace(/^\ufeff/, '')
    .trimStart();
  const isHls = text.startsWith('#EXTM3U');
  if (isHls ? /^#EXT-X-(?:SESSION-)?KEY:.*METHOD=(?!NONE|AES-128)/m.test(text) : /ContentProtection/.test(text)) {
    throw protectedStream();
  }
  if (isHls && !text.includes('#EXT-X-')) {
    throw new QuarryError('unsupported_media', say`The playlist is a list of files. Give the address of one of them.`);
  }
  if (!isHls) return DYNAMIC.test(text) ? { kind: 'live' } : readDash(text, url, { language, wantsPictures });
  const manifest = parseHls(text);
  const isMaster = (manifest.playlists ?? []).length > 0;
  if (!isMaster && !HLS_END.test(text)) return { kind: 'live' };
  if (!isMaster) return { ...renditionOf(manifest, url), pictures: null };
  const choice = chooseRenditions(manifest, { language, wantsPictures });
  if (choice === null) throw withoutSound();
  const { rendition, pictures } = choice;
  const address = rendition.uri === undefined ? null : playlistItemUrl(rendition.uri, url);
  if (address === null) throw notReadable();
  const picturesUrl = pictures?.uri === undefined ? null : playlistItemUrl(pictures.uri, url);
  return { kind: 'choice', url: address, picturesUrl, subtitles: subtitlesOf(manifest, url) };
}

function subtitlesOf({ mediaGroups }: Manifest, base: string): StreamSubtitles[] {
  const groups = Object.values(mediaGroups?.SUBTITLES ?? {}).flatMap((group) => Object.values(group));
  return groups.slice(0, RENDITIONS_MAX).flatMap(({ uri, language, default: isDefault = false, forced }) => {
    const url = uri === undefined || forced === true ? null : playlistItemUrl(uri, base);
    return url === null ? [] : [{ url, language: language ?? null, isDefault }];
  });
}

function withoutSound(): QuarryError {
  return new QuarryError('unsupported_media', say`The stream has no sound that could be read.`);
}

/** Without one of these, parts may still be added. */
const HLS_END = /^#EXT-X-(?:ENDLIST|PLAYLIST-TYPE:\s*VOD)/m;

const DYNAMIC = /<(?:[\w-]+:)?MPD\b[^>]*\btype\s*=\s*["']dynamic/;

function protectedStream(): QuarryError {
  const message = say`The stream is protected against copying and cannot be read. Send the video as a file.`;
  return new QuarryError('unsupported_media', message);
}

function notReadable(cause?: unknown): QuarryError {
  const message = say`The playlist of the stream could not be read: it is damaged. Give the address of an intact one.`;
  return new QuarryError('corrupt_input', message, { cause });
}

/** The form of both parsers: what HLS calls a playlist, DASH calls a representation. */
export interface Manifest extends ListedRendition {
  segments: Segment[];
  playlists?: ListedRendition[];
  mediaGroups?: {
    AUDIO?: Record<string, Record<string, AudioGroup>>;
    SUBTITLES?: Record<string, Record<string, SubtitleGroup>>;
  };
}

interface ListedRendition {
  uri?: string;
  resolvedUri?: string;
  attributes?: Attributes;
  segments?: Segment[];
  mediaSequence?: number;
  /** DASH: an index inside the one file of the representation. */
  sidx?: { resolvedUri?: string };
}

interface Attributes {
  BANDWIDTH?: number;
  CODECS?: string;
  RESOLUTION?: { width: number; height: number };
  AUDIO?: string;
}

interface AudioGroup {
  default?: boolean;
  language?: string;
  uri?: string;
  playlists?: ListedRendition[];
}

interface SubtitleGroup {
  default?: boolean;
  language?: string;
  /** Shown also to those who understand the speech. */
  forced?: boolean;
  uri?: string;
}

interface Segment {
  uri?: string;
  resolvedUri?: string;
  duration?: number;
  /** The clock restarts here. */
  discontinuity?: boolean;
  byterange?: Range;
  key?: { method: string; uri: string; iv?: Uint32Array };
  map?: Pick<Segment, 'uri' | 'resolvedUri' | 'byterange' | 'key'>;
}

interface Range {
  offset: number | bigint;
  length: number | bigint;
}

function parseHls(text: string): Manifest {
  const parser = new Parser();
  parser.push(text.endsWith('\n') ? text : `${text}\n`);
  parser.end();
  return parser.manifest;
}

/** Each period is read as a playlist of its own: its representations need not be those of the others. */
function readDash(text: string, url: string, wish: Wish): Playlist {
  const periods = periodsOf(text.replace(/\r\n?/g, '\n'));
  const read = periods.map(({ document, startSeconds, seconds }) => {
    const choice = chooseRenditions(parseDash(document, url), wish);
    const { rendition, pictures } = choice ?? {};
    return {
      period: { startSeconds, seconds },
      sound: rendition === undefined ? null : renditionOf(rendition, url),
      pictures: pictures === undefined ? null : renditionOf(pictures, url),
    };
  });
  const [first] = read;
  if (first === undefined || read.every(({ sound }) => sound === null)) throw withoutSound();
  if (read.length === 1 && first.sound !== null) return { ...first.sound, pictures: first.pictures };
  const sound = joinPeriods(read.map((one) => ({ ...one.period, rendition: one.sound })));
  const hasPictures = read.some(({ pictures }) => pictures !== null);
  const pictures = hasPictures ? joinPeriods(read.map((one) => ({ ...one.period, rendition: one.pictures }))) : null;
  return { ...sound, pictures };
}

interface ReadPeriod {
  startSeconds: number | null;
  seconds: number | null;
  rendition: Rendition | null;
}

function joinPeriods(periods: readonly ReadPeriod[]): Rendition {
  const runs: StreamRun[] = [];
  let at = 0;
  for (const { startSeconds, seconds, rendition } of periods) {
    const from = startSeconds ?? at;
    const own = runsIn(rendition, seconds ?? 0);
    runs.push(...own.map((run) => ({ ...run, startSeconds: from + run.startSeconds })));
    at = from + (seconds ?? own.reduce((sum, run) => sum + run.seconds, 0));
  }
  if (runs.length > RUNS_MAX || partsIn(runs) > PARTS_MAX) throw tooManyParts();
  return { kind: 'runs', runs };
}

function runsIn(rendition: Rendition | null, seconds: number): StreamRun[] {
  if (rendition?.kind === 'runs') return rendition.runs;
  const parts = rendition === null ? [] : [{ url: rendition.url, range: null, key: null, seconds }];
  return [{ head: null, parts, startSeconds: 0, seconds, clockRestarts: false }];
}

function partsIn(runs: readonly StreamRun[]): number {
  return runs.reduce((sum, { parts }) => sum + parts.length, 0);
}

interface Period {
  /** The playlist with this period alone. */
  document: string;
  /** Null where the playlist does not state it. */
  startSeconds: number | null;
  seconds: number | null;
}

/** Errors: `corrupt_input` for text that is not well formed, `source_too_large`. */
function periodsOf(text: string): Period[] {
  const { wholeSeconds, places } = placesOfPeriods(text);
  if (places.length < 2) return [{ document: text, startSeconds: null, seconds: null }];
  if (places.length > PERIODS_MAX) throw tooManyParts();
  const [head, tail] = [text.slice(0, places[0]?.from), text.slice(places.at(-1)?.to)];
  const starts: (number | null)[] = [];
  for (const [index, { start }] of places.entries()) {
    const [before, length] = [starts[index - 1] ?? null, places[index - 1]?.length ?? null];
    const following = before === null || length === null ? null : before + length;
    starts.push(start ?? (index === 0 ? 0 : following));
  }
  return places.map(({ from, to, length }, index) => {
    const startSeconds = starts[index] ?? null;
    const end = starts[index + 1] ?? (index === places.length - 1 ? wholeSeconds : null);
    const stated = startSeconds === null || end === null ? null : Math.max(0, end - startSeconds);
    const seconds = length ?? stated;
    const own = withLength(text.slice(from, to), ['start', 'duration'], seconds);
    const around = withLength(head, ['mediaPresentationDuration'], seconds);
    return { document: around + own + tail, startSeconds, seconds };
  });
}

/** States a length in the first tag with one of these attributes, or in the first tag. */
function withLength(xml: string, names: readonly string[], seconds: number | null): string {
  const [last = '', ...others] = names.toReversed();
  const tag = names.length > 1 ? /<[\w:.-]*Period\b[^>]*>/ : /<[\w:.-]*MPD\b[^>]*>/;
  return xml.replace(tag, (found) => {
    const without = names.reduce(
      (left, name) => left.replace(new RegExp(`\\s${name}\\s*=\\s*("[^"]*"|'[^']*')`), ''),
      found,
    );
    const stated = [
      ...others.map((name) => `${name}="PT0S"`),
      ...(seconds === null ? [] : [`${last}="PT${seconds}S"`]),
    ];
    return without.replace(/\s*(\/?)>$/, ` ${stated.join(' ')}$1>`);
  });
}

interface PeriodPlace {
  from: number;
  to: number;
  start: number | null;
  length: number | null;
}

/** Also counts the parts of all representations, and refuses text that is not well formed. */
function placesOfPeriods(text: string): { wholeSeconds: number | null; places: PeriodPlace[] } {
  const places: PeriodPlace[] = [];
  let wholeSeconds: number | null = null;
  try {
    checkXml(text, {
      open({ name, attributes }, depth, position) {
        const statedDurationSeconds = (name: string) =>
          attributes[name] === undefined ? null : isoDurationSeconds(attributes[name]);
        if (depth === 1) wholeSeconds = statedDurationSeconds('mediaPresentationDuration');
        if (depth !== 2 || localName(name) !== 'Period') return;
        const from = text.lastIndexOf('<', position - 1);
        places.push({
          from,
          to: position,
          start: statedDurationSeconds('start'),
          length: statedDurationSeconds('duration'),
        });
      },
      close(name, depth, position) {
        const last = places.at(-1);
        if (depth === 2 && localName(name) === 'Period' && last !== undefined) last.to = position;
      },
    });
  } catch (error) {
    throw error instanceof QuarryError ? error : notReadable(error);
  }
  return { wholeSeconds, places };
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function parseDash(text: string, manifestUri: string): Manifest {
  try {
    return parse(text, { manifestUri });
  } catch (error) {
    throw notReadable(error);
  }
}

interface XmlEvents {
  /** `depth` is 1 for the root, `position` the end of the tag. */
  open(tag: { name: string; attributes: Readonly<Record<string, string>> }, depth: number, position: number): void;
  close(name: string, depth: number, position: number): void;
}

/**
 * Throws on text that is not well formed: the parser of DASH would print its complaints, and parts of the text. It also
 * lists every part of every representation, so they are counted here first.
 */
function checkXml(text: string, events: XmlEvents): void {
  const parser = new SaxesParser();
  const count = new PartCount();
  let depth = 0;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > DEPTH_MAX) throw new Error('The elements are nested too deep.');
    const tag = { name, attributes: attributes as Record<string, string> };
    count.countManifestElement(tag.name, tag.attributes);
    events.open(tag, depth, parser.position);
  });
  parser.on('closetag', ({ name }) => {
    events.close(name, depth, parser.position);
    depth -= 1;
  });
  parser.write(text).close();
}

/** Counts the parts that a DASH playlist describes. Errors: `source_too_large`. */
class PartCount {
  #seconds = 0;
  #timescale = 1;
  #parts = 0;

  countManifestElement(name: string, attributes: Readonly<Record<string, string | undefined>>): void {
    if (name === 'MPD' || name === 'Period') {
      const lengths = [attributes.mediaPresentationDuration, attributes.duration, attributes.start].map(
        isoDurationSeconds,
      );
      this.#seconds = Math.max(this.#seconds, ...lengths);
      if (this.#seconds > SECONDS_MAX) throw tooManyParts();
    }
    if (name === 'SegmentTemplate' || name === 'SegmentList') {
      this.#timescale = Number(attributes.timescale ?? this.#timescale);
      if (attributes.duration !== undefined) this.#addPartCount(this.#fittingPartCount(attributes.duration));
    }
    if (name !== 'S') return;
    const repeats = Number(attributes.r ?? 0);
    // Less than 0: up to the end.
    this.#addPartCount(repeats < 0 ? this.#fittingPartCount(attributes.d) : repeats + 1);
  }

  #fittingPartCount(length: string | undefined): number {
    return (this.#seconds * this.#timescale) / Number(length);
  }

  #addPartCount(parts: number): void {
    this.#parts += parts;
    // Also true for what is no number.
    if (!(parts <= PARTS_MAX && this.#parts <= PARTS_MAX * RENDITIONS_MAX)) throw tooManyParts();
  }
}

const ISO_DURATION = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

const ISO_PARTS = [31_536_000, 2_592_000, 86_400, 3600, 60, 1];

function isoDurationSeconds(duration: string | undefined): number {
  const match = ISO_DURATION.exec(duration ?? 'P');
  return ISO_PARTS.reduce((sum, seconds, index) => sum + Number(match?.[index + 1] ?? 0) * seconds, 0);
}

function tooManyParts(): QuarryError {
  return new QuarryError(
    'source_too_large',
    say`The stream has more than ${PARTS_MAX} parts. Send the video as a file.`,
  );
}

type Wish = Pick<ReadPlaylistInput, 'language' | 'wantsPictures'>;

interface Choice {
  rendition: ListedRendition;
  /** Pictures that are wanted and kept apart from the sound. */
  pictures?: ListedRendition | undefined;
}

/**
 * Sound with pictures where they are wanted, else the best sound alone, with the pictures beside it, else the smallest
 * video with sound.
 */
function chooseRenditions(manifest: Manifest, { language, wantsPictures }: Wish): Choice | null {
  const alone = bestSound(manifest, language);
  const together = (manifest.playlists ?? []).filter((one) => hasSound(one, manifest));
  const renditionBandwidth = ({ attributes }: ListedRendition) => attributes?.BANDWIDTH ?? 0;
  const distanceToReadableHeight = ({ attributes }: ListedRendition) =>
    Math.abs((attributes?.RESOLUTION?.height ?? 0) - READABLE_HEIGHT);
  const bestPictures = (among: readonly ListedRendition[]) =>
    among
      .filter((one) => isVideo(one.attributes) && isAddressed(one))
      .toSorted(
        (a, b) =>
          distanceToReadableHeight(a) - distanceToReadableHeight(b) || renditionBandwidth(a) - renditionBandwidth(b),
      )[0];
  const withPictures = wantsPictures ? bestPictures(together) : undefined;
  if (withPictures !== undefined) return { rendition: withPictures };
  const rendition = alone ?? together.toSorted((a, b) => renditionBandwidth(a) - renditionBandwidth(b))[0];
  if (rendition === undefined) return null;
  return { rendition, pictures: wantsPictures ? bestPictures(manifest.playlists ?? []) : undefined };
}

function bestSound({ mediaGroups }: Manifest, language: string | null): ListedRendition | undefined {
  const groups = Object.values(mediaGroups?.AUDIO ?? {}).flatMap((group) => Object.values(group));
  const alone = groups.filter(({ uri, playlists }) => (uri ?? '') !== '' || (playlists ?? []).length > 0);
  const primaryLanguageTag = (tag: string | undefined) => tag?.toLowerCase().split('-')[0] ?? '';
  const spoken = alone.find(
    (group) => language !== null && primaryLanguageTag(group.language) === primaryLanguageTag(language),
  );
  const group = spoken ?? alone.find((one) => one.default === true) ?? alone[0];
  if (group === undefined) return undefined;
  const playlists = (group.playlists ?? []).toSorted(
    (a, b) => (b.attributes?.BANDWIDTH ?? 0) - (a.attributes?.BANDWIDTH ?? 0),
  );
  return playlists[0] ?? (group.uri === undefined ? undefined : { uri: group.uri });
}

const SOUND_CODEC = /\b(?:mp4a|ac-3|ec-3|opus|vorbis|flac|mp3|alac)/i;

function isAddressed({ uri, segments, sidx }: ListedRendition): boolean {
  return uri !== undefined || segments !== undefined || sidx !== undefined;
}

/** A variant without stated codecs has its sound inside. One that names a group with addresses has it there. */
function hasSound(rendition: ListedRendition, { mediaGroups }: Manifest): boolean {
  const { attributes } = rendition;
  if (!isAddressed(rendition)) return false;
  const group = attributes?.AUDIO === undefined ? undefined : mediaGroups?.AUDIO?.[attributes.AUDIO];
  const isApart = Object.values(group ?? {}).some((one) => (one.uri ?? '') !== '' || (one.playlists ?? []).length > 0);
  return !isApart && (attributes?.CODECS === undefined || SOUND_CODEC.test(attributes.CODECS));
}

function isVideo(attributes: Attributes | undefined): boolean {
  return attributes?.RESOLUTION !== undefined || /\b(?:avc|hvc|hev|vp0?[89]|av01)/i.test(attributes?.CODECS ?? '');
}

/** Errors: `source_too_large`, `source_forbidden`, `corrupt_input`. */
function renditionOf(rendition: ListedRendition, base: string): Rendition {
  const { segments = [], sidx, mediaSequence = 0 } = rendition;
  const whole = sidx?.resolvedUri ?? (segments.length === 0 ? rendition.resolvedUri : undefined);
  if (segments.length === 0) {
    const url = whole === undefined || whole === base ? null : playlistItemUrl(whole, base);
    if (url === null) throw notReadable();
    return { kind: 'file', url };
  }
  if (segments.length > PARTS_MAX) throw tooManyParts();
  const runs = streamRuns(segments, mediaSequence, base, true);
  const kept = runs.length > RUNS_MAX ? streamRuns(segments, mediaSequence, base, false) : runs;
  if (kept.length > RUNS_MAX) throw tooManyParts();
  return { kind: 'runs', runs: kept };
}

/** @param isSplit also parts without an initialisation segment begin a run where the clock restarts */
function streamRuns(segments: readonly Segment[], firstNumber: number, base: string, isSplit: boolean): StreamRun[] {
  const runs: StreamRun[] = [];
  let keyBefore: string | null = null;
  let at = 0;
  for (const [index, segment] of segments.entries()) {
    const { map } = segment;
    const head = map === undefined ? null : segmentPlace(map, firstNumber + index, base);
    // Without the key: each part may state its own.
    const key = head === null ? '' : JSON.stringify([head.url, head.range]);
    const restarts = segment.discontinuity === true && index > 0;
    let run = runs.at(-1);
    if (run === undefined || key !== keyBefore || (restarts && (isSplit || key !== ''))) {
      run = { head, parts: [], startSeconds: at, seconds: 0, clockRestarts: false };
      runs.push(run);
    } else if (restarts) run.clockRestarts = true;
    const stated = Number(segment.duration ?? 0);
    const seconds = Number.isFinite(stated) ? Math.max(0, stated) : 0;
    run.parts.push({ ...segmentPlace(segment, firstNumber + index, base), seconds });
    run.seconds += seconds;
    at += seconds;
    keyBefore = key;
  }
  return runs;
}

function segmentPlace(
  segment: Pick<Segment, 'uri' | 'resolvedUri' | 'byterange' | 'key'>,
  number: number,
  base: string,
): StreamAddress {
  const { key, byterange } = segment;
  const range = byterange === undefined ? null : { start: Number(byterange.offset), length: Number(byterange.length) };
  const isSound =
    range === null ||
    (Number.isSafeInteger(range.start) && Number.isSafeInteger(range.length) && range.start >= 0 && range.length > 0);
  if (!isSound) throw notReadable();
  return {
    url: webAddress(segment.resolvedUri ?? segment.uri, base),
    range: range === null ? null : { start: range.start, end: range.start + range.length },
    key: key === undefined ? null : { url: webAddress(key.uri, base), iv: ivOf(key.iv, number) },
  };
}

/** Errors: `source_forbidden` for addresses of files and other schemes. */
function webAddress(uri: string | undefined, base: string): string {
  const url = playlistItemUrl(uri ?? '', base);
  if (url !== null) return url;
  const message = say`The stream names files instead of web addresses as its pieces; they are not read.`;
  throw new QuarryError('source_forbidden', message);
}

function playlistItemUrl(uri: string, base: string): string | null {
  const url = URL.parse(uri, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** The initialisation vector in hexadecimal digits. Without one it is the number of the part. */
function ivOf(iv: Uint32Array | undefined, number: number): string {
  const words = iv === undefined ? [0, 0, Math.floor(number / 2 ** 32), number % 2 ** 32] : [...iv];
  return words.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
