/** Corrections in a result and in all files of its job. */

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Chunk } from '../../src-server/operation.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { countWords } from '../../src-server/platform/text/words.ts';
import { DOCUMENT_FILES } from '../documents/finish-document.ts';
import { chunksIn, correctTalk, TALK_FILES } from '../media/correct-talk.ts';
import { KeptFiles } from '../media/kept-files.ts';
import { correctDocument } from './correct-document.ts';
import { correctPages, PAGE_FILES } from './correct-pages.ts';
import { type Corrected, chunkLines, withText } from './corrected.ts';
import type { CorrectResultInput, CorrectResultOutput, NotCorrected } from './tasks.ts';

const { chunks: CHUNKS } = DOCUMENT_FILES;

/**
 * Makes the served files again from the extracted ones and all corrections, and changes the result to match. Without
 * corrections, the extracted files are served again. Safe to repeat after a crash at any point. Errors: `cancelled`.
 */
export async function correctResult(input: CorrectResultInput, { signal }: TaskContext): Promise<CorrectResultOutput> {
  const kept = new KeptFiles(input.folder);
  const result = JSON.parse(input.result) as Result;
  const corrections = new Map(input.corrections);
  const before = servedTexts(kept, result);
  const { names, correct } = kindOf(kept, result);
  if (corrections.size > 0) for (const name of names) kept.keep(name);
  const corrected = correct(corrections);
  signal.throwIfAborted();
  if (corrections.size === 0) kept.restore();
  else writeFiles(kept, names, corrected.files);
  const chunks = new Map(corrected.chunks.map((chunk) => [chunk.id, chunk]));
  if (result.chunks !== undefined) result.chunks = result.chunks.map((one) => shownChunk(one, chunks.get(one.id)));
  corrected.change(result);
  const after = textsOf(corrected.chunks);
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  const chunksPath = kept.served(CHUNKS);
  return {
    result: JSON.stringify(result),
    chunksBytes: existsSync(chunksPath) ? statSync(chunksPath).size : null,
    changed: ids.filter((id) => before.get(id) !== after.get(id)).map((id) => [id, after.get(id) ?? null]),
    notCorrected: [...corrected.notCorrected, ...unchangeable(input.folder, result)],
  };
}

type Result = Record<string, unknown> & { chunks?: Chunk[] };

/** What the corrected chunks of a job say, by their ids. */
function servedTexts(kept: KeptFiles, { chunks = [] }: Result): Map<string, string> {
  const path = kept.served(CHUNKS);
  if (!existsSync(path)) return textsOf(chunks);
  const lines = readFileSync(path, 'utf8').split('\n');
  return textsOf(lines.filter((line) => line.includes('"originalText"')).map((line) => JSON.parse(line) as Chunk));
}

function textsOf(chunks: readonly Chunk[]): Map<string, string> {
  const corrected = chunks.filter(({ originalText }) => originalText !== undefined);
  return new Map(corrected.map(({ id, text }) => [id, text]));
}

interface Kind {
  /** The files that corrections change. */
  names: readonly string[];
  correct(corrections: ReadonlyMap<string, string>): Corrected;
}

function kindOf(kept: KeptFiles, result: Result): Kind {
  if (kept.has('transcript.json')) return { names: TALK_FILES, correct: (texts) => talk(kept, texts) };
  if (kept.has('pages.jsonl')) return { names: PAGE_FILES, correct: (texts) => correctPages(kept, texts) };
  if (kept.has(DOCUMENT_FILES.normalized)) {
    return {
      names: Object.values(DOCUMENT_FILES),
      correct: (texts) => correctDocument(kept, chunksIn(kept.extracted(CHUNKS)), texts),
    };
  }
  return { names: [CHUNKS], correct: (texts) => chunksAlone(kept, result, texts) };
}

/** A result whose text is in its chunks only. */
function chunksAlone(kept: KeptFiles, result: Result, corrections: ReadonlyMap<string, string>): Corrected {
  const isInFile = kept.has(CHUNKS);
  const extracted = isInFile ? chunksIn(kept.extracted(CHUNKS)) : (result.chunks ?? []).map((one) => shownChunk(one));
  const chunks = extracted.map((chunk) => withText(chunk, corrections.get(chunk.id) ?? chunk.text));
  const files: Corrected['files'] = new Map(isInFile ? [[CHUNKS, chunkLines(chunks)]] : []);
  return { chunks, files, notCorrected: [], change: () => {} };
}

function talk(kept: KeptFiles, corrections: ReadonlyMap<string, string>): Corrected {
  const { chunks, files, segments, frames, unplaced } = correctTalk(kept, corrections);
  const change = (result: Result) => {
    if (result.segments !== undefined) result.segments = segments;
    const { transcript } = result;
    if (typeof transcript === 'object' && transcript !== null) {
      const words = segments.reduce((sum, { text }) => sum + countWords(text), 0);
      result.transcript = { ...transcript, words };
    }
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
  return { chunks, files, notCorrected, change };
}

/** Each file is replaced as a whole. One that no correction changes is served as it was extracted. */
function writeFiles(kept: KeptFiles, names: readonly string[], files: Corrected['files']): void {
  for (const name of names) {
    const content = files.get(name);
    const path = kept.served(name);
    if (content === null) rmSync(path, { force: true });
    else if (content === undefined) kept.serveExtracted(name);
    else {
      if (typeof content === 'string') writeFileSync(`${path}.part`, content);
      else content(`${path}.part`);
      renameSync(`${path}.part`, path);
    }
  }
}

const CHANGED_MEMBERS = ['text', 'tokens', 'startOffset', 'endOffset', 'heading', 'headingPath'] as const;

/** A chunk of the result as the file has it. One that the correction does not reach has its own text. */
function shownChunk(chunk: Chunk, corrected?: Chunk): Chunk {
  const { originalText, ...own } = chunk;
  if (corrected === undefined) return originalText === undefined ? chunk : { ...own, text: originalText };
  const changed = CHANGED_MEMBERS.filter((name) => name in own || name.startsWith('heading'));
  const members = changed.flatMap((name) => (corrected[name] === undefined ? [] : [[name, corrected[name]]]));
  const original = corrected.originalText === undefined ? {} : { originalText: corrected.originalText };
  const { heading: _heading, headingPath: _path, ...headless } = own;
  const base = corrected.heading === undefined ? headless : own;
  return { ...base, ...Object.fromEntries(members), ...original };
}

const VIDEO = /^video-.*\.(?:mp4|mkv)$/;

/** What corrections cannot change. */
function unchangeable(folder: string, result: Result): NotCorrected[] {
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
