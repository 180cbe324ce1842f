/** Generates speech, music and soundscapes in the worker pool. */

import { join } from 'node:path';
import type {
  FinishedSound,
  LiveFormat,
  LivePart,
  Passage,
  ReadScriptOutput,
  RenderMusicInput,
  RenderSceneInput,
  RenderSpeechInput,
  RenderSpeechOutput,
  SceneLayer,
} from '../../../workers/audio/tasks.ts';
import { perContext } from '../../context.ts';
import type { JobFiles, TravelChoices } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { Missing } from '../../platform/install-choice.ts';
import type { ModelFacts } from '../../platform/model-facts.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { type Said, saidTogether, say } from '../../platform/text/say.ts';
import { wholeSlice } from '../../platform/text/strings.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { type EncodeSound, soundEncoderOf } from '../media/service.ts';
import { type CatalogueModel, offerOf } from '../models/schema.ts';
import { modelsOf } from '../models/service.ts';
import { type Cast, castOf, promptLanguageOf } from './cast.ts';
import { encodeExtras } from './extra-formats.ts';
import type { KindOfAudio } from './kind-of-audio.ts';
import { createVoiceSamples } from './samples.ts';
import {
  type AudioPreviews,
  type AudioRequest,
  type AudioResult,
  type AudioService,
  LOUDNESS_PRESETS,
} from './schema.ts';
import { layerTraits } from './sound-traits.ts';
import {
  backgroundOf,
  lengthWarnings,
  musicOf,
  presetOf,
  renderCommon,
  seedOf,
  soundscapeOf,
  soundTitleOf,
} from './sounds.ts';
import {
  allVoices,
  type InstalledVoice,
  readVoices,
  speaksLanguage,
  type VoiceSources,
  type Voices,
} from './voices.ts';

/** Length of a preview: enough to judge by, and short enough to be made before the response. */
const PREVIEW_SECONDS = 6;

/** Six seconds of the fastest speech are some 500 characters. */
const PREVIEW_CHARS = 2000;

/** A preview takes a second or two. When the machine is busy, the response has none. */
const PREVIEW_LIMIT_MS = 8 * SECOND_MS;

/** Five minutes of audio take seconds. The limit applies to a busy machine. */
const RENDER_LIMIT_MS = 600 * SECOND_MS;

const FULL = 'audio';

const PREVIEW = 'preview';

/** Reading a prompt takes milliseconds; it may wait for a thread. */
const READ_LIMIT_MS = 60 * SECOND_MS;

type Kind = KindOfAudio;

export interface AudioEngineDeps {
  runTask: RunTask;
  voices: VoiceSources;
  /** The owner's pronunciations, such as `Łódź = woodge`. */
  pronunciations(): readonly string[];
  /** Cache folder for voice samples. */
  samplesFolder: string;
  soundFont: SoundFonts;
  encode: EncodeSound;
  /** Longest time a request waits for its preview. */
  previewLimitMs?: number | undefined;
}

/** General MIDI instruments. */
export interface SoundFonts {
  /** Path of the installed one; null for the built-in synthesiser. */
  path(): Promise<string | null>;
  /** Title and size of one to install. */
  offer: string | null;
}

export interface AudioEngine extends AudioService {
  /** The voices available now. */
  voices(): Promise<Voices>;
  /** Path of a voice sample, rendered on first use. Errors: `not_found`, `engine_unavailable`. */
  samplePath(slug: string): Promise<string>;
  /** The voice that reads a text to its end. Errors: those of `check`. */
  readerFor(request: Pick<AudioRequest, 'prompt' | 'voice' | 'language'>): Promise<Reader>;
  /** What a text needs for a natural voice; null where one is installed. Errors: those of the script. */
  missingVoice(text: string): Promise<Missing | null>;
  /**
   * Receives the speech of a job sentence by sentence, as it is spoken. Call it before the job is accepted. A job that
   * runs again sends its parts again, with the same numbers. Returns a function that stops it.
   */
  hear(jobId: string, listener: Listener): () => void;
}

export type { LiveFormat, LivePart };

/** A voice, and how it reads. */
export interface Reader {
  voice: { slug: string; name: string };
  speaker: RenderSpeechInput['speakers'][number];
  reading: RenderSpeechInput['reading'];
}

interface Listener {
  format: LiveFormat;
  onPart(part: LivePart): void;
}

export function createAudioEngine(deps: AudioEngineDeps): AudioEngine {
  const listAllVoices = () => allVoices(deps.voices);
  const listeners = new Map<string, Listener>();
  return {
    voices: listAllVoices,
    check: async (kind, request) => {
      if (kind === 'soundscape') soundscapeOf(request.prompt);
      if (kind !== 'speech') return;
      await planSpeech(deps, request, { accountId: 'voices' });
      if (request.background !== undefined) backgroundOf(request.background, request.durationSeconds);
    },
    preview: (kind, request, { accountId, files }, signal) =>
      previewAudio({ ...deps, accountId }, kind, request, files, signal),
    render: (kind, request, job, signal) =>
      renderAudio({ ...chosenBy(deps, job.choices), live: listeners.get(job.id) }, kind, request, job, signal),
    travels: async (request, jobId, models) => {
      if (jobId !== null && listeners.has(jobId)) return null;
      const sources = models === null ? deps.voices : { ...deps.voices, installed: async () => voicesIn(models) };
      const { cast } = await planSpeech({ ...deps, voices: sources }, request, { accountId: 'voices' });
      const neural = cast.voices.flatMap(({ model }) => model ?? []);
      if (neural.length === 0 || cast.voices.some(({ kind }) => kind === 'server')) return null;
      const voiceModels = [...new Set(neural)];
      return { models: voiceModels, choices: { voiceModels, pronunciations: deps.pronunciations() } };
    },
    readerFor: async (request) => {
      const { cast } = await planSpeech(deps, request, { accountId: 'voices' });
      const [{ slug, name, speaker }] = cast.voices;
      const reading = { language: cast.language, lexicon: lexiconOf(deps.pronunciations()) };
      return { voice: { slug, name }, speaker, reading };
    },
    missingVoice: (text) => missingVoice(deps, text),
    hear: (jobId, listener) => {
      listeners.set(jobId, listener);
      return () => listeners.delete(jobId);
    },
    samplePath: createVoiceSamples({ runTask: deps.runTask, voices: listAllVoices, folder: deps.samplesFolder }),
  };
}

/** With the choices of the machine that sent the job. */
function chosenBy(deps: AudioEngineDeps, { voiceModels, pronunciations }: TravelChoices): AudioEngineDeps {
  const installedChosenVoices = async () => {
    const all = await deps.voices.installed();
    return voiceModels === undefined ? all : all.filter(({ name }) => voiceModels.includes(name));
  };
  return {
    ...deps,
    voices: { ...deps.voices, installed: installedChosenVoices },
    pronunciations: () => pronunciations ?? deps.pronunciations(),
  };
}

/** Voices of a node, for choosing. */
function voicesIn(models: readonly ModelFacts[]): InstalledVoice[] {
  return models.flatMap(({ name, languages, voice }) => {
    if (voice === null) return [];
    return [{ name, languages, voice: { ...voice, files: { model: '', tokens: '', lexicon: '', dataFolder: '' } } }];
  });
}

interface Account extends AudioEngineDeps {
  accountId: string;
}

async function missingVoice({ runTask, voices }: AudioEngineDeps, text: string): Promise<Missing | null> {
  const [script, all] = await Promise.all([
    runTask('read-script', { text, names: [] }, { accountId: 'voices', timeLimitMs: READ_LIMIT_MS }),
    allVoices(voices),
  ]);
  const language = promptLanguageOf(script, text);
  if (all.some((voice) => voice.kind === 'natural' && speaksLanguage(voice, language) !== false)) return null;
  return { need: 'voice', language: language === 'und' ? null : language };
}

/** What a request says, and who says it. */
interface SpeechPlan {
  script: ReadScriptOutput;
  cast: Cast;
}

/** Errors: those of `castOf`; `invalid_request` for markup that is not supported. */
async function planSpeech(
  deps: AudioEngineDeps,
  request: Pick<AudioRequest, 'prompt' | 'voice' | 'voices' | 'language'>,
  by: { accountId: string; signal?: AbortSignal },
): Promise<SpeechPlan> {
  const input = { text: request.prompt, names: Object.keys(request.voices ?? {}) };
  const [script, voices] = await Promise.all([
    deps.runTask('read-script', input, { ...by, timeLimitMs: READ_LIMIT_MS }),
    allVoices(deps.voices),
  ]);
  return { script, cast: castOf({ voices, offered: deps.voices.offered(), request, script }) };
}

async function previewAudio(
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
    const sound = await renderPreviewClip(account, kind, request, files, seconds, options);
    return { ...formatsOf(sound, files, PREVIEW), durationSeconds: sound.durationSeconds };
  } catch (error) {
    signal.throwIfAborted();
    // The job is accepted and continues: a busy machine sends no clip, and a fault of the request shows in the job.
    if (error instanceof QuarryError || (error as Error).name === 'TimeoutError') return null;
    throw error;
  }
}

type TaskOptions = Parameters<RunTask>[2];

async function renderPreviewClip(
  deps: AudioEngineDeps,
  kind: Kind,
  request: AudioRequest,
  files: JobFiles,
  seconds: number,
  options: TaskOptions,
): Promise<FinishedSound> {
  if (kind === 'music') {
    const input = await musicInput(deps, request, files, PREVIEW, seconds);
    return deps.runTask('render-music', { ...input, stems: false, midi: false }, options);
  }
  if (kind === 'soundscape') return deps.runTask('render-scene', sceneInput(request, files, PREVIEW, seconds), options);
  const input = speechInput(deps, await planSpeech(deps, request, options), request, files, PREVIEW);
  const passages = openingOf(input.passages);
  const short = { passages, maxSeconds: seconds, endsAnywhere: true, includeCaptions: false };
  return deps.runTask('render-speech', { ...input, ...short }, options);
}

/** The text that a preview can reach, and much more. */
function openingOf(passages: readonly Passage[]): Passage[] {
  let room = PREVIEW_CHARS;
  return passages.flatMap((passage) => {
    const text = wholeSlice(passage.text, 0, Math.max(0, room));
    room -= passage.text.length;
    return text === '' && passage.text !== '' ? [] : [{ ...passage, text }];
  });
}

async function renderAudio(
  deps: AudioEngineDeps & { live: Listener | undefined },
  kind: Kind,
  request: AudioRequest,
  job: Parameters<AudioService['render']>[2],
  signal: AbortSignal,
): Promise<AudioResult> {
  const { files, accountId } = job;
  const options = { accountId, signal, heavy: true, timeLimitMs: RENDER_LIMIT_MS, onProgress: job.progress };
  const how = { deps, request, files, options, live: deps.live };
  const result = await RENDERERS[kind](how);
  const chapters = result.chapters.map((chapter) => ({ ...chapter, endSeconds: null }));
  const tags = { title: soundTitleOf(request.prompt), artist: 'Quarry' };
  const extras = await encodeExtras(deps.encode, request.formats, { files, name: FULL, tags, chapters }, signal);
  return {
    ...result,
    audio: { ...result.audio, ...extras.audio },
    files: [...result.files, ...extras.files],
    warnings: [
      ...result.warnings,
      ...(kind === 'speech' ? [] : lengthWarnings(request)),
      ...ignoredOptions(kind, request),
    ],
  };
}

interface RenderHow {
  deps: AudioEngineDeps;
  request: AudioRequest;
  files: JobFiles;
  options: TaskOptions;
  /** Of speech. */
  live: Listener | undefined;
}

const RENDERERS: Readonly<Record<Kind, (how: RenderHow) => Promise<AudioResult>>> = {
  speech: renderSpeech,
  music: renderMusic,
  soundscape: renderSoundscape,
};

async function renderMusic({ deps, request, files, options }: RenderHow): Promise<AudioResult> {
  const { warnings, layers } = musicOf(request.prompt, request.tempo ?? null);
  const input = await musicInput(deps, request, files, FULL, request.durationSeconds);
  const sound = await deps.runTask('render-music', input, options);
  const result = audioResultOf('music', request, sound, files);
  const names = sound.otherFiles.filter((name) => !name.endsWith('.mid'));
  return {
    ...result,
    music: sound.music,
    sounds: layers.map(shownLayer),
    instruments: input.soundFontPath === null ? 'synthesised' : 'sampled',
    files: [...result.files, ...names.map((name) => ({ name, url: files.urlOf(name) }))],
    warnings: [...warnings, ...sound.warnings, ...instrumentWarnings(deps, input.soundFontPath)],
  };
}

function instrumentWarnings({ soundFont }: AudioEngineDeps, path: string | null): Said[] {
  if (path !== null || soundFont.offer === null) return [];
  return [say`The built-in synthesiser played. Install ${soundFont.offer} on the Models page for sampled instruments.`];
}

async function renderSoundscape({ deps, request, files, options }: RenderHow): Promise<AudioResult> {
  const { layers, warnings } = soundscapeOf(request.prompt);
  const input = sceneInput(request, files, FULL, request.durationSeconds);
  const sound = await deps.runTask('render-scene', input, options);
  return { ...audioResultOf('soundscape', request, sound, files), sounds: layers.map(shownLayer), warnings };
}

function shownLayer(layer: SceneLayer) {
  const traits = layerTraits(layer);
  const { scene, distance, intensity } = layer;
  return { name: scene, distance, intensity, ...(traits.length > 0 && { traits }) };
}

async function renderSpeech({ deps, request, files, options, live }: RenderHow): Promise<AudioResult> {
  const { accountId, signal } = options;
  const plan = await planSpeech(deps, request, { accountId, ...omitUndefined({ signal }) });
  const input = { ...speechInput(deps, plan, request, files, FULL), live: live?.format };
  const onPart = (part: LivePart) => live?.onPart(part);
  const sound = await deps.runTask('render-speech', input, { ...options, onPart });
  const { cast, script } = plan;
  const { slug, name, language } = cast.voices[0];
  const captions = { vtt: files.urlOf(`${FULL}.vtt`), srt: files.urlOf(`${FULL}.srt`) };
  const result = audioResultOf('speech', request, sound, files);
  const under = request.background === undefined ? null : backgroundOf(request.background, request.durationSeconds);
  return {
    ...result,
    voice: { slug, name, language, chosenBy: cast.chosenBy },
    speakers: script.speakers.map((speaker, index) => ({
      name: speaker.name,
      voice: cast.voices[index]?.slug ?? slug,
    })),
    music: sound.music,
    sounds: (under?.background.scene ?? []).map(shownLayer),
    instruments: sound.music === null ? null : 'synthesised',
    chapters: sound.chapters,
    captions: request.includeCaptions ? captions : null,
    omitted: sound.omitted,
    ...omitUndefined({ doubts: cast.doubts.length === 0 ? undefined : cast.doubts }),
    files: request.includeCaptions
      ? [...result.files, { name: `${FULL}.vtt`, url: captions.vtt }, { name: `${FULL}.srt`, url: captions.srt }]
      : result.files,
    warnings: [
      ...cast.warnings,
      ...speechWarnings(request, sound),
      ...(under?.warnings ?? []).map((text) => `background: ${text}`),
    ],
  };
}

/** Options of another kind of audio. */
function ignoredOptions(kind: Kind, request: AudioRequest): string[] {
  const warnings: Said[] = [];
  const warnIgnoredOption = (is: boolean, field: string, what: Said) => {
    if (is) warnings.push(say`${field} was ignored: it applies to ${what}.`);
  };
  const what = { speech: say`speech`, music: say`music`, soundscape: say`a soundscape` }[kind];
  if (kind !== 'speech' && request.includeCaptions) {
    warnings.push(say`Captions are made for speech only; this is ${what}.`);
  }
  warnIgnoredOption(kind !== 'speech' && request.background !== undefined, 'background', say`speech`);
  if (kind !== 'speech' && request.speed !== 1) {
    const ignored = say`speed was ignored: it applies to speech, and this is ${what}.`;
    warnings.push(kind === 'music' ? saidTogether([ignored, say`Use tempo.`]) : ignored);
  }
  warnIgnoredOption(kind === 'soundscape' && request.tempo !== undefined, 'tempo', say`music`);
  warnIgnoredOption(kind !== 'music' && request.stems, 'stems', say`music`);
  warnIgnoredOption(kind !== 'music' && request.formats.includes('midi'), say`The format midi`, say`music`);
  warnIgnoredOption(kind !== 'soundscape' && request.seamless, 'seamless', say`soundscapes`);
  return warnings;
}

function speechWarnings(request: AudioRequest, sound: RenderSpeechOutput): Said[] {
  const warnings: Said[] = [];
  if (sound.omitted !== null) {
    warnings.push(say`The text is longer than ${request.durationSeconds} s; its end was left out, see omitted.`);
  }
  if (sound.unspokenRuns > 0) warnings.push(say`Words in scripts that this voice cannot speak were left out.`);
  if (request.includeCaptions && !sound.wordsTimed) {
    warnings.push(say`This voice does not report word times. The times in the captions are estimated.`);
  }
  if (request.tempo !== undefined) {
    warnings.push(say`tempo was ignored: it applies to music, and this prompt was spoken. Describe music to use it.`);
  }
  return warnings;
}

function audioResultOf(kind: Kind, request: AudioRequest, sound: FinishedSound, files: JobFiles): AudioResult {
  const { durationSeconds, sampleRate, channels, analysis } = sound;
  const preset = presetOf(kind, request);
  return {
    kind,
    durationSeconds,
    sampleRate,
    channels,
    audio: formatsOf(sound, files, FULL),
    seed: request.seed,
    voice: null,
    speakers: [],
    music: null,
    sounds: [],
    instruments: null,
    chapters: [],
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

async function musicInput(
  deps: AudioEngineDeps,
  request: AudioRequest,
  files: JobFiles,
  fileName: string,
  renderSeconds: number,
): Promise<RenderMusicInput> {
  const { brief, layers } = musicOf(request.prompt, request.tempo ?? null);
  return {
    ...renderCommon(request, files, fileName, renderSeconds),
    brief,
    scene: layers,
    soundFontPath: await deps.soundFont.path(),
    stems: request.stems,
    midi: request.formats.includes('midi'),
  };
}

function sceneInput(request: AudioRequest, files: JobFiles, fileName: string, renderSeconds: number): RenderSceneInput {
  const { layers } = soundscapeOf(request.prompt);
  return { ...renderCommon(request, files, fileName, renderSeconds), layers, seamless: request.seamless };
}

function speechInput(
  deps: Pick<AudioEngineDeps, 'pronunciations'>,
  { script, cast }: SpeechPlan,
  request: AudioRequest,
  files: JobFiles,
  fileName: string,
): RenderSpeechInput {
  return {
    passages: script.passages.map((passage) => ({ ...passage, speed: passage.speed * request.speed })),
    speakers: cast.voices.map(({ speaker }) => speaker),
    speakerNames: script.speakers.length > 1 ? script.speakers.map(({ name }) => name) : undefined,
    reading: { language: cast.language, lexicon: lexiconOf(deps.pronunciations()) },
    maxSeconds: request.durationSeconds,
    endsAnywhere: false,
    includeCaptions: request.includeCaptions,
    outputFolder: files.folder,
    fileName,
    title: soundTitleOf(request.prompt),
    goal: LOUDNESS_PRESETS[presetOf('speech', request)],
    background:
      request.background === undefined ? null : backgroundOf(request.background, request.durationSeconds).background,
    seed: seedOf(request),
    source: request.prompt,
  };
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
      offered: () => models.modelCatalogue.filter(({ kind }) => kind === 'voice'),
      server: context.settings,
      serverKey: (url) => context.serverKeys.speech.for(url),
    },
    soundFont: {
      path: async () => (await models.installed('soundfont'))[0]?.path ?? null,
      offer:
        models.recommendedModel('soundfont') === null
          ? null
          : offerOf(models.recommendedModel('soundfont') as CatalogueModel),
    },
    encode: await soundEncoderOf(context),
    pronunciations: () => context.settings().pronunciations,
    samplesFolder: join(context.dataDir, 'voices'),
    previewLimitMs: context.options.previewLimitMs,
  });
});
