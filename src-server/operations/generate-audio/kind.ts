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
/** Somebody says something: persons, acts, and more than one sentence. */
const NARRATIVE =
  /\b(?:i|i'm|you|your|we|our|he|she|they|was|were|is|are|will|have|has|said|says|welcome|hello|please)\b/gi;
const SENTENCE_END = /[.!?]["')]*(?:\s|$)/g;
/** A prompt longer than this is a text to read out, whatever it is about. */
const DESCRIPTION_CHARS_MAX = 600;

export interface KindOfAudio {
  prompt: string;
  voice?: string | undefined;
  tempo?: number | undefined;
}

/** A voice means speech and a tempo means music; else the prompt's words decide, and what is in doubt is spoken. */
export function kindOf({ prompt, voice, tempo }: KindOfAudio): 'speech' | 'music' {
  if (voice !== undefined) return 'speech';
  if (tempo !== undefined) return 'music';
  if (prompt.length > DESCRIPTION_CHARS_MAX) return 'speech';
  const musical = new Set(prompt.toLowerCase().match(MUSICAL) ?? []).size + (KEY.test(prompt) ? 1 : 0);
  const narrative = (prompt.match(NARRATIVE) ?? []).length;
  const sentences = Math.max(0, (prompt.match(SENTENCE_END) ?? []).length - 1);
  return musical > 0 && musical >= narrative + sentences ? 'music' : 'speech';
}
