/** What a sound does while it lasts: passes, comes nearer, starts. */

import type { SceneMotion } from '../tasks.ts';
import { type Canvas, lowPass } from './noise.ts';

/** A pass lasts as long, or as the whole sound if that is shorter. */
const PASS_SECONDS = 9;

/** Change of the pitch of what passes, as a share. */
const DOPPLER = 0.06;

const RUN_SECONDS = 2.5;

const FAR_HERTZ = 900;

const FAR_GAIN = 0.05;

/** Moves the sound of a canvas, in place. */
export function moveSound(canvas: Canvas, motion: SceneMotion, rate: number): void {
  const seconds = canvas.left.length / canvas.sampleRate;
  if (motion === 'passing') {
    passBy(canvas, Math.min(seconds, PASS_SECONDS / rate));
    return;
  }
  if (motion === 'starting' || motion === 'stopping') changeSpeed(canvas, motion, Math.min(RUN_SECONDS, seconds / 2));
  const nearness = {
    approaching: (share: number) => share ** 1.6,
    leaving: (share: number) => (1 - share) ** 1.6,
    rising: (share: number) => Math.min(1, share * 3),
    fading: (share: number) => Math.min(1, (1 - share) * 2),
    starting: () => 1,
    stopping: () => 1,
  }[motion];
  const isFar = motion === 'approaching' || motion === 'leaving';
  setNearness(canvas, (index) => nearness(index / canvas.left.length), isFar ? FAR_GAIN : 0, isFar);
}

/** Levels by nearness from 0 to 1; what is far is duller, too. */
function setNearness(
  { left, right, sampleRate }: Canvas,
  nearness: (index: number) => number,
  least: number,
  isDull: boolean,
): void {
  for (const channel of [left, right]) {
    const dull = isDull ? lowPass(lowPass(channel.slice(), FAR_HERTZ, sampleRate), FAR_HERTZ, sampleRate) : channel;
    for (let index = 0; index < channel.length; index += 1) {
      const near = nearness(index);
      const sample = (channel[index] ?? 0) * near + (dull[index] ?? 0) * (1 - near);
      channel[index] = sample * (least + (1 - least) * near);
    }
  }
}

/** From one side to the other, higher while it comes and lower while it goes; again and again. */
function passBy(canvas: Canvas, seconds: number): void {
  const { left, right, sampleRate } = canvas;
  const period = Math.max(1, Math.round(seconds * sampleRate));
  const source = left.map((sample, index) => (sample + (right[index] ?? 0)) / 2);
  let read = 0;
  for (let index = 0; index < left.length; index += 1) {
    const share = (index % period) / period - 0.5;
    const sample = sampleAt(source, read);
    const turns = Math.floor(index / period) % 2 === 0 ? 1 : -1;
    const angle = ((Math.tanh(share * 5) * turns + 1) * Math.PI) / 4;
    left[index] = sample * Math.cos(angle) * Math.SQRT2;
    right[index] = sample * Math.sin(angle) * Math.SQRT2;
    read += 1 - DOPPLER * Math.tanh(share * 9);
  }
  setNearness(
    canvas,
    (index) => {
      const share = (index % period) / period - 0.5;
      const edge = Math.min(1, (0.5 - Math.abs(share)) * 12);
      return (edge * 1) / (1 + (share * 9) ** 2);
    },
    0,
    true,
  );
}

function changeSpeed({ left, right, sampleRate }: Canvas, motion: 'starting' | 'stopping', seconds: number): void {
  const ramp = seconds * sampleRate;
  for (const channel of [left, right]) {
    const source = channel.slice();
    let read = 0;
    for (let index = 0; index < channel.length; index += 1) {
      const share = motion === 'starting' ? index / ramp : (channel.length - index) / ramp;
      const level = Math.min(1, share);
      channel[index] = sampleAt(source, read) * Math.min(1, level * 2);
      read += 0.3 + 0.7 * level;
    }
  }
}

function sampleAt(sound: Float32Array, place: number): number {
  const at = Math.floor(place);
  const from = sound[at] ?? 0;
  return from + ((sound[at + 1] ?? 0) - from) * (place - at);
}
