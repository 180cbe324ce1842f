/** Generates speech and music in the worker pool. Another engine for either implements the same service. */

import { join } from 'node:path';
import type { FinishedSound, RenderSpeechInput, RenderSpeechOutput } from '../../../workers/audio/tasks.ts';
import { perContext } from '../../context.ts';
import type { JobFiles } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { speakable, withoutTags } from '../../platform/text/spoken-english.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { modelsOf, notInstalled } from '../models/service.ts';
import {
  type AudioPreviews,
  type AudioRequest,
  type AudioResult,
  type AudioService,
  LOUDNESS_PRESETS,
  type LoudnessPreset,
} from './schema.ts';
import {
  allVoices,
  createVoiceSamples,
  readVoices,
  type SpeakingVoice,
  type VoiceSources,
  type Voices,
  voiceForTone,
  voiceSlug,
} from './voices.ts';

/** Length of a preview: enough to judge by, and short enough to be made before the response. */
const PREVIEW_SECONDS = 6;

/** A preview takes a second or two. When the machine is busy, the response has none. */
const PREVIEW_LIMIT_MS = 8 * SECOND_MS;

/** Five minutes of audio take seconds. The limit applies to a busy machine. */
const RENDER_LIMIT_MS = 600 * SECOND_MS;

const TITLE_CHARS = 80;

const FULL = 'audio';

const PREVIEW = 'preview';

const LATIN_LETTERS = /\p{Script=Latin}/gu;

const OTHER_LETTERS = /(?!\p{Script=Latin})\p{L}/gu;

type Kind = 'speech' | 'music';

export interface AudioEngineDeps {
  runTask: RunTask;
  voices: VoiceSources;
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
}

export function createAudioEngine(deps: AudioEngineDeps): AudioEngine {
  const voices = () => allVoices(deps.voices);
  return {
    voices,
    check: async (kind, request) => {
      if (kind === 'speech') chooseVoice(await voices(), request, deps.voices.offered());
    },
    preview: (kind, request, { accountId, files }, signal) =>
      preview({ ...deps, accountId }, kind, request, files, signal),
    render: (kind, request, job, signal) => render(deps, kind, request, job, signal),
    samplePath: createVoiceSamples({ runTask: deps.runTask, voices, folder: deps.samplesFolder }),
  };
}

interface Account extends AudioEngineDeps {
  accountId: string;
}

/**
 * The voice for a request. Errors: `model_not_installed` for one that can be installed; `invalid_request` for an
 * unknown voice, or for text that no voice can speak.
 *
 * @param offered names of voices that can be installed
 */
function chooseVoice(voices: Voices, request: AudioRequest, offered: readonly string[]): SpeakingVoice {
  const { voice: slug, prompt } = request;
  const named = voices.find((voice) => voice.slug === slug);
  if (slug !== undefined && named === undefined) {
    const model = offered.find((name) => voiceSlug(name) === slug);
    if (model !== undefined) throw notInstalled(model, 'voice');
    const all = voices.map((voice) => voice.slug).join(', ');
    throw refused('voice', `There is no voice ${slug}. There are: ${all}.`);
  }
  // A voice that is not limited to English may support the script. One that the request names is used unchecked.
  const isSayable = /[a-z\d]/i.test(speakable(prompt).text);
  const needsOther = !isSayable || isOfOtherScript(prompt);
  const chosen = named ?? (needsOther ? voices.find((voice) => !isEnglishAlone(voice)) : undefined);
  if (chosen !== undefined && !isEnglishAlone(chosen)) return chosen;
  if (isSayable) return chosen ?? voiceForTone(voices, prompt);
  const message =
    'The built-in voices speak English. Give a prompt in Latin letters, install a voice of its language into the ' +
    'models folder, or name a speech server in the settings.';
  throw refused('prompt', message);
}

async function voiceFor(sources: VoiceSources, request: AudioRequest): Promise<SpeakingVoice> {
  return chooseVoice(await allVoices(sources), request, sources.offered());
}

function isEnglishAlone({ speaker }: SpeakingVoice): boolean {
  return speaker.engine === 'flite';
}

/** Ignores Latin letters and digits: names and numbers occur in texts of every script. */
function isOfOtherScript(prompt: string): boolean {
  const text = withoutTags(prompt);
  return (text.match(OTHER_LETTERS)?.length ?? 0) > (text.match(LATIN_LETTERS)?.length ?? 0);
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
              ...speechInput(await voiceFor(account.voices, request), request, files, PREVIEW),
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
  deps: AudioEngineDeps,
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
    return { ...resultOf(kind, request, sound, files), music: sound.music, warnings };
  }
  const voice = await voiceFor(deps.voices, request);
  const sound = await deps.runTask('render-speech', speechInput(voice, request, files, FULL), options);
  const { slug, name, language } = voice;
  const captions = { vtt: files.urlOf(`${FULL}.vtt`), srt: files.urlOf(`${FULL}.srt`) };
  const result = resultOf(kind, request, sound, files);
  return {
    ...result,
    voice: { slug, name, language, chosenBy: request.voice === undefined ? 'tone' : 'request' },
    captions: request.includeCaptions ? captions : null,
    omitted: sound.omitted,
    files: request.includeCaptions
      ? [...result.files, { name: `${FULL}.vtt`, url: captions.vtt }, { name: `${FULL}.srt`, url: captions.srt }]
      : result.files,
    warnings: speechWarnings(request, sound),
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
  { speaker }: SpeakingVoice,
  request: AudioRequest,
  files: JobFiles,
  fileName: string,
): RenderSpeechInput {
  return {
    text: request.prompt,
    speaker,
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

function refused(path: string, message: string): QuarryError {
  return new QuarryError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}

export const audioOf = perContext(async (context): Promise<AudioEngine> => {
  const models = await modelsOf(context);
  return createAudioEngine({
    runTask: context.pool.run,
    voices: {
      presets: await readVoices(new URL('voices.json', context.resourcesFolder)),
      installed: () => models.installed('voice'),
      offered: () => models.catalogue.flatMap(({ kind, name }) => (kind === 'voice' ? name : [])),
      server: context.settings,
      serverKey: context.options.speechServerKey,
    },
    samplesFolder: join(context.dataDir, 'voices'),
    previewLimitMs: context.options.previewLimitMs,
  });
});
