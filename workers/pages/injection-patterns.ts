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

/**
 * How each of the patterns above begins, in lower case. Looking for this alone takes a quarter of the time that looking
 * for each of them does, and nearly every page ends here.
 */
const BEGINNINGS = new RegExp(
  `\\b${any(
    ...['ignor', 'disregard', 'forget', 'overrid', 'you\\s+are\\s+now', 'from\\s+now', 'act\\s+as\\s+if'],
    ...['system\\s+p', 'developer\\s+m', 'hidden\\s+i', 'jailbreak', 'do\\s+anything'],
    ...['ais?\\b', 'llm', 'language\\s+m', 'assistant', 'chatbot', 'crawler'],
    ...['reveal', 'print', 'repeat', 'leak', 'exfiltrat', 'send'],
  )}|<\\|?(?:im_|system|endoft)|\\[\\/?inst\\]|<<\\/?sys`,
  'g',
);
/** Where a text addresses a model, in the text's order: at most `limit` places, which do not overlap. */
export function instructionsIn(text: string, limit: number): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  // Two letters need care, so that places agree and case does not count: a dotted I has a small form of two units, and
  // a long s is an s.
  const lower = text.replaceAll('\u0130', 'I').toLowerCase().replaceAll('\u017f', 's');
  for (const { index } of lower.matchAll(BEGINNINGS)) {
    if (found.length >= limit) break;
    if (index < (found.at(-1)?.end ?? 0)) continue;
    const end = endOfInstruction(text, index);
    if (end !== null) found.push({ start: index, end });
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

const OPENERS = any('\\{\\{?', '%7B', '\\[', '%5B', '\\$\\{?', '<', '%3C');
const CONTENTS = any(
  ...['data', 'secret', 'prompt', 'conversation', 'history', 'message', 'summary', 'context', 'user', 'email', 'token'],
  ...['key', 'answer', 'info', 'insert', 'your'],
);

/** `{data}`, `[CONVERSATION]`, `$SECRET` as the value of a parameter: a slot for what a model knows. */
export const SLOT = new RegExp(`[?&][^=&\\s]{1,40}=${OPENERS}\\s*[\\w%. -]{0,60}${CONTENTS}`, 'i');
