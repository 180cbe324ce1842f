/** Tells whether a text was decoded rightly, by its characters beyond ASCII: where they stand, and who writes them. */

const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai', 'Han', 'Hiragana', 'Katakana', 'Hangul'];
const SCRIPT_PATTERNS = SCRIPTS.map((script) => new RegExp(`\\p{Script=${script}}`, 'u'));
/** Japanese mixes three scripts within a word. */
const EAST_ASIAN = new Set([6, 7, 8, 9]);

const LETTER = /\p{L}/u;
const UPPER = /\p{Lu}/u;
const LOWER = /\p{Ll}/u;
const MARK = /\p{M}/u;
/** Control characters of the upper half, what no character has, and what fonts use for their own. */
const NO_CHARACTER = /[\u0080-\u009f\ufffd\p{Co}\p{Cn}]/u;
/** Signs that stand within words. */
const JOINER = /['’ʼ‘·•\u00ad‐‑–—/\u200b-\u200f\u0640]/u;
/** Signs that open a quotation or a question: no letter stands before them. */
const OPENER = /[„‚¡¿]/;
/** Accents without their letter. */
const LONE_ACCENT = /[ˆ˜¯¸¨´ˇ˘˙˛˝]/;
/** Letters that stand for ordinal numbers and units, and others that are no part of a word. */
const LONE_LETTER = /[ªºµƒ]/;

/** So many equal letters in a row are lines drawn with the characters of another encoding. */
const REPEATED_LETTERS = 4;

/** Letters beyond ASCII that a language of an alphabet is written with. */
const ALPHABETS = [
  'àâæçéèêëîïôœùûüÿ',
  'äöüßé',
  'áéíóúüñª',
  'áàâãçéêíóôõúüº',
  'àèéìíîòóù',
  'ąćęłńóśźż',
  'áčďéěíňóřšťúůýž',
  'áäčďéíĺľňóôŕšťúýž',
  'áéíóöőúüű',
  'ăâîșşțţ',
  'čćđšž',
  'åäöéæøà',
  'áðéíóúýþæö',
  'âçğıîöşüûi̇',
  'āčēģīķļņšūž',
  'ąčęėįšųūž',
  'äõöüšž',
  'áàảãạăắằẳẵặâấầẩẫậđéèẻẽẹêếềểễệíìỉĩịóòỏõọôốồổỗộơớờởỡợúùủũụưứừửữựýỳỷỹỵ',
  'àáâéëèêïíóöüç·',
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя',
  'абвгдеёжзійклмнопрстуўфхцчшыьэюя',
  'абвгдђежзијклљмнњопрстћуфхцчџшѓќѕ',
].map((letters) => new Set(letters));

/** Different letters of other languages that no text has by chance. */
const OUTSIDERS_MIN = 3;

/** A text with fewer letters may be a heading in capitals. */
const CAPITALS_MIN = 40;
const CAPITALS_SHARE = 0.9;
/** Lines of tables may be drawn; letters are likelier. */
const DRAWN = /[\u2500-\u259f]/;
const DRAWN_LINE = /[\u2500-\u257f]/;
const DRAWN_BLOCK = /[\u2580-\u259f]/;
const DRAWN_WEIGHT = 0.1;

/** Signs of which two different ones stand side by side in no text. */
const SIGN = /[\p{S}†‡•§¶‰]/u;

/** Thai: letters out of use, a vowel that stands before its letter, signs that end a word. */
const THAI_LETTER = /[ก-ฮ]/;
const THAI_OLD = /[ฃฅ]/;
const THAI_FIRST = /[เ-ไ]/;
const THAI_LAST = /[ฯ๏๚๛]/;

export interface LetterOddity {
  /** Share of the characters beyond ASCII that stand where none of their kind is written; 0 without any. */
  misplaced: number;
  /** The same and the letters that are none of the language that has the most of them. */
  unlikely: number;
}

export function letterOddity(text: string): LetterOddity {
  const chars = Array.from(text);
  const letters: string[] = [];
  let foreign = 0;
  let misplaced = 0;
  let drawn = 0;
  for (const [at, char] of chars.entries()) {
    if (char <= '\u007f') continue;
    foreign += 1;
    if (isOdd(char, chars, at)) misplaced += 1;
    else if (DRAWN.test(char)) drawn += 1;
    else if (/[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(char)) letters.push(char);
  }
  if (foreign === 0) return { misplaced: 0, unlikely: 0 };
  const small = letters.map((char) => char.toLowerCase());
  const others = ALPHABETS.map((alphabet) => small.filter((char) => !alphabet.has(char)));
  const [fewest = []] = others.sort((one, other) => one.length - other.length);
  // A text may have names and words of another language: `Gruyère und Käse`.
  const outsiders = new Set(fewest).size < OUTSIDERS_MIN ? 0 : fewest.length;
  const isShouted =
    letters.length >= CAPITALS_MIN &&
    letters.filter((char) => UPPER.test(char)).length > letters.length * CAPITALS_SHARE;
  const unlikely = misplaced + outsiders + (isShouted ? 1 : 0) + drawn * DRAWN_WEIGHT;
  return { misplaced: misplaced / foreign, unlikely: unlikely / foreign };
}

function isOdd(char: string, chars: readonly string[], at: number): boolean {
  const before = chars[at - 1] ?? ' ';
  const after = chars[at + 1] ?? ' ';
  if (NO_CHARACTER.test(char) || LONE_ACCENT.test(char)) return true;
  if (MARK.test(char)) return !(LETTER.test(before) || MARK.test(before)) || scriptOf(before) !== scriptOf(char);
  if (SIGN.test(char) && !DRAWN.test(char)) {
    if ([before, after].every((other) => other > '\u007f' && other !== char && !/\s/u.test(other))) return true;
  }
  // Tables are drawn with lines, pictures with blocks.
  if (DRAWN_LINE.test(char) && (DRAWN_BLOCK.test(before) || DRAWN_BLOCK.test(after))) return true;
  const isBetween = LETTER.test(before) && LETTER.test(after);
  if (!LETTER.test(char)) {
    if (OPENER.test(char)) return LETTER.test(before);
    return isBetween && !JOINER.test(char) && !/\s/u.test(char) && isAlphabet(before) && isAlphabet(after);
  }
  if (LONE_LETTER.test(char)) return isBetween;
  return isOddLetter(char, chars, at);
}

function isOddLetter(char: string, chars: readonly string[], at: number): boolean {
  const before = chars[at - 1] ?? ' ';
  const after = chars[at + 1] ?? ' ';
  for (const neighbour of [before, after]) {
    if (LETTER.test(neighbour) && scriptOf(neighbour) !== scriptOf(char) && !mayMix(neighbour, char)) return true;
  }
  if (UPPER.test(char) && LOWER.test(before)) return true;
  if (LOWER.test(char) && UPPER.test(before) && UPPER.test(after)) return true;
  if (THAI_OLD.test(char) || (THAI_FIRST.test(char) && !THAI_LETTER.test(after))) return true;
  if (THAI_LAST.test(char) && THAI_LETTER.test(after)) return true;
  const run = chars.slice(at, at + REPEATED_LETTERS);
  return isAlphabet(char) && run.length === REPEATED_LETTERS && run.every((other) => other === char);
}

function mayMix(one: string, other: string): boolean {
  return EAST_ASIAN.has(scriptOf(one)) || EAST_ASIAN.has(scriptOf(other));
}

function isAlphabet(char: string): boolean {
  return !EAST_ASIAN.has(scriptOf(char));
}

function scriptOf(char: string): number {
  return SCRIPT_PATTERNS.findIndex((pattern) => pattern.test(char));
}
