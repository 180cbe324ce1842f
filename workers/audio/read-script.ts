import type { TaskFunction } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { isSpeechMarkup, speechLines } from '../../src-server/platform/text/speech-text.ts';
import { judgeLanguage } from './script-language.ts';
import { invalidPrompt, PAUSE_SECONDS_MAX } from './script-rules.ts';
import { readSpeechMarkup } from './speech-markup.ts';
import type { Passage, ReadScriptOutput } from './tasks.ts';

/** Voices of one script. */
const SPEAKERS_MAX = 50;

const LENGTH = '[\\s:=]+(\\d{1,4}(?:\\.\\d{1,3})?)\\s?(ms|s|sec|secs|seconds?)?';

/**
 * `[pause]`, `[pause 1.5s]`, `[pause: 300 ms]`, `[break=2s]`; also SSML's break in a text that is no SSML. Without a
 * unit, seconds. Words that also name keys and buttons need a length.
 */
const PAUSE = new RegExp(
  [
    `\\[(?:pause(?:${LENGTH})?|(?:break|silence|wait)${LENGTH})\\s?\\]`,
    '<break\\s+time\\s*=\\s*["\']?(\\d{1,5}(?:\\.\\d{1,3})?)\\s?(ms|s)["\']?\\s*/?>(?:\\s*</break>)?',
  ].join('|'),
  'gi',
);

const PAUSE_SECONDS_DEFAULT = 1;

/** How something is to be said, as some voices of other makers take it. These voices would read the words aloud. */
const DIRECTION = new RegExp(
  [
    '\\[(?:laugh(?:s|ing|ter)?|chuckl(?:es?|ing)|giggl(?:es?|ing)|sigh(?:s|ing)?|gasp(?:s|ing)?|cough(?:s|ing)?',
    'whisper(?:s|ing|ed)?|shout(?:s|ing|ed)?|yell(?:s|ing)?|scream(?:s|ing)?|cry(?:ing)?|cries|sob(?:s|bing)?',
    'sing(?:s|ing)|inhales|exhales|applause|music',
    'excited(?:ly)?|sad(?:ly)?|angr(?:y|ily)|happ(?:y|ily)|curious(?:ly)?|sarcastic(?:ally)?|nervous(?:ly)?',
    'softly|quietly|loudly|slowly|quickly|mischievously|clears throat|breath(?:es|ing)?)\\]',
  ].join('|'),
  'gi',
);

const PLAIN = { speed: 1, gainDb: 0, semitones: 0 };

export const readScript: TaskFunction<'read-script'> = async ({ text, names }) => {
  const isMarkup = isSpeechMarkup(text);
  const directions = isMarkup ? [] : [...new Set(text.match(DIRECTION) ?? [])];
  const script = isMarkup ? readSpeechMarkup(text) : readPlainScript(text.replace(DIRECTION, ''), names);
  const passages = script.passages.filter((passage) => passage.text !== '' || passage.pauseSeconds > 0);
  const spoken = passages.map((passage) => passage.text).join('\n');
  if (!/[\p{L}\p{N}]/u.test(spoken))
    throw invalidPrompt(say`There is nothing to speak. Give at least one letter or digit.`);
  if (script.speakers.length > SPEAKERS_MAX) {
    throw invalidPrompt(say`The script has ${script.speakers.length} speakers. Give at most ${SPEAKERS_MAX}.`);
  }
  return { ...script, passages, directions, ...judgeLanguage(spoken) };
};

type Script = Pick<ReadScriptOutput, 'passages' | 'speakers'>;

function readPlainScript(text: string, names: readonly string[]): Script {
  const turns = splitSpeakerTurns(text, names);
  const speakers: Script['speakers'] = [];
  const passages: Passage[] = [];
  for (const turn of turns) {
    const known = speakers.findIndex(({ name }) => sameName(name, turn.name));
    const speaker = known >= 0 ? known : speakers.push({ name: turn.name, voice: null }) - 1;
    passages.push(...withPauses(turn.text, speaker));
  }
  return { speakers, passages };
}

function withPauses(text: string, speaker: number): Passage[] {
  const passages: Passage[] = [];
  let from = 0;
  let pauseSeconds = 0;
  for (const match of text.matchAll(PAUSE)) {
    passages.push({ ...PLAIN, text: speechLines(text.slice(from, match.index)), speaker, pauseSeconds });
    from = match.index + match[0].length;
    const [length, unit] = [match[1] ?? match[3] ?? match[5], match[2] ?? match[4] ?? match[6]];
    const seconds = length === undefined ? PAUSE_SECONDS_DEFAULT : Number(length);
    pauseSeconds = Math.min(PAUSE_SECONDS_MAX, unit?.toLowerCase() === 'ms' ? seconds / 1000 : seconds);
  }
  return [...passages, { ...PLAIN, text: speechLines(text.slice(from)), speaker, pauseSeconds }];
}

interface Turn {
  name: string | null;
  text: string;
}

/** A name before a colon at the start of a line: `ANNA:`, `**Dr. Smith:**`. */
const LABEL = /^\s{0,3}(?:\*\*|__)?([\p{L}][\p{L}\p{N}.'’ -]{0,39}?)(?:\*\*|__)?\s?:(?:\*\*|__)?(?=\s|$)/u;

/** Words in capitals before a colon that are no names. */
const NO_NAME =
  /^(?:NOTE|NOTES|WARNING|CAUTION|IMPORTANT|TIP|TO.DO|PS|P\.S\.|FYI|SUMMARY|EXAMPLE|UPDATE|RE|SUBJECT|DATE)$/;

/** The lines of a script by speaker. Without named speakers, labels in capitals by two speakers make a script. */
function splitSpeakerTurns(text: string, names: readonly string[]): Turn[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const labels = lines.map((line) => LABEL.exec(line));
  const isScript = names.length > 0 || looksLikeScript(labels);
  const turns: { name: string | null; lines: string[] }[] = [{ name: null, lines: [] }];
  for (const [index, line] of lines.entries()) {
    const label = labels[index];
    const name = label?.[1] ?? '';
    const isLabel = isScript && label != null && (isKnownSpeaker(name, names) || isInCapitals(name));
    if (isLabel) turns.push({ name, lines: [line.slice(label[0].length)] });
    else turns.at(-1)?.lines.push(line);
  }
  return turns
    .map((turn) => ({ name: turn.name, text: turn.lines.join('\n') }))
    .filter((turn) => turn.text.trim() !== '');
}

function looksLikeScript(labels: readonly (RegExpExecArray | null)[]): boolean {
  const found = labels.flatMap((label) => (label !== null && isInCapitals(label[1] ?? '') ? (label[1] ?? '') : []));
  return new Set(found).size > 1;
}

function isInCapitals(name: string): boolean {
  return /\p{Lu}{2}|^\p{Lu}$/u.test(name) && !/\p{Ll}/u.test(name) && !NO_NAME.test(name);
}

function isKnownSpeaker(name: string, names: readonly string[]): boolean {
  return names.some((known) => sameName(known, name));
}

function sameName(one: string | null, other: string | null): boolean {
  return one?.toLowerCase() === other?.toLowerCase();
}
