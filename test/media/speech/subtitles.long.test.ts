/** Subtitles by the rules of broadcasters: their layout, the files of a job, and the video that carries them. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Contribution } from '../../../src-server/features/contributions/schema.ts';
import type { SubtitledVideo } from '../../../src-server/features/media/schema.ts';
import { subtitleStyleOf } from '../../../src-server/features/media/subtitle-style.ts';
import { toWordsVtt } from '../../../workers/media/caption-files.ts';
import { toSrt } from '../../../workers/media/captions.ts';
import { correctedSegments } from '../../../workers/media/corrected-segments.ts';
import { layOutCues, layoutWarnings } from '../../../workers/media/subtitle-layout.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { type MediaMaker, openMediaMaker } from '../../harness/make-media.ts';
import { CLIPS, startWithSpeech, submit, type TranscriptJob, transcribed } from '../../harness/speech.ts';
import { installParakeet } from '../../harness/speech-families.ts';

type Style = NonNullable<ReturnType<typeof subtitleStyleOf>>;

const NETFLIX = subtitleStyleOf({ preset: 'netflix' }) as Style;

/** Words that take this many seconds each, without pauses. */
function spoken(text: string, each: number, start = 0) {
  const words = text.split(' ').map((word, index) => {
    return { text: word, start: start + index * each, end: start + (index + 1) * each };
  });
  return { start, end: start + words.length * each, text, words };
}

const SENTENCES =
  'The committee met on Tuesday to discuss the budget for the next year, but nobody had read the report that the ' +
  'treasurer sent around. After a long silence the chairman proposed to adjourn the meeting, and everyone agreed.';

describe('the layout of subtitles', () => {
  test('keeps lines, durations and gaps within the style, and every word in order', () => {
    for (const preset of ['netflix', 'netflix-children', 'youtube'] as const) {
      const style = subtitleStyleOf({ preset }) as Style;
      const cues = layOutCues([spoken(SENTENCES, 0.4), spoken(SENTENCES, 0.4, 15.2)], style, 'en');
      expect(cues.flatMap(({ lines }) => lines).join(' ')).toBe(`${SENTENCES} ${SENTENCES}`);
      for (const [index, { start, end, lines }] of cues.entries()) {
        expect(lines.length).toBeLessThanOrEqual(2);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(style.lineChars);
        expect(end - start).toBeGreaterThanOrEqual(style.minSeconds - 0.001);
        expect(end - start).toBeLessThanOrEqual(style.maxSeconds + 0.001);
        expect((cues[index + 1]?.start ?? Number.POSITIVE_INFINITY) - end).toBeGreaterThan(style.gapSeconds - 0.001);
      }
      expect(layoutWarnings(cues, style)).toEqual([]);
    }
  });

  test('divides at phrases, never between an article and its noun', () => {
    const cues = layOutCues([spoken(SENTENCES, 0.3)], NETFLIX, 'en');
    expect(cues.map(({ lines }) => lines)).toEqual([
      ['The committee met on Tuesday', 'to discuss the budget for the next year,'],
      ['but nobody had read the report', 'that the treasurer sent around.'],
      ['After a long silence the chairman proposed', 'to adjourn the meeting,'],
      ['and everyone agreed.'],
    ]);
    const german = 'Wir treffen uns am nächsten Dienstag vor dem Bahnhof, weil der Zug nach Hamburg früher fährt.';
    const lines = layOutCues([spoken(german, 0.35)], NETFLIX, 'de').flatMap((cue) => cue.lines);
    for (const line of lines) expect(line).not.toMatch(/ (der|dem|am|vor|nach|weil)$/);
  });

  test('merges short segments, ends at pauses, and stays for the shortest time', () => {
    const segments = [
      spoken('Yes,', 0.3),
      spoken('of course.', 0.3, 0.35),
      spoken('Why?', 0.2, 4),
      spoken('So.', 0.2, 9),
    ];
    const cues = layOutCues(segments, NETFLIX, 'en');
    expect(cues.map(({ lines }) => lines)).toEqual([['Yes, of course.'], ['Why?'], ['So.']]);
    expect(cues[1]).toMatchObject({ start: 4, end: 4.833 });
  });

  test('counts what the speech does not allow', () => {
    const fast = layOutCues([spoken(SENTENCES, 0.1)], NETFLIX, 'en');
    const [warning, ...others] = layoutWarnings(fast, NETFLIX);
    expect(warning).toMatch(/^Subtitles that need more than 20 characters per second, .*: \d of \d\.$/);
    expect(others).toEqual([]);
    const word = 'Donaudampfschifffahrtsgesellschaftskapitänsmütze';
    expect(layoutWarnings(layOutCues([spoken(`${word} da.`, 2)], NETFLIX, 'de'), NETFLIX)).toEqual([
      'Subtitles with a word longer than 42 characters: 1 of 1.',
    ]);
  });

  test('takes times that overlap, go back or have no length, and separates speakers', () => {
    const still = (text: string, at: number) => ({ ...spoken(text, 0, at), end: at });
    const cues = layOutCues(
      [still('one two three', 5), still('four', 5), spoken('five six', 3, 4), { start: 5, end: 5, text: '' }],
      NETFLIX,
      null,
    );
    expect(cues.flatMap(({ lines }) => lines).join(' ')).toBe('one two three four five six');
    for (const [index, { start, end }] of cues.entries()) {
      expect(end).toBeGreaterThan(start);
      expect(cues[index + 1]?.start ?? end).toBeGreaterThanOrEqual(end);
    }
    const both = [
      { ...spoken('Are you there?', 0.3), speaker: 'Ann' },
      { ...spoken('Yes.', 0.3, 0.95), speaker: 'Ben' },
    ];
    expect(layOutCues(both, NETFLIX, 'en').map(({ speaker }) => speaker)).toEqual(['Ann', 'Ben']);
    expect(toSrt(both, { style: NETFLIX, language: 'en' })).toMatch(/\nAnn: Are you there\?\n\n2\n.*\nBen: Yes\.\n$/);
  });

  test('divides a script without blanks between its words', () => {
    const text = '今日は天気がいいので公園で友達と一緒に散歩をしてから図書館で本を読みました。明日は雨が降るそうです。';
    const cues = layOutCues([{ start: 0, end: 14, text }], NETFLIX, 'ja');
    expect(cues.flatMap(({ lines }) => lines).join('')).toBe(text);
    for (const { lines } of cues) for (const line of lines) expect(line.length).toBeLessThanOrEqual(21);
  });
});

test('the standard preset alone is the layout without options', () => {
  expect(subtitleStyleOf(undefined)).toBeNull();
  expect(subtitleStyleOf({ preset: 'standard' })).toBeNull();
  expect(subtitleStyleOf({ lineChars: 30 })).toMatchObject({ lineChars: 30, lines: 2, minSeconds: 0.5 });
  const segments = [spoken(SENTENCES, 0.3)];
  expect(toSrt(segments, { style: null, language: 'en' })).toBe(toSrt(segments));
});

test('WebVTT with word times has each word after the first at its time, and escapes markup', () => {
  const timed = toWordsVtt([spoken('One <i> & three.', 1, 3)]);
  expect(timed).toBe(
    'WEBVTT\n\n00:00:03.000 --> 00:00:07.000\n' +
      'One <00:00:04.000>&lt;i&gt; <00:00:05.000>&amp; <00:00:06.000>three.\n',
  );
  expect(toWordsVtt([{ start: 0, end: 1, text: 'No times.' }])).toBeNull();
});

test('corrections of chunks change the words of their segments and keep the times of the others', () => {
  const segments = [spoken('We met in Bern last', 1), spoken('year. All came.', 1, 5)];
  const originalText = 'We met in Bern last year. All came.';
  const correct = (text: string) =>
    correctedSegments(segments, [{ id: 'c', kind: 'text', text, originalText }]).segments;
  const [first, second] = correct('We met in New Bern last year. Almost all came.');
  expect(first).toMatchObject({ start: 0, end: 5, text: 'We met in New Bern last' });
  expect(first?.words?.map(({ text, start }) => [text, start])).toEqual([
    ...([
      ['We', 0],
      ['met', 1],
      ['in', 2],
      ['New', 3],
      ['Bern', 3],
      ['last', 4],
    ] as const),
  ]);
  expect(second?.text).toBe('year. Almost all came.');
  expect(second?.words?.map(({ start }) => start)).toEqual([5, 6, 6.5, 7]);
  expect(correct('We met in Bern last')).toMatchObject([{ text: 'We met in Bern last' }]);
  const other = { id: 'c', kind: 'text', text: 'No.', originalText: 'Of another text.' } as const;
  expect(correctedSegments(segments, [other])).toEqual({ segments, unplaced: ['c'] });
});

describe('of a job', () => {
  const run = promisify(execFile);
  const CLIP = '06-class.wav';
  let appliance: Appliance;
  let maker: MediaMaker;
  let video: TranscriptJob;
  beforeAll(async () => {
    [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
    // An odd height, which the encoder of burned-in video does not take.
    const black = ['-f', 'lavfi', '-i', 'color=black:size=320x181:rate=10', '-i', join(CLIPS, CLIP), '-shortest'];
    const film = await maker.make('class.mkv', [...black, '-c:v', 'ffv1', '-c:a', 'aac']);
    video = await transcribed(appliance, film, 'class.mkv', { subtitles: { lineChars: 16, lines: 1, maxSeconds: 2 } });
  });
  afterAll(async () => {
    await appliance.close();
    await maker[Symbol.asyncDispose]();
  });

  const file = async (jobId: string, name: string) => appliance.owner(`/v1/jobs/${jobId}/files/${name}`);
  const send = (path: string, body: object) =>
    appliance.owner(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const textLines = (srt: string) => srt.split(/\r?\n/).filter((line) => /[a-z]/i.test(line));

  test('options decide the files; the owner writes them again without listening', async () => {
    const srt = async () => (await file(video.jobId, 'transcript.srt')).text();
    const narrow = textLines(await srt());
    const words = video.result?.segments.map(({ text }) => text).join(' ');
    expect(narrow.join(' ')).toBe(words);
    expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(16);
    const answer = await send(`/admin/jobs/${video.jobId}/subtitles`, { preset: 'netflix' });
    const files = expect.arrayContaining(['transcript.srt', 'transcript.vtt']);
    expect(await answer.json()).toMatchObject({ files, warnings: [] });
    const wide = textLines(await srt());
    expect(wide.join(' ')).toBe(words);
    expect(wide.length).toBeLessThan(narrow.length);
    await send(`/admin/jobs/${video.jobId}/subtitles`, { preset: 'standard' });
    expect(await srt()).toBe(toSrt(video.result?.segments ?? []));
    const [chunk] = video.result?.chunks ?? [];
    const text = chunk?.text.replace('evening', 'morning') ?? '';
    const correction = { kind: 'correction', jobId: video.jobId, chunkId: chunk?.id, text };
    const { contributionId } = (await (await send('/v1/contributions', correction)).json()) as Contribution;
    expect((await send(`/admin/contributions/${contributionId}/approve`, {})).status).toBe(200);
    // Files get their corrections after the decision.
    const corrected = async () => {
      await send(`/admin/jobs/${video.jobId}/subtitles`, { preset: 'netflix' });
      return textLines(await srt()).join(' ');
    };
    await expect.poll(corrected, { timeout: 20_000 }).toBe(words?.replace('evening', 'morning'));
    expect((await send(`/admin/jobs/${video.jobId}/subtitles`, { lineChars: 5 })).status).toBe(400);
    const refused = await submit(appliance, Buffer.from('RIFF'), CLIP, { subtitles: { preset: 'cinema' } });
    expect(await refused.text()).toContain('options.subtitles.preset');
  });

  test('a recogniser that times words gives a file with their times', async () => {
    await installParakeet(appliance, 'parakeet-tdt-0.6b-v3');
    const sound = await readFile(join(CLIPS, CLIP));
    const { result, jobId } = await transcribed(appliance, sound, CLIP, { language: 'cs-CZ' });
    expect(result?.captions).toHaveProperty('words.name', 'transcript.words.vtt');
    expect(result?.files.map(({ name }) => name)).toContain('transcript.words.vtt');
    const timed = await (await file(jobId, 'transcript.words.vtt')).text();
    expect(timed).toBe(toWordsVtt(result?.segments ?? []));
  });

  test('a video carries them as a track, or in its pictures', async () => {
    const path = `/admin/jobs/${video.jobId}/video`;
    const made = async (form: string) => {
      const begun = await send(path, { form });
      expect(begun.status, await begun.clone().text()).toBe(202);
      const events = await (await appliance.owner(path, { headers: { accept: 'text/event-stream' } })).text();
      const state = JSON.parse(events.trim().split('\ndata: ').at(-1) ?? '') as SubtitledVideo;
      expect(state).toMatchObject({ form, status: 'made', percent: 100, error: null });
      const { name = '', sizeBytes } = state.files.at(-1) ?? {};
      const bytes = Buffer.from(await (await file(video.jobId, name)).arrayBuffer());
      expect(bytes.length).toBe(sizeBytes);
      await writeFile(join(maker.folder, name), bytes);
      return join(maker.folder, name);
    };
    const kept = await made('track-mkv');
    const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', kept, '-map', '0:s:0', '-f', 'srt', '-']);
    expect(textLines(stdout)).toEqual(textLines(await (await file(video.jobId, 'transcript.srt')).text()));
    // FFV1 is copied: nothing was encoded again. It does not fit into .mp4.
    const codec = ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', kept];
    expect((await run('ffprobe', codec)).stdout.split('\n').slice(0, 3)).toEqual(['ffv1', 'aac', 'subrip']);
    const burned = await made('burned-in');
    const { start = 0 } = video.result?.segments[0] ?? {};
    const grey = ['-v', 'error', '-ss', String(start + 0.3), '-i', burned, '-frames:v', '1', '-pix_fmt', 'gray', '-f'];
    const { stdout: picture } = await run('ffmpeg', [...grey, 'rawvideo', '-'], { encoding: 'buffer' });
    expect(picture.some((level) => level > 200)).toBe(true);
    expect((await send(path, { form: 'track-mp4' })).status).toBe(202);
    const failed = await (await appliance.owner(path, { headers: { accept: 'text/event-stream' } })).text();
    expect(failed).toContain('choose .mkv');
    expect((await appliance.owner(path, { method: 'DELETE' })).status).toBe(404);
  });

  test('without pictures there is no video', async () => {
    const sound = await transcribed(appliance, await readFile(join(CLIPS, CLIP)), CLIP);
    const path = `/admin/jobs/${sound.jobId}/video`;
    expect((await send(path, { form: 'burned-in' })).status).toBe(202);
    const events = await (await appliance.owner(path, { headers: { accept: 'text/event-stream' } })).text();
    expect(events).toContain('"code":"unsupported_media"');
    expect((await send('/admin/jobs/job_none/video', { form: 'burned-in' })).status).toBe(404);
  });
});
