/** The files of a transcript with corrections, made from the files as they were extracted. */

import { readFileSync } from 'node:fs';
import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import type { Annotation, Chunk } from '../../src-server/operation.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import { countTextTokens } from '../../src-server/platform/text/tokens.ts';
import { WORDS_VTT } from './caption-files.ts';
import { correctedSegments } from './corrected-segments.ts';
import type { KeptFiles } from './kept-files.ts';
import { annotationWords, type GivenAnnotation, placeAnnotations, withAnnotations } from './place-annotations.ts';
import type { SubtitleStyle } from './tasks.ts';
import { spokenFiles } from './write-transcript.ts';

/** Names of the files that corrections change. */
export const TALK_FILES = [
  'transcript.json',
  'transcript.txt',
  'transcript.srt',
  'transcript.vtt',
  WORDS_VTT,
  'chunks.jsonl',
];

interface FrameText {
  seconds: number;
  text: string;
}

/** The parts of transcript.json that corrections change, and what lays subtitles out. */
interface StoredTranscript {
  language: string | null;
  subtitles?: SubtitleStyle | undefined;
  textTimes?: boolean | undefined;
  segments: TranscriptSegment[];
  frames?: FrameText[];
  /** Of the served file. */
  annotations?: Annotation[];
}

export interface CorrectedTalk {
  segments: TranscriptSegment[];
  /** Before the corrections. One that they do not change is the same object. */
  extracted: readonly TranscriptSegment[];
  frames: FrameText[];
  chunks: Chunk[];
  annotations: Annotation[];
  /** By name; null where there is none any more. */
  files: Map<string, string | null>;
  /** Chunks whose place was not found. */
  unplaced: string[];
}

/** @param corrections what chunks should say, by their ids */
export function correctTalk(
  kept: KeptFiles,
  corrections: ReadonlyMap<string, string>,
  given: readonly GivenAnnotation[],
): CorrectedTalk {
  const stored = parseOwnJson<StoredTranscript>(readFileSync(kept.pathOfExtractedFile('transcript.json'), 'utf8'));
  const chunks = chunksIn(kept.pathOfExtractedFile('chunks.jsonl')).map((chunk) => withCorrection(chunk, corrections));
  const { segments, unplaced } = correctedSegments(stored.segments, chunks);
  const frames = correctedFrames(stored.frames ?? [], chunks, unplaced);
  const annotations = placeAnnotations(given, chunks);
  const notes = annotations.map((one) => {
    return { seconds: one.startSeconds ?? null, text: `Annotation: ${annotationWords(one)}` };
  });
  const { files } = spokenFiles(
    segments,
    { style: stored.subtitles ?? null, language: stored.language, textTimes: stored.textTimes },
    notes,
  );
  const transcript = {
    ...stored,
    segments,
    ...omitUndefined({
      frames: stored.frames === undefined ? undefined : frames,
      annotations: annotations.length === 0 ? undefined : annotations,
    }),
  };
  const annotated = withAnnotations(chunks, annotations);
  const written = new Map<string, string | null>([
    ...Object.entries(files),
    ['transcript.json', `${JSON.stringify(transcript)}\n`],
    ['chunks.jsonl', annotated.map((chunk) => `${JSON.stringify(chunk)}\n`).join('')],
  ]);
  if (!written.has(WORDS_VTT)) written.set(WORDS_VTT, null);
  return { segments, extracted: stored.segments, frames, chunks: annotated, annotations, files: written, unplaced };
}

/** The chunks of a file, one in a line. */
export function chunksIn(path: string): Chunk[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => parseOwnJson<Chunk>(line));
}

/** What the corrected chunks of a served file say, by their ids. */
export function servedCorrections(kept: KeptFiles): Map<string, string> {
  const corrected = chunksIn(kept.pathOfServedFile('chunks.jsonl')).filter(
    ({ originalText }) => originalText !== undefined,
  );
  return new Map(corrected.map(({ id, text }) => [id, text]));
}

/** The annotations that the served files have. */
export function servedAnnotations(kept: KeptFiles): Annotation[] {
  const { annotations = [] } = parseOwnJson<StoredTranscript>(
    readFileSync(kept.pathOfServedFile('transcript.json'), 'utf8'),
  );
  return annotations;
}

function withCorrection(chunk: Chunk, corrections: ReadonlyMap<string, string>): Chunk {
  const text = corrections.get(chunk.id) ?? chunk.text;
  if (text === chunk.text) return chunk;
  const tokens = chunk.tokens === undefined ? {} : { tokens: countTextTokens(text) };
  return { ...chunk, text, ...tokens, originalText: chunk.text };
}

/** A long text of a frame is in several chunks, in their order. */
function correctedFrames(frames: readonly FrameText[], chunks: readonly Chunk[], unplaced: string[]): FrameText[] {
  const shown = Map.groupBy(
    chunks.filter(({ kind }) => kind === 'frame-text'),
    ({ startSeconds = 0 }) => startSeconds,
  );
  return frames.map((frame) => {
    const own = shown.get(frame.seconds) ?? [];
    if (own.every(({ originalText }) => originalText === undefined)) return frame;
    let written = '';
    let rest = frame.text;
    for (const { id, text, originalText = text } of own) {
      const at = rest.indexOf(originalText);
      if (at < 0 && text !== originalText) unplaced.push(id);
      if (at < 0) continue;
      written += rest.slice(0, at) + text;
      rest = rest.slice(at + originalText.length);
    }
    return { ...frame, text: written + rest };
  });
}
