import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LiveSegment, TranscriptSegment } from '../../src-server/features/media/schema.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import type { PartContext } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { hotwordsFor } from './hotwords.ts';
import { type Listener, type NumberedWindow, placeInFile, type WindowTranscript, windowSamples } from './listener.ts';
import { readFinishedPart, writePart } from './parts.ts';
import { openSherpa } from './sherpa.ts';
import { type HotwordFiles, takesHotwords } from './sherpa-config.ts';
import { type TimeRange, timedBySpeech, withWordsInSpeech } from './speech-times.ts';
import type { SpeechWindow, TranscribeInput, TranscribeOutput } from './tasks.ts';
import { openWhisperCli } from './whisper-cli.ts';

type Context = PartContext<LiveSegment[]>;

/**
 * Transcribes all windows and stores each result at once. Sends the segments of each window, also of those that an
 * earlier run transcribed, in the order of the file. Errors: `engine_failed` if the child process died, and
 * `cancelled`; in both cases no child is left.
 */
export async function transcribeWindows(input: TranscribeInput, context: Context): Promise<TranscribeOutput> {
  const startedAt = performance.now();
  await mkdir(input.partsFolder, { recursive: true });
  const parts = await Promise.all(
    input.windows.map((_, index) => readFinishedPart<WindowTranscript>(input.partsFolder, index)),
  );
  const { hotwords, unusedTerms } = await prepareVocabulary(input);
  const missing = input.windows.flatMap((window, index) => (parts[index] === null ? [{ index, window }] : []));
  const live = new LiveTranscript(input, context);
  live.sendLiveSegments(parts);
  if (missing.length > 0) {
    await listenTo(missing, parts, { ...input, hotwords }, { ...context, onHeard: () => live.sendLiveSegments(parts) });
  }
  const heard = parts.filter((part) => part !== null);
  const inFile = heard.flatMap((part, index) =>
    placeSegmentsInFile(part, itemAt(input.windows, index), input.sampleRate),
  );
  const speech = speechOf(input);
  const timed = timedBySpeech(inFile, speech, input.durationSeconds);
  const segments = withWordsInSpeech(timed, speech);
  const isWhole = missing.length === input.windows.length;
  return {
    segments,
    wordTimesEstimated: timed.length > 0 && timed.every(({ words }) => words === undefined),
    ...languagesOf(parts, input),
    confidence: confidenceOf(timed),
    unusedTerms,
    tookSeconds: isWhole ? (performance.now() - startedAt) / 1000 : null,
  };
}

type Input = TranscribeInput & { hotwords: HotwordFiles | null };

/** Prepares the vocabulary for the model. whisper.cpp takes any as a prompt. */
async function prepareVocabulary({ engine, vocabulary, partsFolder }: TranscribeInput) {
  if (vocabulary.length === 0 || engine.kind === 'whisper.cpp') return { hotwords: null, unusedTerms: [] };
  if (!takesHotwords(engine.model)) return { hotwords: null, unusedTerms: [...vocabulary] };
  const { hotwords, unused } = hotwordsFor(vocabulary, await readFile(engine.model.files.tokens ?? '', 'utf8'));
  if (hotwords === null) return { hotwords, unusedTerms: unused };
  const [termsPath, piecesPath] = [join(partsFolder, 'hotwords.txt'), join(partsFolder, 'bpe.vocab')];
  await writeFile(termsPath, `${hotwords.lines}\n`);
  if (hotwords.pieces !== null) await writeFile(piecesPath, hotwords.pieces);
  const { modelingUnit } = hotwords;
  const files = { termsPath, modelingUnit, piecesPath: hotwords.pieces === null ? '' : piecesPath };
  return { hotwords: files, unusedTerms: unused };
}

/** Sends segments as they are heard. Their times are final but at the joints of windows. */
class LiveTranscript {
  readonly #input: TranscribeInput;
  readonly #context: Context;
  readonly #speech: TimeRange[];
  #windows = 0;
  #segments = 0;

  constructor(input: TranscribeInput, context: Context) {
    this.#input = input;
    this.#context = context;
    this.#speech = speechOf(input);
  }

  /** Sends the windows since the last call, up to the first that is missing. */
  sendLiveSegments(parts: readonly (WindowTranscript | null)[]): void {
    const { windows, sampleRate, durationSeconds } = this.#input;
    for (let part = parts[this.#windows]; part; part = parts[this.#windows]) {
      const inFile = placeSegmentsInFile(part, itemAt(windows, this.#windows), sampleRate);
      const timed = timedBySpeech(inFile, this.#speech, durationSeconds);
      const first = this.#segments;
      const segments = timed.map(({ start, end, text }, index) => ({ index: first + index, start, end, text }));
      this.#windows += 1;
      this.#segments += segments.length;
      if (segments.length > 0) this.#context.part(segments);
    }
  }
}

function speechOf({ speech, sampleRate }: TranscribeInput): TimeRange[] {
  return speech.map(([from, to]) => [from / sampleRate, to / sampleRate]);
}

/** Transcribes the missing windows. */
async function listenTo(
  missing: readonly NumberedWindow[],
  parts: (WindowTranscript | null)[],
  input: Input,
  context: Context & { onHeard(): void },
): Promise<void> {
  const samplesOfWindow = (index: number) => windowSamples(itemAt(input.windows, index));
  const total = input.windows.reduce((sum, window) => sum + windowSamples(window), 0);
  let done = total - missing.reduce((sum, { window }) => sum + windowSamples(window), 0);
  const reportTranscription = (samples: number) => {
    const [done, all] = [minutesOf(samples, input.sampleRate), minutesOf(total, input.sampleRate)];
    context.progress((samples / total) * 100, 'transcribing', say`Transcribed ${done} of ${all} of speech`);
  };
  const listener = await openListener(input, firstHeardLanguage(parts), context);
  try {
    await listener.listen(missing, {
      async onHeard(index, heard) {
        await writePart(input.partsFolder, index, heard);
        parts[index] = heard;
        context.onHeard();
        done += samplesOfWindow(index);
        reportTranscription(done);
      },
      onProgress: (index, share) => reportTranscription(done + share * samplesOfWindow(index)),
    });
  } finally {
    listener.close();
  }
}

/** Uses the language that an earlier run detected. */
async function openListener(input: Input, known: string | null, { signal, startChild }: Context): Promise<Listener> {
  const { engine, pcmPath, sampleRate, threads, partsFolder, vocabulary, toEnglish, hotwords } = input;
  const shared = { pcmPath, sampleRate, threads, toEnglish, signal };
  if (engine.kind === 'whisper.cpp') {
    const { programPath, modelPath } = engine;
    const language = input.language ?? known;
    return openWhisperCli({ ...shared, language, vocabulary, programPath, modelPath, folder: partsFolder });
  }
  return openSherpa({ ...shared, language: input.language, startChild, model: engine.model, hotwords });
}

function firstHeardLanguage(parts: readonly (WindowTranscript | null)[]): string | null {
  return parts.find((part) => part !== null && part.language !== null)?.language ?? null;
}

/** Fewer windows say nothing about how sure a language is. */
const WINDOWS_MIN = 3;

/** Models guess the language of less speech. */
const DETECTED_SECONDS_MIN = 5;

/**
 * The language of most of the speech, and where others are spoken. Engines that detect the language of every window
 * state no probability: the share of the speech in windows of one language stands for it.
 */
function languagesOf(
  parts: readonly (WindowTranscript | null)[],
  { windows, sampleRate, language: asked }: Pick<TranscribeInput, 'windows' | 'sampleRate' | 'language'>,
): Pick<TranscribeOutput, 'language' | 'languageConfidence' | 'otherLanguages'> {
  const stated = parts.find((part) => part?.languageConfidence !== undefined)?.languageConfidence;
  const detected = parts.flatMap((part, index) => {
    const window = itemAt(windows, index);
    const seconds = windowSamples(window) / sampleRate;
    if (part === null || part.language === null || seconds < DETECTED_SECONDS_MIN) return [];
    return part.segments.some(({ text }) => text !== '') ? [{ language: part.language, seconds, window }] : [];
  });
  const totals = new Map<string, number>();
  for (const { language, seconds } of detected) totals.set(language, (totals.get(language) ?? 0) + seconds);
  const [most] = [...totals].sort(([, one], [, other]) => other - one);
  if (asked !== null || stated !== undefined || most === undefined) {
    return { language: firstHeardLanguage(parts), languageConfidence: stated ?? null, otherLanguages: [] };
  }
  const [language, seconds] = most;
  const all = detected.reduce((sum, one) => sum + one.seconds, 0);
  const share = Math.round((seconds / all) * 1000) / 1000;
  const otherLanguages: TranscribeOutput['otherLanguages'] = [];
  let before = language;
  for (const { language: other, window } of detected) {
    const [from, to] = [(window.pieces[0]?.[0] ?? 0) / sampleRate, (window.pieces.at(-1)?.[1] ?? 0) / sampleRate];
    const last = otherLanguages.at(-1);
    if (other !== language && other === before && last !== undefined) last.end = to;
    else if (other !== language) otherLanguages.push({ language: other, start: from, end: to });
    before = other;
  }
  return { language, languageConfidence: detected.length < WINDOWS_MIN ? null : share, otherLanguages };
}

/** Mean over all words, because segments differ in length. */
function confidenceOf(segments: readonly TranscriptSegment[]): number | null {
  const known = segments.flatMap(({ words = [] }) => words.flatMap(({ confidence }) => confidence ?? []));
  if (known.length === 0) return null;
  return Math.round((known.reduce((sum, confidence) => sum + confidence, 0) / known.length) * 1000) / 1000;
}

/** Segments with their times in the file. */
function placeSegmentsInFile(
  { segments }: WindowTranscript,
  window: SpeechWindow,
  sampleRate: number,
): TranscriptSegment[] {
  const placeTimedInFile = <Timed extends { start: number; end: number }>(timed: Timed): Timed => {
    const from = placeInFile(window, timed.start * sampleRate, 'start') / sampleRate;
    const to = placeInFile(window, timed.end * sampleRate, 'end') / sampleRate;
    return { ...timed, start: from, end: Math.max(from, to) };
  };
  return segments.map(({ words, ...segment }) => {
    return { ...placeTimedInFile(segment), ...omitUndefined({ words: words?.map(placeTimedInFile) }) };
  });
}

function minutesOf(samples: number, sampleRate: number): string {
  const seconds = Math.round(samples / sampleRate);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
