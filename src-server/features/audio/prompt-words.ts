/** Reads the words of a prompt one after another. What nobody takes remains, so that a result can name it. */
export class PromptWords {
  #rest: string;

  constructor(prompt: string) {
    this.#rest = ` ${prompt.normalize('NFKC').replace(/[’‘]/g, "'").replace(/\s+/g, ' ')} `;
  }

  /** Text that is not taken yet. */
  get rest(): string {
    return this.#rest;
  }

  /** Takes the first match. */
  take(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.#rest);
    if (match !== null) this.#blank(match);
    return match;
  }

  /** Takes all matches. */
  takeAll(pattern: RegExp): RegExpExecArray[] {
    const found: RegExpExecArray[] = [];
    for (let match = this.take(pattern); match !== null; match = this.take(pattern)) found.push(match);
    return found;
  }

  /** Words that carry meaning and were not taken, each once. */
  unused(): string[] {
    const words = this.#rest.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'/.-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu) ?? [];
    return [...new Set(words)].filter((word) => !EMPTY_WORDS.has(word));
  }

  #blank({ 0: text, index }: RegExpExecArray): void {
    this.#rest = this.#rest.slice(0, index) + TAKEN.repeat(text.length) + this.#rest.slice(index + text.length);
  }
}

/** Stands for a character that was taken: no letter, no space. */
export const TAKEN = '¤';

/** A pattern for any of the words, longest first. */
export function anyOf(words: readonly string[]): RegExp {
  const sorted = [...words].sort((one, other) => other.length - one.length);
  const safe = sorted.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ /g, '[ -]'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${safe.join('|')})(?![\\p{L}\\p{N}])`, 'iu');
}

/** Words that ask or join, and say nothing of the sound. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the and or but with without of in on at to for from by as is it its it's this that some any please make makes " +
    'create compose write generate produce give play me my i we you your want need like would want me can could please ' +
    'be has have into over under behind between through very really quite rather slightly bit little lot kind sort ' +
    "style styled type feel feeling vibe vibes mood sound sounds sounding i'd i'm let's new nice good great beautiful " +
    'piece pieces track tracks song songs music musical tune tunes melody melodies composition theme background ' +
    'instrumental number work beat beats bpm tempo key time signature featuring featured feat plus then also only just ' +
    'about around approximately so not no too more less much while where there all one two three minute minutes second ' +
    'seconds long short length version loop playing played using use used inspired based set which who what how when ' +
    'backing part parts section sections solo duet trio quartet line lines chords chord harmony harmonies rhythm ' +
    'rhythms rhythmic groove grooves motif lead leads intro outro main arrangement audio clip file noise effect effects ' +
    'ambience ambiance soundscape recording recorded field perfect suitable full simple classic modern old-school old ' +
    'school contemporary traditional typical original style'
  ).split(' '),
);

/** `a, b and c`. */
export function listed(words: readonly string[], most = 12): string {
  const shown = words.slice(0, most);
  const more = words.length > most ? ` and ${words.length - most} more` : '';
  return shown.join(', ') + more;
}
