/** What stands for a recording in lists: a still, else the shape of its sound. Both are read at some places. */

import { writeFileSync } from 'node:fs';
import type { Frame, Stream } from 'node-av/lib';
import { SoundGraph } from './decode-sound.ts';
import { type MediaFile, StreamDecoder, turningFilters, withMedia } from './media-file.ts';
import { PictureGraph } from './take-pictures.ts';
import type { MediaSketch, SketchMediaInput } from './tasks.ts';

/** Titles and applause are before. The others are for what is dark or blurred there. */
const STILL_PLACES = [0.1, 0.2, 0.35, 0.05, 0.5, 0.7, 0];

const STILL_WIDTH_MAX = 640;

const THUMBNAIL = { width: 160, height: 90 };

/** Of 255, the mean of a picture that is not dark. */
const BRIGHT_LEVEL = 30;

/** Of 255, the mean step between neighbours in a picture with something in it. */
const SHARP_LEVEL = 2;

const SHAPE_PARTS = 48;

/** Decoded at each place: a third of a second, or one key frame. */
const PLACE_PACKETS = 16;

/** Assumed length of a file that states none. */
const UNSTATED_SECONDS = 600;

/** Reads some seconds of a file, whatever its length. Errors: those of the file. */
export async function sketchMedia({ path, stillPath }: SketchMediaInput): Promise<MediaSketch> {
  return withMedia({ path }, async (file) => {
    const { durationSeconds } = await file.readMediaFacts();
    const seconds = durationSeconds ?? UNSTATED_SECONDS;
    const jpeg = file.video === null ? null : await bestStill(file, file.video, seconds);
    if (jpeg !== null) writeFileSync(stillPath, jpeg, { mode: 0o600 });
    const [sound] = file.audio;
    const peaks = jpeg !== null || sound === undefined ? [] : await soundShape(file, sound, seconds);
    return { hasStill: jpeg !== null, peaks };
  });
}

/** The first picture that is neither dark nor blurred, else the sharpest; null where none can be read. */
async function bestStill(file: MediaFile, video: Stream, seconds: number): Promise<Buffer | null> {
  const graph = new PictureGraph({ widthMax: STILL_WIDTH_MAX, thumbnail: THUMBNAIL }, turningFilters(video));
  const decoder = new StreamDecoder(video, file.startSeconds, { keyFramesOnly: true });
  let best: { jpeg: Buffer; sharpness: number } | null = null;
  try {
    for (const share of STILL_PLACES) {
      const stills: ReturnType<PictureGraph['convertPicture']>[] = [];
      await decodeAt(file, video, { decoder, seconds: share * seconds }, (frame) => {
        if (stills.length === 0) stills.push(graph.convertPicture(frame));
      });
      for (const { jpeg, grey } of stills) {
        const sharpness = sharpnessOf(grey);
        if (meanOf(grey) >= BRIGHT_LEVEL && sharpness >= SHARP_LEVEL) return jpeg;
        if (best === null || sharpness > best.sharpness) best = { jpeg, sharpness };
      }
    }
  } finally {
    graph.close();
  }
  return best?.jpeg ?? null;
}

function meanOf(grey: Buffer): number {
  return grey.reduce((sum, level) => sum + level, 0) / Math.max(1, grey.length);
}

function sharpnessOf(grey: Buffer): number {
  let steps = 0;
  for (let at = 1; at < grey.length; at += 1) steps += Math.abs((grey[at] ?? 0) - (grey[at - 1] ?? 0));
  return steps / Math.max(1, grey.length);
}

/** The loudest sample at the beginning of each part, relative to the loudest of all; empty for silence. */
async function soundShape(file: MediaFile, track: Stream, seconds: number): Promise<number[]> {
  const peaks: number[] = [];
  let loudest = 0;
  const graph = new SoundGraph(
    () => ['aformat=sample_fmts=flt:channel_layouts=mono'],
    (samples) => {
      loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), loudest);
    },
  );
  const decoder = new StreamDecoder(track, file.startSeconds);
  const partSeconds = seconds / SHAPE_PARTS;
  for (let part = 0; part < SHAPE_PARTS; part += 1) {
    const from = part * partSeconds;
    loudest = 0;
    await decodeAt(file, track, { decoder, seconds: from }, (frame, at) => {
      const isWithin = at + frame.nbSamples / frame.sampleRate > from && at < from + partSeconds;
      if (isWithin) graph.pushSoundFrame(frame, at, 0);
    });
    peaks.push(loudest);
  }
  graph.drainSoundGraph();
  const most = Math.max(...peaks);
  return most === 0 ? [] : peaks.map((peak) => Math.round((peak / most) * 100) / 100);
}

/** Decodes some packets from the last key frame before a second on. Nothing where a file cannot be searched. */
async function decodeAt(
  file: MediaFile,
  stream: Stream,
  { decoder, seconds }: { decoder: StreamDecoder; seconds: number },
  onFrame: (frame: Frame, seconds: number) => void,
): Promise<void> {
  if (!file.seekTo(stream, seconds)) return;
  for await (const packets of file.readPacketBatches([stream])) {
    for (const packet of packets.slice(0, PLACE_PACKETS)) decoder.decodePacket(packet, onFrame);
    break;
  }
  decoder.decodePacket(null, onFrame);
  decoder.restartDecoder();
}
