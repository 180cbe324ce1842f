import type { Digest } from '../../src-server/features/fields/schema.ts';
import type { LiveSegment, Speaker, TranscriptSegment } from '../../src-server/features/media/schema.ts';
import type { SpeechFolder } from '../../src-server/features/models/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';
import type { Callback } from '../../src-server/platform/rpc/rpc.ts';
import type { Doubt } from '../../src-server/platform/source-account.ts';
import type { Said } from '../../src-server/platform/text/say.ts';

/** Samples of a sound file; the end is exclusive. */
export type SampleRange = [from: number, to: number];

/** Input of one recogniser call: consecutive stretches of speech without the long silences between them. */
export interface SpeechWindow {
  pieces: SampleRange[];
}

/** Finds speech and packs it into windows. */
export interface FindSpeechInput {
  /** 16-bit mono samples without a header. */
  pcmPath: string;
  sampleRate: number;
  /** A voice activity model for sherpa-onnx; null decides by loudness. */
  detectorPath: string | null;
  /** The recogniser's limit for one call. */
  windowMaxSeconds: number;
}

export interface FindSpeechOutput {
  foundBy: 'silero-vad' | 'loudness';
  durationSeconds: number;
  speechSeconds: number;
  /** Without the wait for a thread. */
  tookSeconds: number;
  windows: SpeechWindow[];
  /** Stretches of speech without padding. */
  speech: SampleRange[];
  /** Stretches louder than the silence around them, speech or not. */
  sounds: SampleRange[];
  /** The sound is music, or any other sound, with almost no speech. */
  lacksSpeech: boolean;
}

export type SpeechEngine =
  | { kind: 'sherpa-onnx'; model: SherpaModel }
  | { kind: 'whisper.cpp'; modelPath: string; programPath: string };

/** A recogniser of sherpa-onnx. `files` has the path of each part. */
export type SherpaModel = SpeechFolder;

/** Transcribes windows in a child process that ends with the task. */
export interface TranscribeInput {
  engine: SpeechEngine;
  pcmPath: string;
  sampleRate: number;
  windows: SpeechWindow[];
  /** Where speech was found; segments start at the beginnings of its stretches. */
  speech: SampleRange[];
  durationSeconds: number;
  /** ISO 639-1; null lets the model detect the language. */
  language: string | null;
  /** Names and terms to expect. */
  vocabulary: readonly string[];
  /** Writes English, whatever is spoken. */
  toEnglish: boolean;
  threads: number;
  /** A folder of its own for the result of each window, from which an interrupted task resumes. */
  partsFolder: string;
}

export interface TranscribeOutput {
  segments: TranscriptSegment[];
  /** The times of words follow from their length, because the engine times none. */
  wordTimesEstimated: boolean;
  /** As detected by the model; null if it reports none. */
  language: string | null;
  /** From 0 to 1; null if the engine reports none. */
  languageConfidence: number | null;
  /** Where the model detected other languages, in seconds of the file. */
  otherLanguages: { language: string; start: number; end: number }[];
  /** Mean of the words, from 0 to 1; null if the engine reports none. */
  confidence: number | null;
  /** Terms of the vocabulary that the model does not take. */
  unusedTerms: string[];
  /** Without the wait for a thread; null if an earlier run did part of the work. */
  tookSeconds: number | null;
}

/** A speaker model: absolute paths of its two networks. */
export interface SpeakerModel {
  segmentation: string;
  embedding: string;
}

/** Finds who speaks when, in a child process that ends with the task. */
export interface FindSpeakersInput {
  model: SpeakerModel;
  pcmPath: string;
  sampleRate: number;
  /** Where speech was found; the rest is not looked at. */
  speech: SampleRange[];
  /** The number of speakers; null finds it. */
  count: number | null;
  threads: number;
  /** A folder of its own for results, from which an interrupted task resumes. */
  partsFolder: string;
}

/** A stretch in which one speaker speaks, in seconds of the file. Turns of different speakers may overlap. */
export interface SpeakerTurn {
  start: number;
  end: number;
  /** From 0, the one with the most speech first. */
  speaker: number;
}

export interface FindSpeakersOutput {
  /** In order of their starts. */
  turns: SpeakerTurn[];
  /** The mean direction of each speaker's voice, by the number of the speaker. */
  voices: number[][];
  /** Null where the recording is too short to show it. */
  likeness: Likeness | null;
  /** Without the wait for a thread; null if an earlier run did part of the work. */
  tookSeconds: number | null;
}

/** Cosines that voices have in a recording. */
export interface Likeness {
  /** Half way between different speakers and one: a voice this near may be the same. */
  possible: number;
  /** Half way from there to the pieces of one speaker. */
  sure: number;
}

/** Finds the sound of one speaker of a finished job, from its stored result. */
export interface SpeakerSoundInput {
  /** JSON text. */
  result: string;
  speaker: string;
}

export interface SpeakerSoundOutput {
  /** Names of all speakers. */
  speakers: string[];
  trackNumber: number;
  /** Seconds of the file in which this speaker speaks, in order; empty where that is too little. */
  ranges: [from: number, to: number][];
}

/** The voice of one speaker, from pieces of sound. */
export interface PrintVoiceInput {
  model: SpeakerModel;
  pcmPath: string;
  sampleRate: number;
  pieces: SampleRange[];
  threads: number;
}

export interface PrintVoiceOutput {
  /** Its mean direction, of length 1; null where the model hears nothing. */
  vector: number[] | null;
  /** Of the sound that was used. */
  seconds: number;
  /** Mean cosine of one piece and the next; 1 with a single piece. */
  likeness: number;
}

/** Gives speakers other names, in a result and in the files of its job. */
export interface NameSpeakersInput {
  /** With transcript.json, .srt, .vtt, .txt and chunks.jsonl. */
  folder: string;
  /** The stored result, as JSON text. */
  result: string;
  names: readonly [from: string, to: string][];
}

export interface NameSpeakersOutput {
  result: string;
  speakers: Speaker[];
  /** Names that no speaker has: then nothing is changed. */
  unknown: string[];
}

/** Selects the pictures with new content. */
export interface SelectFramesInput {
  /** Consecutive grey thumbnails. */
  thumbnailsPath: string;
  /** Size of each in pixels. */
  thumbnail: { width: number; height: number };
  count: number;
  /** Upper bound on the selection. */
  most: number;
}

export interface SelectFramesOutput {
  /** In order. `isNewScene`: the whole picture differs, not only part of it. */
  keep: { index: number; isNewScene: boolean }[];
  /** Pictures with new content beyond `most`. */
  leftOut: number;
}

/** Where a detector found speech, as evidence for what was recognised. */
export interface SpeechEvidence {
  /** In seconds of the file, in order. */
  speech: [from: number, to: number][];
  /** The sound is music, or any other sound, with almost no speech. */
  lacksSpeech: boolean;
}

/** Channels that were heard as if they were recorded one after the other. Times in seconds. */
export interface HeardChannels {
  names: string[];
  /** Length of each. */
  seconds: number;
  /** Where each has most of the sound of all, on the clock of the file. */
  dominant: [from: number, to: number][][];
}

export interface WriteTranscriptInput {
  /** Where channels were heard for themselves: the times of `heard` and `evidence` follow from them. */
  channels?: HeardChannels | null;
  /** Captions written by people; they take precedence over recognised speech. */
  captions: TranscriptSegment[];
  heard: TranscriptSegment[];
  /** Null where nothing was heard. */
  evidence: SpeechEvidence | null;
  frames: { seconds: number; text: string }[];
  /** Who speaks when; null where nobody asks. */
  turns: SpeakerTurn[] | null;
  /** Names of recognised speakers, by their number in the turns. */
  names?: Record<number, string>;
  segmentLength: number;
  language: string | null;
  /** Without a style cues follow the segments. */
  subtitles?: SubtitleStyle | null;
  /** Each line of the plain text begins with its time. */
  textTimes?: boolean | undefined;
  /** Receives transcript.srt, .vtt, .txt and .json, and chunks.jsonl. */
  outputFolder: string;
}

export interface WriteTranscriptOutput {
  chunks: Chunk[];
  segments: TranscriptSegment[];
  /** Numbers of the speakers in the turns, by name. */
  speakerNumbers: Record<string, number>;
  words: number;
  doubts: Doubt[];
  warnings: Said[];
}

/** Limits of subtitles. A letter of twice the width, as in Chinese, counts as two characters. */
export interface SubtitleStyle {
  lineChars: number;
  lines: number;
  charsPerSecond: number;
  minSeconds: number;
  maxSeconds: number;
  gapSeconds: number;
}

/** How subtitles are laid out: without a style they follow the segments. */
export interface SubtitleLayout {
  style: SubtitleStyle | null;
  /** Of the text, which decides where phrases end. */
  language: string | null;
  /** Each line of the plain text begins with its time. */
  textTimes?: boolean | undefined;
}

/** Writes the subtitles of a finished transcript again, from its transcript.json. */
export interface RewriteSubtitlesInput {
  folder: string;
  style: SubtitleStyle | null;
}

export interface RewriteSubtitlesOutput {
  /** Names of the files that were written. */
  files: string[];
  cues: number;
  warnings: Said[];
}

/** A server's response about a video: a page or feed, or the three responses of PeerTube's API. */
export type ReadVideoPageInput =
  | { kind: 'page'; url: string; body: Uint8Array }
  /** A file of `podcast:chapters`. */
  | { kind: 'chapters'; url: string; body: Uint8Array }
  | { kind: 'peertube'; url: string; video: Uint8Array; captions: Uint8Array | null; chapters: Uint8Array | null };

/** A video as described by its page. Addresses are absolute. */
export interface VideoPage {
  title: string | null;
  channel: string | null;
  /** ISO 8601. */
  publishedAt: string | null;
  durationSeconds: number | null;
  thumbnailUrl: string | null;
  language: string | null;
  /** Addresses of the video, most likely first. */
  mediaUrls: string[];
  captions: { url: string; language: string | null }[];
  chapters: VideoChapter[];
  /** Addresses of caption files whose cues are chapters. */
  chapterTracks: string[];
  /** Addresses of the chapters of a podcast. */
  chapterFiles: string[];
  /** Pages of players that this one shows, where it names no file of its own. */
  embedUrls: string[];
  /** Who is heard, as a podcast names them. */
  people: VideoPerson[];
}

export interface VideoPerson {
  name: string;
  /** Such as `host`. */
  role: string | null;
}

export interface VideoChapter {
  title: string;
  startSeconds: number;
  endSeconds: number | null;
}

/** Writes each track with cues as `<name>.srt` and `<name>.vtt`. */
export interface WriteSubtitlesInput {
  outputFolder: string;
  tracks: { name: string; cues: SubtitleCue[] }[];
}

/** A caption file, WebVTT or SubRip. */
export interface ReadCaptionsInput {
  body: Uint8Array;
  /** Language of the speech, if known; it selects between old encodings. */
  language: string | null;
}

export interface ReadCaptionsOutput {
  segments: TranscriptSegment[];
  letters: CaptionLetters;
}

/** Where the letters of a caption file went. */
export interface CaptionLetters {
  /** Counted apart from the segments. */
  source: number;
  delivered: number;
  /** Lines that the file shows again. */
  copies: number;
  /** Cues beyond the most that are kept. */
  beyond: number;
}

/**
 * Decodes media files in a process of its own. Each process serves one call; one of sketches, several. Errors:
 * `unsupported_media`, `corrupt_input`, `source_too_large`, `out_of_memory`, `storage_full`.
 */
export interface MediaProgram {
  /** Version of FFmpeg's libraries. */
  version(): Promise<string>;
  /** @param range reads only these bytes of the file, as a file of their own */
  probe(place: { path: string; range: ByteRange | null }): Promise<MediaFacts>;
  /** Writes one channel of 16-bit samples without a header, aligned with the file's clock. */
  decodeSound(input: DecodeSoundInput, onSeconds: Callback<[seconds: number]>): Promise<DecodedSound>;
  /** Writes the channels of a recording apart, where they hold different people. */
  decodeChannels(input: DecodeChannelsInput, onSeconds: Callback<[seconds: number]>): Promise<ChannelSounds>;
  /** The cues of each text track among the subtitle tracks; none for the others. */
  readSubtitles(path: string): Promise<TrackCues[]>;
  /** The loudest sample of each slice, from 0 to 1. */
  measurePeaks(input: MeasurePeaksInput): Promise<number[]>;
  /** Writes one JPEG file per interval, and a small grey copy of each into one file. */
  takePictures(input: TakePicturesInput, onSeconds: Callback<[seconds: number]>): Promise<Pictures>;
  /** A still, or the shape of the sound, from some places of a file. */
  sketchMedia(input: SketchMediaInput): Promise<MediaSketch>;
  /** Encodes a .wav into another format, and returns the size in bytes. Errors: `engine_failed`. */
  encodeSound(input: EncodeSoundInput): Promise<number>;
  /** Puts the sound of one file and the pictures of another into one, and returns its size. Errors: `engine_failed`. */
  joinTracks(input: JoinTracksInput): Promise<number>;
}

export interface JoinTracksInput {
  sound: JoinedFile;
  pictures: JoinedFile;
  targetPath: string;
}

interface JoinedFile {
  path: string;
  /** Jumps of the clock are gaps. */
  clockRunsOn: boolean;
  /** Where the file begins in the result. */
  offsetSeconds: number;
}

/** `aac` is a bare ADTS stream; `m4b` is AAC in MPEG-4 with chapters. */
export type SoundFormat = 'opus' | 'flac' | 'aac' | 'm4b';

export interface EncodeSoundInput {
  /** A .wav of this server. */
  path: string;
  targetPath: string;
  format: SoundFormat;
  /** Names as FFmpeg has them: `title`, `artist`, `comment`. */
  tags: Record<string, string>;
  /** Used by `m4b` alone. */
  chapters: MediaChapter[];
}

/** Facts of a media file as its container states them. */
export interface MediaFacts {
  /** As FFmpeg names it. */
  format: string;
  durationSeconds: number | null;
  /** The duration is extrapolated from the bit rate of the beginning. */
  durationIsEstimated: boolean;
  /** Start of the file's clock. */
  startSeconds: number;
  /** Bits per second; null when unknown. */
  bitRate: number | null;
  tags: FileTags;
  chapters: MediaChapter[];
  subtitleTracks: SubtitleTrack[];
  audioTracks: ListedTrack[];
  /** The first video track. Cover art does not count. */
  video: VideoTrack | null;
}

/** As the file states them; null when it does not. */
export interface FileTags {
  title: string | null;
  artist: string | null;
  album: string | null;
  date: string | null;
  description: string | null;
}

/** Times in seconds from the start of the file. */
export interface MediaChapter {
  title: string;
  startSeconds: number;
  endSeconds: number | null;
}

export interface SubtitleTrack {
  codec: string;
  language: string | null;
  title: string | null;
  /** False for tracks of pictures. */
  isText: boolean;
}

export interface SubtitleCue {
  start: number;
  end: number;
  text: string;
}

export interface TrackCues {
  cues: SubtitleCue[];
  /** Cues beyond the most that are kept. */
  leftOut: number;
}

export interface ListedTrack {
  codec: string;
  /** As the file states it; null when it states none, or an undetermined one. */
  language: string | null;
  isDefault: boolean;
  title: string | null;
  channels: number;
  /** A single channel, which nothing can cancel out. */
  isMono: boolean;
  /** Number of channels without a layout, if more than two; otherwise 0. */
  unplacedChannels: number;
}

interface VideoTrack {
  codec: string;
  /** As displayed, in pixels: rotation is applied. Null when unknown. */
  width: number | null;
  height: number | null;
  /** Dimensions of pictures too large to decode, such as `12000x12000`. */
  oversize: string | null;
}

/** Byte range of a file; the end is exclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface SoundSource {
  path: string;
  /** Number of the audio track, from 1. */
  trackNumber: number;
  /** Sound after this many seconds is not decoded. */
  mostSeconds: number;
}

export interface DecodeSoundInput extends SoundSource {
  /** Reads only these bytes of the file, as a file of their own. */
  range: ByteRange | null;
  /** Jumps of the clock are gaps, as where parts of a stream are missing, and not cuts. */
  clockRunsOn: boolean;
  targetPath: string;
  sampleRate: number;
  /** Without constant offset and hum, as recognisers need it; false keeps the sound as it is. */
  isFiltered: boolean;
}

export interface DecodeChannelsInput {
  path: string;
  clockRunsOn: boolean;
  /** One track, whose channels are read, or several, each of them a channel. */
  trackNumbers: number[];
  /** How many there are. */
  channels: number;
  /** More with sound of their own are not written. */
  channelsMax: number;
  /** False: only where they hold different people beyond doubt. */
  isAsked: boolean;
  mostSeconds: number;
  sampleRate: number;
  targetFolder: string;
}

/** Channels count from 0. */
export interface ChannelSounds {
  /** Those with more than near silence. */
  sounding: number[];
  /** Those with sound that no other has louder. */
  own: number[];
  areApart: boolean;
  /** A file for each of `own`, in their order; none where they were not written. */
  files: string[];
  /** Length of each file. */
  samples: number;
  /** Where each of `own` has most of the sound of all. */
  dominant: SampleRange[][];
  decoded: Decoded;
}

export interface MeasurePeaksInput extends SoundSource {
  sampleRate: number;
  sliceSamples: number;
}

export interface SketchMediaInput {
  path: string;
  /** Becomes a JPEG file. */
  stillPath: string;
}

export interface MediaSketch {
  /** Whether a still was written. */
  hasStill: boolean;
  /** 48 numbers from 0 to 1; empty for silence, and beside a still. */
  peaks: number[];
}

export interface TakePicturesInput {
  path: string;
  clockRunsOn: boolean;
  /** Files that follow each other in the file, each with a clock of its own; the file is one without. */
  parts?: readonly PicturePart[] | undefined;
  folder: string;
  intervalSeconds: number;
  /** Decodes key frames alone, at a small part of the cost. */
  keyFramesOnly: boolean;
  picturesMax: number;
  widthMax: number;
  thumbnail: { width: number; height: number };
  thumbnailsName: string;
}

export interface PicturePart {
  range: ByteRange;
  /** Where it stands in the whole. */
  startSeconds: number;
  endSeconds: number;
  clockRunsOn: boolean;
}

export interface Pictures {
  /** File names in the folder, in order. */
  names: string[];
  seconds: number[];
  /** Indexes of the parts without pictures that could be read. */
  unreadParts: number[];
  decoded: Decoded;
}

/** What was decoded of a file. */
export interface Decoded {
  startSeconds: number;
  /** End of the longest track. */
  endSeconds: number;
  /** Decoded sound, without the silence that fills gaps. */
  soundSeconds: number;
  /** Where sound is missing between what was decoded, in seconds of the file; the first ones. */
  gaps: [from: number, to: number][];
  damage: Damage;
}

export interface DecodedSound extends Decoded {
  /** The two channels hold different people. False for one channel, and for more than two. */
  channelsAreApart: boolean;
}

/** Error counts by kind. */
interface Damage {
  /** Audio packets or video frames that could not be decoded. */
  parts: number;
  /** Places where the file structure is damaged. */
  places: number;
}

export interface NamedFile {
  name: string;
  url: string;
}

export interface ReadPlaylistInput {
  body: Uint8Array;
  /** Address of the playlist, after redirects. */
  url: string;
  /** Preferred language of the sound, BCP 47. */
  language: string | null;
  wantsPictures: boolean;
}

/** What a playlist of HLS or DASH leads to. */
export type Playlist =
  /** The stream has no end yet. */
  | { kind: 'live' }
  /** The playlist of one rendition, to be read next. */
  | {
      kind: 'choice';
      url: string;
      /** The playlist of the pictures where they are wanted and kept apart from the sound. */
      picturesUrl: string | null;
      /** Of HLS, without those that only translate signs. */
      subtitles: StreamSubtitles[];
    }
  | (Rendition & {
      /** The pictures, likewise. */
      pictures: Rendition | null;
    });

/** The playlist of subtitles. */
export interface StreamSubtitles {
  url: string;
  language: string | null;
  isDefault: boolean;
}

/** What is fetched of one rendition. */
export type Rendition =
  /** One whole file. */
  { kind: 'file'; url: string } | { kind: 'runs'; runs: StreamRun[] };

/**
 * Parts of a stream that together are one file: they share an initialisation segment and a clock. A stream has several
 * where an advertisement was put in, where its recording restarted, and in the periods of DASH.
 */
export interface StreamRun {
  /** What every part needs in front of it. */
  head: StreamAddress | null;
  /** Empty where a period has nothing to be read. */
  parts: StreamPart[];
  /** Where the run begins in the stream. */
  startSeconds: number;
  /** As the playlist states it. */
  seconds: number;
  /** The clock may restart between parts. */
  clockRestarts: boolean;
}

export interface StreamAddress {
  url: string;
  range: ByteRange | null;
  /** Of AES-128 in CBC mode; the vector in hexadecimal digits. */
  key: { url: string; iv: string } | null;
}

export interface StreamPart extends StreamAddress {
  seconds: number;
}

export interface AddDigestInput {
  /** Folder of the job's files. */
  folder: string;
  /** JSON text of the result. */
  result: string;
  digest: Digest;
  warnings: Said[];
  /** Warnings of the earlier digest begin with it. */
  warningPrefix: string;
  file: NamedFile;
}

export interface AddDigestOutput {
  result: string;
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'find-speech': { input: FindSpeechInput; output: FindSpeechOutput };
    transcribe: { input: TranscribeInput; part: LiveSegment[]; output: TranscribeOutput };
    'find-speakers': { input: FindSpeakersInput; output: FindSpeakersOutput };
    'speaker-sound': { input: SpeakerSoundInput; output: SpeakerSoundOutput };
    'print-voice': { input: PrintVoiceInput; output: PrintVoiceOutput };
    'add-digest': { input: AddDigestInput; output: AddDigestOutput };
    'name-speakers': { input: NameSpeakersInput; output: NameSpeakersOutput };
    'select-frames': { input: SelectFramesInput; output: SelectFramesOutput };
    'write-subtitles': { input: WriteSubtitlesInput; output: null };
    'write-transcript': { input: WriteTranscriptInput; output: WriteTranscriptOutput };
    'rewrite-subtitles': { input: RewriteSubtitlesInput; output: RewriteSubtitlesOutput };
    'read-video-page': { input: ReadVideoPageInput; output: VideoPage | null };
    'read-playlist': { input: ReadPlaylistInput; output: Playlist };
    'read-captions': { input: ReadCaptionsInput; output: ReadCaptionsOutput };
  }
}
