/**
 * A podcast of two people with a microphone each and a jazz intro that Quarry composed comes back as a transcript with
 * their names, chapters and subtitles, and without a word in the intro. The small model of the tests knows the voices of
 * the clips; of Quarry's own voices it tells who speaks and when.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import {
  CLIPS,
  clips,
  installSpeechModel,
  ONNX_MODEL,
  type TranscriptJob,
  transcribed,
  wordErrorRate,
} from '../harness/speech.ts';
import { postJson } from '../harness/text-models.ts';

const INTRO_SECONDS = 9;

const SECONDS = 34;

/** What each of them says, and when. */
const SAID = [
  { name: 'Anna', voice: 'clara', at: 10, clip: '01-meeting.wav' },
  { name: 'Ben', voice: 'rowan', at: 15, clip: '02-fox.wav' },
  { name: 'Anna', voice: 'clara', at: 20, clip: '04-numbers.wav' },
  { name: 'Ben', voice: 'rowan', at: 26, clip: '03-report.wav' },
] as const;

/** How long a line takes, with the room that an estimated end needs. */
const LINE_SECONDS = 7;

const CHAPTERS = [
  ['Intro', 0],
  ['Welcome', INTRO_SECONDS],
  ['The weather', 20],
] as const;

let appliance: Appliance;
let maker: MediaMaker;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startAppliance(), openMediaMaker()]);
  await installSpeechModel(appliance, ONNX_MODEL);
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

async function makeSound(name: string, request: object): Promise<string> {
  const answer = await appliance.owner('/v1/generate/audio', postJson(request));
  const { jobId } = (await answer.json()) as { jobId: string };
  const { result, error } = await finished(appliance.owner, jobId);
  expect(error, JSON.stringify(error)).toBeUndefined();
  const { audio } = result as unknown as { audio: { wav: { url: string } } };
  const sound = await appliance.owner(new URL(audio.wav.url).pathname);
  const path = join(maker.folder, name);
  await writeFile(path, Buffer.from(await sound.arrayBuffer()));
  return path;
}

/** The sound of each line: a recorded clip, or one of Quarry's voices that says the same. */
async function lineSounds(isOwn: boolean): Promise<string[]> {
  if (!isOwn) return SAID.map(({ clip }) => join(CLIPS, clip));
  const truth = await clips();
  const sounds: string[] = [];
  for (const { clip, voice } of SAID) {
    const prompt = truth.find(({ file }) => file === clip)?.text ?? '';
    sounds.push(await makeSound(`${voice}-${clip}`, { prompt, voice }));
  }
  return sounds;
}

async function recordPodcast(lines: readonly string[]): Promise<Buffer> {
  const intro = await makeSound('intro.wav', {
    prompt: 'A jazz intro with piano, double bass and brushed drums',
    durationSeconds: INTRO_SECONDS,
  });
  const ends = [...CHAPTERS.slice(1).map(([, start]) => start), SECONDS];
  const chapters = CHAPTERS.map(
    ([title, start], index) => `[CHAPTER]\nTIMEBASE=1/1\nSTART=${start}\nEND=${ends[index]}\ntitle=${title}\n`,
  );
  const facts = join(maker.folder, 'facts.txt');
  await writeFile(facts, `;FFMETADATA1\ntitle=Two at the harbour\n${chapters.join('')}`);
  const placed = SAID.map(
    ({ at }, index) => `[${index + 1}]aformat=channel_layouts=mono,adelay=${at * 1000}[l${index}]`,
  );
  const channel = (name: string, out: string) => {
    const own = SAID.flatMap((one, index) => (one.name === name ? [`[l${index}]`] : []));
    return `${own.join('')}amix=inputs=${own.length}:normalize=0,apad=whole_dur=${SECONDS}[${out}]`;
  };
  const people = `${channel('Anna', 'a')};${channel('Ben', 'b')};[a][b]join=inputs=2:channel_layout=stereo[both]`;
  const mix = `${placed.join(';')};${people};[both][0]amix=inputs=2:normalize=0:duration=longest`;
  const inputs = [intro, ...lines].flatMap((path) => ['-i', path]);
  const how = ['-i', facts, '-map_metadata', String(lines.length + 1), '-filter_complex', mix, '-t', String(SECONDS)];
  return maker.make('podcast.mp3', [...inputs, ...how, '-b:a', '160k']);
}

test.each([
  ['recorded voices', false],
  ['Quarry’s own voices', true],
])('of %s is a transcript with names, chapters and subtitles, and no word in its intro', async (_, isOwn) => {
  const podcast = await recordPodcast(await lineSounds(isOwn));
  const { jobId, result, error } = await transcribed(appliance, podcast, 'podcast.mp3');
  expect(error, JSON.stringify(error)).toBeUndefined();
  const { segments = [], file, speakers } = result ?? {};
  expect(segments.filter(({ start }) => start < INTRO_SECONDS)).toEqual([]);
  expect(file).toMatchObject({ title: 'Two at the harbour', chapters: CHAPTERS.map(([title]) => ({ title })) });
  expect(speakers?.map(({ name }) => name).toSorted()).toEqual(['Left', 'Right']);
  const body = JSON.stringify({ names: { Left: 'Anna', Right: 'Ben' } });
  const headers = { 'content-type': 'application/json' };
  const renamed = await appliance.owner(`/admin/jobs/${jobId}/speakers`, { method: 'PATCH', headers, body });
  expect(renamed.status).toBe(200);
  const after = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as TranscriptJob;
  const truth = await clips();
  for (const name of ['Anna', 'Ben']) {
    const said = SAID.filter((one) => one.name === name);
    const heard = after.result?.segments.filter(({ speaker }) => speaker === name) ?? [];
    const isTheirs = ({ start }: { start: number }) =>
      said.some(({ at }) => start >= at - 0.5 && start < at + LINE_SECONDS);
    expect(heard.filter((segment) => !isTheirs(segment))).toEqual([]);
    expect(said.every(({ at }) => heard.some(({ start }) => start >= at - 0.5 && start < at + LINE_SECONDS))).toBe(
      true,
    );
    if (isOwn) continue;
    const text = said.map(({ clip }) => truth.find(({ file: one }) => one === clip)?.text).join(' ');
    expect(wordErrorRate(text, heard.map((segment) => segment.text).join(' ')), name).toBe(0);
  }
  const vtt = await (await appliance.owner(new URL(after.result?.captions.vtt.url ?? '').pathname)).text();
  expect(vtt).toContain('<v Anna>');
  expect(vtt).toContain('<v Ben>');
  const [, minutes, seconds] = /(\d\d):(\d\d)\.\d{3} -->/.exec(vtt) ?? [];
  expect(Number(minutes) * 60 + Number(seconds)).toBeGreaterThanOrEqual(INTRO_SECONDS);
});
