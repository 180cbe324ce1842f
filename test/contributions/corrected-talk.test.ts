/** Corrections, names and layouts of subtitles in the files of a talk, in any order, and the way back. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import { subtitleStyleOf } from '../../src-server/features/media/subtitle-style.ts';
import type { Chunk } from '../../src-server/operation.ts';
import { correctResult } from '../../workers/contributions/correct-result.ts';
import { nameSpeakers } from '../../workers/media/name-speakers.ts';
import { rewriteSubtitles } from '../../workers/media/rewrite-subtitles.ts';
import { writeTranscript } from '../../workers/media/write-transcript.ts';
import { UNWATCHED } from '../harness/task-context.ts';

let root: string;
let folder: string;
let result: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'quarry-talk-'));
  folder = join(root, 'files');
  result = await transcript();
});
afterEach(() => rm(root, { recursive: true, force: true }));

function spoken(start: number, speaker: string, text: string): TranscriptSegment {
  const words = text
    .split(/\s+/)
    .map((word, index) => ({ start: start + index, end: start + index + 1, text: word, speaker }));
  return { start, end: start + words.length, text, speaker, words };
}

const SAID = 'Good evening, and welcome to the harbour.';

async function transcript(): Promise<string> {
  const heard = [
    spoken(0, 'Speaker 1', SAID),
    spoken(20, 'Speaker 2', SAID),
    spoken(40, 'Speaker 1', 'We\nbegin & end.'),
  ];
  const { chunks, segments } = await writeTranscript(
    {
      outputFolder: folder,
      segmentLength: 60,
      language: 'en',
      heard: [],
      captions: heard,
      frames: [{ seconds: 5, text: 'Harbour evening' }],
      turns: null,
      names: {},
    } as never,
    UNWATCHED as never,
  );
  const speakers = [10, 7].map((words, index) => ({ name: `Speaker ${index + 1}`, seconds: 1, words }));
  const frames = [{ seconds: 5, text: 'Harbour evening', image: null }];
  return JSON.stringify({ chunks, segments, frames, speakers, transcript: { words: 17 }, warnings: [] });
}

async function files(): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

function chunks(): Chunk[] {
  return (JSON.parse(result) as { chunks: Chunk[] }).chunks;
}

async function correct(...corrections: [chunkId: string, text: string][]) {
  const output = await correctResult({ folder, result, corrections, annotations: [] }, UNWATCHED as never);
  ({ result } = output);
  return output;
}

const SPOKEN_FILES = ['transcript.txt', 'transcript.srt', 'transcript.vtt', 'transcript.words.vtt', 'transcript.json'];

test('the place of the chunk changes in each file, and nothing else', async () => {
  const [before, whole] = [await files(), result];
  const second = chunks()[1] as Chunk;
  const output = await correct([second.id, second.text.replace('evening', 'morning')]);
  expect(output).toMatchObject({ notCorrected: [], changed: [[second.id, expect.stringContaining('morning')]] });
  const after = await files();
  for (const name of SPOKEN_FILES) {
    const [text = '', now = ''] = [before[name], after[name]];
    expect(now.split('morning'), name).toHaveLength(name.endsWith('.json') ? 3 : 2);
    const place = text.indexOf('evening', text.indexOf('evening') + (name.endsWith('.json') ? 40 : 1));
    expect(now.replaceAll('morning', 'evening'), `${name} ${place}`).toBe(text);
  }
  const { segments } = JSON.parse(result) as { segments: TranscriptSegment[] };
  expect(segments.map(({ text }) => text)).toEqual([SAID, SAID.replace('evening', 'morning'), 'We\nbegin & end.']);
  await correct();
  expect(await files()).toEqual(before);
  expect(JSON.parse(result)).toEqual(JSON.parse(whole));
  expect(await readdir(root)).toEqual(['files']);
});

test('a frame and an emptied chunk', async () => {
  const frame = chunks().find(({ kind }) => kind === 'frame-text') as Chunk;
  const last = chunks().findLast(({ kind }) => kind === 'text') as Chunk;
  await correct([frame.id, 'Harbour morning'], [last.id, '']);
  const after = await files();
  expect(after['transcript.json']).toContain('"text":"Harbour morning"');
  expect(after['transcript.json']).not.toContain('Harbour evening');
  expect(after['transcript.srt']).not.toContain('begin');
  expect(JSON.parse(result)).toMatchObject({ frames: [{ text: 'Harbour morning' }] });
});

test('names and layouts keep the correction, and it keeps them when it is taken back', async () => {
  const second = chunks()[1] as Chunk;
  await correct([second.id, second.text.replace('evening', 'morning')]);
  const named = await nameSpeakers({ folder, result, names: [['Speaker 2', 'Maya']] }, UNWATCHED as never);
  ({ result } = named);
  await rewriteSubtitles({ folder, style: NARROW }, UNWATCHED as never);
  const both = await files();
  for (const name of SPOKEN_FILES) expect(both[name]?.split('morning').length, name).toBeGreaterThan(1);
  expect(both['transcript.txt']).toContain('Maya: Good morning');
  await correct();
  const after = await files();
  for (const name of SPOKEN_FILES) expect(after[name], name).not.toContain('morning');
  expect(after['transcript.txt']).toContain('Maya: Good evening');
  expect(after['transcript.srt']?.split('-->').length).toBe(both['transcript.srt']?.split('-->').length);
  expect(JSON.stringify(JSON.parse(result))).not.toMatch(/Speaker 2|morning/);
});

test('a process that died between two files catches up', async () => {
  const second = chunks()[1] as Chunk;
  const before = await files();
  const said = second.text.replace('evening', 'morning');
  const first = result;
  await correct([second.id, said]);
  const whole = await files();
  // Only some files were replaced, and the result was not stored.
  await rm(join(folder, 'transcript.txt'));
  result = first;
  await correct([second.id, said]);
  expect(await files()).toEqual(whole);
  result = first;
  await correct();
  expect(await files()).toEqual(before);
});

const NARROW = subtitleStyleOf({ lineChars: 16, lines: 1, maxSeconds: 2 });

const GIVEN = { url: null, author: null, license: null, createdAt: '2026-03-02T09:30:00.000Z' };

test('annotations are comments of WebVTT and members of JSON, and other forms stay', async () => {
  const [before, whole] = [await files(), result];
  const second = chunks()[1] as Chunk;
  const annotations = [
    { ...GIVEN, annotationId: 'a', kind: 'annotation' as const, text: 'Late\n\nfrom 1 --> 2', chunkId: second.id },
    { ...GIVEN, annotationId: 'b', kind: 'source' as const, text: 'A log.', chunkId: null },
  ].map((one, index) => ({ ...one, quote: index === 0 ? 'evening' : null, start: index === 0 ? 5 : null }));
  const annotate = async (corrections: [string, string][] = []) => {
    const output = await correctResult({ folder, result, corrections, annotations }, UNWATCHED as never);
    ({ result } = output);
    return output;
  };
  expect((await annotate()).notCorrected.map(({ name }) => name).sort()).toEqual(['transcript.srt', 'transcript.txt']);
  const after = await files();
  for (const name of ['transcript.txt', 'transcript.srt']) expect(after[name], name).toBe(before[name]);
  for (const name of ['transcript.vtt', 'transcript.words.vtt']) {
    const blocks = (after[name] ?? '').split('\n\n');
    expect(blocks.filter((block) => !block.startsWith('NOTE')).join('\n\n'), name).toBe(before[name]);
    const note = 'NOTE Annotation: “evening”: Late\nfrom 1 --&gt; 2';
    expect(blocks.slice(0, 2), name).toEqual(['WEBVTT', 'NOTE Annotation: A log.']);
    const place = blocks.indexOf(note);
    expect(blocks[place + 1], name).toMatch(/^00:00:20\.000 -->/);
  }
  const place = { start: second.text.indexOf('evening'), page: 1, startSeconds: 20 };
  expect(JSON.parse(after['transcript.json'] ?? '')).toMatchObject({ annotations: [place, { start: null }] });
  expect(JSON.parse(result)).toMatchObject({ annotations: [place, { start: null }] });
  expect(chunks().map(({ annotations: own }) => own?.length)).toEqual([undefined, 1, undefined, undefined]);

  ({ result } = await nameSpeakers({ folder, result, names: [['Speaker 2', 'Maya']] }, UNWATCHED as never));
  await rewriteSubtitles({ folder, style: null }, UNWATCHED as never);
  const named = await files();
  expect(named['transcript.vtt']).toBe(after['transcript.vtt']?.replaceAll('Speaker 2', 'Maya'));
  await annotate([[second.id, second.text.replace('welcome', 'so welcome')]]);
  expect((await files())['transcript.vtt']).toContain('NOTE Annotation: “evening”');
  ({ result } = await nameSpeakers({ folder, result, names: [['Maya', 'Speaker 2']] }, UNWATCHED as never));
  await correct();
  expect(await files()).toEqual(before);
  expect(JSON.parse(result)).toEqual(JSON.parse(whole));
});

test('words of speakers are counted again, and a doubt about corrected words says so', async () => {
  const doubts = [0, 20].map((startSeconds) => {
    return { reason: 'no-speech-evidence', quote: SAID, startSeconds, endSeconds: startSeconds + 7 };
  });
  const whole = { ...(JSON.parse(result) as object), doubts };
  result = JSON.stringify(whole);
  const second = chunks()[1] as Chunk;
  await correct([second.id, second.text.replace('evening', 'evening to all of you')]);
  expect(JSON.parse(result)).toMatchObject({
    speakers: [{ words: 10 }, { words: 11 }],
    doubts: [doubts[0], { ...doubts[1], isCorrected: true }],
  });
  await correct();
  expect(JSON.parse(result)).toEqual(whole);
});
