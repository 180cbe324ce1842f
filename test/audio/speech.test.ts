import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { audioKindOf } from '../../src-server/features/audio/kind-of-audio.ts';
import { renderSpeech } from '../../workers/audio/render-speech.ts';
import { alignPhonesToWords } from '../../workers/audio/word-times.ts';
import { ffmpegLoudness, readWave, soundFolder, speechInput } from '../harness/sounds.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const run = promisify(execFile);

/** Stretches of sound between pauses, in seconds. */
function stretches(samples: Float32Array, sampleRate: number): { start: number; end: number }[] {
  const HOP = 0.01;
  const PAUSE = 0.3;
  const hop = Math.round(HOP * sampleRate);
  const found: { start: number; end: number }[] = [];
  for (let at = 0; at * hop < samples.length; at += 1) {
    const loudest = Math.max(...samples.subarray(at * hop, (at + 1) * hop).map(Math.abs));
    if (loudest < 0.02) continue;
    const last = found.at(-1);
    if (last !== undefined && at * HOP - last.end < PAUSE) last.end = (at + 1) * HOP;
    else found.push({ start: at * HOP, end: (at + 1) * HOP });
  }
  return found;
}

function cuesOf(srt: string): { start: number; end: number; text: string }[] {
  const seconds = (time: string) => {
    const [hours = 0, minutes = 0, rest = 0] = time.replace(',', '.').split(':').map(Number);
    return hours * 3600 + minutes * 60 + rest;
  };
  return [...srt.matchAll(/^(\S+) --> (\S+)\n([\s\S]*?)(?:\n\n|\n$)/gm)].map(([, start = '', end = '', text = '']) => ({
    start: seconds(start),
    end: seconds(end),
    text,
  }));
}

describe('captions', () => {
  test('of a long text stand where the words sound, at its end as at its beginning, within 100 ms', async () => {
    const folder = await soundFolder();
    const words = ['Mountain', 'Potato', 'Banana', 'Tomorrow', 'Kingdom', 'Garden'];
    const text = Array.from({ length: 24 }, (_, index) => `${words[index % words.length]}.`).join(' ');
    await renderSpeech(speechInput(folder, { text, includeCaptions: true }), UNWATCHED);
    const { samples, sampleRate } = await readWave(join(folder, 'audio.wav'));
    const sounds = stretches(samples, sampleRate);
    const cues = cuesOf(await readFile(join(folder, 'audio.srt'), 'utf8'));
    expect(cues.length).toBe(24);
    expect(sounds.length).toBe(24);
    for (const [index, cue] of cues.entries()) {
      const sound = sounds[index];
      expect([cue.text, Math.abs(cue.start - (sound?.start ?? 0)) < 0.1]).toEqual([cue.text, true]);
      expect([cue.text, Math.abs(cue.end - (sound?.end ?? 0)) < 0.1]).toEqual([cue.text, true]);
    }
  });

  test('show every word once, in order, with its own time, and abbreviations end no sentence', async () => {
    const folder = await soundFolder();
    const text = 'Dr. Smith has 23 apples & costs $5. It\'s a "quick-brown" fox <tag>!';
    await renderSpeech(speechInput(folder, { text, includeCaptions: true }), UNWATCHED);
    const vtt = await readFile(join(folder, 'audio.vtt'), 'utf8');
    const body = vtt.slice('WEBVTT\n\n'.length).replace(/^.*-->.*$/gm, '');
    const times = [...body.matchAll(/<(\d\d):(\d\d):(\d\d\.\d{3})>/g)].map(
      ([, , minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
    );
    expect(times).toEqual([...times].sort((one, other) => one - other));
    const plain = body
      .replace(/<[^>]+>/g, '')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&amp;/g, '&');
    expect(plain.replace(/\s+/g, ' ').trim()).toBe(text);
    expect(vtt.match(/-->/g)?.length).toBe(2);
  });

  test('have two lines at most, of no more than 42 characters', async () => {
    const folder = await soundFolder();
    const text = Array.from({ length: 6 }, () => 'Incomprehensible administrations straightforwardly overlook').join(
      ' ',
    );
    await renderSpeech(speechInput(folder, { text, includeCaptions: true }), UNWATCHED);
    const cues = cuesOf(await readFile(join(folder, 'audio.srt'), 'utf8')).map((cue) => cue.text.split('\n'));
    expect(cues.flat().join(' ')).toBe(text);
    expect(cues.filter((lines) => lines.length > 2 || lines.some((line) => line.length > 42))).toEqual([]);
  });

  test.for([
    ['10½ cups of Łódź’s crème brûlée, co\u00ADoperating', '10½ cups of Łódź’s crème brûlée, cooperating'],
    ['−5 °C, £3, 20 €, €1 and €5 million.', '−5 °C, £3, 20 €, €1 and €5 million.'],
    ['5–10 m² of 3 × 4³', '5–10 m² of 3 × 4³'],
    ['To do:\n\n1. Wash\nthe car\n2. Eat\n\n• Rest', 'To do: | 1. Wash the car | 2. Eat | Rest'],
    [
      'This is **very** important, _see_ [our site](https://a.example/b_c "T").',
      'This is very important, see our site.',
    ],
    ['2*3*4 is snake_case, ~~not~~ `code`', '2*3*4 is snake_case, not code'],
    ['# A title\n**All\nof it**\n\n---\n- *One*', 'A title | All of it | One'],
    ['Wait <break time="1.5s" /> for <i>it</i> <tag>', 'Wait | for it <tag>'],
  ] as const)('say what is said of %j, and end where its lists and paragraphs do', async ([text, said]) => {
    const folder = await soundFolder();
    await renderSpeech(speechInput(folder, { text, includeCaptions: true }), UNWATCHED);
    const cues = cuesOf(await readFile(join(folder, 'audio.srt'), 'utf8'));
    const shown = cues.map((cue) => cue.text.replaceAll('\n', ' '));
    expect(shown.join(said.includes('|') ? ' | ' : ' ')).toBe(said);
  });

  test('give each phone to the word that is pronounced like it, also where a sentence changes one', () => {
    expect(
      alignPhonesToWords(
        ['dh', 'iy', 'ae', 'p', 'ax', 'l'],
        [
          ['dh', 'ax'],
          ['ae', 'p', 'ax', 'l'],
        ],
      ),
    ).toEqual([0, 0, 1, 1, 1, 1]);
    expect(
      alignPhonesToWords(
        ['ae', 'n', 'd', 'y', 'uw'],
        [
          ['ae', 'n', 'd'],
          ['y', 'uw'],
        ],
      ),
    ).toEqual([0, 0, 0, 1, 1]);
  });
});

describe('speech', () => {
  test('is at the loudness of its preset under its ceiling, as ffmpeg measures it, and its mp3 with it', async () => {
    const folder = await soundFolder();
    const text = 'The quick brown fox jumps over the lazy dog. It was a bright cold day in April.';
    const { analysis } = await renderSpeech(speechInput(folder, { text }), UNWATCHED);
    for (const name of ['audio.wav', 'audio.mp3']) {
      const measured = await ffmpegLoudness(join(folder, name));
      expect([name, Math.abs(measured.lufs + 16) < 0.5]).toEqual([name, true]);
      expect([name, measured.peak <= -0.5]).toEqual([name, true]);
    }
    expect(analysis.truePeakDbtp).toBeLessThanOrEqual(-1);
  });

  test('tags its mp3 with title and loudness', async () => {
    const folder = await soundFolder();
    await renderSpeech(speechInput(folder, { title: 'Größe – 世界' }), UNWATCHED);
    const args = ['-v', 'error', '-show_entries', 'format_tags', '-of', 'json', join(folder, 'audio.mp3')];
    const { format } = JSON.parse((await run('ffprobe', args)).stdout) as { format: { tags: Record<string, string> } };
    expect(format.tags.title).toBe('Größe – 世界');
    expect(format.tags.replaygain_track_gain).toMatch(/^-?\d+\.\d\d dB$/);
  });

  test('never exceeds its ceiling, even where one sentence alone does', async () => {
    const folder = await soundFolder();
    const text = `${'and then we walked a little further '.repeat(6)}home.`;
    const { durationSeconds } = await renderSpeech(speechInput(folder, { text, maxSeconds: 3 }), UNWATCHED);
    expect(durationSeconds).toBeLessThanOrEqual(3);
    expect(durationSeconds).toBeGreaterThan(1);
  });

  test('is the same, byte for byte, for the same text', async () => {
    const folder = await soundFolder();
    await renderSpeech(speechInput(folder), UNWATCHED);
    await renderSpeech(speechInput(folder, { fileName: 'again' }), UNWATCHED);
    const [one, other] = await Promise.all(['audio.wav', 'again.wav'].map((name) => readFile(join(folder, name))));
    expect(one?.equals(other as Buffer)).toBe(true);
  });

  test('is stopped when it is cancelled', async () => {
    const abort = new AbortController();
    abort.abort(new Error('cancelled'));
    const context = { ...UNWATCHED, signal: abort.signal };
    await expect(renderSpeech(speechInput(await soundFolder()), context)).rejects.toThrow('cancelled');
  });
});

describe('a prompt is', () => {
  test.each([
    ['a calm lo-fi beat with piano', 'music'],
    ['Upbeat rock song in E minor', 'music'],
    ['ambient soundscape with bells and soft pads', 'music'],
    ['30 seconds of jazz', 'music'],
    ['Welcome to our show. Today we talk about the history of music.', 'speech'],
    ['The old man was tired. He said nothing.', 'speech'],
    ['Hello world', 'speech'],
    ['I love rock and roll, and you do too!', 'speech'],
  ])('"%s": %s', (prompt, kind) => {
    expect(audioKindOf({ prompt })).toBe(kind);
  });

  test('spoken when a voice is named', () => {
    expect(audioKindOf({ prompt: 'a jazz song', voice: 'clara' })).toBe('speech');
  });
});
