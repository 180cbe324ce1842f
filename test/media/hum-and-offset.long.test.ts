/** Sound with a constant offset or hum of the mains is heard as well as without. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { CLIPS, clips, startWithSpeech, transcribed, wordErrorRate } from '../harness/speech.ts';

const NAMES = ['01-meeting.wav', '06-class.wav', '02-fox.wav', '03-report.wav'];
const SECONDS = 24.5;
const SENTENCES = 7;

let appliance: Appliance;
let maker: MediaMaker;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

const sine = (hertz: number, level: number) => `${level}*sin(2*PI*${hertz}*t)`;

test.for([
  ['nothing else', null],
  ['an offset of a hundredth', '0.01'],
  ['an offset of a tenth', '0.1'],
  ['hum of 50 Hz', sine(50, 0.1)],
  ['hum of 60 Hz with multiples', `${sine(60, 0.1)}+${sine(120, 0.05)}+${sine(180, 0.03)}`],
  ['hum of a ground loop that drifts', `${sine(100, 0.06)}+0.1*sin(2*PI*(50*t+0.1*sin(t/3)))`],
  ['hum and an offset', `0.05+${sine(50, 0.05)}+${sine(150, 0.02)}`],
  ['rumble', '0.2*sin(2*PI*(12*t+2*sin(t)))'],
] as const)('speech with %s', async ([name, added]) => {
  const truth = await clips();
  const said = NAMES.map((file) => truth.find((clip) => clip.file === file)?.text).join(' ');
  const inputs = NAMES.flatMap((file) => ['-i', join(CLIPS, file)]);
  const talk = NAMES.map((_, index) => `[${index}]apad=pad_dur=0.8[a${index}]`).join(';');
  const joined = `${NAMES.map((_, index) => `[a${index}]`).join('')}concat=n=${NAMES.length}:v=0:a=1,volume=0.5`;
  const other = added === null ? [] : ['-f', 'lavfi', '-i', `aevalsrc='${added}':s=16000:d=${SECONDS}`];
  const mix = added === null ? '' : `[talk];[talk][${NAMES.length}]amix=inputs=2:normalize=0`;
  const filter = ['-filter_complex', `${talk};${joined}${mix}`, '-t', String(SECONDS)];
  const sound = await maker.make('talk.wav', [...inputs, ...other, ...filter]);
  const { result, error } = await transcribed(appliance, sound, `${name}.wav`);
  expect(error, JSON.stringify(error)).toBeUndefined();
  const heard = result?.segments.map(({ text }) => text).join(' ') ?? '';
  expect(wordErrorRate(said, heard), heard).toBe(0);
  expect(result?.segments).toHaveLength(SENTENCES);
  const starts = result?.segments.map(({ start }) => start) ?? [];
  const right = [0.21, 3.88, 6.68, 10.32, 13.59, 18.11, 20.77];
  for (const [index, start] of right.entries()) expect(Math.abs((starts[index] ?? 0) - start)).toBeLessThan(0.35);
});
