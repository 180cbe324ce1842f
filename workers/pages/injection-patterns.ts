/** Wordings by which a page addresses a model rather than its reader. Every repeat is bounded, or of one kind. */

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

export const INSTRUCTIONS: readonly RegExp[] = [
  `\\b${any('ignore', 'disregard', 'forget', 'override')}\\s+(?:${FILLER}\\s+){0,4}${EARLIER}\\s+${ORDERS}\\b`,
  `\\b${ROLES}\\b`,
  `\\b${TRADE_WORDS}\\b`,
  `\\b${MODELS}s?\\b${NEAR}\\b${DUTIES}\\b`,
  `\\b${any('reveal', 'print', 'repeat', 'leak', 'exfiltrate', 'send')}\\b${NEAR}\\b${SECRETS}\\b`,
  '<\\|?(?:im_start|im_end|system|endoftext)\\|?>|\\[\\/?INST\\]|<<\\/?SYS>>',
  '\\bignoriere\\s+(?:alle\\s+)?(?:vorherigen|bisherigen|obigen)\\s+(?:anweisungen|befehle)\\b',
  '\\bignore[zr]?\\s+(?:toutes\\s+)?les\\s+(?:instructions|consignes)\\s+(?:précédentes|ci-dessus)',
  '\\bignora\\s+(?:todas\\s+)?las\\s+instrucciones\\s+anteriores\\b',
].map((pattern) => new RegExp(pattern, 'giu'));

const OPENERS = any('\\{\\{?', '%7B', '\\[', '%5B', '\\$\\{?', '<', '%3C');
const CONTENTS = any(
  ...['data', 'secret', 'prompt', 'conversation', 'history', 'message', 'summary', 'context', 'user', 'email', 'token'],
  ...['key', 'answer', 'info', 'insert', 'your'],
);

/** `{data}`, `[CONVERSATION]`, `$SECRET` as the value of a parameter: a slot for what a model knows. */
export const SLOT = new RegExp(`[?&][^=&\\s]{1,40}=${OPENERS}\\s*[\\w%. -]{0,60}${CONTENTS}`, 'i');
