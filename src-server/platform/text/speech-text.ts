/** Removes what is not spoken from a prompt: markup, code marks, control characters and pictures. */

import { byName } from '../records.ts';

/** An empty line, or a Markdown rule. */
const BLANK_LINE = /^\s*$|^\s{0,3}(?:-\s*){3,}$|^\s{0,3}(?:[*_]\s*){3,}$/;

const HEADING = /^\s{0,3}#{1,6}\s+/;

const QUOTE = /^\s{0,3}(?:>\s?)+/;

const BULLET = /^\s*[-*•‣–]\s+(?:\[[ xX]\]\s+)?/;

const ITEM = /^\s*(?:[-*•‣–]|\d{1,3}[.)])\s/;

const FENCE = /^\s{0,3}(?:`{3,}|~{3,})/;

/** The line under the head of a Markdown table. */
const TABLE_RULE = /^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?)?\s*$/;

const TABLE_ROW = /^\s*\|.*\|\s*$/;

/** Pictures with their skin tones and joiners. Keycaps keep their digit. */
const PICTURE = '(?:(?![#*0-9©®™])[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\p{Emoji_Modifier}]|\\u20e3)';

const PICTURES = new RegExp(`${PICTURE}(?:\\ufe0f|\\u200d(?=\\p{Extended_Pictographic}))*`, 'gu');

/** Lines to speak. Wrapped lines are joined; a voice pauses between the remaining ones. */
export function speechLines(prompt: string): string {
  const lines: string[] = [];
  let open = false;
  let inCode = false;
  const given = withoutTags(prompt).replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n');
  for (const written of given.split('\n')) {
    if (FENCE.test(written)) {
      inCode = !inCode;
      open = false;
      continue;
    }
    const line = inCode ? written : written.replace(QUOTE, '');
    if (!inCode && TABLE_RULE.test(line)) continue;
    const isBlank = BLANK_LINE.test(line);
    const isHeading = HEADING.test(line);
    const isRow = TABLE_ROW.test(line);
    if (isBlank) lines.push('');
    else if (inCode || isRow || isHeading || !open || ITEM.test(line)) lines.push(speechLineOf(line, inCode, isRow));
    else lines.push(`${lines.pop()} ${line}`);
    open = !isBlank && !isHeading && !isRow && !inCode;
  }
  // Soft hyphens occur within words, and joiners are part of the spelling in some scripts.
  const text = lines
    .map(withoutMarks)
    .join('\n')
    .replace(PICTURES, '\ufffc')
    .replace(/\s*\ufffc+\s*(?=[,.;:!?])/g, '')
    .replace(/\ufffc+/g, ' ')
    .replace(/(?!\n)\p{Cc}/gu, ' ')
    .replace(/(?![\u200c\u200d])\p{Cf}|[\ufe00-\ufe0f]/gu, '');
  return tidySpeechLines(text);
}

function speechLineOf(line: string, inCode: boolean, isRow: boolean): string {
  if (inCode) return line;
  const plain = line.replace(HEADING, '').replace(BULLET, '');
  return isRow ? plain.replace(/^\s*\||\|\s*$/g, '').replace(/\s*\|\s*/g, ', ') : plain;
}

function tidySpeechLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Tags of SSML and HTML. Other text in angle brackets is content. */
const TAG_NAMES =
  'speak|break|emphasis|prosody|say-as|phoneme|sub|voice|lang|amazon:[a-z-]+|b|i|u|em|strong|small|br|p|div|span';

const TAG = new RegExp(`</?(?:${TAG_NAMES})(?:\\s[^<>]*)?/?>`, 'gi');

/** Inside this element, every tag is SSML. */
const SPEECH_MARKUP = /^\s*(?:<\?xml[^<>]*\?>\s*)?(?:<!--[^<>]*-->\s*)*<(?:speak[\s/>]|!DOCTYPE\s)/i;

const ANY_TAG = /<[^<>]*>/g;

/** Text to speak instead of the written text. */
const SUBSTITUTE = /<sub\s+alias\s*=\s*["']([^"'<>]*)["']\s*>[^<>]*<\/sub\s*>/gi;

/** Tags that make a voice pause. */
const PAUSES = /<\/?(?:break|p|s|div|par|br)(?:\s[^<>]*)?\/?>/gi;

const REFERENCES: Readonly<Record<string, string>> = byName({
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&nbsp;': ' ',
});

const REFERENCE = new RegExp(Object.keys(REFERENCES).join('|'), 'g');

/** Markdown marks around a text. A match stays on one line and contains no other mark of its kind. */
const MARKS: readonly RegExp[] = [
  /!?\[([^[\]\n]*)\]\([^()\s]*(?: "[^"\n]*")?\)/g,
  /(?<!\d)\*{2,3}(?=[^\s*])([^*\n]*[^\s*])\*{2,3}/g,
  /(?<![\p{L}\p{N}*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\p{L}\p{N}*])/gu,
  /(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])([^_\n]*[^\s_])_{1,3}(?![\p{L}\p{N}_])/gu,
  /~~(?=[^\s~])([^~\n]*[^\s~])~~/g,
  /`{1,3}([^`\n]+)`{1,3}/g,
];

/** Whether a prompt is SSML as a whole. */
export function isSpeechMarkup(prompt: string): boolean {
  return SPEECH_MARKUP.test(prompt);
}

/** Removes SSML and HTML tags, with a blank line for a pause. */
export function withoutTags(prompt: string): string {
  if (!prompt.includes('<') && !prompt.includes('&')) return prompt;
  const paused = prompt.replace(SUBSTITUTE, '$1').replace(PAUSES, '\n\n');
  return paused
    .replace(isSpeechMarkup(prompt) ? ANY_TAG : TAG, '')
    .replace(REFERENCE, (reference) => REFERENCES[reference] ?? reference);
}

/** Removes Markdown emphasis, links and code marks from a line. */
function withoutMarks(line: string): string {
  return MARKS.reduce((text, mark) => text.replace(mark, '$1'), line);
}
