/** The plain text of a transcript, with times and without. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTranscript } from '../../workers/media/write-transcript.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const SEGMENTS = [
  { start: 3.2, end: 4, text: 'Good morning.', speaker: 'Left' },
  { start: 64.9, end: 66, text: 'Good evening.', speaker: 'Right' },
  { start: 3723, end: 3724, text: 'Good night.', speaker: 'Right' },
];

test.for([
  [undefined, 'Left: Good morning.\nRight: Good evening.\nGood night.\n'],
  [true, '[0:03] Left: Good morning.\n[1:04] Right: Good evening.\n[1:02:03] Good night.\n'],
] as const)('with textTimes %s', async ([textTimes, text]) => {
  const outputFolder = await mkdtemp(join(tmpdir(), 'quarry text '));
  try {
    const input = { captions: SEGMENTS, heard: [], evidence: null, frames: [], turns: null, segmentLength: 900 };
    await writeTranscript({ ...input, language: 'en', textTimes, outputFolder }, UNWATCHED);
    expect(await readFile(join(outputFolder, 'transcript.txt'), 'utf8')).toBe(text);
  } finally {
    await rm(outputFolder, { recursive: true });
  }
});
