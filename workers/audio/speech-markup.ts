/**
 * Reads SSML. Threat: markup that expands, nests or repeats endlessly. A document type is refused, so there are no
 * entities; elements and depth are counted. What no voice here can do is refused by its name.
 */

import { SaxesParser } from 'saxes';
import { messageOf, QuarryError } from '../../src-server/platform/errors.ts';
import { byName } from '../../src-server/platform/records.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { speechLines } from '../../src-server/platform/text/speech-text.ts';
import { invalidPrompt, PAUSE_SECONDS_MAX } from './script-rules.ts';
import type { Passage, ReadScriptOutput } from './tasks.ts';

const ELEMENTS_MAX = 5000;

const DEPTH_MAX = 32;

const SPEED = { min: 0.5, max: 2 };

const GAIN_DB = { min: -40, max: 12 };

const SEMITONES = { min: -12, max: 12 };

const BREAKS: Readonly<Record<string, number>> = byName({
  none: 0,
  'x-weak': 0.1,
  weak: 0.25,
  medium: 0.5,
  strong: 1,
  'x-strong': 2,
});

const RATES: Readonly<Record<string, number>> = byName({
  'x-slow': 0.6,
  slow: 0.8,
  medium: 1,
  default: 1,
  fast: 1.25,
  'x-fast': 1.6,
});

const VOLUMES: Readonly<Record<string, number>> = byName({
  silent: -40,
  'x-soft': -12,
  soft: -6,
  medium: 0,
  default: 0,
  loud: 4,
  'x-loud': 8,
});

const PITCHES: Readonly<Record<string, number>> = byName({
  'x-low': -4,
  low: -2,
  medium: 0,
  default: 0,
  high: 2,
  'x-high': 4,
});

const EMPHASES: Readonly<Record<string, Pick<Passage, 'speed' | 'gainDb'>>> = byName({
  strong: { speed: 0.85, gainDb: 3 },
  moderate: { speed: 0.92, gainDb: 1.5 },
  none: { speed: 1, gainDb: 0 },
  reduced: { speed: 1.08, gainDb: -2 },
});

/** How the text of an element is written before it is read. */
type Writing = (text: string) => string;

const SAID_AS: Readonly<Record<string, Writing>> = byName({
  characters: spellLetters,
  'spell-out': spellLetters,
  verbatim: spellLetters,
  digits: spellLetters,
  cardinal: unchangedText,
  number: unchangedText,
  time: unchangedText,
  telephone: unchangedText,
  currency: unchangedText,
  fraction: unchangedText,
  unit: unchangedText,
  date: unchangedText,
  ordinal: (text) => (/^\s*\d+\s*$/.test(text) ? `${text.trim()}${suffixOf(text.trim())}` : text),
  address: unchangedText,
});

interface Manner extends Pick<Passage, 'speaker' | 'speed' | 'gainDb' | 'semitones'> {
  write: Writing;
}

interface Open {
  manner: Manner;
  name: string;
  pauseAfter: number;
  /** The text inside is not spoken. */
  isMute: boolean;
}

export function readSpeechMarkup(text: string): Pick<ReadScriptOutput, 'passages' | 'speakers'> {
  const reader = new MarkupReader();
  const parser = new SaxesParser();
  parser.on('doctype', () => {
    throw invalidPrompt(say`SSML with a document type is not accepted. Remove <!DOCTYPE …>.`);
  });
  parser.on('opentag', ({ name, attributes }) => reader.openMarkupTag(name, attributes as Record<string, string>));
  parser.on('closetag', () => reader.closeMarkupTag());
  parser.on('text', (content) => reader.addSpokenContent(content));
  parser.on('cdata', (content) => reader.addSpokenContent(content));
  parser.on('error', (error) => {
    throw error;
  });
  try {
    parser.write(text).close();
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    throw invalidPrompt(say`The SSML is not well-formed: ${messageOf(error).slice(0, 160)}`);
  }
  return reader.finishedScript();
}

class MarkupReader {
  readonly #passages: Passage[] = [];
  readonly #speakers: ReadScriptOutput['speakers'] = [{ name: null, voice: null }];
  readonly #open: Open[] = [];
  #elements = 0;
  #pause = 0;
  /** A new line precedes the next text. */
  #breaks = false;

  openMarkupTag(tag: string, attributes: Record<string, string>): void {
    this.#elements += 1;
    if (this.#elements > ELEMENTS_MAX) throw invalidPrompt(say`The SSML has more than ${ELEMENTS_MAX} elements.`);
    if (this.#open.length >= DEPTH_MAX) throw invalidPrompt(say`The SSML is nested deeper than ${DEPTH_MAX} elements.`);
    const name = tag.toLowerCase();
    const outer = this.#open.at(-1);
    const manner = outer?.manner ?? { speaker: 0, speed: 1, gainDb: 0, semitones: 0, write: unchangedText };
    const opened: Open = { manner, name, pauseAfter: 0, isMute: outer?.isMute ?? false };
    if (outer === undefined && name !== 'speak') throw invalidPrompt(say`SSML begins with <speak>.`);
    this.#beginMarkupElement(opened, attributes);
    this.#open.push(opened);
  }

  #beginMarkupElement(opened: Open, attributes: Record<string, string>): void {
    const { manner } = opened;
    switch (opened.name) {
      case 'speak':
        return;
      case 'p':
      case 's':
        this.#breaks = true;
        opened.pauseAfter = opened.name === 'p' ? 0.4 : 0;
        return;
      case 'break':
        this.#pause += breakSeconds(attributes);
        return;
      case 'prosody':
        opened.manner = applyProsody(manner, attributes);
        return;
      case 'emphasis':
        opened.manner = applyEmphasis(manner, attributes.level ?? 'moderate');
        return;
      case 'say-as':
        opened.manner = { ...manner, write: sayAsWriting(attributes['interpret-as'] ?? '') };
        return;
      case 'sub':
        if (attributes.alias === undefined) throw invalidPrompt(say`<sub> needs an alias.`);
        if (!opened.isMute) this.#addPassage(attributes.alias, manner);
        opened.isMute = true;
        return;
      case 'voice':
        opened.manner = { ...manner, speaker: this.#speakerOf(attributes.name) };
        this.#breaks = true;
        return;
      case 'desc':
      case 'metadata':
      case 'meta':
        opened.isMute = true;
        return;
      case 'mark':
        return;
      case 'phoneme':
        throw invalidPrompt(
          say`<phoneme> is not supported. Use <sub alias="…">, or the pronunciations in the settings.`,
        );
      default:
        throw invalidPrompt(say`<${opened.name.slice(0, 40)}> is not supported in SSML here. Remove it.`);
    }
  }

  closeMarkupTag(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    if (closed.name === 'p' || closed.name === 's' || closed.name === 'voice') this.#breaks = true;
    this.#pause += closed.pauseAfter;
  }

  addSpokenContent(content: string): void {
    const open = this.#open.at(-1);
    if (open === undefined || open.isMute || open.name === 'break') return;
    if (content.trim() !== '') this.#addPassage(open.manner.write(content), open.manner);
    else if (this.#passages.length > 0) this.#appendToLastPassage(' ');
  }

  finishedScript(): Pick<ReadScriptOutput, 'passages' | 'speakers'> {
    const passages = this.#passages.map((passage) => ({
      ...passage,
      text: speechLines(escapeMarkupText(passage.text)),
    }));
    if (this.#pause > 0) passages.push({ ...plainOf(passages.at(-1)), text: '', pauseSeconds: this.#pause });
    return { passages, speakers: this.#speakers };
  }

  #addPassage(text: string, { write: _, ...manner }: Manner): void {
    const last = this.#passages.at(-1);
    const goesOn = this.#pause === 0 && last !== undefined && hasSameManner(last, manner);
    if (goesOn) this.#appendToLastPassage(this.#breaks ? `\n\n${text}` : text);
    else this.#passages.push({ ...manner, text, pauseSeconds: Math.min(PAUSE_SECONDS_MAX, this.#pause) });
    this.#pause = 0;
    this.#breaks = false;
  }

  #appendToLastPassage(text: string): void {
    const last = this.#passages.at(-1);
    if (last !== undefined) last.text += text;
  }

  #speakerOf(name: string | undefined): number {
    if (name === undefined) throw invalidPrompt(say`<voice> needs a name, the slug of a voice.`);
    const known = this.#speakers.findIndex(({ voice }) => voice === name);
    return known >= 0 ? known : this.#speakers.push({ name, voice: name }) - 1;
  }
}

function hasSameManner(passage: Passage, manner: Omit<Manner, 'write'>): boolean {
  const { speaker, speed, gainDb, semitones } = manner;
  return (
    passage.speaker === speaker &&
    passage.speed === speed &&
    passage.gainDb === gainDb &&
    passage.semitones === semitones
  );
}

function plainOf(last: Passage | undefined): Passage {
  return { text: '', speaker: last?.speaker ?? 0, speed: 1, gainDb: 0, semitones: 0, pauseSeconds: 0 };
}

/** Text between tags contains no markup of other kinds. */
function escapeMarkupText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function unchangedText(text: string): string {
  return text;
}

function spellLetters(text: string): string {
  return [...text.replace(/\s+/g, '')].join(' ');
}

function suffixOf(number: string): string {
  if (/1[123]$/.test(number)) return 'th';
  return { 1: 'st', 2: 'nd', 3: 'rd' }[number.slice(-1)] ?? 'th';
}

function sayAsWriting(kind: string): Writing {
  const writing = Object.hasOwn(SAID_AS, kind) ? SAID_AS[kind] : undefined;
  if (writing !== undefined) return writing;
  throw invalidPrompt(
    say`<say-as interpret-as="${kind.slice(0, 40)}"> is not supported. There are ${Object.keys(SAID_AS).join(', ')}.`,
  );
}

function breakSeconds({ time, strength }: Record<string, string>): number {
  if (time === undefined) {
    const seconds = BREAKS[strength ?? 'medium'];
    if (seconds === undefined)
      throw invalidPrompt(say`The strength of <break> is none, x-weak, weak, medium, strong or x-strong.`);
    return seconds;
  }
  const match = /^\s*(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})\s*(ms|s)\s*$/.exec(time);
  if (match === null) throw invalidPrompt(say`The time of <break> is a number with s or ms, such as 500ms.`);
  const seconds = match[2] === 'ms' ? Number(match[1]) / 1000 : Number(match[1]);
  if (seconds > PAUSE_SECONDS_MAX) throw invalidPrompt(say`A <break> is at most ${PAUSE_SECONDS_MAX} seconds.`);
  return seconds;
}

function applyEmphasis(manner: Manner, level: string): Manner {
  const change = EMPHASES[level];
  if (change === undefined) throw invalidPrompt(say`The level of <emphasis> is strong, moderate, none or reduced.`);
  return {
    ...manner,
    speed: clampToRange(manner.speed * change.speed, SPEED),
    gainDb: clampToRange(manner.gainDb + change.gainDb, GAIN_DB),
  };
}

function applyProsody(manner: Manner, { rate, volume, pitch, ...others }: Record<string, string>): Manner {
  const [other] = Object.keys(others).filter((name) => !name.startsWith('xml'));
  if (other !== undefined)
    throw invalidPrompt(say`${other.slice(0, 40)} of <prosody> is not supported. There are rate, volume and pitch.`);
  return {
    ...manner,
    speed: rate === undefined ? manner.speed : clampToRange(manner.speed * rateOf(rate), SPEED),
    gainDb: volume === undefined ? manner.gainDb : clampToRange(manner.gainDb + volumeOf(volume), GAIN_DB),
    semitones: pitch === undefined ? manner.semitones : clampToRange(manner.semitones + pitchOf(pitch), SEMITONES),
  };
}

/** `slow`, `80%`, `+20%`, `1.2`. */
function rateOf(text: string): number {
  const named = RATES[text];
  if (named !== undefined) return named;
  const match = /^([+-])?(\d{1,4}(?:\.\d{1,4})?)(%)?$/.exec(text.trim());
  if (match === null) throw invalidPrompt(say`The rate of <prosody> is a word such as slow, a percentage or a factor.`);
  const value = Number(match[2]) / (match[3] === undefined ? 1 : 100);
  return match[1] === undefined ? value : 1 + (match[1] === '-' ? -value : value);
}

function volumeOf(text: string): number {
  const named = VOLUMES[text];
  if (named !== undefined) return named;
  const match = /^([+-]?\d{1,3}(?:\.\d{1,3})?)dB$/i.exec(text.trim());
  if (match === null)
    throw invalidPrompt(say`The volume of <prosody> is a word such as loud, or decibels such as +6dB.`);
  return Number(match[1]);
}

function pitchOf(text: string): number {
  const named = PITCHES[text];
  if (named !== undefined) return named;
  const match = /^([+-]\d{1,3}(?:\.\d{1,3})?)(st|%)$/.exec(text.trim());
  if (match === null)
    throw invalidPrompt(say`The pitch of <prosody> is a word such as high, semitones such as +2st, or +10%.`);
  const value = Number(match[1]);
  return match[2] === 'st' ? value : 12 * Math.log2(Math.max(0.1, 1 + value / 100));
}

function clampToRange(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, Math.round(value * 1000) / 1000));
}
