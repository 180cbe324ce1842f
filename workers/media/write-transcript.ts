import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { type Doubt, SAMPLE_CHARACTERS } from '../../src-server/platform/source-account.ts';
import { listedUpTo, type Said, say } from '../../src-server/platform/text/say.ts';
import { splitText } from '../../src-server/platform/text/split-text.ts';
import { countWords } from '../../src-server/platform/text/words.ts';
import { withSpeakers } from './assign-speakers.ts';
import { captionFiles } from './caption-files.ts';
import type { CaptionNote } from './captions.ts';
import { crossTalkWarnings, mergeChannels } from './merge-channels.ts';
import { withEstimatedWords } from './speech-times.ts';
import type { SpeechEvidence, SubtitleLayout, WriteTranscriptInput, WriteTranscriptOutput } from './tasks.ts';

/** Writes the chunks and files of recognised speech, captions and screen text. */
export async function writeTranscript(
  input: WriteTranscriptInput,
  { signal }: TaskContext,
): Promise<WriteTranscriptOutput> {
  const { outputFolder, segmentLength, language, frames } = input;
  const { segments: clean, dropped, unlikely } = cleanSegments(input.heard, input.evidence);
  const doubted = clean.filter((segment) => isDoubtful(segment, input.evidence));
  const placed = (segments: readonly TranscriptSegment[]) =>
    input.channels == null ? { segments, crossTalk: 0 } : mergeChannels(segments, input.channels);
  const { segments: heard, crossTalk } = placed(clean);
  const merged = mergeCaptions(input.captions, heard);
  const timedSegments = () => merged.map((segment) => withEstimatedWords(segment));
  const { segments, speakerNumbers } =
    input.turns === null
      ? { segments: merged, speakerNumbers: {} }
      : withSpeakers(timedSegments(), input.turns, input.names);
  const chunks = chunkTranscript(segments, frames, { segmentLength, language });
  const style = input.subtitles ?? null;
  const { textTimes } = input;
  const spoken = spokenFiles(segments, { style, language, textTimes });
  const files = {
    ...spoken.files,
    'transcript.json': `${JSON.stringify({ language, subtitles: style ?? undefined, textTimes, segments, frames })}\n`,
    'chunks.jsonl': chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join(''),
  };
  await mkdir(outputFolder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(outputFolder, name), content, { signal });
  }
  const words = segments.reduce((sum, { text }) => sum + countWords(text), 0);
  const warnings = [
    ...repetitionWarnings(dropped),
    ...unlikelyWarnings(placed(unlikely).segments),
    ...crossTalkWarnings(crossTalk),
    ...spoken.warnings,
  ];
  const doubts = doubtsWithoutEvidence(placed(doubted).segments);
  return { chunks, segments, speakerNumbers, words, doubts, warnings };
}

/** The files of a transcript that are for people, by name, and what the layout of subtitles could not keep. */
export function spokenFiles(
  segments: readonly TranscriptSegment[],
  layout: SubtitleLayout,
  notes: readonly CaptionNote[] = [],
): { files: Record<string, string>; warnings: Said[] } {
  const { files, warnings } = captionFiles(segments, layout, notes);
  return { files: { ...files, 'transcript.txt': plainTranscriptText(segments, layout.textTimes === true) }, warnings };
}

/** A line per segment, with the name of its speaker where that changes, and with its time where that is wanted. */
function plainTranscriptText(segments: readonly TranscriptSegment[], hasTimes: boolean): string {
  const lines = segments.map(({ speaker, text, start }, index) => {
    const time = hasTimes ? `[${clockText(start)}] ` : '';
    return speaker === undefined || speaker === segments[index - 1]?.speaker
      ? `${time}${text}`
      : `${time}${speaker}: ${text}`;
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** Such as `0:03` and `1:02:03`. */
function clockText(seconds: number): string {
  const whole = Math.floor(seconds);
  const padded = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours === 0 ? `${minutes}:${padded(whole % 60)}` : `${hours}:${padded(minutes)}:${padded(whole % 60)}`;
}

const SHOWN_MAX = 3;

function repetitionWarnings(count: number): Said[] {
  if (count === 0) return [];
  return count === 1
    ? [say`The recogniser repeated itself where no such speech was found: 1 repetition was left out.`]
    : [say`The recogniser repeated itself where no such speech was found: ${count} repetitions were left out.`];
}

function unlikelyWarnings(segments: readonly TranscriptSegment[]): Said[] {
  if (segments.length === 0) return [];
  const quotes = segments.map(({ start, text }) => say`“${doubtQuote(text)}” (at ${start.toFixed(0)} s)`);
  const shown = listedUpTo(quotes, SHOWN_MAX);
  return [say`Left out, because the recogniser is unsure and no speech was found there: ${shown}.`];
}

function doubtQuote(text: string): string {
  return text.slice(0, SAMPLE_CHARACTERS);
}

/** Doubts in a result. Further ones are in the last. */
const DOUBTS_MAX = 200;

/** @param doubted recognised sentences without evidence of speech */
function doubtsWithoutEvidence(doubted: readonly TranscriptSegment[]): Doubt[] {
  const doubts = doubted.slice(0, DOUBTS_MAX).map(({ start, end, text }): Doubt => {
    return { reason: 'no-speech-evidence', quote: doubtQuote(text), startSeconds: start, endSeconds: end };
  });
  const [last, final] = [doubts.at(-1), doubted.at(-1)];
  if (last !== undefined && final !== undefined) last.endSeconds = final.end;
  return doubts;
}

/** Nobody speaks more words in a second; a Chinese character counts as a word. */
const WORDS_PER_SECOND_MAX = 8;

/** Detectors end a stretch before a soft last sound. */
const EVIDENCE_ROOM_SECONDS = 0.3;

/** Seconds of speech in the time of a segment. */
function evidenceFor({ start, end }: TranscriptSegment, evidence: SpeechEvidence | null): number {
  if (evidence === null || evidence.lacksSpeech) return 0;
  const { speech } = evidence;
  let seconds = 0;
  for (let at = firstRangeAfter(speech, start); at < speech.length; at += 1) {
    const [from, to] = itemAt(speech, at);
    if (from >= end) break;
    seconds += Math.min(to, end) - Math.max(from, start);
  }
  return seconds;
}

/** Index of the first range that ends after this time. */
function firstRangeAfter(ranges: readonly [number, number][], time: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (itemAt(ranges, middle)[1] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Far fewer words could be spoken where speech was found. */
function isDoubtful(segment: TranscriptSegment, evidence: SpeechEvidence | null): boolean {
  const around = {
    ...segment,
    start: segment.start - EVIDENCE_ROOM_SECONDS,
    end: segment.end + EVIDENCE_ROOM_SECONDS,
  };
  return evidenceFor(around, evidence) * 2 * WORDS_PER_SECOND_MAX < countWords(segment.text);
}

// Filters recogniser output that is not speech: names of noises, and repetitions that nobody says.

/** [BLANK_AUDIO], (applause), *music*, ♪; text between two notes is sung and stays. */
const NO_SPEECH = /^(?:[[(*][^\])*]*[\])*]|[♪\s.…-]+(?:music[♪\s.…-]+)?)$/iu;

/** Repetitions of a sentence in a row need evidence from here on. */
const REPEATS_MAX = 4;

/** Within a sentence: repetitions of a phrase, likewise. */
const LOOP_TIMES = 5;

const PHRASE_LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8];

/** A recogniser that is less sure than this, and a detector that found nothing, agree. */
const UNSURE_BELOW = 0.4;

interface CleanSegments {
  /** Sorted by time. */
  segments: TranscriptSegment[];
  /** Repetitions that were left out. */
  dropped: number;
  /** Segments that neither recogniser nor detector vouches for. */
  unlikely: TranscriptSegment[];
}

/** Reliable segments. A repetition with speech of its own was said. */
export function cleanSegments(
  segments: readonly TranscriptSegment[],
  evidence: SpeechEvidence | null = null,
): CleanSegments {
  const kept: TranscriptSegment[] = [];
  const unlikely: TranscriptSegment[] = [];
  let dropped = 0;
  let repeats = 0;
  const inOrder = [...segments].sort((a, b) => a.start - b.start);
  for (const segment of inOrder) {
    const text = segment.text.replace(/\s+/g, ' ').trim();
    if (text === '' || NO_SPEECH.test(text)) continue;
    if ((segment.confidence ?? 1) < UNSURE_BELOW && isDoubtful({ ...segment, text }, evidence)) {
      unlikely.push({ ...segment, text });
      continue;
    }
    const isSaid = evidenceFor(segment, evidence) * WORDS_PER_SECOND_MAX >= countWords(text);
    repeats = kept.at(-1)?.text === text ? repeats + 1 : 0;
    if (repeats >= REPEATS_MAX && !isSaid) {
      dropped += 1;
      continue;
    }
    const words = text.split(' ');
    const places = isSaid ? [...words.keys()] : withoutLoops(words, [...words.keys()]);
    if (places.length < words.length) dropped += 1;
    const unlooped = places.map((place) => words[place]).join(' ');
    kept.push({ ...withWordsAt(segment, words, places), end: Math.max(segment.start, segment.end), text: unlooped });
  }
  return { segments: kept, dropped, unlikely };
}

/**
 * The timed words at these places; none if they differ from the words of the text, because their times would be wrong.
 */
function withWordsAt(
  { words: timed, ...segment }: TranscriptSegment,
  words: readonly string[],
  places: readonly number[],
): TranscriptSegment {
  if (timed === undefined) return segment;
  if (places.length === words.length) return { ...segment, words: timed };
  if (timed.length !== words.length) return segment;
  return { ...segment, words: places.flatMap((place) => timed[place] ?? []) };
}

/** Places of the remaining words: a repeated phrase occurs once. */
function withoutLoops(words: readonly string[], places: readonly number[]): number[] {
  const left = PHRASE_LENGTHS.reduce((rest: readonly number[], length) => withoutLoopsOf(words, rest, length), places);
  // Removing a phrase may join the repetitions of another.
  return left.length < places.length ? withoutLoops(words, left) : [...left];
}

function withoutLoopsOf(words: readonly string[], places: readonly number[], length: number): number[] {
  const text = places.map((place) => itemAt(words, place));
  const left: number[] = [];
  for (let start = 0; start < text.length; ) {
    let times = 1;
    while (hasSameWords(text, start, start + times * length, length)) times += 1;
    if (times >= LOOP_TIMES) {
      left.push(...places.slice(start, start + length));
      start += times * length;
    } else {
      left.push(places[start] ?? 0);
      start += 1;
    }
  }
  return left;
}

function hasSameWords(words: readonly string[], a: number, b: number, length: number): boolean {
  if (b + length > words.length) return false;
  for (let offset = 0; offset < length; offset += 1) if (words[a + offset] !== words[b + offset]) return false;
  return true;
}

/** Overlap with a caption up to which a segment is kept. */
const OVERLAP_SECONDS = 0.5;

/** Captions take precedence; recognised speech fills the gaps. */
export function mergeCaptions(
  captions: readonly TranscriptSegment[],
  heard: readonly TranscriptSegment[],
): TranscriptSegment[] {
  if (captions.length === 0) return [...heard];
  // Linear in both lists: comparing a day of speech with all cues of an untrusted file would take a billion steps.
  const cues = captions.filter(({ start, end }) => end - start > OVERLAP_SECONDS).sort((a, b) => a.start - b.start);
  let begun = 0;
  let latestEnd = Number.NEGATIVE_INFINITY;
  const added = [...heard]
    .sort((a, b) => a.end - b.end)
    .filter(({ start, end }) => {
      for (; begun < cues.length && end - itemAt(cues, begun).start > OVERLAP_SECONDS; begun += 1) {
        latestEnd = Math.max(latestEnd, itemAt(cues, begun).end);
      }
      return end - start <= OVERLAP_SECONDS || latestEnd - start <= OVERLAP_SECONDS;
    });
  return [...captions, ...added].sort((a, b) => a.start - b.start);
}

/** Chunks of a transcript: whole segments with their times, ending with a sentence where possible. */
export interface TranscriptChunkOptions {
  /** Target characters per chunk. */
  segmentLength: number;
  language: string | null;
}

/** Factor by which a chunk may exceed the target to keep a segment whole. */
const STRETCH = 1.25;

const WORD_TARGETS = 4;

/** A chunk that ends with a sentence closes once it has this share of the target. */
const EARLY_SHARE = 0.8;

/** A chunk with less than this share of the target goes on with the next speaker: an exchange stays together. */
const MIXED_SHARE = 0.1;

const SENTENCE_END = /[.!?…。！？]["'”’)\]]*$/u;

const ID_HEX_CHARS = 32;

export function chunkTranscript(
  segments: readonly TranscriptSegment[],
  frames: readonly { seconds: number; text: string }[],
  options: TranscriptChunkOptions,
): Chunk[] {
  const chunks: Chunk[] = [];
  const addTranscriptChunk = ({ text, start, end, speaker }: TranscriptSegment, kind: 'text' | 'frame-text') => {
    const segmentIndex = chunks.length;
    const id = chunkId(text, segmentIndex, options);
    const times = { startSeconds: start, endSeconds: end };
    chunks.push({ id, text, page: 1, segmentIndex, kind, ...times, ...omitUndefined({ speaker }) });
  };
  for (const packed of packSegments(segments, options)) addTranscriptChunk(packed, 'text');
  for (const { seconds, text } of frames) {
    for (const part of splitLongSegment({ start: seconds, end: seconds, text }, options))
      addTranscriptChunk(part, 'frame-text');
  }
  return chunks;
}

function* packSegments(
  segments: readonly TranscriptSegment[],
  options: TranscriptChunkOptions,
): Generator<TranscriptSegment> {
  let open: TranscriptSegment | null = null;
  const mixedBelow = options.segmentLength * MIXED_SHARE;
  for (const segment of segments) {
    for (const part of splitLongSegment(segment, options)) {
      const length: number = open === null ? 0 : open.text.length + 1 + part.text.length;
      const early = open !== null && open.text.length >= options.segmentLength * EARLY_SHARE;
      const turns = open !== null && open.speaker !== part.speaker && open.text.length >= mixedBelow;
      if (open !== null && (length > options.segmentLength || turns || (early && SENTENCE_END.test(open.text)))) {
        yield open;
        open = null;
      }
      open = open === null ? part : joinChunkSegments(open, part);
    }
  }
  if (open !== null) yield open;
}

/** Two speakers share a chunk without a speaker. */
function joinChunkSegments(open: TranscriptSegment, { end, text, speaker }: TranscriptSegment): TranscriptSegment {
  const both = { start: open.start, end, text: `${open.text} ${text}` };
  return speaker === undefined || speaker !== open.speaker ? both : { ...both, speaker };
}

/** Splits a segment too long for a chunk; the parts divide its time by length. */
function splitLongSegment(
  segment: TranscriptSegment,
  { segmentLength, language }: TranscriptChunkOptions,
): TranscriptSegment[] {
  const { start, end, text, speaker } = segment;
  const maxLength = Math.floor(segmentLength * STRETCH);
  if (text.length <= maxLength) return [segment];
  const split = { targetLength: segmentLength, maxLength, maxWordLength: segmentLength * WORD_TARGETS, language };
  return [...splitText(text, { start: 0, end: text.length }, split)].map((range) => {
    const proportionalTime = (place: number) =>
      Math.round((start + ((end - start) * place) / text.length) * 1000) / 1000;
    const part = {
      start: proportionalTime(range.start),
      end: proportionalTime(range.end),
      text: text.slice(range.start, range.end),
    };
    return speaker === undefined ? part : { ...part, speaker };
  });
}

/** Deterministic for the same text and options. */
function chunkId(text: string, index: number, { segmentLength, language }: TranscriptChunkOptions): string {
  const named = JSON.stringify([text, index, segmentLength, language]);
  return createHash('sha256').update(named).digest('hex').slice(0, ID_HEX_CHARS);
}
