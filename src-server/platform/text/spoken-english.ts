/** Prepares a prompt for a voice that knows only English. */

interface SpeakableText {
  /** Paragraphs and list items are separate lines. */
  text: string;
  /** Number of omitted runs of letters that the voice cannot pronounce. */
  leftOut: number;
}

const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'Ae', œ: 'oe', Œ: 'Oe', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D' },
  ...{ ð: 'd', Ð: 'D', þ: 'th', Þ: 'Th', ħ: 'h', Ħ: 'H', ŧ: 't', Ŧ: 'T', ı: 'i', ŋ: 'ng', Ŋ: 'Ng', ə: 'a', Ə: 'A' },
};

const SPELLED = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

const CURRENCIES: Readonly<Record<string, string>> = {
  ...{ '€': 'euro', '£': 'pound', '¥': 'yen', '₹': 'rupee', '₩': 'won', '₽': 'rouble', '₺': 'lira', '¢': 'cent' },
};

const UNCHANGING = new Set(['yen', 'won', 'lira']);

const SIGN = `[${Object.keys(CURRENCIES).join('')}]`;

const AMOUNT = '\\d+(?:[.,]\\d+)*(?:\\s(?:thousand|million|billion|trillion)\\b)?';

// An amount may not start within another one: long runs of digits would take quadratic time.
const PRICE = new RegExp(`(${SIGN})\\s?(${AMOUNT})|(?<![\\d.,])(${AMOUNT})\\s?(${SIGN})|(${SIGN})`, 'gu');

/** Signs that are spoken as words between or after numbers. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  // Non-breaking blanks group digits.
  [/(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))/g, ','],
  [/(?<=\d)\s?–\s?(?=\d)/g, ' to '],
  [/(?<=\d)\s?(?=[¼-¾⅐-⅞])/g, ' and '],
  [/(?<=[\p{L}\d])²/gu, ' squared '],
  [/(?<=[\p{L}\d])³/gu, ' cubed '],
  [/(?<=\d)(?=[⁰¹⁴-⁹])/g, ' to the power of '],
  // The remaining superscripts are footnote marks.
  [/(?<=\p{L})[⁰¹⁴-⁹]+/gu, ' '],
  [/°\s?C\b/g, ' degrees Celsius '],
  [/°\s?F\b/g, ' degrees Fahrenheit '],
  [/°/g, ' degrees '],
  [/−/g, ' minus '],
  [/×/g, ' times '],
  [/÷/g, ' divided by '],
  [/±/g, ' plus or minus '],
  [/≈/g, ' about '],
  [/≤/g, ' at most '],
  [/≥/g, ' at least '],
  [/≠/g, ' is not '],
  [/№/g, ' number '],
  [/§/g, ' section '],
  [/[™®©]/g, ' '],
  // Protocol prefixes are not spoken.
  [/\bhttps?:\/\//gi, ' '],
];

/** Letters that an English voice cannot pronounce, with the punctuation that follows. */
const UNSPOKEN = /(?:(?![A-Za-z0-9])[\p{L}\p{N}])+\p{P}*/gu;

/**
 * Expands signs to words, strips accents, replaces control characters with blanks. Other letters are omitted and
 * counted.
 */
export function speakable(prompt: string): SpeakableText {
  const inWords = SIGNS.reduce((text, [sign, word]) => text.replace(sign, word), linesOf(prompt));
  const plain = inWords
    .replace(PRICE, (_whole, ...found: (string | undefined)[]) => {
      const [before, amount, otherAmount, behind, alone] = found;
      return price(before ?? behind ?? alone ?? '', amount ?? otherAmount);
    })
    .replace(SPELLED, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/\u2044/g, '/')
    .replace(/[‘’]/g, "'")
    .replace(/[“”«»]/g, '"')
    .replace(/[–—]/g, ', ');
  const leftOut = [...plain.matchAll(UNSPOKEN)].length;
  const text = tidy(plain.replace(UNSPOKEN, ' ').replace(/[^\x20-\x7e\n]/g, ' '));
  return { text: text.replace(/ (?=[,.;:!?](?:\s|$))/g, ''), leftOut };
}

/** For voices of other languages: replaces control characters with blanks and omits nothing. */
export function tidied(prompt: string): SpeakableText {
  return { text: tidy(linesOf(prompt)), leftOut: 0 };
}

function price(sign: string, amount: string | undefined): string {
  const name = CURRENCIES[sign] ?? '';
  const many = amount === '1' || UNCHANGING.has(name) ? name : `${name}s`;
  return amount === undefined ? ` ${many} ` : ` ${amount} ${many} `;
}

/** An empty line, or a Markdown rule. */
const BLANK_LINE = /^\s*$|^\s{0,3}(?:-\s*){3,}$|^\s{0,3}(?:[*_]\s*){3,}$/;

const HEADING = /^\s{0,3}#{1,6}\s+/;

const BULLET = /^\s*[-*•‣–]\s+/;

const ITEM = /^\s*(?:[-*•‣–]|\d{1,3}[.)])\s/;

/** Joins wrapped lines. A voice pauses between the remaining ones. */
function linesOf(prompt: string): string {
  const lines: string[] = [];
  let open = false;
  for (const line of withoutTags(prompt)
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .split('\n')) {
    const isBlank = BLANK_LINE.test(line);
    const isHeading = HEADING.test(line);
    if (isBlank) lines.push('');
    else if (isHeading || !open || ITEM.test(line)) lines.push(line.replace(HEADING, '').replace(BULLET, ''));
    else lines.push(`${lines.pop()} ${line}`);
    open = !isBlank && !isHeading;
  }
  // Soft hyphens occur within words, and joiners are part of the spelling in some scripts.
  return lines
    .map(withoutMarks)
    .join('\n')
    .replace(/(?!\n)\p{Cc}/gu, ' ')
    .replace(/(?![\u200c\u200d])\p{Cf}/gu, '');
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Removes markup, which is not spoken. */

/** Tags of SSML and HTML. Other text in angle brackets is content. */
const TAG_NAMES =
  'speak|break|emphasis|prosody|say-as|phoneme|sub|voice|lang|amazon:[a-z-]+|b|i|u|em|strong|small|br|p|div|span';

const TAG = new RegExp(`</?(?:${TAG_NAMES})(?:\\s[^<>]*)?/?>`, 'gi');

/** Inside this element, every tag is SSML. */
const SPEECH_MARKUP = /^\s*(?:<\?xml[^<>]*\?>\s*)?<speak[\s>]/i;

const ANY_TAG = /<[^<>]*>/g;

/** Text to speak instead of the written text. */
const SUBSTITUTE = /<sub\s+alias\s*=\s*["']([^"'<>]*)["']\s*>[^<>]*<\/sub\s*>/gi;

/** Tags that make a voice pause. */
const PAUSES = /<\/?(?:break|p|s|div|par|br)(?:\s[^<>]*)?\/?>/gi;

const REFERENCES: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#39;': "'", '&nbsp;': ' ' },
};

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

/** Removes SSML and HTML tags, with a blank line for a pause. */
export function withoutTags(prompt: string): string {
  if (!prompt.includes('<') && !prompt.includes('&')) return prompt;
  const paused = prompt.replace(SUBSTITUTE, '$1').replace(PAUSES, '\n\n');
  return paused
    .replace(SPEECH_MARKUP.test(prompt) ? ANY_TAG : TAG, '')
    .replace(REFERENCE, (reference) => REFERENCES[reference] ?? reference);
}

/** Removes Markdown emphasis, links and code marks from a line. */
function withoutMarks(line: string): string {
  return MARKS.reduce((text, mark) => text.replace(mark, '$1'), line);
}
