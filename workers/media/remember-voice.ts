/** Takes the print of one speaker of a finished job, for the owner who wants the voice recognised again. */

import type { Speaker, TranscriptSegment } from '../../src-server/features/media/schema.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { clusterVoices, voiceprintCosine } from './cluster-voices.ts';
import { startSpeechChild } from './sherpa.ts';
import type { PrintVoiceInput, PrintVoiceOutput, SpeakerSoundInput, SpeakerSoundOutput } from './tasks.ts';

/** Shorter pieces give unsure prints. */
const PIECE_SECONDS_MIN = 1;

const PIECE_SECONDS_MAX = 10;

/** More sound hardly changes the print. */
const SOUND_SECONDS_MAX = 60;

/** With less sound a voice is not remembered. */
const SOUND_SECONDS_MIN = 3;

export async function speakerSound({ result, speaker }: SpeakerSoundInput): Promise<SpeakerSoundOutput> {
  const stored = parseOwnJson<{
    speakers?: Speaker[];
    segments?: TranscriptSegment[];
    media?: { audioTrack?: { number: number } | null };
  }>(result);
  const ranges: SpeakerSoundOutput['ranges'] = [];
  let seconds = 0;
  for (const { speaker: name, start, end } of stored.segments ?? []) {
    const length = Math.min(end - start, PIECE_SECONDS_MAX, SOUND_SECONDS_MAX - seconds);
    if (name !== speaker || length < PIECE_SECONDS_MIN) continue;
    ranges.push([start, start + length]);
    seconds += length;
  }
  return {
    speakers: (stored.speakers ?? []).map(({ name }) => name),
    trackNumber: stored.media?.audioTrack?.number ?? 1,
    ranges: seconds < SOUND_SECONDS_MIN ? [] : ranges.flatMap(halveSampleRange),
  };
}

/** Two pieces show how alike the model finds pieces of one voice. */
function halveSampleRange([from, to]: [from: number, to: number]): [from: number, to: number][] {
  const middle = (from + to) / 2;
  return middle - from < PIECE_SECONDS_MIN
    ? [[from, to]]
    : [
        [from, middle],
        [middle, to],
      ];
}

/** Errors: `engine_failed` if the child process died, and the signal's reason; in both cases no child is left. */
export async function printVoice(input: PrintVoiceInput, context: TaskContext): Promise<PrintVoiceOutput> {
  const { model, pcmPath, sampleRate, pieces, threads } = input;
  const child = startSpeechChild(context, say`The speaker model stopped unexpectedly. Try again.`);
  try {
    await child.remote.loadSpeakers({ model, threads });
    const prints: { vector: Float32Array; seconds: number }[] = [];
    for (const piece of pieces) {
      const print = await child.remote.print({ pcmPath, sampleRate, pieces: [piece] });
      if (print === null) continue;
      prints.push({ vector: Float32Array.from(print), seconds: (piece[1] - piece[0]) / sampleRate });
    }
    const [mean] = clusterVoices(prints, { threshold: 0, count: 1, leastSeconds: 0 });
    const pairs = prints.slice(1).map(({ vector }, index) => voiceprintCosine(vector, itemAt(prints, index).vector));
    return {
      vector: mean === undefined ? null : [...mean],
      seconds: prints.reduce((sum, { seconds }) => sum + seconds, 0),
      likeness: pairs.length === 0 ? 1 : pairs.reduce((sum, one) => sum + one, 0) / pairs.length,
    };
  } finally {
    child.end();
  }
}
