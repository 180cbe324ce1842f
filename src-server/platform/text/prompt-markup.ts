/** Markup that writers bring along, which is meant for the eye or for another machine: no voice says it. */

/** Of SSML and of HTML; what stands in brackets otherwise is the text's own. */
const TAG_NAMES =
  'speak|break|emphasis|prosody|say-as|phoneme|sub|voice|lang|amazon:[a-z-]+|b|i|u|em|strong|small|br|p|div|span';
const TAG = new RegExp(`</?(?:${TAG_NAMES})(?:\\s[^<>]*)?/?>`, 'gi');
/** Within these tags any other is one of theirs. */
const SPEECH_MARKUP = /^\s*(?:<\?xml[^<>]*\?>\s*)?<speak[\s>]/i;
const ANY_TAG = /<[^<>]*>/g;
/** What is to be said in place of what is written. */
const SUBSTITUTE = /<sub\s+alias\s*=\s*["']([^"'<>]*)["']\s*>[^<>]*<\/sub\s*>/gi;
/** Where a voice pauses. */
const PAUSES = /<\/?(?:break|p|s|div|par|br)(?:\s[^<>]*)?\/?>/gi;
const REFERENCES: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#39;': "'", '&nbsp;': ' ' },
};
const REFERENCE = new RegExp(Object.keys(REFERENCES).join('|'), 'g');

/** Signs of Markdown around what they mark. None runs over a line, or through another sign of its kind. */
const MARKS: readonly RegExp[] = [
  /!?\[([^[\]\n]*)\]\([^()\s]*(?: "[^"\n]*")?\)/g,
  /(?<!\d)\*{2,3}(?=[^\s*])([^*\n]*[^\s*])\*{2,3}/g,
  /(?<![\p{L}\p{N}*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\p{L}\p{N}*])/gu,
  /(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])([^_\n]*[^\s_])_{1,3}(?![\p{L}\p{N}_])/gu,
  /~~(?=[^\s~])([^~\n]*[^\s~])~~/g,
  /`{1,3}([^`\n]+)`{1,3}/g,
];

/** SSML and HTML leave their text, and a blank line where a pause is meant. */
export function withoutTags(prompt: string): string {
  if (!prompt.includes('<') && !prompt.includes('&')) return prompt;
  const paused = prompt.replace(SUBSTITUTE, '$1').replace(PAUSES, '\n\n');
  return paused
    .replace(SPEECH_MARKUP.test(prompt) ? ANY_TAG : TAG, '')
    .replace(REFERENCE, (reference) => REFERENCES[reference] ?? reference);
}

/** Text of one line that Markdown marks as important, as a link or as code. */
export function withoutMarks(line: string): string {
  return MARKS.reduce((text, mark) => text.replace(mark, '$1'), line);
}
