import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { musicOf } from '../../src-server/features/audio/sounds.ts';
import { composePiece } from '../../workers/audio/music/compose.ts';
import { renderMusic } from '../../workers/audio/music/render-music.ts';
import { ffmpegLoudness, musicInput, readWave, soundFolder } from '../harness/sounds.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const HOP_SECONDS = 0.005;

/** How much louder each moment is than the one before: the onsets of notes stand out. */
function onsets(samples: Float32Array, sampleRate: number): Float32Array {
  const hop = Math.round(HOP_SECONDS * sampleRate);
  const levels = new Float32Array(Math.floor(samples.length / hop));
  for (let at = 0; at < levels.length; at += 1) {
    let sum = 0;
    for (let index = at * hop + 1; index < (at + 1) * hop; index += 1) {
      // The difference of neighbours weighs attacks, which are bright, over what rings.
      const step = (samples[index] ?? 0) - (samples[index - 1] ?? 0);
      sum += step * step;
    }
    levels[at] = Math.log10(sum + 1e-6);
  }
  return levels.map((level, at) => Math.max(0, level - (levels[at - 1] ?? level)));
}

/** Beats per minute at which the onsets line up best, near a guess that is off by up to 6 %. */
function tempoOf(samples: Float32Array, sampleRate: number, guess: number): number {
  const strength = onsets(samples, sampleRate);
  let best = { tempo: 0, score: -1 };
  for (let tempo = guess * 0.94; tempo <= guess * 1.06; tempo += guess * 0.0005) {
    const step = (2 * Math.PI * (tempo / 60) * 2 * samples.length) / sampleRate / strength.length;
    let real = 0;
    let imaginary = 0;
    for (let at = 0; at < strength.length; at += 1) {
      real += (strength[at] ?? 0) * Math.cos(step * at);
      imaginary += (strength[at] ?? 0) * Math.sin(step * at);
    }
    const score = Math.hypot(real, imaginary);
    if (score > best.score) best = { tempo, score };
  }
  return best.tempo;
}

describe('rendered music', () => {
  test.each([
    ['a happy pop song', 96],
    ['dark techno', 128],
    ['a folk song with guitar', 111.5],
  ])('%s at %s bpm has that tempo in its onsets, within 0.5 %%, and its exact length', async (prompt, tempo) => {
    const folder = await soundFolder();
    await renderMusic(musicInput(folder, { prompt, tempo, durationSeconds: 24 }), UNWATCHED);
    const { samples, sampleRate, seconds } = await readWave(join(folder, 'audio.wav'));
    // The guess is off on purpose, so that a detector that only repeats it would fail.
    const measured = tempoOf(samples, sampleRate, tempo * 1.03);
    expect(Math.abs(measured / tempo - 1)).toBeLessThan(0.005);
    expect(Math.abs(seconds - 24)).toBeLessThan(0.05);
  });

  test.each([
    ['an epic orchestral trailer', -14],
    ['lo-fi beats with piano', -23],
  ])('%s is at %s LUFS under its true-peak ceiling, as ffmpeg measures it', async (prompt, lufs) => {
    const folder = await soundFolder();
    const goal = { lufs, truePeakDbtp: -1 };
    const { analysis } = await renderMusic(musicInput(folder, { prompt, goal }), UNWATCHED);
    const measured = await ffmpegLoudness(join(folder, 'audio.wav'));
    expect(Math.abs(measured.lufs - lufs)).toBeLessThan(0.5);
    expect(Math.abs(measured.lufs - (analysis.integratedLufs ?? 0))).toBeLessThan(0.3);
    expect(Math.abs(measured.range - (analysis.loudnessRangeLu ?? 0))).toBeLessThan(0.7);
    expect(measured.peak).toBeLessThanOrEqual(-0.8);
    expect(Math.abs(measured.peak - (analysis.truePeakDbtp ?? 0))).toBeLessThan(0.4);
  });

  test('a preview holds the beginning of the very piece', async () => {
    const folder = await soundFolder();
    const whole = musicInput(folder, { prompt: 'a gentle waltz with piano', durationSeconds: 16 });
    await renderMusic(whole, UNWATCHED);
    await renderMusic({ ...whole, renderSeconds: 4, fileName: 'preview' }, UNWATCHED);
    const piece = (await readWave(join(folder, 'audio.wav'))).samples.subarray(0, 44_100 * 3);
    const clip = (await readWave(join(folder, 'preview.wav'))).samples.subarray(0, 44_100 * 3);
    expect(correlation(piece, clip)).toBeGreaterThan(0.98);
  });

  test('ends in silence, and begins at once', async () => {
    const folder = await soundFolder();
    await renderMusic(musicInput(folder, { durationSeconds: 10 }), UNWATCHED);
    const { samples } = await readWave(join(folder, 'audio.wav'));
    expect(Math.max(...samples.subarray(-100).map(Math.abs))).toBeLessThan(0.01);
    expect(Math.max(...samples.subarray(0, 22_050).map(Math.abs))).toBeGreaterThan(0.02);
  });

  test.each([1, 2, 3, 300])('can be %s seconds long', { tags: ['long'] }, (durationSeconds) => {
    const piece = composePiece(musicInput('', { prompt: 'a rock anthem', tempo: 300, durationSeconds }));
    const last = Math.max(...piece.notes.map(({ startBeat }) => startBeat));
    expect(piece.notes.length).toBeGreaterThan(0);
    expect((last * 60) / 300).toBeLessThan(durationSeconds);
  });
});

describe('a prompt', () => {
  const facts = (prompt: string) => composePiece(musicInput('', { prompt, tempo: null, durationSeconds: 60 })).facts;

  test('chooses genre, mood, key and instruments by its words', () => {
    expect(facts('a sad jazz ballad in Bb minor with piano and flute')).toMatchObject({
      genre: 'jazz',
      mood: 'sad',
      key: 'Bb minor',
    });
    expect(facts('a sad jazz ballad with piano and flute').instruments).toEqual(
      expect.arrayContaining(['piano', 'flute', 'upright bass', 'drums']),
    );
    expect(facts('calm ambient, no drums').instruments).not.toContain('drums');
    expect(facts('a ballroom waltz').timeSignature).toBe('3/4');
  });

  test.each([
    ['techno at 130 bpm, 90 bpm', 'tempo is 130 bpm; the prompt also names 90'],
    ['techno at 5000 bpm', '5000 is not possible'],
    ['slow fast techno', 'several paces; “slow” was used'],
    ['a waltz in 3/4 and 4/4', 'several meters; 3/4 was used'],
    ['jazz in D minor and G major', 'several keys; D minor was used'],
    ['techno and jazz', 'several genres; techno was used, without jazz'],
    ['a happy sad song', 'several moods; sad was used, without happy'],
    ['a calm energetic song', 'several moods; calm was used, without energetic'],
    ['rock with loud drums, without drums', 'with and without drums'],
    ['jazz piano, no piano', 'with and without piano'],
  ])('%s contradicts itself, and a warning names how', (prompt, warning) => {
    expect(musicOf(prompt, null).warnings).toEqual([expect.stringContaining(warning)]);
  });

  test.each(['a slow happy song', 'sad piano, slow, no drums', 'dark epic trailer', 'rock without guitar'])(
    '%s does not',
    (prompt) => {
      expect(musicOf(prompt, null).warnings).toEqual([]);
    },
  );

  test('excludes the instruments that it does not want', () => {
    expect(facts('jazz, no piano').instruments).not.toContain('piano');
    expect(facts('rock without any guitar').instruments.join()).not.toContain('guitar');
  });

  test('gives a form with a beginning, different parts and an end', () => {
    const names = facts('upbeat pop').sections.map(({ name }) => name);
    expect(names[0]).toBe('intro');
    expect(names.at(-1)).toBe('outro');
    expect(new Set(names).size).toBeGreaterThanOrEqual(4);
  });

  test('gives the same piece each time, and another piece with another seed', () => {
    const request = musicInput('', { prompt: 'a folk tune', tempo: 100, durationSeconds: 30 });
    expect(composePiece(request)).toEqual(composePiece(request));
    expect(composePiece({ ...request, seed: 'another' }).notes).not.toEqual(composePiece(request).notes);
  });
});

function correlation(one: Float32Array, other: Float32Array): number {
  let [product, first, second] = [0, 0, 0];
  for (let index = 0; index < one.length; index += 1) {
    const a = one[index] ?? 0;
    const b = other[index] ?? 0;
    product += a * b;
    first += a * a;
    second += b * b;
  }
  return product / Math.sqrt(first * second);
}
