/** Decides whether a prompt asks for speech or music. */

import { isSpeechMarkup } from '../../platform/text/speech-text.ts';

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

/** Words of a narration: people and what they do. */
const NARRATIVE =
  /\b(?:i|i'm|you|your|we|our|he|she|they|was|were|is|are|will|have|has|said|says|welcome|hello|please)\b/gi;

const SENTENCE_END = /[.!?]["')]*(?:\s|$)/g;

/** A longer prompt is text to read aloud, whatever its subject. */
const DESCRIPTION_CHARS_MAX = 600;

interface KindOfAudio {
  prompt: string;
  voice?: string | undefined;
  voices?: Readonly<Record<string, string>> | undefined;
}

/** A voice means speech. Without one the prompt alone decides, never `tempo`. An ambiguous prompt is spoken. */
export function kindOf({ prompt, voice, voices }: KindOfAudio): 'speech' | 'music' {
  if (voice !== undefined || voices !== undefined || isSpeechMarkup(prompt)) return 'speech';
  if (prompt.length > DESCRIPTION_CHARS_MAX) return 'speech';
  const musical = new Set(prompt.toLowerCase().match(MUSICAL) ?? []).size + (KEY.test(prompt) ? 1 : 0);
  const narrative = (prompt.match(NARRATIVE) ?? []).length;
  const sentences = Math.max(0, (prompt.match(SENTENCE_END) ?? []).length - 1);
  return musical > 0 && musical >= narrative + sentences ? 'music' : 'speech';
}
