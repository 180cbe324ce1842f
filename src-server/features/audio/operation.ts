import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
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

/** Whether a prompt asks for speech or for music. */
const GENRES =
  'jazz|blues|techno|house|trance|edm|dubstep|lo-?fi|hip.?hop|trap|rock|metal|punk|pop|folk|country|reggae|funk|' +
  'disco|classical|baroque|ambient|synthwave|chiptune|orchestral|cinematic|waltz|bossa|chillout|chillwave';

const THINGS =
  'music|musical|song|melod\\w+|beats?|tune|jingle|soundtrack|instrumental|loop|riff|groove|bassline|chords?|bpm|' +
  'anthem|lullaby|symphony|sonata|ballad|arpeggios?|underscore|score';

const INSTRUMENTS =
  'piano|guitars?|violins?|cello|strings|drums?|percussion|synths?|synthesi[sz]ers?|flute|organ|harp|marimba|' +
  'bells|bass|saxophone|trumpet|orchestra|ukulele|rhodes|pads?|808s?';

const MUSICAL = new RegExp(`\\b(?:${GENRES}|${THINGS}|${INSTRUMENTS})\\b`, 'gi');

const KEY = /\b(?:in\s+)?[A-G](?:\s?(?:#|♯|♭|b|sharp|flat))?\s+(?:major|minor)\b/;

/** Words of a narration: persons and what they do. */
const NARRATIVE =
  /\b(?:i|i'm|you|your|we|our|he|she|they|was|were|is|are|will|have|has|said|says|welcome|hello|please)\b/gi;

const SENTENCE_END = /[.!?]["')]*(?:\s|$)/g;

/** A longer prompt is a text to read aloud, whatever its subject. */
const DESCRIPTION_CHARS_MAX = 600;

interface KindOfAudio {
  prompt: string;
  voice?: string | undefined;
}

/** A voice means speech. Without one the prompt alone decides, never `tempo`; a prompt in doubt is spoken. */
export function kindOf({ prompt, voice }: KindOfAudio): 'speech' | 'music' {
  if (voice !== undefined) return 'speech';
  if (prompt.length > DESCRIPTION_CHARS_MAX) return 'speech';
  const musical = new Set(prompt.toLowerCase().match(MUSICAL) ?? []).size + (KEY.test(prompt) ? 1 : 0);
  const narrative = (prompt.match(NARRATIVE) ?? []).length;
  const sentences = Math.max(0, (prompt.match(SENTENCE_END) ?? []).length - 1);
  return musical > 0 && musical >= narrative + sentences ? 'music' : 'speech';
}
