import { z } from 'zod';
import { defineOperation, travelWith } from '../../operation.ts';
import { audioKindOf } from './kind-of-audio.ts';
import { AudioPreviews, AudioRequest, AudioResult } from './schema.ts';
import { withAudioDefaults } from './sounds.ts';

const COMPOSED = {
  group: 'compose',
  icon: 'music-4',
  noun: 'Music',
  plural: 'Music',
  doing: 'Composing',
  leads: { label: 'Compose', about: 'A piece of music, from a description', plural: 'Music' },
} as const;

export const generateAudio = defineOperation({
  id: 'generate/audio',
  summary: 'Make speech, music or a soundscape from a prompt',
  description: `Narrative text is spoken; a description of music is composed and played; a description of sounds is
rendered as a soundscape. \`voice\` always selects speech, and \`background\` plays music or sounds under it. Speech
ignores \`tempo\`, with a warning. Speech longer than \`durationSeconds\` ends at a sentence; music and soundscapes have
exactly that length, by default the one that the prompt states. The same request gives the same file, another \`seed\`
another. The 202 has clips of the opening seconds. The result has .wav and .mp3 at the loudness of a preset under a
true-peak limiter, the measured values, the waveform, and captions at the times of the synthesised words. Built-in
voices speak English; other languages need installed natural voices or a speech server. A prompt may be SSML, or a
script whose lines begin with the names of its speakers.`,
  words: {
    group: 'speak',
    icon: 'speech',
    name: 'Speak or compose',
    noun: 'Speech',
    plural: 'Speech and music',
    doing: 'Speaking',
    leads: { label: 'Speak', about: 'Your text, read aloud', plural: 'Speech and music' },
    variants: { music: COMPOSED, soundscape: COMPOSED },
  },
  mode: 'job',
  price: { amount: 150_000, timeoutSeconds: 180 },
  idPrefix: 'job',
  queueClass: 'heavy',
  request: AudioRequest,
  accepted: z.object({
    previews: AudioPreviews.nullable().describe('Null if the clips were not ready in time; the job continues.'),
  }),
  result: AudioResult,
  example: {
    request: { prompt: 'Welcome. The tide turns at noon.', voice: 'clara' },
    prepared: (urlOf) => ({
      previews: {
        wav: { url: urlOf('preview.wav'), sizeBytes: 87_884, mediaType: 'audio/wav' },
        mp3: { url: urlOf('preview.mp3'), sizeBytes: 34_303, mediaType: 'audio/mpeg' },
        durationSeconds: 2.745,
      },
    }),
  },
  uses: ['audio'],
  retry: { attempts: 2, baseDelaySeconds: 2 },
  timeLimitSeconds: 900,
  firstRun: { seconds: 3, secondsPerMegabyte: 0 },
  variant: audioKindOf,
  admit: async (request, ports) => {
    const audio = await ports.use('audio');
    await audio.check(audioKindOf(request), withAudioDefaults(request));
    return undefined;
  },
  prepare: async (request, ports, signal) => {
    const audio = await ports.use('audio');
    return { previews: await audio.preview(audioKindOf(request), withAudioDefaults(request), ports, signal) };
  },
  travels: async (request, _source, { use, nodes, jobId }) => {
    if (audioKindOf(request) !== 'speech') return null;
    const audio = await use('audio');
    const { webhookUrl: _stays, ...sent } = request;
    return travelWith(nodes, 'voice', async (models) => {
      const travel = await audio.travels(withAudioDefaults(request), jobId, models);
      return travel === null ? null : { ...travel, request: sent };
    });
  },
  run: async (request, ports, signal) =>
    (await ports.use('audio')).render(audioKindOf(request), withAudioDefaults(request), ports, signal),
});
