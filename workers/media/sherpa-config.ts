/** The configuration of sherpa-onnx for each family of recognisers, and what its results mean. */

import type { OfflineResult } from 'sherpa-onnx-node';
import { itemAt } from '../../src-server/platform/item-at.ts';
import type { SherpaModel } from './tasks.ts';

interface Choice {
  /** ISO 639; null lets the model detect it. */
  language: string | null;
  /** Writes English, whatever is spoken. Whisper alone can. */
  toEnglish: boolean;
  threads: number;
  /** Files of a vocabulary; null without one. */
  hotwords: HotwordFiles | null;
}

/** What the engine needs to expect words: a file of terms, their unit, and the ranked pieces ('' for characters). */
export interface HotwordFiles {
  termsPath: string;
  modelingUnit: string;
  piecesPath: string;
}

const SENSE_VOICE_LANGUAGES = ['zh', 'en', 'ja', 'ko', 'yue'];

/** Paths that the search with hotwords keeps. */
const ACTIVE_PATHS = 4;

/** What a token of a hotword adds to the score of its path; the engine's own default. */
const HOTWORD_SCORE = 1.5;

/** NVIDIA's models; the engine has another decoder for those of icefall, and asks the file which it needs. */
const NEMO = /nemo|parakeet|canary/i;

export function recogniserConfig({ family, files }: SherpaModel, choice: Choice): object {
  const modelPartPath = (name: string) => files[name] ?? '';
  const modelConfig = { tokens: modelPartPath('tokens'), numThreads: choice.threads, provider: 'cpu', debug: 0 };
  const featConfig = { sampleRate: 16_000, featureDim: 80 };
  const whole = { ...modelConfig, ...familyConfig(family, modelPartPath, choice) };
  const { hotwords } = choice;
  if (hotwords === null) return { featConfig, modelConfig: whole, decodingMethod: 'greedy_search' };
  return {
    featConfig,
    modelConfig: { ...whole, modelingUnit: hotwords.modelingUnit, bpeVocab: hotwords.piecesPath },
    decodingMethod: 'modified_beam_search',
    maxActivePaths: ACTIVE_PATHS,
    hotwordsFile: hotwords.termsPath,
    hotwordsScore: HOTWORD_SCORE,
  };
}

/**
 * Only transducers search over several paths. For those of NeMo the engine's search loses text (decision 080), so they
 * keep the simple one.
 */
export function takesHotwords({ family, files }: SherpaModel): boolean {
  return family === 'transducer' && !isNemo(files.encoder ?? '');
}

function isNemo(encoderPath: string): boolean {
  return NEMO.test(encoderPath.split(/[\\/]/).slice(-2).join(' '));
}

function familyConfig(
  family: SherpaModel['family'],
  part: (name: string) => string,
  { language, toEnglish }: Choice,
): object {
  const [encoder, decoder] = [part('encoder'), part('decoder')];
  switch (family) {
    case 'whisper': {
      const task = toEnglish ? 'translate' : 'transcribe';
      const options = { language: language ?? '', task, tailPaddings: -1 };
      // Models exported without token times log a line and return none.
      return { whisper: { encoder, decoder, ...options, enableSegmentTimestamps: 1, enableTokenTimestamps: 1 } };
    }
    case 'transducer': {
      const modelType = isNemo(encoder) ? { modelType: 'nemo_transducer' } : {};
      return { transducer: { encoder, decoder, joiner: part('joiner') }, ...modelType };
    }
    case 'sense-voice': {
      const known = language !== null && SENSE_VOICE_LANGUAGES.includes(language) ? language : 'auto';
      return { senseVoice: { model: part('model'), language: known, useInverseTextNormalization: 1 } };
    }
    case 'moonshine': {
      const decoders = { uncachedDecoder: part('uncached_decode'), cachedDecoder: part('cached_decode') };
      return { moonshine: { preprocessor: part('preprocess'), encoder: part('encode'), ...decoders } };
    }
  }
}

/** Times are seconds from the beginning of the window. */
export interface SpokenSegment {
  start: number;
  end: number;
  text: string;
  /** Where the model times its tokens. */
  tokens?: TimedText[];
}

interface TimedText {
  text: string;
  start: number;
  end: number;
  confidence?: number;
}

/** Where a model times the beginnings of tokens alone, none lasts longer. */
const TOKEN_SECONDS_MAX = 0.4;

/** A longer pause ends a segment. */
const PAUSE_SECONDS = 0.6;

const SENTENCE_END = /[.?!。？！…]["'”’)\]]*$/u;

/** `joints`: seconds at which the pieces of the window meet. */
export function segmentsOf(result: OfflineResult, seconds: number, joints: readonly number[]): SpokenSegment[] {
  const { segment_texts: texts = [], segment_timestamps: starts = [], segment_durations: durations = [] } = result;
  const tokens = timedTokens(result, seconds);
  if (texts.length === 0) {
    if (tokens !== null) return sentencesOf(tokens, joints);
    const text = result.text.trim();
    return text === '' ? [] : [{ start: 0, end: seconds, text }];
  }
  let used = 0;
  return texts.map((text, index) => {
    const start = Math.min(seconds, starts[index] ?? 0);
    const end = Math.min(seconds, sentenceEndSeconds(start, durations[index] ?? 0, starts[index + 1] ?? seconds));
    const segment = { start, end, text: text.trim() };
    if (tokens === null) return segment;
    // The tokens of a segment are the ones that form its text.
    const first = used;
    for (let length = 0; used < tokens.length && length < text.length; used += 1) {
      length += tokens[used]?.text.length ?? 0;
    }
    return { ...segment, tokens: tokens.slice(first, used) };
  });
}

/** The language that the model states: `en` for `<|en|>`. */
export function recognizedLanguage({ lang }: OfflineResult): string | null {
  return /[a-z]{2,3}/.exec(lang ?? '')?.[0] ?? null;
}

/** A sentence cut at the end of the window has no end time: it extends to the next one, or to the end. */
function sentenceEndSeconds(start: number, duration: number, next: number): number {
  return duration > 0 ? start + duration : Math.max(start, next);
}

/** Null if the model has no token times. */
function timedTokens(result: OfflineResult, seconds: number) {
  const { tokens = [], timestamps = [], durations = [], ys_log_probs: logProbabilities = [] } = result;
  if (tokens.length === 0 || timestamps.length !== tokens.length) return null;
  return tokens.map((text, index): TimedText => {
    const start = Math.min(seconds, timestamps[index] ?? 0);
    const next = timestamps[index + 1] ?? seconds;
    const duration = durations[index] ?? Math.min(TOKEN_SECONDS_MAX, next - start);
    const token = { text, start, end: Math.min(seconds, start + Math.max(0, duration)) };
    const logProbability = logProbabilities[index];
    return logProbability === undefined ? token : { ...token, confidence: Math.exp(logProbability) };
  });
}

/** Models that time tokens and no segments: a segment ends with a sentence, at a pause, and where pieces meet. */
function sentencesOf(tokens: readonly TimedText[], joints: readonly number[]): SpokenSegment[] {
  const groups: TimedText[][] = [];
  for (const [index, token] of tokens.entries()) {
    const last = tokens[index - 1];
    if (last === undefined || endsBetween(last, token, joints)) groups.push([]);
    groups.at(-1)?.push(token);
  }
  return groups.flatMap((group) => {
    const text = group
      .map((token) => token.text)
      .join('')
      .trim();
    const [first, last] = [itemAt(group, 0), itemAt(group, -1)];
    return text === '' ? [] : [{ start: first.start, end: last.end, text, tokens: group }];
  });
}

function endsBetween(last: TimedText, next: TimedText, joints: readonly number[]): boolean {
  // `3.5` goes on without a space; scripts without spaces end their sentences with marks of their own.
  const isSentence = SENTENCE_END.test(last.text) && (/^\s/.test(next.text) || !/[.?!]/.test(last.text));
  if (isSentence || next.start - last.end > PAUSE_SECONDS) return true;
  return /^\s/.test(next.text) && joints.some((joint) => last.start < joint && joint <= next.start);
}
