/** How sources are read, by the effect of each choice, and the options of the request that follow from it. */
import { recordOf } from '../../../src-server/platform/records.ts';
import { readSavedChoice, saveChoice } from '../../components/saved-choices.ts';
import { operationOf, workOfOperation } from '../../components/work.ts';

/** Kinds of sources that have choices of their own. */
export type SourceKind = 'talk' | 'hosted' | 'document' | 'site';

export interface Reading {
  language: string | null;
  /** The model that listens; null: the one that fits this computer. */
  listener: string | null;
  speakers: boolean;
  /** One person on each channel. Without it recordings are read so where that is plain. */
  channels: boolean;
  slides: boolean;
  english: boolean;
  captions: boolean;
  names: string[];
  subtitles: 'standard' | 'youtube' | 'netflix' | 'netflix-children';
  comments: boolean;
  reach: 'page' | 'links' | 'site';
  scripts: boolean;
  documents: boolean;
}

const DEPTHS = { page: 0, links: 1, site: 3 } as const;

/** Slides are shown for longer; from ten seconds on, key frames suffice. */
const SLIDE_SECONDS = 10;

/** @param findsSpeakers whether a model that tells speakers apart is there */
export function usualReading(findsSpeakers: boolean): Reading {
  return {
    language: null,
    listener: null,
    speakers: findsSpeakers,
    channels: false,
    slides: true,
    english: false,
    captions: true,
    names: [],
    subtitles: 'standard',
    comments: false,
    reach: 'links',
    scripts: false,
    documents: false,
  };
}

export function sourceKindOf(operationId: string): SourceKind {
  const { takes, group } = workOfOperation(operationId);
  if (takes === 'site') return 'site';
  if (takes === 'page') return 'hosted';
  return group === 'transcribe' ? 'talk' : 'document';
}

const savedAs = (kind: SourceKind) => `reading.${kind}`;

/** How sources of a kind are read without asking. */
export function savedReading(kind: SourceKind, findsSpeakers: boolean): Reading {
  return { ...usualReading(findsSpeakers), ...readSavedChoice<Partial<Reading>>(savedAs(kind)) };
}

/** Names belong to one recording, so they are not kept. */
export function saveReading(kind: SourceKind, { names: _, ...reading }: Reading): void {
  saveChoice(savedAs(kind), reading);
}

interface Told {
  operationId: string;
  /** Whether a recording has no picture. */
  isSound: boolean;
}

/** How an earlier request read its source. */
export interface EarlierReading {
  operationId: string;
  /** Its choices, as far as people see them. */
  reading: Reading;
  /** Options that no choice stands for. They are sent again. */
  kept: Readonly<Record<string, unknown>>;
}

/** The options of the request: for sites its fields, for all others the field `options`. Null for none. */
export function readingOptions({ operationId, isSound }: Told, reading: Reading): Record<string, unknown> | null {
  const kind = sourceKindOf(operationId);
  const { reach, scripts, documents, comments, language } = reading;
  if (kind === 'site') return withoutNo({ depth: DEPTHS[reach], render: scripts && 'auto', documents });
  if (kind === 'document') {
    const options = withoutNo({ language: language ?? false, includeComments: comments });
    return Object.keys(options).length === 0 ? null : options;
  }
  const { listener, names, english, subtitles, speakers, channels, slides, captions } = reading;
  const heard = withoutNo({
    transcriptionModel: listener ?? false,
    vocabulary: names.length > 0 && names,
    translate: english && 'en',
    subtitles: subtitles !== 'standard' && { preset: subtitles },
    channels: channels && 'separate',
  });
  if (kind === 'hosted') return { ...heard, ...withoutNo({ speakers }), includeCaptions: captions };
  const hasSlides = slides && !isSound && operationId === operationOf('transcribe');
  const seen = withoutNo({
    language: language ?? false,
    captureFrames: hasSlides,
    frameIntervalSeconds: hasSlides && SLIDE_SECONDS,
  });
  return { ...heard, ...seen, speakers };
}

const REACHES = ['page', 'links', 'links', 'site'] as const;

/** The choices of a stored request. */
export function readingOfRequest(operationId: string, request: Readonly<Record<string, unknown>>): EarlierReading {
  // A webhook is of the program that asked, and is not sent again from here.
  const { url: _, webhookUrl: __, notify: ___, ...fields } = request;
  const options = sourceKindOf(operationId) === 'site' ? fields : recordOf(request.options);
  const preset = recordOf(options.subtitles).preset;
  const reading: Reading = {
    ...usualReading(options.speakers === true),
    language: typeof options.language === 'string' ? options.language : null,
    listener: typeof options.transcriptionModel === 'string' ? options.transcriptionModel : null,
    channels: options.channels === 'separate',
    slides: options.captureFrames === true,
    english: options.translate === 'en',
    captions: options.includeCaptions !== false,
    names: Array.isArray(options.vocabulary) ? options.vocabulary.map(String) : [],
    subtitles: PRESETS.find((one) => one === preset) ?? 'standard',
    comments: options.includeComments === true,
    reach: REACHES[Number(options.depth ?? 1)] ?? 'site',
    scripts: options.render === 'auto',
    documents: options.documents === true,
  };
  const said = readingOptions({ operationId, isSound: false }, reading) ?? {};
  const kept = Object.entries(options).filter(([name, value]) => !isSame(said[name], value));
  return { operationId, reading, kept: Object.fromEntries(kept) };
}

/** The options of an earlier request, changed where another choice was made. Null for none. */
export function optionsAfter(told: Told, earlier: EarlierReading, reading: Reading): Record<string, unknown> | null {
  const before = readingOptions(told, earlier.reading) ?? {};
  const now = readingOptions(told, reading) ?? {};
  const kept = Object.entries(earlier.kept).filter(([name]) => isSame(before[name], now[name]));
  const options = { ...now, ...Object.fromEntries(kept) };
  return Object.keys(options).length === 0 ? null : options;
}

const PRESETS = ['standard', 'youtube', 'netflix', 'netflix-children'] as const;

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The options that say something: false is what happens anyway. */
function withoutNo(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== false));
}
