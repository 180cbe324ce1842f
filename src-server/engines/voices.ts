/** The voices that come with the product, as data, and which of them fits a prompt. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { VoiceSlug } from '../contract/index.ts';

const PresetVoice = z.strictObject({
  slug: VoiceSlug,
  name: z.string(),
  language: z.string(),
  description: z.string(),
  tones: z.array(z.string().regex(/^[a-z]+$/)),
  flite: z.strictObject({
    voice: z.enum(['slt', 'rms', 'awb', 'kal16']),
    stretch: z.number().min(0.5).max(2),
    pitchHz: z.number().min(50).max(400).nullable(),
  }),
});
export type PresetVoice = z.infer<typeof PresetVoice>;

/** Reads `resources/voices.json`; a broken one does not start. The first is taken where nothing speaks for another. */
export async function readVoices(file: URL): Promise<[PresetVoice, ...PresetVoice[]]> {
  const voices = z.tuple([PresetVoice], PresetVoice).parse(JSON.parse(await readFile(file, 'utf8')));
  if (new Set(voices.map(({ slug }) => slug)).size < voices.length) throw new Error('Two voices have the same slug.');
  return voices;
}

/** The voice most of whose words the prompt has; of several with as many, the first. */
export function voiceForTone(voices: readonly [PresetVoice, ...PresetVoice[]], prompt: string): PresetVoice {
  const words = new Set(prompt.toLowerCase().match(/[a-z]+/g) ?? []);
  let best: PresetVoice = voices[0];
  let bestScore = 0;
  for (const voice of voices) {
    const score = voice.tones.filter((tone) => words.has(tone)).length;
    if (score > bestScore) [best, bestScore] = [voice, score];
  }
  return best;
}
