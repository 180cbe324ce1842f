/** Corrections and annotations in a result and in all files of its job. */

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Speaker, TranscriptSegment } from '../../src-server/features/media/schema.ts';
import type { Annotation, Chunk } from '../../src-server/operation.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { byName } from '../../src-server/platform/records.ts';
import type { Doubt } from '../../src-server/platform/source-account.ts';
import { countWords } from '../../src-server/platform/text/words.ts';
import { DOCUMENT_FILES } from '../documents/finish-document.ts';
import { chunksIn, correctTalk, TALK_FILES } from '../media/correct-talk.ts';
import { KeptFiles } from '../media/kept-files.ts';
import { placeAnnotations, withAnnotations } from '../media/place-annotations.ts';
import { correctDocument } from './correct-document.ts';
import { correctPages, PAGE_FILES } from './correct-pages.ts';
import { type Corrected, chunkLines, type Given, withText } from './corrected.ts';
import type { CorrectResultInput, CorrectResultOutput, NotCorrected } from './tasks.ts';

const { chunks: CHUNKS } = DOCUMENT_FILES;

/**
 * Makes the served files again from the extracted ones, all corrections and all annotations, and changes the result to
 * match. Without any, the extracted files are served again. Safe to repeat after a crash at any point. Errors:
 * `cancelled`.
 */
export async function correctResult(input: CorrectResultInput, { signal }: TaskContext): Promise<CorrectResultOutput> {
  const kept = new KeptFiles(input.folder);
  const result = parseOwnJson<Result>(input.result);
  const corrections = new Map(input.corrections);
  const before = servedTexts(kept, result);
  const { names, correct } = resultKindOf(kept, result);
  const isExtracted = corrections.size === 0 && input.annotations.length === 0;
  if (!isExtracted) for (const name of names) kept.keepExtractedFile(name);
  const corrected = correct({ corrections, annotations: input.annotations });
  signal.throwIfAborted();
  if (isExtracted) kept.restoreExtractedFiles();
  else writeFiles(kept, names, corrected.files);
  const chunks = new Map(corrected.chunks.map((chunk) => [chunk.id, chunk]));
  if (result.chunks !== undefined) result.chunks = result.chunks.map((one) => shownChunk(one, chunks.get(one.id)));
  corrected.change(result);
  const { annotations } = corrected;
  if (annotations.length > 0) result.annotations = annotations;
  else delete result.annotations;
  const after = correctedChunkTexts(corrected.chunks);
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  const chunksPath = kept.pathOfServedFile(CHUNKS);
  return {
    result: JSON.stringify(result),
    chunksBytes: existsSync(chunksPath) ? statSync(chunksPath).size : null,
    changed: ids.filter((id) => before.get(id) !== after.get(id)).map((id) => [id, after.get(id) ?? null]),
    notCorrected: [
      ...corrected.notCorrected,
      ...(corrections.size === 0 ? [] : listUnchangeableFiles(input.folder, result)),
      ...(annotations.length === 0 ? [] : withoutComments(input.folder)),
    ],
  };
}

type Result = Record<string, unknown> & { chunks?: Chunk[]; annotations?: Annotation[] };

/** What the corrected chunks of a job say, by their ids. */
function servedTexts(kept: KeptFiles, { chunks = [] }: Result): Map<string, string> {
  const path = kept.pathOfServedFile(CHUNKS);
  if (!existsSync(path)) return correctedChunkTexts(chunks);
  const lines = readFileSync(path, 'utf8').split('\n');
  return correctedChunkTexts(
    lines.filter((line) => line.includes('"originalText"')).map((line) => parseOwnJson<Chunk>(line)),
  );
}

function correctedChunkTexts(chunks: readonly Chunk[]): Map<string, string> {
  const corrected = chunks.filter(({ originalText }) => originalText !== undefined);
  return new Map(corrected.map(({ id, text }) => [id, text]));
}

interface Kind {
  /** The files that corrections change. */
  names: readonly string[];
  correct(given: Given): Corrected;
}

function resultKindOf(kept: KeptFiles, result: Result): Kind {
  if (kept.hasExtractedFile('transcript.json'))
    return { names: TALK_FILES, correct: (given) => correctTalkResult(kept, given) };
  if (kept.hasExtractedFile('pages.jsonl')) return { names: PAGE_FILES, correct: (given) => correctPages(kept, given) };
  if (kept.hasExtractedFile(DOCUMENT_FILES.normalized)) {
    return {
      names: Object.values(DOCUMENT_FILES),
      correct: (given) => correctDocument(kept, chunksIn(kept.pathOfExtractedFile(CHUNKS)), given),
    };
  }
  return { names: [CHUNKS], correct: (given) => chunksAlone(kept, result, given) };
}

/** A result whose text is in its chunks only. */
function chunksAlone(kept: KeptFiles, result: Result, { corrections, annotations: given }: Given): Corrected {
  const isInFile = kept.hasExtractedFile(CHUNKS);
  const extracted = isInFile
    ? chunksIn(kept.pathOfExtractedFile(CHUNKS))
    : (result.chunks ?? []).map((one) => shownChunk(one));
  const texts = extracted.map((chunk) => withText(chunk, corrections.get(chunk.id) ?? chunk.text));
  const annotations = placeAnnotations(given, texts);
  const chunks = withAnnotations(texts, annotations);
  const files: Corrected['files'] = new Map(isInFile ? [[CHUNKS, chunkLines(chunks)]] : []);
  return { chunks, files, notCorrected: [], change: () => {}, annotations };
}

function correctTalkResult(kept: KeptFiles, { corrections, annotations: given }: Given): Corrected {
  const { chunks, files, segments, extracted, frames, unplaced, annotations } = correctTalk(kept, corrections, given);
  const changeTalkResult = (result: Result) => {
    if (result.segments !== undefined) result.segments = segments;
    const { transcript } = result;
    if (typeof transcript === 'object' && transcript !== null) {
      const words = segments.reduce((sum, { text }) => sum + countWords(text), 0);
      result.transcript = { ...transcript, words };
    }
    if (Array.isArray(result.doubts)) result.doubts = settledDoubts(result.doubts as Doubt[], extracted, segments);
    if (Array.isArray(result.speakers)) result.speakers = countSpoken(result.speakers as Speaker[], segments);
    if (Array.isArray(result.frames)) {
      const texts = new Map(frames.map(({ seconds, text }) => [seconds, text]));
      result.frames = (result.frames as { seconds: number; text: string }[]).map((frame) => {
        return { ...frame, text: texts.get(frame.seconds) ?? frame.text };
      });
    }
  };
  const notCorrected = unplaced.map((id) => {
    const number = (chunks.find((chunk) => chunk.id === id)?.segmentIndex ?? 0) + 1;
    return { name: 'transcript.txt', reason: `The words of chunk ${number} were not found in the transcript.` };
  });
  return { chunks, files, notCorrected, change: changeTalkResult, annotations };
}

/** A doubt about words that a person has corrected, all of them, says so. */
function settledDoubts(
  doubts: readonly Doubt[],
  extracted: readonly TranscriptSegment[],
  corrected: readonly TranscriptSegment[],
): Doubt[] {
  const kept = new Set(corrected);
  return doubts.map(({ isCorrected: _former, ...doubt }) => {
    const { startSeconds = 0, endSeconds = startSeconds } = doubt;
    const own = extracted.filter(({ start, end }) => start < endSeconds && end > startSeconds);
    const isCorrected = own.length > 0 && own.every((segment) => !kept.has(segment));
    return isCorrected ? { ...doubt, isCorrected } : doubt;
  });
}

/** Speakers with the number of words that each says in these segments. */
function countSpoken(speakers: readonly Speaker[], segments: readonly TranscriptSegment[]): Speaker[] {
  return speakers.map((one) => {
    const own = segments.filter(({ speaker }) => speaker === one.name);
    return { ...one, words: own.reduce((sum, { text }) => sum + countWords(text), 0) };
  });
}

/** Each file is replaced as a whole. One that no correction changes is served as it was extracted. */
function writeFiles(kept: KeptFiles, names: readonly string[], files: Corrected['files']): void {
  for (const name of names) {
    const content = files.get(name);
    const path = kept.pathOfServedFile(name);
    if (content === null) rmSync(path, { force: true });
    else if (content === undefined) kept.serveExtracted(name);
    else {
      // What a crash left may be a link to the extracted file.
      rmSync(`${path}.part`, { force: true });
      if (typeof content === 'string') writeFileSync(`${path}.part`, content);
      else content(`${path}.part`);
      renameSync(`${path}.part`, path);
    }
  }
}

const CHANGED_MEMBERS = ['text', 'tokens', 'startOffset', 'endOffset', 'heading', 'headingPath'] as const;

/** A chunk of the result as the file has it. One that the correction does not reach has its own text. */
function shownChunk(chunk: Chunk, corrected?: Chunk): Chunk {
  const { originalText, annotations: _former, ...own } = chunk;
  if (corrected === undefined) return originalText === undefined ? own : { ...own, text: originalText };
  const changed = CHANGED_MEMBERS.filter((name) => name in own || name.startsWith('heading'));
  const members = changed.flatMap((name) => (corrected[name] === undefined ? [] : [[name, corrected[name]]]));
  const original = corrected.originalText === undefined ? {} : { originalText: corrected.originalText };
  const { heading: _heading, headingPath: _path, ...headless } = own;
  const base = corrected.heading === undefined ? headless : own;
  const annotated = corrected.annotations === undefined ? {} : { annotations: corrected.annotations };
  return { ...base, ...Object.fromEntries(members), ...original, ...annotated };
}

const VIDEO = /^video-.*\.(?:mp4|mkv)$/;

/** Forms of a text that have no place for a comment. */
const BARE_TEXTS: Readonly<Record<string, string>> = byName({
  'transcript.srt': 'SubRip has no comments. transcript.vtt has the annotation.',
  'transcript.txt': 'Plain text has no comments. transcript.json has the annotation.',
  'document.txt': 'Plain text has no comments. document.md has the annotation.',
});

function withoutComments(folder: string): NotCorrected[] {
  const names = readdirSync(folder).filter((name) => name in BARE_TEXTS);
  return names.map((name) => ({ name, reason: BARE_TEXTS[name] ?? '' }));
}

/** What corrections cannot change. */
function listUnchangeableFiles(folder: string, result: Result): NotCorrected[] {
  const names = readdirSync(folder);
  const videos = names.filter((name) => VIDEO.test(name));
  return [
    ...videos.map((name) => ({ name, reason: 'It was made before. Make the video again.' })),
    ...(result.digest === undefined
      ? []
      : [{ name: 'digest.md', reason: 'A text model wrote it from the former text. Summarise again.' }]),
    ...(result.extracted === undefined
      ? []
      : [{ name: 'extracted', reason: 'A text model read the fields from the former text. Read the source again.' }]),
  ];
}
