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
const BEGINNING = new RegExp(`\\b(?=${anyWording(...FIRST_WORDS)})|(?=${anyWording(...FIRST_SIGNS)})`, 'giu');

/** A range of a text in UTF-16 code units; `end` is exclusive. */
interface Place {
  start: number;
  end: number;
}

/** The places at which a text addresses a model, in order: at most `limit`, without overlaps. */
export function instructionsIn(text: string, limit: number): Place[] {
  const found: Place[] = [];
  for (const { index: start } of text.matchAll(BEGINNING)) {
    if (found.length >= limit) break;
    if (start < (found.at(-1)?.end ?? 0)) continue;
    const end = endOfInstruction(text, start);
    if (end !== null) found.push({ start, end });
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
