/** What can be chosen on the pages of Make, and the request that follows from it. */
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { MakeKind } from '../../pages.ts';
import { make } from './texts.ts';

const TEMPI = { slow: 70, middle: 100, fast: 130 } as const;

/** Upper bounds in tokens of the model. */
const SIZES = { short: 250, middle: 800, long: 3000 } as const;

const FREEDOMS = { exact: 0.2, middle: 0.7, free: 1 } as const;

export interface MakeSettings {
  language: string | null;
  voice: string | null;
  speed: number;
  background: string;
  subtitles: boolean;
  chapters: boolean;
  place: keyof typeof make.places | null;
  seconds: number;
  tempo: keyof typeof make.tempos;
  loop: boolean;
  parts: boolean;
  /** Another number is another piece of the same description. */
  piece: number;
  model: string | null;
  size: keyof typeof SIZES;
  freedom: keyof typeof FREEDOMS;
}

export const USUAL: MakeSettings = {
  language: null,
  voice: null,
  speed: 1,
  background: '',
  subtitles: false,
  chapters: false,
  place: null,
  seconds: 60,
  tempo: 'auto',
  loop: false,
  parts: false,
  piece: 0,
  model: null,
  size: 'middle',
  freedom: 'middle',
};

type PresetName = keyof typeof make.presets;

/** The presets of each page, with what differs from the usual settings. */
export const PRESETS: Record<MakeKind, readonly [PresetName, Partial<MakeSettings>][]> = {
  speak: [
    ['natural', {}],
    ['guide', { speed: 0.9 }],
    ['book', { chapters: true, place: 'podcast' }],
    ['announcement', { speed: 0.8, place: 'broadcast' }],
  ],
  compose: [
    ['song', {}],
    ['bed', { seconds: 180, tempo: 'slow' }],
    ['loop', { loop: true }],
  ],
  write: [
    ['short', { size: 'short' }],
    ['long', { size: 'long' }],
    ['exact', { freedom: 'exact' }],
    ['free', { freedom: 'free' }],
  ],
};

/** The settings that a page shows. */
const SHOWN: Record<MakeKind, readonly (keyof MakeSettings)[]> = {
  speak: ['language', 'voice', 'speed', 'background', 'subtitles', 'chapters', 'place'],
  compose: ['seconds', 'tempo', 'loop', 'parts', 'place', 'piece'],
  write: ['model', 'size', 'freedom'],
};

/** Of the settings, those of a page that differ from the usual ones. */
export function changesOf(kind: MakeKind, settings: MakeSettings): Partial<MakeSettings> {
  const changed = SHOWN[kind].filter((name) => settings[name] !== USUAL[name]);
  return Object.fromEntries(changed.map((name) => [name, settings[name]]));
}

/** The request for a text with these settings. */
export function makeRequest(kind: MakeKind, prompt: string, settings: MakeSettings): Record<string, unknown> {
  const { place, language, voice, speed, background, subtitles, chapters } = settings;
  if (kind === 'write') {
    const { model, size, freedom } = settings;
    return omitUndefined({
      prompt,
      model: model ?? undefined,
      maxTokens: SIZES[size],
      temperature: FREEDOMS[freedom],
    });
  }
  const loudness = place ?? undefined;
  if (kind === 'compose') {
    const { seconds, tempo, loop, parts, piece } = settings;
    return omitUndefined({
      prompt,
      durationSeconds: seconds,
      tempo: tempo === 'auto' ? undefined : TEMPI[tempo],
      seamless: loop || undefined,
      stems: parts || undefined,
      seed: piece === 0 ? undefined : piece,
      loudness,
    });
  }
  const beneath = background.trim();
  return omitUndefined({
    prompt,
    language: language ?? undefined,
    voice: voice ?? undefined,
    speed: speed === 1 ? undefined : speed,
    background: beneath === '' ? undefined : beneath,
    includeCaptions: subtitles || undefined,
    formats: chapters ? ['m4b'] : undefined,
    loudness,
  });
}

function nearest<Name extends string>(table: Readonly<Record<Name, number>>, value: unknown, usual: Name): Name {
  if (typeof value !== 'number') return usual;
  const names = Object.keys(table) as Name[];
  return names.reduce((best, name) => (Math.abs(table[name] - value) < Math.abs(table[best] - value) ? name : best));
}

function isPlace(value: unknown): value is keyof typeof make.places {
  return typeof value === 'string' && Object.hasOwn(make.places, value);
}

/** The settings of an earlier request. What the page does not show is left out. */
export function settingsOfRequest(request: Readonly<Record<string, unknown>>): MakeSettings {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const count = (value: unknown, usual: number) => (typeof value === 'number' ? value : usual);
  const { loudness, formats, tempo } = request;
  return {
    language: text(request.language),
    voice: text(request.voice),
    speed: count(request.speed, USUAL.speed),
    background: text(request.background) ?? '',
    subtitles: request.includeCaptions === true,
    chapters: Array.isArray(formats) && formats.includes('m4b'),
    place: isPlace(loudness) ? loudness : null,
    seconds: count(request.durationSeconds, USUAL.seconds),
    tempo: tempo === undefined ? 'auto' : nearest(TEMPI, tempo, 'middle'),
    loop: request.seamless === true,
    parts: request.stems === true,
    piece: count(request.seed, USUAL.piece),
    model: text(request.model),
    size: nearest(SIZES, request.maxTokens, 'middle'),
    freedom: nearest(FREEDOMS, request.temperature, 'middle'),
  };
}
