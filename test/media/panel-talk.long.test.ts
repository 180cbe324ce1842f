/** A recorded panel, as a user drops it: who said what, what the slides say, what the file knows, and its subtitles. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { childrenLike } from '../harness/child-processes.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { installSpeakerModel, startWithSpeech, transcribed, wordErrorRate } from '../harness/speech.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const CONVERSATION = join(import.meta.dirname, '../fixtures/media/conversations');
const SLIDES = ['Harbour plan', 'Budget for spring', 'Questions'];
const SLIDE_SECONDS = 15;

let appliance: Appliance;
let maker: MediaMaker;
let video: Buffer;
let turns: { speaker: string; text: string }[];
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
  await installSpeakerModel(appliance);
  const truth = JSON.parse(await readFile(join(CONVERSATION, 'truth.json'), 'utf8')) as {
    file: string;
    turns: typeof turns;
  }[];
  turns = truth.find(({ file }) => file === '02-three-speakers.flac')?.turns ?? [];
  video = await panel();
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

/** Three speakers, three slides with a chapter each, and a title. */
function panel(): Promise<Buffer> {
  const draw = SLIDES.map((text, index) => {
    const shown = `between(t,${index * SLIDE_SECONDS},${(index + 1) * SLIDE_SECONDS - 0.01})`;
    return `drawtext=text='${text}':fontsize=56:x=60:y=${80 + index * 60}:enable='${shown}'`;
  });
  const chapter = (title: string, index: number) =>
    `[CHAPTER]\nTIMEBASE=1/1\nSTART=${index * SLIDE_SECONDS}\nEND=${(index + 1) * SLIDE_SECONDS}\ntitle=${title}\n`;
  const facts = join(maker.folder, 'facts.txt');
  return writeFile(facts, `;FFMETADATA1\ntitle=Harbour panel\n${SLIDES.map(chapter).join('')}`).then(() =>
    maker.make('panel.mp4', [
      ...['-f', 'lavfi', '-i', `color=white:size=640x360:rate=5:duration=45,${draw.join(',')}`],
      ...['-i', join(CONVERSATION, '02-three-speakers.flac'), '-i', facts, '-map_metadata', '2'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-shortest'],
    ]),
  );
}

test('a panel gives its words by speaker, its slides and chapters, and a video with subtitles', async () => {
  const options = { speakers: 3, captureFrames: true, frameIntervalSeconds: 5 };
  const { jobId, result, error } = await transcribed(appliance, video, 'panel.mp4', options);
  expect(error, JSON.stringify(error)).toBeUndefined();
  const { segments = [], speakers = [], file, frames = [], warnings, covered } = result ?? {};
  expect(warnings).toEqual([]);
  expect(file).toMatchObject({ title: 'Harbour panel', chapters: SLIDES.map((title) => ({ title })) });
  expect(frames.map(({ text }) => text)).toEqual(SLIDES);
  expect(covered?.durationSeconds).toBeCloseTo(45, 0);
  expect(speakers).toHaveLength(3);
  const named = [...new Set(turns.map(({ speaker }) => speaker))];
  for (const [index, { name }] of speakers.entries()) {
    const heard = segments.filter(({ speaker }) => speaker === name).map(({ text }) => text);
    const said = turns.filter(({ speaker }) => speaker === named[index]).map(({ text }) => text);
    expect(wordErrorRate(said.join(' '), heard.join(' ')), `${name}: ${heard.join(' ')}`).toBeLessThan(0.2);
  }
  const making = await appliance.owner(`/admin/jobs/${jobId}/video`, postJson({ form: 'burned-in' }));
  expect(making.status, await making.clone().text()).toBe(202);
  const state = async () =>
    (await (await appliance.owner(`/admin/jobs/${jobId}/video`)).json()) as { status: string; error: unknown };
  await until(async () => !['waiting', 'making'].includes((await state()).status));
  expect(await state()).toMatchObject({ status: 'made', error: null });
  const burned = await appliance.owner(`/v1/jobs/${jobId}/files/video-burned-in.mp4`);
  expect(burned.headers.get('content-type')).toBe('video/mp4');
  expect((await burned.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
});

test.skipIf(process.platform !== 'linux')('no process of an engine outlives its job', () => {
  for (const name of ['media-program', 'speech-program', 'ffmpeg'])
    expect([name, childrenLike(name)]).toEqual([name, []]);
});
