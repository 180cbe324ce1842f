/** Wordings by which a page addresses a model instead of its reader. Every repeat is bounded, or of one kind. */
const anyWording = (...words: string[]) => `(?:${words.join('|')})`;
const NEAR = '[^.\\n]{0,40}';

const EARLIER = anyWording('previous', 'prior', 'above', 'earlier', 'preceding', 'original');
const ORDERS = anyWording('instructions?', 'prompts?', 'rules?', 'directions?', 'context');
const FILLER = anyWording('all', 'any', 'the', 'your', 'my');
const MODELS = anyWording('AI', 'LLM', 'language\\s+model', 'assistant', 'chatbot', 'crawler');
const DUTIES = anyWording('must', 'should', 'shall', 'please', 'are\\s+required\\s+to', 'are\\s+instructed\\s+to');
const SECRETS = anyWording(
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

const ROLES = anyWording(
  ...['you\\s+are\\s+now', 'from\\s+now\\s+on\\s+you\\s+(?:are|will|must)', 'act\\s+as\\s+if\\s+you\\s+(?:are|were)'],
);
const TRADE_WORDS = anyWording(
  ...['system\\s+prompt', 'developer\\s+message', 'hidden\\s+instructions?', 'jailbreak', 'do\\s+anything\\s+now'],
);

const INSTRUCTIONS: readonly RegExp[] = [
  `\\b${anyWording('ignore', 'disregard', 'forget', 'override')}\\s+(?:${FILLER}\\s+){0,4}${EARLIER}\\s+${ORDERS}\\b`,
  `\\b${ROLES}\\b`,
  `\\b${TRADE_WORDS}\\b`,
  `\\b${MODELS}s?\\b${NEAR}\\b${DUTIES}\\b`,
  `\\b${anyWording('reveal', 'print', 'repeat', 'leak', 'exfiltrate', 'send')}\\b${NEAR}\\b${SECRETS}\\b`,
  '<\\|?(?:im_start|im_end|system|endoftext)\\|?>|\\[\\/?INST\\]|<<\\/?SYS>>',
  '\\bignoriere\\s+(?:alle\\s+)?(?:vorherigen|bisherigen|obigen)\\s+(?:anweisungen|befehle)\\b',
  '\\bignore[zr]?\\s+(?:toutes\\s+)?les\\s+(?:instructions|consignes)\\s+(?:précédentes|ci-dessus)',
  '\\bignora\\s+(?:todas\\s+)?las\\s+instrucciones\\s+anteriores\\b',
].map((pattern) => new RegExp(pattern, 'iuy'));

/** First words of the patterns above, or signs: the places at which the patterns are tried. */
const FIRST_WORDS = [
  ...['ignor', 'disregard', 'forget', 'overrid', 'you\\s+are\\s+now', 'from\\s+now', 'act\\s+as\\s+if'],
  ...['system\\s+p', 'developer\\s+m', 'hidden\\s+i', 'jailbreak', 'do\\s+anything'],
  ...['ais?\\b', 'llm', 'language\\s+m', 'assistant', 'chatbot', 'crawler'],
  ...['reveal', 'print', 'repeat', 'leak', 'exfiltrat', 'send'],
];
const FIRST_SIGNS = ['<\\|?(?:im_|system|endoft)', '\\[\\/?inst\\]', '<<\\/?sys'];
const BEGINNING = new RegExp(`\\b${anyWording(...FIRST_WORDS)}|${anyWording(...FIRST_SIGNS)}`, 'iuy');

const ASCII = 0x80;

const LONG_S = 0x17f;

/** By the small form of two letters: 1 if one of the first words begins with them. */
const isFirstPair = new Uint8Array(ASCII * ASCII);
for (const word of FIRST_WORDS) isFirstPair[word.charCodeAt(0) * ASCII + word.charCodeAt(1)] = 1;

/** 1 for the characters of a word in a pattern. */
const isWordUnit = Uint8Array.from({ length: ASCII }, (_, unit) => (/\w/.test(String.fromCharCode(unit)) ? 1 : 0));

const FIRST_SIGN_UNITS = new Set(['<', '['].map((sign) => sign.charCodeAt(0)));

/** Whether BEGINNING may match here. Most places end after a look at two letters, which takes less than a pattern. */
function mayBegin(text: string, at: number): boolean {
  const first = text.charCodeAt(at);
  if (isWordUnit[first] !== 1 && first !== LONG_S) return FIRST_SIGN_UNITS.has(first);
  if (at > 0 && isWordUnit[text.charCodeAt(at - 1)] === 1) return false;
  return isFirstPair[smallLetter(first) * ASCII + smallLetter(text.charCodeAt(at + 1))] === 1;
}

/** The ASCII letter that a pattern without case takes for this code unit; 0 if there is none. */
function smallLetter(unit: number): number {
  if (unit === LONG_S) return 0x73;
  return unit < ASCII ? unit | 0x20 : 0;
}

/** A range of a text in UTF-16 code units; `end` is exclusive. */
interface Place {
  start: number;
  end: number;
}

/** The places at which a text addresses a model, in order: at most `limit`, without overlaps. */
export function instructionsIn(text: string, limit: number): Place[] {
  const found: Place[] = [];
  for (let start = 0; start < text.length && found.length < limit; start += 1) {
    if (!mayBegin(text, start)) continue;
    BEGINNING.lastIndex = start;
    const end = BEGINNING.test(text) ? endOfInstruction(text, start) : null;
    if (end === null) continue;
    found.push({ start, end });
    start = end - 1;
  }
  return found;
}

function endOfInstruction(text: string, start: number): number | null {
  for (const pattern of INSTRUCTIONS) {
    pattern.lastIndex = start;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return null;
}

const OPENERS = anyWording('\\{\\{?', '%7B', '\\[', '%5B', '\\$\\{?', '<', '%3C');
const CONTENTS = anyWording(
  ...['data', 'secret', 'prompt', 'conversation', 'history', 'message', 'summary', 'context', 'user', 'email', 'token'],
  ...['key', 'answer', 'info', 'insert', 'your'],
);

/** `{data}`, `[CONVERSATION]`, `$SECRET` as a parameter value: a slot for what a model knows. */
export const SLOT = new RegExp(`[?&][^=&\\s]{1,40}=${OPENERS}\\s*[\\w%. -]{0,60}${CONTENTS}`, 'i');
