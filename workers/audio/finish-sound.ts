import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeMp3 } from './encode.ts';
import { level } from './level.ts';
import { type Loudness, measureLoudness } from './loudness.ts';
import { lengthOf, type Sound, secondsOf } from './sound.ts';
import type { FinishedSound, LoudnessGoal } from './tasks.ts';
import { encodeWave } from './wave-file.ts';

/** Bars of a player's picture of the sound. */
const PEAKS = 400;

export interface FinishHow {
  folder: string;
  /** Name of the files without their endings. */
  name: string;
  goal: LoudnessGoal;
  title: string;
  tempo: number | null;
  /** Called between steps; throws what cancelled the work. */
  pause(): void;
}

/** Levels a sound, writes it as .wav and .mp3, and measures what was written. */
export async function finishSound(raw: Sound, how: FinishHow): Promise<FinishedSound> {
  checkFinite(raw);
  how.pause();
  const sound = level(raw, how.goal);
  how.pause();
  const loudness = measureLoudness(sound);
  const wave = encodeWave(sound);
  await writeFile(join(how.folder, `${how.name}.wav`), wave.bytes);
  const tags = { title: how.title, tempo: how.tempo, ...loudness };
  const mp3 = await encodeMp3(sound, tags, how.pause);
  await writeFile(join(how.folder, `${how.name}.mp3`), mp3.bytes);
  return {
    durationSeconds: secondsOf(sound),
    sampleRate: sound.sampleRate,
    channels: sound.channels.length,
    wavBytes: wave.bytes.length,
    mp3Bytes: mp3.bytes.length,
    mp3KilobitsPerSecond: mp3.kilobitsPerSecond,
    analysis: { ...rounded(loudness), clippedSamples: wave.clipped, peaks: peaksOf(sound) },
  };
}

/** A value that is no number would become a loud click. */
function checkFinite({ channels }: Sound): void {
  if (channels.some((channel) => channel.some((sample) => !Number.isFinite(sample)))) {
    throw new Error('The synthesiser made a sample that is no number.');
  }
}

/** Hundredths are finer than anybody can hear or two meters agree. */
function rounded({ integratedLufs, loudnessRangeLu, truePeakDbtp, rmsDbfs }: Loudness): Loudness {
  const round = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);
  return {
    integratedLufs: round(integratedLufs),
    loudnessRangeLu: round(loudnessRangeLu),
    truePeakDbtp: round(truePeakDbtp),
    rmsDbfs: round(rmsDbfs),
  };
}

/** The highest of each of as many stretches, 0 to 1. */
function peaksOf(sound: Sound): number[] {
  const length = lengthOf(sound);
  const bars = Math.min(PEAKS, length);
  return Array.from({ length: bars }, (_, bar) => {
    let peak = 0;
    const end = Math.floor(((bar + 1) * length) / bars);
    for (const channel of sound.channels) {
      for (let index = Math.floor((bar * length) / bars); index < end; index += 1) {
        peak = Math.max(peak, Math.abs(channel[index] ?? 0));
      }
    }
    return Math.round(peak * 1000) / 1000;
  });
}
