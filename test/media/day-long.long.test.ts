/** A recording of a whole day is refused at once with what to do, whatever its header says. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { startWithSpeech, transcribed } from '../harness/speech.ts';

/** So slow that a day has few bytes. */
const SAMPLE_RATE = 100;

const DAY_SECONDS = 86_400;

const HEADER_BYTES = 44;

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startWithSpeech();
});
afterAll(() => appliance.close());

/** 8 bits, mono, nearly silent. */
function wave(seconds: number, statedBytes = seconds * SAMPLE_RATE): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + seconds * SAMPLE_RATE, 128);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + statedBytes, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  for (const [offset, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    bytes.writeUInt16LE(value, offset);
  bytes.writeUInt32LE(SAMPLE_RATE, 24);
  bytes.writeUInt32LE(SAMPLE_RATE, 28);
  bytes.write('data', 36);
  bytes.writeUInt32LE(statedBytes, 40);
  return bytes;
}

test('a day of sound is refused before it is decoded', async () => {
  const { error, result } = await transcribed(appliance, wave(DAY_SECONDS), 'day.wav');
  expect(result ?? null).toBeNull();
  expect(error).toMatchObject({ code: 'source_too_large', message: expect.stringContaining('12 hours') });
});

test('one of which the header states a minute ends, and says what is missing', async () => {
  const { error, result } = await transcribed(appliance, wave(DAY_SECONDS, 60 * SAMPLE_RATE), 'minute.wav');
  const said = error === undefined ? (result?.warnings.join() ?? '') : error.code;
  expect(said).not.toBe('');
});
