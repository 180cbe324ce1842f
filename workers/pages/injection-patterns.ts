/** Wordings by which a page addresses a model instead of its reader. Every repeat is bounded, or of one kind. */
import { codeUnits } from '../../src-server/platform/text/hash.ts';

const any = (...words: string[]) => `(?:${words.join('|')})`;
const NEAR = '[^.\\n]{0,40}';

const EARLIER = any('previous', 'prior', 'above', 'earlier', 'preceding', 'original');
const ORDERS = any('instructions?', 'prompts?', 'rules?', 'directions?', 'context');
const FILLER = any('all', 'any', 'the', 'your', 'my');
const MODELS = any('AI', 'LLM', 'language\\s+model', 'assistant', 'chatbot', 'crawler');
const DUTIES = any('must', 'should', 'shall', 'please', 'are\\s+required\\s+to', 'are\\s+instructed\\s+to');
const SECRETS = any(
  ...[
    'system\\s+prompt',
    'instructions',
    'api\\s+keys?',
    'passwords?',
    'credentials',
    'conversation',
    'chat\\s+history',
  ],
);

const ROLES = any(
  ...['you\\s+are\\s+now', 'from\\s+now\\s+on\\s+you\\s+(?:are|will|must)', 'act\\s+as\\s+if\\s+you\\s+(?:are|were)'],
);
const TRADE_WORDS = any(
  ...['system\\s+prompt', 'developer\\s+message', 'hidden\\s+instructions?', 'jailbreak', 'do\\s+anything\\s+now'],
);

const INSTRUCTIONS: readonly RegExp[] = [
  `\\b${any('ignore', 'disregard', 'forget', 'override')}\\s+(?:${FILLER}\\s+){0,4}${EARLIER}\\s+${ORDERS}\\b`,
  `\\b${ROLES}\\b`,
  `\\b${TRADE_WORDS}\\b`,
  `\\b${MODELS}s?\\b${NEAR}\\b${DUTIES}\\b`,
  `\\b${any('reveal', 'print', 'repeat', 'leak', 'exfiltrate', 'send')}\\b${NEAR}\\b${SECRETS}\\b`,
  '<\\|?(?:im_start|im_end|system|endoftext)\\|?>|\\[\\/?INST\\]|<<\\/?SYS>>',
  '\\bignoriere\\s+(?:alle\\s+)?(?:vorherigen|bisherigen|obigen)\\s+(?:anweisungen|befehle)\\b',
  '\\bignore[zr]?\\s+(?:toutes\\s+)?les\\s+(?:instructions|consignes)\\s+(?:précédentes|ci-dessus)',
  '\\bignora\\s+(?:todas\\s+)?las\\s+instrucciones\\s+anteriores\\b',
].map((pattern) => new RegExp(pattern, 'iuy'));

/** First words of the patterns above, each with two literal letters, or a sign. */
const FIRST_WORDS = [
  ...['ignor', 'disregard', 'forget', 'overrid', 'you\\s+are\\s+now', 'from\\s+now', 'act\\s+as\\s+if'],
  ...['system\\s+p', 'developer\\s+m', 'hidden\\s+i', 'jailbreak', 'do\\s+anything'],
  ...['ais?\\b', 'llm', 'language\\s+m', 'assistant', 'chatbot', 'crawler'],
  ...['reveal', 'print', 'repeat', 'leak', 'exfiltrat', 'send'],
];
const FIRST_SIGNS = ['<\\|?(?:im_|system|endoft)', '\\[\\/?inst\\]', '<<\\/?sys'];
const BEGINNING = new RegExp(`\\b${any(...FIRST_WORDS)}|${any(...FIRST_SIGNS)}`, 'y');

/** Bits of an ASCII character. */
const ASCII_BITS = 7;
/** Indexed by two letters: whether a first word starts with them. */
const isFirstPair = new Uint8Array(1 << (2 * ASCII_BITS));
for (const word of FIRST_WORDS) isFirstPair[(word.charCodeAt(0) << ASCII_BITS) | word.charCodeAt(1)] = 1;
/** Character flags: word characters, and the signs that start patterns. */
const IN_WORD = 1;
const SIGN = 2;
const kinds = Uint8Array.from({ length: 1 << ASCII_BITS }, (_, unit) => {
  const character = String.fromCharCode(unit);
  return /\w/.test(character) ? IN_WORD : /[<[]/.test(character) ? SIGN : 0;
});

/** Matches the first word of a pattern, anywhere in a word. */
const OPENER = new RegExp(`\\b${any(...FIRST_WORDS.map((word) => word.split('\\s')[0] ?? word))}`);

/** Whether a wording may start in this lower-case word. */
export function mayOpen(lowerWord: string): boolean {
  return OPENER.test(lowerWord);
}

/** A range of a text in UTF-16 code units; `end` is exclusive. */
export interface Place {
  start: number;
  end: number;
}

/**
 * The places at which a text addresses a model, in order: at most `limit`, without overlaps. `openers` are the places
 * of all words in which a wording may start (`mayOpen`); without them the whole text is searched, which takes ten times
 * as long.
 */
export function instructionsIn(text: string, limit: number, openers: readonly Place[] | null = null): Place[] {
  const found: Place[] = [];
  // Two letters would shift places or change case matching: a dotted I becomes two code units in lower case, and a long
  // s equals an s.
  const isPlain = !text.includes('\u0130') && !text.includes('\u017f');
  if (isPlain && openers?.length === 0 && signsIn(text).length === 0) return found;
  const lower = text.replaceAll('\u0130', 'I').toLowerCase().replaceAll('\u017f', 's');
  const isKnown = isPlain && openers !== null;
  const places = isKnown ? [...openers, ...signsIn(text)] : [{ start: 0, end: lower.length }];
  const units = codeUnits(lower);
  for (const place of places.sort((one, other) => one.start - other.start)) {
    addInstructions({ text, lower, units, limit, found }, place);
  }
  return found;
}

function signsIn(text: string): Place[] {
  const places: Place[] = [];
  for (const sign of ['<', '[']) {
    for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1))
      places.push({ start: at, end: at + 1 });
  }
  return places;
}

interface Search {
  text: string;
  lower: string;
  units: Uint16Array;
  limit: number;
  found: Place[];
}

/** Checking the first letters of each word is cheaper than a pattern and rules out most words. */
function addInstructions({ text, lower, units, limit, found }: Search, { start, end }: Place): void {
  let before = 0;
  for (let at = start; at < end && found.length < limit; at += 1) {
    const unit = units[at] ?? 0;
    const kind = unit >> ASCII_BITS === 0 ? (kinds[unit] ?? 0) : 0;
    const isWord = kind === IN_WORD && before !== IN_WORD;
    before = kind;
    if (kind !== SIGN && !(isWord && at + 1 < lower.length && beginsWord(unit, units[at + 1] ?? 0))) continue;
    if (at < (found.at(-1)?.end ?? 0)) continue;
    BEGINNING.lastIndex = at;
    const ends = BEGINNING.test(lower) ? endOfInstruction(text, at) : null;
    if (ends !== null) found.push({ start: at, end: ends });
  }
}

function beginsWord(first: number, second: number): boolean {
  return second >> ASCII_BITS === 0 && isFirstPair[(first << ASCII_BITS) | second] === 1;
}

function endOfInstruction(text: string, start: number): number | null {
  for (const pattern of INSTRUCTIONS) {
    pattern.lastIndex = start;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return null;
}

const OPENERS = any('\\{\\{?', '%7B', '\\[', '%5B', '\\$\\{?', '<', '%3C');
const CONTENTS = any(
  ...['data', 'secret', 'prompt', 'conversation', 'history', 'message', 'summary', 'context', 'user', 'email', 'token'],
  ...['key', 'answer', 'info', 'insert', 'your'],
);

/** `{data}`, `[CONVERSATION]`, `$SECRET` as a parameter value: a slot for what a model knows. */
export const SLOT = new RegExp(`[?&][^=&\\s]{1,40}=${OPENERS}\\s*[\\w%. -]{0,60}${CONTENTS}`, 'i');
