/** The subtitles of a finished transcript in another layout, with its corrections. */

import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { captionFiles, WORDS_VTT } from './caption-files.ts';
import { cuesOfSegments } from './captions.ts';
import { correctTalk, servedAnnotations, servedCorrections } from './correct-talk.ts';
import { KeptFiles } from './kept-files.ts';
import type { RewriteSubtitlesInput, RewriteSubtitlesOutput, SubtitleStyle } from './tasks.ts';

/** The parts of transcript.json that subtitles need. */
interface StoredTranscript {
  language: string | null;
  subtitles?: SubtitleStyle | undefined;
  textTimes?: boolean | undefined;
  segments: TranscriptSegment[];
}

export async function rewriteSubtitles(
  { folder, style }: RewriteSubtitlesInput,
  { signal }: TaskContext,
): Promise<RewriteSubtitlesOutput> {
  const kept = new KeptFiles(folder);
  const stored = readFileSync(kept.pathOfExtractedFile('transcript.json'), 'utf8');
  const { language, subtitles: _former, ...rest } = parseOwnJson<StoredTranscript>(stored);
  const layout = { style, language };
  const own = captionFiles(rest.segments, layout);
  const transcript = `${JSON.stringify({ language, subtitles: style ?? undefined, ...rest })}\n`;
  const extracted = { ...own.files, 'transcript.json': transcript };
  for (const [name, content] of Object.entries(extracted))
    await replaceFile(kept.pathOfExtractedFile(name), content, signal);
  if (own.files[WORDS_VTT] === undefined) await rm(kept.pathOfExtractedFile(WORDS_VTT), { force: true });
  const segments = await serveCorrections(kept, rest.segments, signal);
  const { files, warnings } = segments === rest.segments ? own : captionFiles(segments, layout);
  return { files: Object.keys(files), cues: cuesOfSegments(segments, layout).length, warnings };
}

/**
 * Writes the served files of a transcript again, from the extracted ones, its corrections and its annotations. Returns
 * its segments.
 */
export async function serveCorrections(
  kept: KeptFiles,
  extracted: TranscriptSegment[],
  signal: AbortSignal,
): Promise<TranscriptSegment[]> {
  const corrections = servedCorrections(kept);
  const annotations = servedAnnotations(kept);
  if (corrections.size === 0 && annotations.length === 0) return extracted;
  const { files, segments } = correctTalk(kept, corrections, annotations);
  for (const [name, content] of files) {
    if (content === null) await rm(kept.pathOfServedFile(name), { force: true });
    else await replaceFile(kept.pathOfServedFile(name), content, signal);
  }
  return segments;
}

/** Replaces a file as a whole, so that a reader never gets part of one. */
export async function replaceFile(path: string, content: string, signal: AbortSignal): Promise<void> {
  // What a crash left may be a link to another file.
  await rm(`${path}.part`, { force: true });
  await writeFile(`${path}.part`, content, { signal });
  await rename(`${path}.part`, path);
}
