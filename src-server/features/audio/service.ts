/** Generates speech and music in the worker pool. Another engine for either implements the same service. */

import { join } from 'node:path';
import type {
  FinishedSound,
  LiveFormat,
  LivePart,
  ReadScriptOutput,
  RenderSpeechInput,
  RenderSpeechOutput,
} from '../../../workers/audio/tasks.ts';
import { perContext } from '../../context.ts';
import type { JobFiles } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { modelsOf } from '../models/service.ts';
import { type Cast, castOf } from './cast.ts';
import { createVoiceSamples } from './samples.ts';
import {
  type AudioPreviews,
  type AudioRequest,
  type AudioResult,
  type AudioService,
  LOUDNESS_PRESETS,
  type LoudnessPreset,
} from './schema.ts';
import { allVoices, readVoices, type VoiceSources, type Voices } from './voices.ts';

/** Length of a preview: enough to judge by, and short enough to be made before the response. */
const PREVIEW_SECONDS = 6;

/** A preview takes a second or two. When the machine is busy, the response has none. */
const PREVIEW_LIMIT_MS = 8 * SECOND_MS;

/** Five minutes of audio take seconds. The limit applies to a busy machine. */
const RENDER_LIMIT_MS = 600 * SECOND_MS;

const TITLE_CHARS = 80;

const FULL = 'audio';

const PREVIEW = 'preview';

/** Reading a prompt takes milliseconds; it may wait for a thread. */
const READ_LIMIT_MS = 60 * SECOND_MS;

type Kind = 'speech' | 'music';

export interface AudioEngineDeps {
  runTask: RunTask;
  voices: VoiceSources;
  /** The owner's pronunciations: words, and how they sound. */
  lexicon(): Readonly<Record<string, string>>;
  /** Cache folder for voice samples. */
  samplesFolder: string;
  /** Longest time a request waits for its preview. */
  previewLimitMs?: number | undefined;
}

export interface AudioEngine extends AudioService {
  /** The voices available now. */
  voices(): Promise<Voices>;
  /** Path of a voice sample, rendered on first use. Errors: `not_found`, `engine_unavailable`. */
  samplePath(slug: string): Promise<string>;
  /**
   * Receives the speech of a job sentence by sentence, as it is spoken. Call it before the job is accepted. A job that
   * runs again sends its parts again, with the same numbers. Returns a function that stops it.
   */
  hear(jobId: string, listener: Listener): () => void;
}

interface Listener {
  format: LiveFormat;
  onPart(part: LivePart): void;
}

export function createAudioEngine(deps: AudioEngineDeps): AudioEngine {
  const voices = () => allVoices(deps.voices);
  const listeners = new Map<string, Listener>();
  return {
    voices,
    check: async (kind, request) => {
      if (kind === 'speech') await planOf(deps, request, { accountId: 'voices' });
    },
    preview: (kind, request, { accountId, files }, signal) =>
      preview({ ...deps, accountId }, kind, request, files, signal),
    render: (kind, request, job, signal) =>
      render({ ...deps, live: listeners.get(job.id) }, kind, request, job, signal),
    hear: (jobId, listener) => {
      listeners.set(jobId, listener);
      return () => listeners.delete(jobId);
    },
    samplePath: createVoiceSamples({ runTask: deps.runTask, voices, folder: deps.samplesFolder }),
  };
}

interface Account extends AudioEngineDeps {
  accountId: string;
}

/** What a request says, and who says it. */
interface SpeechPlan {
  script: ReadScriptOutput;
  cast: Cast;
}

/** Errors: those of `castOf`; `invalid_request` for markup that is not supported. */
async function planOf(
  deps: AudioEngineDeps,
  request: AudioRequest,
  by: { accountId: string; signal?: AbortSignal },
): Promise<SpeechPlan> {
  const input = { text: request.prompt, names: Object.keys(request.voices ?? {}) };
  const [script, voices] = await Promise.all([
    deps.runTask('read-script', input, { ...by, timeLimitMs: READ_LIMIT_MS }),
    allVoices(deps.voices),
  ]);
  return { script, cast: castOf({ voices, offered: deps.voices.offered(), request, script }) };
}

async function preview(
  account: Account,
  kind: Kind,
  request: AudioRequest,
  files: JobFiles,
  signal: AbortSignal,
): Promise<AudioPreviews | null> {
  const timeLimitMs = account.previewLimitMs ?? PREVIEW_LIMIT_MS;
  const seconds = Math.min(PREVIEW_SECONDS, request.durationSeconds);
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)]);
    const options = { accountId: account.accountId, signal: limited, timeLimitMs };
    const sound =
      kind === 'music'
        ? await account.runTask('render-music', musicInput(request, files, PREVIEW, seconds), options)
        : await account.runTask(
            'render-speech',
            {
              ...speechInput(account, await planOf(account, request, options), request, files, PREVIEW),
              maxSeconds: seconds,
              endsAnywhere: true,
              includeCaptions: false,
            },
            options,
          );
    return { ...formatsOf(sound, files, PREVIEW), durationSeconds: sound.durationSeconds };
  } catch (error) {
    signal.throwIfAborted();
    // The job is accepted and continues: a busy machine sends no clip, and a fault of the request shows in the job.
    if (error instanceof QuarryError || (error as Error).name === 'TimeoutError') return null;
    throw error;
  }
}

async function render(
  deps: AudioEngineDeps & { live: Listener | undefined },
  kind: Kind,
  request: AudioRequest,
  job: Parameters<AudioService['render']>[2],
  signal: AbortSignal,
): Promise<AudioResult> {
  const { files, accountId } = job;
  const options = {
    accountId,
    signal,
    heavy: true,
    timeLimitMs: RENDER_LIMIT_MS,
    onProgress: job.progress,
  };
  if (kind === 'music') {
    const sound = await deps.runTask(
      'render-music',
      musicInput(request, files, FULL, request.durationSeconds),
      options,
    );
    const warnings = request.includeCaptions ? ['Captions are made for speech only; this is music.'] : [];
    if (request.speed !== 1) warnings.push('speed was ignored: it applies to speech, and this is music. Use tempo.');
    return { ...resultOf(kind, request, sound, files), music: sound.music, warnings };
  }
  const plan = await planOf(deps, request, { accountId, signal });
  const input = { ...speechInput(deps, plan, request, files, FULL), live: deps.live?.format };
  const onPart = (part: LivePart) => deps.live?.onPart(part);
  const sound = await deps.runTask('render-speech', input, { ...options, onPart });
  const { cast, script } = plan;
  const { slug, name, language } = cast.voices[0];
  const captions = { vtt: files.urlOf(`${FULL}.vtt`), srt: files.urlOf(`${FULL}.srt`) };
  const result = resultOf(kind, request, sound, files);
  return {
    ...result,
    voice: { slug, name, language, chosenBy: cast.chosenBy },
    speakers: script.speakers.map((speaker, index) => ({
      name: speaker.name,
      voice: cast.voices[index]?.slug ?? slug,
    })),
    captions: request.includeCaptions ? captions : null,
    omitted: sound.omitted,
    files: request.includeCaptions
      ? [...result.files, { name: `${FULL}.vtt`, url: captions.vtt }, { name: `${FULL}.srt`, url: captions.srt }]
      : result.files,
    warnings: [...cast.warnings, ...speechWarnings(request, sound)],
  };
}

function speechWarnings(request: AudioRequest, sound: RenderSpeechOutput): string[] {
  const warnings: string[] = [];
  if (sound.omitted !== null) {
    warnings.push(`The text is longer than ${request.durationSeconds} seconds; its end was left out, see omitted.`);
  }
  if (sound.unspokenRuns > 0) warnings.push('Words in scripts that this voice cannot speak were left out.');
  if (request.includeCaptions && !sound.wordsTimed) {
    warnings.push('This voice does not report word times. The times in the captions are estimated.');
  }
  if (request.tempo !== undefined) {
    warnings.push('tempo was ignored: it applies to music, and this prompt was spoken. Describe music to use it.');
  }
  return warnings;
}

function resultOf(kind: Kind, request: AudioRequest, sound: FinishedSound, files: JobFiles): AudioResult {
  const { durationSeconds, sampleRate, channels, analysis } = sound;
  const preset = presetOf(kind, request);
  return {
    kind,
    durationSeconds,
    sampleRate,
    channels,
    audio: formatsOf(sound, files, FULL),
    voice: null,
    speakers: [],
    music: null,
    captions: null,
    analysis: { ...analysis, targetLufs: LOUDNESS_PRESETS[preset].lufs, preset },
    omitted: null,
    files: [`${FULL}.wav`, `${FULL}.mp3`].map((name) => ({ name, url: files.urlOf(name) })),
    warnings: [],
  };
}

function formatsOf({ wavBytes, mp3Bytes }: FinishedSound, files: JobFiles, name: string) {
  const wav = { url: files.urlOf(`${name}.wav`), sizeBytes: wavBytes, mediaType: 'audio/wav' as const };
  const mp3 = { url: files.urlOf(`${name}.mp3`), sizeBytes: mp3Bytes, mediaType: 'audio/mpeg' as const };
  return { wav, mp3 };
}

function presetOf(kind: Kind, { loudness }: AudioRequest): LoudnessPreset {
  return loudness ?? (kind === 'speech' ? 'podcast' : 'stream');
}

function musicInput(request: AudioRequest, files: JobFiles, fileName: string, renderSeconds: number) {
  return {
    prompt: request.prompt,
    tempo: request.tempo ?? null,
    durationSeconds: request.durationSeconds,
    renderSeconds,
    outputFolder: files.folder,
    fileName,
    title: titleOf(request.prompt),
    goal: LOUDNESS_PRESETS[presetOf('music', request)],
  };
}

function speechInput(
  deps: Pick<AudioEngineDeps, 'lexicon'>,
  { script, cast }: SpeechPlan,
  request: AudioRequest,
  files: JobFiles,
  fileName: string,
): RenderSpeechInput {
  return {
    passages: script.passages.map((passage) => ({ ...passage, speed: passage.speed * request.speed })),
    speakers: cast.voices.map(({ speaker }) => speaker),
    reading: { language: cast.language, lexicon: deps.lexicon() },
    maxSeconds: request.durationSeconds,
    endsAnywhere: false,
    includeCaptions: request.includeCaptions,
    outputFolder: files.folder,
    fileName,
    title: titleOf(request.prompt),
    goal: LOUDNESS_PRESETS[presetOf('speech', request)],
  };
}

function titleOf(prompt: string): string {
  const line = prompt.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…`;
}

/** `Łódź = woodge` as a word and its respelling. */
function lexiconOf(pronunciations: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pronunciations.map((line) => {
      const [word = '', sounds = ''] = line.split('=');
      return [word.trim(), sounds.trim()];
    }),
  );
}

export const audioOf = perContext(async (context): Promise<AudioEngine> => {
  const models = await modelsOf(context);
  return createAudioEngine({
    runTask: context.pool.run,
    voices: {
      presets: await readVoices(new URL('voices.json', context.resourcesFolder)),
      installed: () => models.installed('voice'),
      offered: () => models.catalogue.filter(({ kind }) => kind === 'voice'),
      server: context.settings,
      serverKey: context.options.speechServerKey,
    },
    lexicon: () => lexiconOf(context.settings().pronunciations),
    samplesFolder: join(context.dataDir, 'voices'),
    previewLimitMs: context.options.previewLimitMs,
  });
});
