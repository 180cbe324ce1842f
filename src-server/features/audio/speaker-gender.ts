/** Guesses whether a woman or a man speaks, from the name that a script gives a speaker. */

import namesData from '../../../resources/music/speaker-names.json' with { type: 'json' };
import { lazyValue } from './prompt-words.ts';

export type Gender = 'female' | 'male';

const GENDERS = ['female', 'male'] as const;

/** The gender of each name and role, in small letters. */
const known = lazyValue(() => {
  const genders = new Map<string, Gender>();
  for (const gender of GENDERS) {
    const { names, roles } = namesData[gender];
    for (const word of `${names} ${roles}`.split(' ')) genders.set(plainLetters(word), gender);
  }
  return genders;
});

/** Null for a name that does not tell, such as "NARRATOR" or "ALEX". The first word that tells decides. */
export function genderOfSpeaker(name: string | null): Gender | null {
  const words: readonly string[] = plainLetters(name ?? '').match(/\p{L}+/gu) ?? [];
  const found = words.flatMap((word) => known().get(word) ?? []);
  const genders = new Set(found);
  // "Mrs. Martin", "Mother Theresa": the first word decides; "Anna and Ben" does not tell.
  return genders.size === 1 || !words.includes('and') ? (found[0] ?? null) : null;
}

function plainLetters(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
