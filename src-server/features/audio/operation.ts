import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { kindOf } from './kind-of-audio.ts';
import { AudioPreviews, AudioRequest, AudioResult } from './schema.ts';

export const generateAudio = defineOperation({
  id: 'generate/audio',
  summary: 'Make speech or music from a prompt',
  description: `The prompt decides: narrative text is spoken, a description of music is composed and played.
\`voice\` always means speech. \`tempo\` does not decide: speech ignores it, and \`warnings\` says so. Speech is cut off
at a sentence where \`durationSeconds\` ends it; music has exactly that length and tempo, and the same request gives the
same piece. The 202 carries clips of the
opening seconds. The result has .wav and .mp3 at the loudness of a preset under a true-peak limiter, what was
measured, the waveform, and captions by the times at which the words were synthesised. Built-in voices speak English;
others come with installed neural voices and with a speech server; music is a synthesiser's.`,
  mode: 'job',
  price: { amount: 150_000, timeoutSeconds: 180 },
  idPrefix: 'job',
  queueClass: 'heavy',
  request: AudioRequest,
  accepted: z.object({
    previews: AudioPreviews.nullable().describe('Null where the clips could not be made in time; the job goes on.'),
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
  admit: async (request, ports) => {
    const audio = await ports.use('audio');
    await audio.check(kindOf(request), request);
    return undefined;
  },
  prepare: async (request, ports, signal) => {
    const audio = await ports.use('audio');
    return { previews: await audio.preview(kindOf(request), request, ports, signal) };
  },
  run: async (request, ports, signal) => (await ports.use('audio')).render(kindOf(request), request, ports, signal),
});
