/** Where the glyphs of a page stand in the text of their line. */

import type { Glyph } from './math-glyphs.ts';

/** A glyph with its offsets in the text of its line. */
export interface AlignedGlyph extends Glyph {
  start: number;
  end: number;
}

const UNKNOWN = '\ufffd';

/** Null if the glyphs, in their order, are not the text without its spaces. */
export function alignGlyphs(text: string, glyphs: readonly Glyph[]): AlignedGlyph[] | null {
  const aligned: AlignedGlyph[] = [];
  let at = 0;
  for (let index = 0; index < glyphs.length; index += 1) {
    const glyph = glyphs[index];
    if (glyph === undefined || /^\p{Cc}$/u.test(glyph.text)) continue;
    while (/^\s/u.test(text.charAt(at))) at += 1;
    const written = glyph.isUnknown && text.startsWith(UNKNOWN, at) ? UNKNOWN : glyph.text;
    if (text.startsWith(written, at)) {
      aligned.push({ ...glyph, start: at, end: at + written.length });
      at += written.length;
      continue;
    }
    const letter = glyphs[index + 1];
    const whole = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (letter === undefined || !isComposed(whole, letter.text)) return null;
    // The accent and its letter are one character of the text.
    for (const part of [glyph, letter]) aligned.push({ ...part, start: at, end: at + whole.length });
    at += whole.length;
    index += 1;
  }
  return text.slice(at).trim() === '' ? aligned : null;
}

/** Whether a character is a letter with an accent. */
function isComposed(whole: string, letter: string): boolean {
  const [base, accent] = [...whole.normalize('NFD')];
  const own = letter === 'ı' ? 'i' : letter === 'ȷ' ? 'j' : letter;
  return accent !== undefined && base === own;
}

const WORD_GAP = 0.14;

const WORD_LETTERS_MIN = 3;

const WORDS_MIN = 3;

/** Whether letters of fonts for mathematics are words of a sentence, with spaces between them. */
export function areWords(glyphs: readonly Glyph[]): boolean {
  let words = 0;
  let inWords = 0;
  let letters = 0;
  for (const [index, glyph] of glyphs.entries()) {
    const isLetter = glyph.isMath && /^[A-Za-z]$/.test(glyph.text);
    letters = isLetter ? (isLetterAfter(glyph, glyphs[index - 1]) ? letters + 1 : 1) : 0;
    if (!isLetterAfter(glyphs[index + 1], glyph) && letters >= WORD_LETTERS_MIN) {
      words += 1;
      inWords += letters;
    }
  }
  const all = glyphs.filter(({ text }) => /^\p{L}$/u.test(text)).length;
  return words >= WORDS_MIN && inWords > all / 2;
}

/** Whether a glyph is a letter of a formula that touches the one before it. */
function isLetterAfter(glyph: Glyph | undefined, before: Glyph | undefined): boolean {
  if (glyph === undefined || before === undefined || !glyph.isMath || !/^[A-Za-z]$/.test(glyph.text)) return false;
  return Math.abs(glyph.left - before.right) < WORD_GAP * glyph.size;
}
