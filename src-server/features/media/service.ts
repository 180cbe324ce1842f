/**
 * Transcribes a video or audio file in stages: sound, speech, transcript, frames, chunks. Each stage keeps its result
 * in the job's work folder, so an interrupted job resumes. Frames are an addition: when they fail, the result has a
 * warning.
 */

import { mkdir, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import type {
  Decoded,
  FindSpeakersOutput,
  SampleRange,
  SpeechEngine,
  SpeechEvidence,
  TranscribeOutput,
} from '../../../workers/media/tasks.ts';
import { type AppContext, perContext } from '../../context.ts';
import { engineJob, type ProgressReport, WAITING_STAGE } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { LocalSource } from '../../platform/files/uploads.ts';
import type { ModelFacts } from '../../platform/model-facts.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { RunTask, TaskMap, TaskName } from '../../platform/pool/worker-pool.ts';
import { type Said, saidElsewhere, saidTogether, say } from '../../platform/text/say.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { OcrModels } from '../documents/schema.ts';
import { ocrOf } from '../documents/service.ts';
import type { SpeechFolder } from '../models/schema.ts';
import { type Models, modelsOf, notInstalled } from '../models/service.ts';
import {
  describeHeardChannels,
  heardChannels,
  isFirstApart,
  joinChannels,
  layEndToEnd,
  oneChannelWarnings,
  placeHeard,
  placeOnClock,
  planChannels,
  type ReadChannels,
  readChannelsApart,
} from './channels.ts';
import { captionsOf, keepCheckpoint, type MediaJob, transcriptFiles } from './checkpoint.ts';
import { computeCoverage } from './covered-span.ts';
import { createSoundEncoder, type EncodeSound } from './encode-sound.ts';
import { openStagePace, type Stage, type StagePace, StagePlan } from './estimate.ts';
import { extractAudio, SAMPLE_RATE } from './extract-audio.ts';
import { type Fetched, type FetchedMedia, fetchStream, type StreamSeconds } from './fetch-stream.ts';
import { describeFile } from './file-facts.ts';
import { type ReadFrames, readFrames } from './frames.ts';
import type { MediaReader } from './media-reader.ts';
import { chooseAudioTrack, DURATION_MAX_SECONDS, durationOnceHeard, type Probe, probeMedia } from './probe.ts';
import type { AudioTrack, MediaOptions, MediaService, TranscriptResult, TranscriptSegment } from './schema.ts';
import { accountSeconds, type Span } from './source-seconds.ts';
import {
  chooseSpeakerModel,
  countWarnings,
  findTurns,
  matchVoices,
  type SpeakerModelFiles,
  sentVoices,
  speakerFilesOf,
  speakersInSegments,
  type VoiceMatch,
  type VoicesOf,
  voiceWarnings,
  wantsSpeakers,
} from './speakers.ts';
import {
  chooseSpeechModel,
  type FoundSpeech,
  findSpeechSpans,
  languageWarnings,
  type SpeechChoice,
  type SpeechModelFiles,
  speechOffer,
  vocabularyWarnings,
} from './speech.ts';
import { subtitleStyleOf } from './subtitle-style.ts';
import { noteLost, toolsOf } from './tools.ts';
import { windowsByTurns } from './turn-windows.ts';
import type { WhisperCliLocator } from './whisper-cli.ts';
import { FetchProgress } from './yt-dlp.ts';

/** CPU time of all threads: a large model on many of them, over 12 hours of sound. */
const LISTEN_LIMIT_MS = 100 * HOUR_MS;

/** Between two windows: whisper-cli works outside the thread, and a large model takes minutes for one. */
const WINDOW_LIMIT_MS = 30 * MINUTE_MS;

const WRITE_LIMIT_MS = 2 * MINUTE_MS;

const DETECTOR_FAILED = say`The voice activity model could not be used: speech was found by loudness. Remove it on
  the Models page, or
    install it again.`;

const AUDIO_FILE = 'audio.pcm';

export interface VideoEngineDeps {
  runTask: RunTask;
  media: MediaReader;
  whisperCli: WhisperCliLocator;
  models: SpeechModelFiles;
  ocr: OcrModels;
  pace: StagePace;
  /** Path of the voice activity model; null finds speech by loudness. */
  detector(): Promise<string | null>;
  speakers: SpeakerModelFiles;
  /** Threads of the pool: the number of frames read in parallel. */
  threads: number;
}

type Result = z.output<typeof TranscriptResult>;

type SpeechOptions = Pick<MediaOptions, 'transcriptionModel' | 'language' | 'speakers' | 'translate'>;

interface MediaSource extends LocalSource, Partial<Omit<FetchedMedia, 'warnings'>> {}

export interface VideoEngine {
  /** Errors: `model_not_installed`, `engine_unavailable`, `invalid_request`. */
  admit(options: SpeechOptions): Promise<void>;
  /** The model that `extract` takes. Errors: those of `admit`. */
  choose(options: SpeechOptions): Promise<SpeechChoice>;
  /** Expected seconds for transcribing this much sound, learned on this machine. Errors: those of `admit`. */
  expectSeconds(durationSeconds: number | null, options: SpeechOptions): Promise<number>;
  /**
   * Errors: `corrupt_input`, `unsupported_media`, `source_too_large`, `model_not_installed`, `engine_unavailable`,
   * `engine_failed`, `out_of_memory`, `timeout`, and the signal's reason.
   */
  extract(
    source: MediaSource,
    options: MediaOptions,
    job: MediaJob,
    signal: AbortSignal,
    /** Captions of the video, if any. The transcript fills their gaps. */
    captions?: TranscriptSegment[],
  ): Promise<Result>;
}

export function createVideoEngine(deps: VideoEngineDeps): VideoEngine {
  const chooseSpeech = (options: SpeechOptions) =>
    chooseSpeechModel(deps.models, options, () => deps.whisperCli.locate());
  return {
    async admit(options) {
      const { engine } = await chooseSpeech(options);
      await deps.media.version();
      if (engine === 'whisper.cpp') await deps.whisperCli.locate();
      if (wantsSpeakers(options.speakers)) await chooseSpeakerModel(deps.speakers);
    },
    choose: chooseSpeech,
    async expectSeconds(durationSeconds, options) {
      const model = (await chooseSpeech(options)).model.name;
      const speakers = wantsSpeakers(options.speakers);
      const file = { durationSeconds, model, sound: true, speakers, frames: false, spentSeconds: 0 };
      return new StagePlan(deps.pace, file).totalSeconds;
    },
    async extract(source, options, job, signal, captions = []) {
      await mkdir(job.workFolder, { recursive: true });
      const choice = await chooseSpeech(options);
      const { speakerModel: named } = job.choices;
      const speakerModel = wantsSpeakers(options.speakers) ? await chooseSpeakerModel(deps.speakers, named) : null;
      const run = new VideoRun(deps, source, options, job, signal);
      const result = await run.extractRecording({ choice, speakerModel }, captions);
      await rm(job.workFolder, { recursive: true, force: true });
      return result;
    },
  };
}

type ChosenSpeakerModel = Awaited<ReturnType<typeof chooseSpeakerModel>>;

interface ChosenModels {
  choice: SpeechChoice;
  /** Null where nobody asks who speaks. */
  speakerModel: ChosenSpeakerModel | null;
}

/** What was read of a source, to be written. */
interface ReadSource {
  captions: TranscriptSegment[];
  heard: TranscribeOutput | null;
  track: TrackSpeech | null;
  read: ReadFrames | null;
  spoken: FindSpeakersOutput | null;
  matches: readonly (VoiceMatch | undefined)[];
  language: string | null;
}

/** The track to be heard. */
interface TrackPlace {
  probe: Probe;
  track: AudioTrack;
  /** In its file. */
  trackNumber: number;
}

interface TrackSpeech {
  /** On the clock of the file. */
  found: FoundSpeech;
  /** The same where channels are laid end to end, as they are recognised. */
  laid: FoundSpeech;
  decoded: Decoded;
  /** The channels, where they are heard for themselves. */
  apart: ReadChannels | null;
}

/** More tracks are not searched for the one with the speech. */
const TRACKS_SEARCHED_MAX = 8;

class VideoRun {
  readonly #deps: VideoEngineDeps;
  readonly #source: MediaSource;
  readonly #options: MediaOptions;
  readonly #job: MediaJob;
  readonly #signal: AbortSignal;
  /** Set once the file is probed. */
  #plan: StagePlan | null = null;
  /** The last report of work. */
  #shown: ProgressReport = { percent: 0, stage: WAITING_STAGE, message: saidElsewhere('') };

  constructor(deps: VideoEngineDeps, source: MediaSource, options: MediaOptions, job: MediaJob, signal: AbortSignal) {
    this.#deps = { ...deps, runTask: this.#withWaits(deps.runTask) };
    this.#source = source;
    this.#options = options;
    this.#job = job;
    this.#signal = signal;
  }

  async extractRecording({ choice, speakerModel }: ChosenModels, captions: TranscriptSegment[]): Promise<Result> {
    this.#sayAt('audio', 0, 'probing', say`Reading the file header`);
    const probe = await this.#keepStage('probed', () => this.#probe());
    const { audioTrack: taken } = this.#source;
    const { audioTrack, wantsFrames, warnings } = whatToRead(probe, this.#options, taken);
    const file = await describeFile(this.#deps, { path: this.#source.path, probe }, this.#job, this.#signal);
    warnings.push(...file.warnings);
    const plan = new StagePlan(this.#deps.pace, {
      durationSeconds: probe.durationSeconds,
      model: choice.model.name,
      sound: audioTrack !== null,
      speakers: speakerModel !== null,
      frames: wantsFrames,
      spentSeconds: this.#job.spentSeconds,
    });
    this.#plan = plan;
    // A track that was taken from a stream is alone in its file.
    const trackNumber = taken === undefined ? (audioTrack?.number ?? 1) : 1;
    const place = audioTrack === null ? null : { probe, track: audioTrack, trackNumber };
    const track = place === null ? null : await this.#findTrackSpeech(plan, place, warnings);
    const speech = track?.found ?? null;
    const lacksSpeech = speech?.lacksSpeech === true;
    const apart = track?.apart ?? null;
    const spoken = lacksSpeech || apart !== null ? null : await this.#findTurns(plan, speech, speakerModel, warnings);
    const heard = track === null ? null : await this.#transcribeTrack(plan, track, choice, spoken);
    const matches = this.#recogniseVoices(spoken, speakerModel, warnings);
    const heardSeconds = speech?.durationSeconds ?? null;
    const durationSeconds = durationOnceHeard(probe, heardSeconds);
    const read = wantsFrames
      ? await plan.runTimedStage('frames', durationSeconds, () => this.#readFrames(durationSeconds, warnings))
      : null;
    const frames = read?.frames;
    const decoded = { sound: track?.decoded ?? null, heardSeconds, pictures: read?.decoded ?? null };
    const { stream = null } = this.#source;
    const covering = computeCoverage(probe, decoded, stream);
    warnings.push(...covering.warnings);
    const language = heard?.language ?? choice.language ?? this.#options.language ?? null;
    const written = await this.#writeSpokenTranscript({ captions, heard, track, read, spoken, matches, language });
    const isEmpty = written.segments.length === 0;
    const others = isEmpty || lacksSpeech ? await this.#adviceOnOtherTracks(plan, place) : '';
    const quiet = isEmpty ? noSpeech(audioTrack, others) : musicWarning(lacksSpeech, speakerModel, others);
    if (heard !== null) warnings.push(...quiet, ...this.#heardWarnings(choice, heard));
    const { missing } = covering;
    const accounted = secondsAccount({ durationSeconds, missing, speech, track, stream, written });
    warnings.push(...accounted.warnings);
    return {
      chunks: written.chunks,
      segments: written.segments,
      ...((spoken ?? apart)
        ? this.#describeSpeakers(written, matches, warnings)
        : noSpeakers(lacksSpeech, speakerModel)),
      captions: captionsOf(written.segments, (name) => this.#videoFileLink(name)),
      covered: covering.covered,
      file: file.facts,
      media: describeRecording(probe, { durationSeconds, track, audioTrack, trackNumber }),
      transcript: { language, words: written.words, ...this.#heardFacts(choice, heard, written.segments) },
      files: [
        ...transcriptFiles(written.segments).map((name) => this.#videoFileLink(name)),
        ...file.files,
        ...(frames ?? []).map(({ image }) => image),
      ],
      account: accounted.account,
      ...omitUndefined({ frames, doubts: written.doubts.length === 0 ? undefined : written.doubts }),
      warnings: [...warnings, ...written.warnings],
    };
  }

  #writeSpokenTranscript({ captions, heard, track, read, spoken, matches, language }: ReadSource) {
    this.#sayAt('writing', 0, 'writing', say`Writing chunks and captions`);
    const transcript = {
      captions,
      heard: heard?.segments ?? [],
      evidence: track === null ? null : evidenceOf(track.laid),
      channels: track?.apart == null ? null : describeHeardChannels(track.apart),
      frames: (read?.frames ?? []).filter(({ text }) => text !== ''),
      turns: spoken?.turns ?? null,
      names: recognisedVoiceNames(matches),
      segmentLength: this.#options.segmentLength,
      // Of the text.
      language: this.#options.translate ?? language,
      subtitles: subtitleStyleOf(this.#options.subtitles),
      textTimes: this.#options.textTimes === true ? true : undefined,
      outputFolder: this.#job.filesFolder,
    };
    return this.#runVideoTask('write-transcript', transcript, WRITE_LIMIT_MS);
  }

  async #findTrackSpeech(plan: StagePlan, place: TrackPlace, warnings: Said[]): Promise<TrackSpeech> {
    const { decoded, apart, ...sound } = await this.#keepStage('sound-read', async () => {
      this.#sayAt('audio', 0, 'extracting-audio', say`Reading the sound`);
      return plan.runTimedStage('audio', place.probe.durationSeconds ?? 0, () => this.#readSound(place));
    });
    warnings.push(...sound.warnings);
    const found = await this.#keepStage('speech-found', async () => {
      this.#sayAt('speech', 0, 'listening', say`Looking for speech`);
      if (apart === null) return this.#findSpeech(plan, join(this.#job.workFolder, AUDIO_FILE));
      const inChannels: FoundSpeech[] = [];
      for (const file of apart.files) inChannels.push(await this.#findSpeech(plan, file));
      return layEndToEnd(inChannels, apart);
    });
    plan.knowSpeech(found.speechSeconds);
    if (found.detectorFailed) warnings.push(DETECTOR_FAILED);
    if (apart === null) return { found, laid: found, decoded, apart };
    await this.#keepStage('channels-joined', () =>
      joinChannels(apart.files, join(this.#job.workFolder, AUDIO_FILE), this.#signal),
    );
    return { found: placeOnClock(found, apart), laid: found, decoded, apart };
  }

  /** Writes the mix of a track, or each channel for itself where they hold different people. */
  async #readSound({ probe, track, trackNumber }: TrackPlace) {
    const { media } = this.#deps;
    const source = { ...this.#sourcePlace(), probe, track, trackNumber, options: this.#options };
    const watch = {
      signal: this.#signal,
      onProgress: (share: number) => this.#sayAt('audio', share, 'extracting-audio', say`Reading the sound`),
    };
    const channels = planChannels(source);
    const folder = join(this.#job.workFolder, 'channels');
    const isFirst = channels !== null && isFirstApart(channels, source);
    const first = isFirst ? await readChannelsApart(media, source, channels, folder, watch) : null;
    const warnings = first?.warnings ?? (channels === null ? oneChannelWarnings(this.#options.channels) : []);
    if (first?.read && first.decoded) return { decoded: first.decoded, apart: first.read, warnings };
    const pcmPath = join(this.#job.workFolder, AUDIO_FILE);
    const { unreadParts, decoded, channelsAreApart } = await extractAudio(media, source, pcmPath, watch);
    if (unreadParts > 0) warnings.push(say`Parts of the file that could not be read: ${unreadParts}.`);
    if (!channelsAreApart || channels === null || isFirst) return { decoded, apart: null, warnings };
    const second = await readChannelsApart(media, source, channels, folder, { ...watch, onProgress: () => undefined });
    return { decoded, apart: second.read, warnings: [...warnings, ...second.warnings] };
  }

  #findSpeech(plan: StagePlan, pcmPath: string): Promise<FoundSpeech> {
    return findSpeechSpans(this.#deps, plan, {
      pcmPath,
      accountId: this.#job.accountId,
      signal: this.#signal,
      onProgress: ({ percent, stage, message }) => this.#sayAt('speech', percent / 100, stage, message),
    });
  }

  /** Which tracks have the speech that the chosen one lacks; empty where there are no others. */
  async #adviceOnOtherTracks(plan: StagePlan, place: TrackPlace | null): Promise<Said | ''> {
    if (place === null || place.track.of === 1) return '';
    const { probe, track } = place;
    // A track that was taken from a stream is alone in its file.
    if (probe.audioTracks.length !== track.of || track.of > TRACKS_SEARCHED_MAX) return otherTracks(track);
    const spoken = await this.#keepStage('other-tracks', async () => {
      const found: number[] = [];
      for (let number = 1; number <= track.of; number += 1) {
        if (number !== track.number && (await this.#hasSpeech(plan, probe, number))) found.push(number);
      }
      return found;
    });
    return spokenTracks(track, spoken);
  }

  async #hasSpeech(plan: StagePlan, probe: Probe, trackNumber: number): Promise<boolean> {
    const pcmPath = join(this.#job.workFolder, 'other-track.pcm');
    const watch = { signal: this.#signal, onProgress: () => undefined };
    try {
      await extractAudio(this.#deps.media, { ...this.#sourcePlace(), probe, trackNumber }, pcmPath, watch);
      const { lacksSpeech, speech } = await this.#findSpeech(plan, pcmPath);
      return !lacksSpeech && speech.length > 0;
    } catch (error) {
      this.#signal.throwIfAborted();
      // The track is damaged; what was asked for is read.
      if (!(error instanceof QuarryError) || error.code !== 'corrupt_input') throw error;
      return false;
    } finally {
      await rm(pcmPath, { force: true });
    }
  }

  async #transcribeTrack(
    plan: StagePlan,
    { laid, apart }: TrackSpeech,
    choice: SpeechChoice,
    spoken: FindSpeakersOutput | null,
  ): Promise<TranscribeOutput> {
    const translated = this.#options.translate === undefined ? '' : '-translated';
    const { windows, speech, speechSeconds, durationSeconds } = laid;
    const byTurns = apart !== null ? '-by-channels' : spoken === null ? '' : '-by-turns';
    const seconds = apart === null ? durationSeconds : apart.samples / SAMPLE_RATE;
    const name = `heard-${choice.model.name}-${choice.language ?? 'auto'}${translated}${byTurns}`;
    const engine = await this.#engineOf(choice);
    // The task resumes from its parts, and sends them again to clients that follow the job.
    const output = await this.#deps.runTask(
      'transcribe',
      {
        engine,
        pcmPath: join(this.#job.workFolder, AUDIO_FILE),
        sampleRate: SAMPLE_RATE,
        windows: spoken === null ? windows : windowsByTurns(windows, spoken.turns, SAMPLE_RATE),
        speech,
        durationSeconds,
        language: choice.language,
        vocabulary: this.#options.vocabulary ?? [],
        toEnglish: this.#options.translate === 'en',
        threads: threadsForModels(),
        partsFolder: join(this.#job.workFolder, name),
      },
      {
        signal: this.#signal,
        accountId: this.#job.accountId,
        heavy: true,
        timeLimitMs: LISTEN_LIMIT_MS,
        standstillMs: WINDOW_LIMIT_MS,
        onStart: () => this.#sayAt('transcribe', 0, 'transcribing', say`Loading the speech model`),
        onProgress: ({ percent, stage, message }) => this.#sayAt('transcribe', percent / 100, stage, message),
        onPart: (segments) => {
          this.#job.emit('segments', { segments: segments.map((segment) => placeHeard(segment, seconds)) });
        },
      },
    );
    if (output.tookSeconds !== null) await plan.learnStagePace('transcribe', speechSeconds, output.tookSeconds);
    return output;
  }

  /** Null without sound or a model. A model that fails gives a warning: the words are worth more. */
  async #findTurns(plan: StagePlan, found: FoundSpeech | null, model: ChosenSpeakerModel | null, warnings: Said[]) {
    if (found === null || model === null) return null;
    const { speakers: option } = this.#options;
    try {
      return await this.#keepStage(`turns-${option}`, async () => {
        const spoken = await findTurns(this.#deps.runTask, {
          model,
          option,
          found,
          accountId: this.#job.accountId,
          signal: this.#signal,
          threads: threadsForModels(),
          pcmPath: join(this.#job.workFolder, AUDIO_FILE),
          partsFolder: join(this.#job.workFolder, 'voices'),
          onStart: () => this.#sayAt('speakers', 0, 'finding-speakers', say`Loading the speaker model`),
          onProgress: ({ percent, stage, message }) => this.#sayAt('speakers', percent / 100, stage, message),
        });
        const { tookSeconds } = spoken;
        if (tookSeconds !== null) await plan.learnStagePace('speakers', found.durationSeconds, tookSeconds);
        return spoken;
      });
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof QuarryError) || error.code !== 'engine_failed') throw error;
      warnings.push(say`The speakers could not be found: ${error.message}`);
      return null;
    }
  }

  /** Which remembered voices the speakers are like. */
  #recogniseVoices(
    spoken: FindSpeakersOutput | null,
    model: ChosenSpeakerModel | null,
    warnings: Said[],
  ): (VoiceMatch | undefined)[] {
    const { voices } = this.#job;
    const all = voices?.all() ?? [];
    if (voices === undefined || spoken === null || all.length === 0) return [];
    const known = all.filter((voice) => voice.model === model?.name);
    if (known.length < all.length) warnings.push(otherModel(all.length - known.length));
    if (spoken.likeness === null) {
      if (known.length > 0 && spoken.turns.length > 0) warnings.push(TOO_SHORT_TO_COMPARE);
      return [];
    }
    const matches = matchVoices(spoken.voices, spoken.likeness, known);
    voices.heard(matches.flatMap((match) => (match?.recognised === true ? [match.voice.id] : [])));
    return matches;
  }

  #describeSpeakers(
    { segments, speakerNumbers }: Pick<TaskMap['write-transcript']['output'], 'segments' | 'speakerNumbers'>,
    matches: readonly (VoiceMatch | undefined)[],
    warnings: Said[],
  ): Pick<Result, 'speakers'> {
    const speakers = speakersInSegments(segments).map((speaker) => {
      const match = matches[speakerNumbers[speaker.name] ?? -1];
      if (match === undefined) return speaker;
      const { voice, similarity, recognised } = match;
      return { ...speaker, voice: { name: voice.name, similarity, recognised } };
    });
    warnings.push(...countWarnings(this.#options.speakers, speakers.length), ...voiceWarnings(speakers));
    return { speakers };
  }

  #heardWarnings(choice: SpeechChoice, { language, otherLanguages, unusedTerms }: TranscribeOutput): Said[] {
    return [
      ...languageWarnings(language, otherLanguages),
      ...vocabularyWarnings(choice, this.#options.vocabulary ?? [], unusedTerms),
    ];
  }

  #heardFacts(choice: SpeechChoice, heard: TranscribeOutput | null, segments: readonly TranscriptSegment[]) {
    return {
      model: heard === null ? null : choice.model.name,
      engine: heard === null ? null : choice.engine,
      languageConfidence: heard?.languageConfidence ?? null,
      translatedTo: heard === null ? null : (this.#options.translate ?? null),
      confidence: heard?.confidence ?? null,
      wordTimes: segments.some(({ words }) => words !== undefined),
      wordTimesEstimated: heard?.wordTimesEstimated ?? false,
    };
  }

  async #engineOf({ engine, model }: SpeechChoice): Promise<SpeechEngine> {
    if (engine === 'whisper.cpp') {
      const { path } = await this.#deps.whisperCli.locate();
      return { kind: engine, modelPath: model.path, programPath: path };
    }
    const { family, files } = model.speech as SpeechFolder;
    const paths = Object.entries(files).map(([part, file]) => [part, join(model.path, file)]);
    return { kind: engine, model: { family, files: Object.fromEntries(paths) } };
  }

  /** The facts of the source, whose pictures may be in a file of their own. */
  async #probe(): Promise<Probe> {
    const { media } = this.#deps;
    const { path, pictures = null } = this.#source;
    const probe = await probeMedia(media, path, this.#signal);
    if (pictures === null) return probe;
    for (const { range } of pictures.parts) {
      try {
        const { videoCodec, oversize, width, height } = await probeMedia(media, pictures.path, this.#signal, range);
        if (videoCodec !== null) return { ...probe, videoCodec, oversize, width, height };
      } catch (error) {
        // Reading the pictures tells which parts are damaged.
        if (!(error instanceof QuarryError) || error.code !== 'corrupt_input') throw error;
      }
    }
    return probe;
  }

  /** Reads the frames. A failure is a warning when there is a transcript, and an error otherwise. */
  async #readFrames(durationSeconds: number, warnings: Said[]): Promise<ReadFrames> {
    try {
      return await readFrames(this.#deps, {
        source: { ...this.#sourcePlace(), ...this.#source.pictures, durationSeconds },
        intervalSeconds: this.#options.frameIntervalSeconds,
        language: this.#options.language,
        job: this.#job,
        signal: this.#signal,
        warnings,
        onProgress: (share, message) => this.#sayAt('frames', share, 'reading-frames', message),
      });
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof QuarryError) || warnings.some((warning) => warning.includes('no sound'))) throw error;
      warnings.push(say`The pictures could not be read: ${error.message}`);
      return { frames: [], decoded: null };
    }
  }

  #runVideoTask<Name extends TaskName>(
    task: Name,
    input: TaskMap[Name]['input'],
    timeLimitMs: number,
  ): Promise<TaskMap[Name]['output']> {
    return this.#deps.runTask(task, input, { signal: this.#signal, accountId: this.#job.accountId, timeLimitMs });
  }

  #keepStage<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    return keepCheckpoint(this.#job.workFolder, name, make);
  }

  #sourcePlace() {
    const { path, clockRunsOn = false } = this.#source;
    return { path, clockRunsOn };
  }

  #videoFileLink(name: string) {
    return { name, url: this.#job.urlOf(name) };
  }

  #sayAt(part: Stage, share: number, stage: string, message: Said): void {
    const percent = this.#plan?.percentAt(part, share) ?? 0;
    const expected = this.#plan === null ? {} : { expectedSeconds: this.#plan.totalSeconds * (1 - percent / 100) };
    this.#shown = { percent, stage, message, ...expected };
    this.#job.progress(this.#shown);
  }

  /** The wait of a long task for a thread is a stage of its own, so that it does not count as work of another. */
  #withWaits(runTask: RunTask): RunTask {
    return (task, input, options) => {
      let state: 'new' | 'waits' | 'started' = 'new';
      const onStart = () => {
        if (options.onStart !== undefined) options.onStart();
        else if (state === 'waits') this.#job.progress(this.#shown);
        state = 'started';
      };
      const run = runTask(task, input, { ...options, onStart });
      // With a free thread the task has started within the call. Short tasks come before long ones, and hardly wait.
      if (state === 'new' && options.heavy === true) {
        state = 'waits';
        this.#job.progress({ ...this.#shown, stage: WAITING_STAGE, message: say`Waiting for a thread` });
      }
      return run;
    };
  }
}

const MUSIC = say`The sound has almost no speech, but music or other sound: words of the transcript may be invented.`;

const NO_SPEAKERS = say`No speakers were looked for.`;

/** @param others which other tracks have speech; empty without any */
function musicWarning(lacksSpeech: boolean, speakerModel: ChosenSpeakerModel | null, others: Said | ''): Said[] {
  if (!lacksSpeech) return [];
  const sentences = [MUSIC, ...(speakerModel === null ? [] : [NO_SPEAKERS]), ...(others === '' ? [] : [others])];
  return [saidTogether(sentences)];
}

function evidenceOf({ speech, lacksSpeech }: FoundSpeech): SpeechEvidence {
  return { speech: speech.map(([from, to]) => [from / SAMPLE_RATE, to / SAMPLE_RATE]), lacksSpeech };
}

interface RecordingFacts {
  durationSeconds: number;
  track: TrackSpeech | null;
  audioTrack: AudioTrack | null;
  /** In its file. */
  trackNumber: number;
}

function describeRecording(probe: Probe, { durationSeconds, track, audioTrack, trackNumber }: RecordingFacts) {
  const { videoCodec, width, height, audioTracks } = probe;
  const apart = track?.apart ?? null;
  return {
    durationSeconds,
    speechSeconds: track?.found.speechSeconds ?? 0,
    speechFoundBy: track?.found.foundBy ?? null,
    audioTrack,
    ...omitUndefined({ channels: track === null || apart === null ? undefined : heardChannels(apart, track.laid) }),
    audioCodec: audioTrack === null ? null : (audioTracks[trackNumber - 1]?.codec ?? null),
    videoCodec,
    width,
    height,
  };
}

interface Accounted {
  durationSeconds: number;
  missing: Span[];
  speech: FoundSpeech | null;
  track: { decoded: Decoded } | null;
  stream: StreamSeconds | null;
  written: { segments: readonly TranscriptSegment[] };
}

function secondsAccount({ durationSeconds, missing, speech, track, stream, written }: Accounted) {
  const sampleSpans = (ranges: readonly SampleRange[] = []) =>
    ranges.map(([from, to]): Span => ({ start: from / SAMPLE_RATE, end: to / SAMPLE_RATE }));
  const gaps = track?.decoded.gaps.map(([start, end]): Span => ({ start, end })) ?? [];
  const seconds = Math.max(durationSeconds, stream?.seconds ?? 0, speech?.durationSeconds ?? 0);
  const isLong = seconds > DURATION_MAX_SECONDS;
  return accountSeconds({
    seconds,
    words: written.segments,
    speech: sampleSpans(speech?.speech),
    sounds: sampleSpans(speech?.sounds),
    damaged: [...gaps, ...(stream?.damaged ?? [])],
    missing: [...missing, ...(stream?.missing ?? [])],
    overLimit: isLong ? [{ start: DURATION_MAX_SECONDS, end: seconds }] : [],
    isByModel: speech?.foundBy === 'silero-vad',
  });
}

/** Where speakers were asked for and none were looked for. */
function noSpeakers(lacksSpeech: boolean, speakerModel: ChosenSpeakerModel | null): Pick<Result, 'speakers'> {
  return lacksSpeech && speakerModel !== null ? { speakers: [] } : {};
}

const TOO_SHORT_TO_COMPARE = say`The recording is too short to compare its speakers with remembered voices.`;

function otherModel(count: number): Said {
  return count === 1
    ? say`1 remembered voice was not compared, because another speaker model made them.
        Remember them again with this one.`
    : say`${count} remembered voices were not compared, because another speaker model made them.
        Remember them again with this one.`;
}

function recognisedVoiceNames(matches: readonly (VoiceMatch | undefined)[]): Record<number, string> {
  const recognised = matches.flatMap((match, speaker) =>
    match?.recognised === true ? [[speaker, match] as const] : [],
  );
  return Object.fromEntries(recognised.map(([speaker, { voice }]) => [speaker, voice.name]));
}

/** One core stays free for everything else. */
function threadsForModels(): number {
  return Math.max(1, availableParallelism() - 1);
}

/** @param size such as `12000x12000` */
function picturesTooLarge(size: string): QuarryError {
  const message = say`The pictures are too large (${size}). Send a version with pictures of at most 8192 × 4352
    pixels.`;
  return new QuarryError('source_too_large', message);
}

/** Which tracks to read. Errors: `unsupported_media` or `source_too_large` when none can be read. */
function whatToRead(probe: Probe, options: MediaOptions, taken: AudioTrack | undefined) {
  const audioTrack = taken ?? chooseAudioTrack(probe.audioTracks, options);
  const asksForFrames = options.captureFrames === true;
  const oversize = asksForFrames && probe.oversize !== null ? picturesTooLarge(probe.oversize) : null;
  const wantsFrames = asksForFrames && probe.videoCodec !== null && oversize === null;
  if (audioTrack === null && !wantsFrames) throw oversize ?? nothingToHear();
  const warnings = audioTrack === null ? [say`The file has no sound: only its pictures were read.`] : [];
  if (asksForFrames && !wantsFrames) {
    const none = say`The file has no pictures that could be read.`;
    warnings.push(oversize === null ? none : saidElsewhere(oversize.message));
  }
  return { audioTrack, wantsFrames, warnings };
}

function noSpeech(track: AudioTrack | null, others: Said | ''): Said[] {
  if (track === null || track.of === 1) return [say`No speech was found in the file.`];
  const none = say`No speech was found in sound track ${track.number} of ${track.of}.`;
  return [others === '' ? none : saidTogether([none, others])];
}

function spokenTracks({ of }: AudioTrack, spoken: readonly number[]): Said {
  if (spoken.length === 0) return say`The other sound tracks, ${of} in all, have no speech either.`;
  if (spoken.length === 1) return say`The speech is in track ${spoken[0] ?? 0}: choose it with audioTrack.`;
  return say`Speech is in the tracks ${spoken.join(', ')}: choose one with audioTrack.`;
}

/** Advice to read the tracks that were not. */
function otherTracks({ number, of }: AudioTrack): Said {
  const others = Array.from({ length: of }, (_, index) => index + 1).filter((other) => other !== number);
  if (others.length === 1) return say`The speech may be in track ${others[0] ?? 0}: choose it with audioTrack.`;
  return say`The speech may be in another track: choose one of ${others.join(', ')} with audioTrack.`;
}

function nothingToHear(): QuarryError {
  const message = say`The file has no sound. Send one with speech, or ask for captureFrames to have its pictures read.`;
  return new QuarryError('unsupported_media', message);
}

/** The engine for video and sound files. */
export const videosOf = perContext(async (context): Promise<VideoEngine> => {
  const [models, ocr] = await Promise.all([modelsOf(context), ocrOf(context)]);
  const { media, whisperCli } = toolsOf(context);
  const shippedDetector = fileURLToPath(new URL('vad/silero-vad.onnx', context.resourcesFolder));
  return createVideoEngine({
    runTask: context.pool.run,
    threads: context.pool.figures().threads,
    media,
    whisperCli,
    models: {
      list: () => models.installed('speech'),
      require: (name) => models.requireInstalled(name, 'speech'),
      recommended: () => speechOffer(models.recommendedModel('speech')),
    },
    speakers: speakerFilesOf(models),
    ocr,
    pace: openStagePace(join(context.dataDir, 'stage-pace.json'), noteLost(context)),
    detector: async () => (await models.installed('vad'))[0]?.path ?? shippedDetector,
  });
});

/** @param voicesOf the remembered voices for a job */
export async function openMedia(context: AppContext, voicesOf: VoicesOf): Promise<MediaService> {
  const videos = await videosOf(context);
  const models = await modelsOf(context);
  return {
    admit: (options) => videos.admit(options),
    travels: async (options, there, accountId) => {
      const choice = await (there === null ? videos.choose(options) : chooseOf(there, models, options));
      if (choice.engine === 'whisper.cpp') return null;
      const withSpeakers = wantsSpeakers(options.speakers);
      const speakerFiles = there === null ? speakerFilesOf(models) : speakerFactsOf(there, models);
      const speakerModel = withSpeakers ? (await chooseSpeakerModel(speakerFiles)).name : undefined;
      // What helps this machine is asked of a node; what helps a node is there.
      const helpers = there === null ? [...(await models.installed('vad')).slice(0, 1)] : [];
      if (there === null && options.captureFrames) helpers.push(...(await models.installed('ocr-language')));
      const named = [choice.model.name, ...(speakerModel === undefined ? [] : [speakerModel])];
      const choices = withSpeakers
        ? { speakerModel, rememberedVoices: sentVoices(voicesOf({ accountId, choices: {} }).all()) }
        : {};
      return { transcriptionModel: choice.model.name, models: [...named, ...helpers.map(({ name }) => name)], choices };
    },
    heard: (speakers, accountId) => {
      const names = speakers.flatMap(({ voice }) => (voice?.recognised === true ? [voice.name] : []));
      const voices = voicesOf({ accountId, choices: {} });
      voices.heard(voices.all().flatMap(({ id, name }) => (names.includes(name) ? [id] : [])));
    },
    extract: async ({ url, ...source }, options, handle, signal) => {
      const job = { ...engineJob(handle), voices: voicesOf(handle) };
      if (source.kind !== 'playlist' || url === null) return videos.extract(source, options, job, signal);
      const laterSeconds = await videos.expectSeconds(null, options);
      const stream = await fetchStreamedSource(context, { url, path: source.path, laterSeconds }, options, job, signal);
      const result = await videos.extract(stream.source, options, { ...job, ...stream }, signal);
      return { ...result, warnings: [...stream.warnings, ...result.warnings] };
    },
  };
}

/** The speech model that a machine with these models would choose. */
function chooseOf(there: readonly ModelFacts[], models: Models, options: SpeechOptions): Promise<SpeechChoice> {
  const all = there.flatMap((model) => {
    const { name, kind, speechFamily: family } = model;
    if (kind !== 'speech' || family === null || model.format === null) return [];
    return [{ ...model, name, format: model.format, path: '', speech: { family, files: {} } }];
  });
  const files = {
    list: async () => [...all],
    require: async (name: string) => {
      const found = all.find((model) => model.name === name);
      if (found === undefined) throw notInstalled(name, 'speech');
      return found;
    },
    recommended: () => speechOffer(models.recommendedModel('speech')),
  };
  return chooseSpeechModel(files, options, async () => {
    throw new QuarryError('engine_unavailable', say`Nodes run no models in ggml format.`);
  });
}

function speakerFactsOf(there: readonly ModelFacts[], models: Models): SpeakerModelFiles {
  return {
    ...speakerFilesOf(models),
    list: async () => there.filter(({ kind }) => kind === 'speakers').map(({ name }) => ({ name, path: '' })),
    require: async () => ({ path: '' }),
  };
}

/** Fetches the stream of a playlist, and puts it in the place of the playlist. */
async function fetchStreamedSource(
  context: AppContext,
  { url, path, laterSeconds }: { url: string; path: string; laterSeconds: number },
  options: MediaOptions,
  job: ReturnType<typeof engineJob>,
  signal: AbortSignal,
) {
  const { client, pool } = context;
  const { media } = toolsOf(context);
  await mkdir(job.workFolder, { recursive: true });
  const startedAt = performance.now();
  const progress = new FetchProgress(startedAt, laterSeconds, (shown) => job.progress(shown));
  const { warnings, ...fetched } = await keepCheckpoint(job.workFolder, 'streamed', () => {
    const { language = null, audioTrack, captureFrames } = options;
    const picturesPath = captureFrames ? join(job.workFolder, 'stream-pictures') : null;
    const wish = { language, audioTrack, picturesPath };
    const target = {
      path,
      job,
      ...wish,
      signal,
      onProgress: (fetched: Fetched) => progress.reportFetchProgress(fetched),
    };
    return fetchStream({ client, runTask: pool.run, media }, url, target);
  });
  const { size } = await stat(path);
  const source: MediaSource = { path, fileName: null, sizeBytes: size, kind: 'video', ...fetched };
  return { source, warnings, spentSeconds: job.spentSeconds + (performance.now() - startedAt) / SECOND_MS };
}

export type { EncodeSound };

/** The encoder for finished sounds, which other features make. */
export const soundEncoderOf = perContext(async (context): Promise<EncodeSound> => {
  return createSoundEncoder(toolsOf(context).media);
});
