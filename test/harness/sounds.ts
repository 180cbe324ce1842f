import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { musicOf } from '../../src-server/features/audio/sounds.ts';
import { speechLines } from '../../src-server/platform/text/speech-text.ts';
import type { RenderMusicInput, RenderSpeechInput } from '../../workers/audio/tasks.ts';

const run = promisify(execFile);

export async function soundFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'quarry sound '));
}

/** A .wav of 16 bits, its channels mixed. */
export async function readWave(path: string): Promise<{ samples: Float32Array; sampleRate: number; seconds: number }> {
  const bytes = await readFile(path);
  const channels = bytes.readUInt16LE(22);
  const sampleRate = bytes.readUInt32LE(24);
  const frames = bytes.readUInt32LE(40) / (2 * channels);
  const samples = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame += 1) {
    for (let channel = 0; channel < channels; channel += 1) {
      samples[frame] =
        (samples[frame] ?? 0) + bytes.readInt16LE(44 + (frame * channels + channel) * 2) / 32_768 / channels;
    }
  }
  return { samples, sampleRate, seconds: frames / sampleRate };
}

/** The difference of the channels of a .wav of 16 bits in stereo. */
export async function readSide(path: string): Promise<{ samples: Float32Array; sampleRate: number }> {
  const bytes = await readFile(path);
  const samples = Float32Array.from({ length: bytes.readUInt32LE(40) / 4 }, (_, frame) => {
    return (bytes.readInt16LE(44 + frame * 4) - bytes.readInt16LE(46 + frame * 4)) / 65_536;
  });
  return { samples, sampleRate: bytes.readUInt32LE(24) };
}

/** What ffmpeg's ebur128 says of a file: another implementation of the same standard. */
export async function ffmpegLoudness(path: string): Promise<{ lufs: number; range: number; peak: number }> {
  const filter = 'ebur128=peak=true:framelog=verbose';
  const args = ['-hide_banner', '-nostdin', '-nostats', '-i', path, '-af', filter, '-f', 'null', '-'];
  const { stderr } = await run('ffmpeg', args);
  const figure = (pattern: RegExp) => Number(pattern.exec(stderr)?.[1]);
  return {
    lufs: figure(/^\s+I:\s+(-?[\d.]+) LUFS/m),
    range: figure(/^\s+LRA:\s+([\d.]+) LU/m),
    peak: figure(/^\s+Peak:\s+(-?[\d.]+) dBFS/m),
  };
}

export function speechInput(
  folder: string,
  { text = 'Hello there.', ...change }: Partial<RenderSpeechInput> & { text?: string } = {},
): RenderSpeechInput {
  return {
    passages: [{ text: speechLines(text), speaker: 0, speed: 1, gainDb: 0, semitones: 0, pauseSeconds: 0 }],
    speakers: [{ engine: 'flite', voice: 'slt' }],
    reading: { language: 'en-US', lexicon: {} },
    maxSeconds: 60,
    endsAnywhere: false,
    includeCaptions: false,
    outputFolder: folder,
    fileName: 'audio',
    title: 'A test',
    goal: { lufs: -16, truePeakDbtp: -1 },
    background: null,
    seed: '',
    source: '',
    ...change,
  };
}

/** A prompt as the server reads it. */
export function musicInput(
  folder: string,
  { prompt = 'An upbeat pop song', tempo = 120, ...change }: Partial<RenderMusicInput> & MusicPrompt = {},
): RenderMusicInput {
  const durationSeconds = change.durationSeconds ?? 20;
  const { brief, layers } = musicOf(prompt, tempo);
  return {
    brief,
    scene: layers,
    seed: prompt,
    sampleRate: 44_100,
    soundFontPath: null,
    stems: false,
    midi: false,
    durationSeconds,
    renderSeconds: durationSeconds,
    outputFolder: folder,
    fileName: 'audio',
    title: 'A test',
    goal: { lufs: -14, truePeakDbtp: -1 },
    ...change,
  };
}

interface MusicPrompt {
  prompt?: string;
  tempo?: number | null;
}
