/** The voices of one window of sound, from the segmentation and the embedding model of sherpa-onnx. */

import type { OfflineSpeakerDiarization, SpeakerEmbeddingExtractor } from 'sherpa-onnx-node';
import sherpa from 'sherpa-onnx-node';
import type { SampleRange, SpeakerModel } from './tasks.ts';

/** One voice of a window. Positions are samples from its beginning. */
export interface WindowVoice {
  ranges: SampleRange[];
  /** Its print, from the sound in which it speaks alone; null where that is too short. */
  vector: number[] | null;
  /** Seconds in which it speaks alone. */
  seconds: number;
}

export interface VoiceFinder {
  diarizer: OfflineSpeakerDiarization;
  extractor: SpeakerEmbeddingExtractor;
}

/** Less sound gives no print. */
const PRINT_SECONDS_MIN = 0.4;

/** Sounds shorter than this within a window are no speech. */
const VOICE_SECONDS_MIN = 0.05;

/** Pauses are kept, for the windows to vote on. Zero would mean the default, half a second. */
const GAP_SECONDS = 0.01;

export function openVoiceFinder({ segmentation, embedding }: SpeakerModel, numThreads: number): VoiceFinder {
  const shared = { numThreads, provider: 'cpu', debug: 0 };
  return {
    diarizer: new sherpa.OfflineSpeakerDiarization({
      segmentation: { pyannote: { model: segmentation }, ...shared },
      embedding: { model: embedding, ...shared },
      clustering: { numClusters: -1, threshold: 0.5 },
      minDurationOn: VOICE_SECONDS_MIN,
      minDurationOff: GAP_SECONDS,
    }),
    extractor: new sherpa.SpeakerEmbeddingExtractor({ model: embedding, ...shared }),
  };
}

/** `samples`: at most one window of the segmentation model, so that the engine segments it and clusters nothing. */
export function voicesIn(
  { diarizer, extractor }: VoiceFinder,
  samples: Float32Array,
  sampleRate: number,
): WindowVoice[] {
  const spoken = new Map<number, SampleRange[]>();
  for (const { start, end, speaker } of diarizer.process(samples)) {
    const range: SampleRange = [
      Math.max(0, Math.round(start * sampleRate)),
      Math.min(samples.length, Math.round(end * sampleRate)),
    ];
    if (range[1] > range[0]) spoken.set(speaker, [...(spoken.get(speaker) ?? []), range]);
  }
  return [...spoken].map(([speaker, ranges]) => {
    const others = [...spoken].flatMap(([other, of]) => (other === speaker ? [] : of));
    const alone = ranges.flatMap((range) => subtractSampleRanges(range, others));
    const seconds = alone.reduce((sum, [from, to]) => sum + to - from, 0) / sampleRate;
    return {
      ranges,
      seconds,
      vector: seconds < PRINT_SECONDS_MIN ? null : printOf(extractor, samples, alone, sampleRate),
    };
  });
}

/** The print of a voice, from all these ranges; null where the model hears nothing. */
export function printOf(
  extractor: SpeakerEmbeddingExtractor,
  samples: Float32Array,
  ranges: readonly SampleRange[],
  sampleRate: number,
): number[] | null {
  const stream = extractor.createStream();
  for (const [from, to] of ranges) stream.acceptWaveform({ sampleRate, samples: samples.slice(from, to) });
  stream.inputFinished();
  if (!extractor.isReady(stream)) return null;
  const vector = [...extractor.compute(stream, false)];
  // Models answer silence with NaN.
  return vector.every(Number.isFinite) && vector.some((value) => value !== 0) ? vector : null;
}

/** What is left of a range outside of others. */
function subtractSampleRanges(range: SampleRange, others: readonly SampleRange[]): SampleRange[] {
  return others.reduce<SampleRange[]>(
    (left, [from, to]) =>
      left.flatMap(([start, end]) => {
        const parts: SampleRange[] = [
          [start, Math.min(end, from)],
          [Math.max(start, to), end],
        ];
        return parts.filter((part) => part[1] > part[0]);
      }),
    [range],
  );
}
