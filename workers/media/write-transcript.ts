import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { countWords } from '../documents/words.ts';
import type { TaskContext } from '../tasks.ts';
import { toSrt, toVtt } from './captions.ts';
import { cleanSegments } from './clean-segments.ts';
import { mergeCaptions } from './merge-captions.ts';
import type { WriteTranscriptInput, WriteTranscriptOutput } from './tasks.ts';
import { chunkTranscript } from './transcript-chunks.ts';

/** Makes chunks and files of what was heard and read. */
export async function writeTranscript(
  input: WriteTranscriptInput,
  { signal }: TaskContext,
): Promise<WriteTranscriptOutput> {
  const { outputFolder, segmentLength, language, frames } = input;
  const { segments: heard, dropped } = cleanSegments(input.heard);
  const segments = mergeCaptions(input.captions, heard);
  const chunks = chunkTranscript(segments, frames, { segmentLength, language });
  const text = segments.map((segment) => segment.text).join('\n');
  const files = {
    'transcript.srt': toSrt(segments),
    'transcript.vtt': toVtt(segments),
    'transcript.txt': text === '' ? '' : `${text}\n`,
    'transcript.json': `${JSON.stringify({ language, segments, frames })}\n`,
    'chunks.jsonl': chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join(''),
  };
  await mkdir(outputFolder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(outputFolder, name), content, { signal });
  }
  const warnings = dropped === 0 ? [] : [`The recogniser repeated itself: ${dropped} repetitions were left out.`];
  return { chunks, segments, words: countWords(text), warnings };
}
