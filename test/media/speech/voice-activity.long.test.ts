import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../../harness/appliance.ts';
import { type MediaMaker, openMediaMaker } from '../../harness/make-media.ts';
import { CLIPS, clips, startWithSpeech, transcribed, wordErrorRate } from '../../harness/speech.ts';
import { installVadModel } from '../../harness/vad-model.ts';

/** Only ends a test that would hang: the machine may be busy with others. */
const TEST_MS = 900_000;

let appliance: Appliance;
let maker: MediaMaker;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

test('with a voice activity model, ten minutes with one minute of speech cost the minute, and no word is lost', {
  timeout: TEST_MS,
}, async () => {
  await installVadModel(appliance);
  const names = ['01-meeting.wav', '08-long.mp3', '02-fox.wav', '03-report.wav'];
  const whole = 600;
  const pads = names.map((_, index) => {
    const length = index < names.length - 1 ? 'pad_dur=140' : 'whole_dur=121';
    return `[${index}:a]aformat=sample_rates=16000:channel_layouts=mono,apad=${length}[a${index}]`;
  });
  const joined = `${pads.join(';')};${names.map((_, index) => `[a${index}]`).join('')}concat=n=${names.length}:v=0:a=1`;
  const inputs = names.flatMap((name) => ['-i', join(CLIPS, name)]);
  const sound = await maker.make('sparse.flac', [...inputs, '-filter_complex', joined, '-t', String(whole)]);
  const truth = await clips();
  const said = names.map((name) => truth.find(({ file }) => file === name)?.text).join(' ');
  const job = await transcribed(appliance, sound, 'sparse.flac');
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  const heard = job.result?.segments.map(({ text }) => text).join(' ') ?? '';
  expect(wordErrorRate(said, heard), heard).toBe(0);
  expect(job.result?.media).toMatchObject({ speechFoundBy: 'silero-vad' });
  expect(job.result?.media.durationSeconds).toBeGreaterThan(590);
  expect(job.result?.media.speechSeconds).toBeGreaterThan(40);
  expect(job.result?.media.speechSeconds).toBeLessThan(66);
});

test('the held-out clips are heard without a wrong word with it, too', { timeout: TEST_MS }, async () => {
  await installVadModel(appliance);
  for (const { file, text } of await clips()) {
    const job = await transcribed(appliance, await readFile(join(CLIPS, file)), file);
    expect(job.result?.media.speechFoundBy, JSON.stringify(job.error)).toBe('silero-vad');
    const heard = job.result?.segments.map((segment) => segment.text).join(' ') ?? '';
    expect(wordErrorRate(text, heard), `${file}: ${heard}`).toBe(0);
  }
});

test('one that cannot be read is said to be so, and loudness stands in', async () => {
  await installVadModel(appliance, Buffer.from('This is no model.'));
  const job = await transcribed(appliance, await readFile(join(CLIPS, '02-fox.wav')), 'fox.wav');
  expect(job.error).toBeUndefined();
  expect(job.result?.media.speechFoundBy).toBe('loudness');
  expect(job.result?.warnings.join(' ')).toContain('The voice activity model could not be used');
  expect(job.result?.segments.map(({ text }) => text)).toEqual(['The quick red fox jumps over the old bird.']);
});
