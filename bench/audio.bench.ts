/**
 * Seconds of audio made per second of computing: speech beside espeak-ng as a native program, music, and how long a
 * request waits for its preview. Music is also played with the SoundFont that SOUND_FONT names, a path.
 *
 *     npm run bench audio
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { musicInput } from '../test/harness/sounds.ts';
import { UNWATCHED } from '../test/harness/task-context.ts';
import { synthesizeWithFlite } from '../workers/audio/flite.ts';
import { renderMusic } from '../workers/audio/music/render-music.ts';
import { renderSpeech } from '../workers/audio/render-speech.ts';
import type { RenderMusicInput, RenderSpeechInput } from '../workers/audio/tasks.ts';
import { utterancesOf } from '../workers/audio/word-times.ts';

const ROUNDS = 3;
const TEXT = 'The tide turns at noon, and the boats that lay in the mud begin to move. Nobody gives a sign. '.repeat(
  20,
);
const VOICES = ['rms', 'slt', 'awb', 'kal16'] as const;
const SOUND_FONT = process.env.SOUND_FONT;
const WAVE_HEADER_BYTES = 44;

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));
  try {
    await speech(folder);
    await music(folder);
    await previews(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function speech(folder: string): Promise<void> {
  const input: RenderSpeechInput = {
    passages: [{ text: TEXT, speaker: 0, speed: 1, gainDb: 0, semitones: 0, pauseSeconds: 0 }],
    speakers: [{ engine: 'flite', voice: 'slt' }],
    reading: { language: 'en-US', lexicon: {} },
    maxSeconds: 300,
    endsAnywhere: false,
    includeCaptions: true,
    outputFolder: folder,
    fileName: 'speech',
    title: 'Bench',
    goal: { lufs: -16, truePeakDbtp: -1 },
    background: null,
    seed: '',
    source: '',
  };
  for (const voice of VOICES) {
    await measure(`speech, synthesised only, ${voice}`, async () => {
      let seconds = 0;
      for (const utterance of utterancesOf(TEXT)) {
        const { samples, sampleRate } = await synthesizeWithFlite(utterance, { voice, stretch: 1, pitchHz: null });
        seconds += samples.length / sampleRate;
      }
      return seconds;
    });
  }
  await measure('speech, with captions, levelled, .wav and .mp3', async () => {
    return (await renderSpeech(input, UNWATCHED)).durationSeconds;
  });
  const wave = join(folder, 'espeak.wav');
  if (spawnSync('espeak-ng', ['--version']).status !== 0) {
    process.stdout.write('espeak-ng is not installed here: no peer for speech.\n');
    return;
  }
  const run = async () => {
    spawnSync('espeak-ng', ['-w', wave, TEXT]);
    const bytes = await readFile(wave);
    return (bytes.length - WAVE_HEADER_BYTES) / bytes.readUInt32LE(28);
  };
  await measure('espeak-ng, native, .wav only', run, false);
}

function musicOf(folder: string, renderSeconds: number): RenderMusicInput {
  const prompt = 'an epic orchestral trailer with harp and flute';
  const length = { durationSeconds: 120, renderSeconds };
  return musicInput(folder, { prompt, tempo: 96, ...length, fileName: 'music' });
}

async function music(folder: string): Promise<void> {
  await measure('music, composed, played, levelled, .wav and .mp3', async () => {
    return (await renderMusic(musicOf(folder, 120), UNWATCHED)).durationSeconds;
  });
  if (SOUND_FONT === undefined) {
    process.stdout.write('SOUND_FONT is not set: no music with a SoundFont.\n');
    return;
  }
  await measure('the same with a SoundFont', async () => {
    const input = { ...musicOf(folder, 120), soundFontPath: SOUND_FONT };
    return (await renderMusic(input, UNWATCHED)).durationSeconds;
  });
}

async function previews(folder: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await renderMusic(musicOf(folder, 6), UNWATCHED);
    process.stdout.write(`preview of music: ${Math.round(performance.now() - startedAt)} ms\n`);
  }
}

/** The best of the rounds; by the clock, and by this process's own CPU time, which other work on the machine spares. */
async function measure(name: string, work: () => Promise<number>, isOwn = true): Promise<void> {
  let byClock = 0;
  let byCpu = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    const before = process.cpuUsage();
    const seconds = await work();
    const { user, system } = process.cpuUsage(before);
    byClock = Math.max(byClock, (seconds * 1000) / (performance.now() - startedAt));
    byCpu = Math.max(byCpu, (seconds * 1_000_000) / (user + system));
  }
  const cpu = isOwn ? `, ${byCpu.toFixed(1)} per CPU second` : '';
  process.stdout.write(`${name}: ${byClock.toFixed(1)} s of audio per second${cpu}\n`);
}

await main();
