import { byName } from '../../../src-server/platform/records.ts';
import { displayedLatex, FORMULA_ENVIRONMENT } from '../displayed-latex.ts';
import { type InlineKind, type InlineValues, signedLatex, signedText } from '../inline-marks.ts';
import { ACCENTS, DROPPED, SYMBOLS } from './characters.ts';
import { TexScanner } from './scanner.ts';
import { TexText } from './tex-text.ts';

const DEPTH_MAX = 20;

/** Environments with a size, and text inside. */
export const BOX = /^(?:minipage|multicols|wrapfigure|adjustbox|parbox)\*?$/;

/** Commands that mark their argument. */
const MARKING: Readonly<Record<string, InlineKind>> = byName({
  emph: 'emphasis',
  lstinline: 'code',
  sout: 'strike',
  st: 'strike',
  textbf: 'strong',
  textit: 'emphasis',
  textsl: 'emphasis',
  textsubscript: 'sub',
  textsuperscript: 'sup',
  texttt: 'code',
  uline: 'emphasis',
  underline: 'emphasis',
});

/** Commands that mark the rest of their group. */
const DECLARING: Readonly<Record<string, InlineKind>> = byName({
  bf: 'strong',
  bfseries: 'strong',
  em: 'emphasis',
  it: 'emphasis',
  itshape: 'emphasis',
  sl: 'emphasis',
  slshape: 'emphasis',
  tt: 'code',
  ttfamily: 'code',
});

export interface TexFormula {
  /** Between its marks. */
  source: string;
  isDisplayed: boolean;
}

/** A formula; with an empty source for a mark that nothing closes. */
export function takeTexFormula(scanner: TexScanner): TexFormula | string | null {
  const before = scanner.at;
  const mark = scanner.takeMatch(/\$\$|\$|\\\[|\\\(/y);
  if (mark === null) return null;
  const body = scanner.takeUntil({ '\\[': '\\]', '\\(': '\\)' }[mark] ?? mark);
  if (body !== null) return { source: body, isDisplayed: mark === '$$' || mark === '\\[' };
  scanner.at = before + mark.length;
  return mark;
}

/** Reads commands and groups within a text; arguments of unknown commands follow as text. */
export class TexInline {
  readonly #values: InlineValues;
  readonly #addNote: (source: string) => string | null;

  /** @param addNote makes a note of a source and returns its mark; null where it is text */
  constructor(values: InlineValues, addNote: (source: string) => string | null) {
    this.#values = values;
    this.#addNote = addNote;
  }

  /** The text of an argument. */
  inlineText(source: string, depth = 0): string {
    if (depth > DEPTH_MAX) return source;
    const scanner = new TexScanner(source);
    const text = new TexText();
    while (!scanner.isTexSourceConsumed) {
      if (scanner.takeMatch(/%[^\n]*\n?[ \t]*/y) !== null) continue;
      const formula = takeTexFormula(scanner);
      if (formula !== null) text.putTex(typeof formula === 'string' ? formula : signedLatex(formula.source, false));
      else if (scanner.takeMatch(/\\(?=[A-Za-z@])/y) !== null) {
        this.putTexCommand(scanner.takeName(), scanner, text, depth + 1);
      } else this.putTexInline(scanner, text);
    }
    return finishTexText(text.takeTex());
  }

  /** Text, an escaped character, or a brace, which has no text. */
  putTexInline(scanner: TexScanner, text: TexText): void {
    const plain = scanner.takeText();
    if (plain !== '') {
      text.putTex(typographicText(plain));
      return;
    }
    const character = scanner.takeTexCharacter();
    if (character === '\\') this.putTexCommand(scanner.takeName(), scanner, text);
    else if (character === '{') text.openGroup();
    else if (character === '}') text.closeGroup();
    else text.putTex(character === '\n' || character === '~' ? ' ' : character);
  }

  putTexCommand(name: string, scanner: TexScanner, text: TexText, depth = 0): void {
    const plain = name.replace('*', '');
    const marking = MARKING[plain];
    const declaring = DECLARING[plain];
    if (marking !== undefined || plain === 'mintinline') this.#putMarked(plain, marking ?? 'code', scanner, text);
    else if (declaring !== undefined) {
      scanner.takeMatch(/[ \t]+(?!\n)|\{\}/y);
      text.markGroup(declaring);
    } else if (plain === 'href') this.#putLink(scanner, text);
    else text.putTex(this.#commandText(name, scanner, depth));
  }

  /** The argument of a command, which is in braces, or code between two equal signs. */
  #putMarked(name: string, kind: InlineKind, scanner: TexScanner, text: TexText): void {
    if (name === 'mintinline') scanner.takeGroup();
    if (kind === 'code' && name !== 'texttt') {
      scanner.takeOption();
      const sign = scanner.takeMatch(/[^\sA-Za-z{\\]/y);
      const code = sign === null ? null : scanner.takeUntil(sign);
      if (code !== null) text.putTex(signedText('code', code));
      if (sign !== null) return;
    }
    if (scanner.takeMatch(/\s*\{/y) === null) return;
    text.openGroup();
    text.markGroup(kind);
  }

  /** A link goes up to the end of its text in braces. */
  #putLink(scanner: TexScanner, text: TexText): void {
    scanner.takeOption();
    const url = scanner.takeGroup();
    const sign = url === null ? null : this.#values.openAddress(texAddress(url));
    if (scanner.takeMatch(/\s*\{/y) === null) return;
    text.openGroup();
    if (sign !== null) text.markGroup('link', sign);
  }

  #commandText(name: string, scanner: TexScanner, depth: number): string {
    const accent = ACCENTS[name];
    if (accent !== undefined) return accentedLetter(name, accent, scanner);
    const symbol = SYMBOLS[name];
    if (symbol !== undefined) {
      // A space after a command ends its name.
      scanner.takeMatch(/[ \t]+|\{\}/y);
      return symbol;
    }
    const dropped = DROPPED[name.replace('*', '')];
    if (dropped !== undefined) {
      dropArguments(scanner, dropped);
      return '';
    }
    if (name === 'and') return ', ';
    if (name === 'begin' || name === 'end') return environmentText(name, scanner);
    if (name === 'ensuremath') return signedLatex(scanner.takeGroup() ?? '', false);
    if (name === 'texorpdfstring') {
      const shown = this.inlineText(scanner.takeGroup() ?? '', depth + 1);
      scanner.takeGroup();
      return shown;
    }
    if (/^(?:[a-z]*cite[a-z]*|[a-z]*ref|Cref)$/i.test(name)) return this.#referenceText(name, scanner, depth);
    if (name === 'url' || name === 'nolinkurl') return texAddress(scanner.takeGroup() ?? '');
    if (name === 'path') return scanner.takeGroup() ?? '';
    if (name === 'verb' || name === 'verb*') {
      return signedText('code', scanner.takeUntil(scanner.takeTexCharacter()) ?? '');
    }
    if (name === 'footnote') {
      scanner.takeOption();
      const source = scanner.takeGroup() ?? '';
      return (depth > DEPTH_MAX ? null : this.#addNote(source)) ?? ` (${this.inlineText(source, depth + 1)})`;
    }
    return otherCommandText(name, scanner);
  }

  /** A reference, with the words before and after its name. */
  #referenceText(name: string, scanner: TexScanner, depth: number): string {
    const options = [scanner.takeOption(), scanner.takeOption()].filter((option) => option !== null);
    const group = scanner.takeGroup() ?? '';
    if (name === 'hyperref' && options.length > 0) return this.inlineText(group, depth + 1);
    if (!/cite/i.test(name)) return `[${group}]`;
    const [after = '', before = ''] = options.toReversed().map((option) => this.inlineText(option, depth + 1));
    return `[${before === '' ? '' : `${before} `}${group}${after === '' ? '' : `, ${after}`}]`;
  }
}

function environmentText(name: 'begin' | 'end', scanner: TexScanner): string {
  const environment = scanner.takeGroup() ?? '';
  if (name === 'end') return '';
  if (BOX.test(environment)) takeBox(scanner);
  if (!FORMULA_ENVIRONMENT.test(environment)) return '';
  const end = `\\end{${environment}}`;
  const source = scanner.takeUntil(end);
  return source === null ? '' : signedLatex(displayedLatex(`\\begin{${environment}}${source}${end}`), false);
}

function otherCommandText(name: string, scanner: TexScanner): string {
  if (name === '\\') {
    // The space below the line.
    scanner.takeMatch(/\*?\[\s*-?[\d.]+\s*\\?[a-z]+\s*\]/y);
    return '\v';
  }
  if (/^[A-Za-z@]/.test(name)) {
    // Brackets after a space are text.
    if (scanner.takeMatch(/(?=\[)/y) !== null) scanner.takeOption();
    // A space after a command ends its name.
    scanner.takeMatch(/[ \t]+(?!\n)/y);
    return '';
  }
  return { ',': ' ', ';': ' ', ':': ' ', ' ': ' ', '!': '', '-': '', '/': '', '\n': ' ' }[name] ?? name;
}

function dropArguments(scanner: TexScanner, count: number): void {
  for (let at = 0; at < count; at += 1) {
    scanner.takeOption();
    if (scanner.takeGroup() === null) scanner.takeMatch(/\s*\\[A-Za-z@]+/y);
    scanner.takeOption();
  }
}

function texAddress(source: string): string {
  return source.replace(/\\([%#&_~{}])/g, '$1').trim();
}

/** Skips the position and the size of a box. */
export function takeBox(scanner: TexScanner): void {
  while (scanner.takeOption() !== null);
  scanner.takeGroup();
}

function accentedLetter(name: string, accent: string, scanner: TexScanner): string {
  scanner.takeMatch(/[ \t]+/y);
  const group = scanner.takeGroup();
  // Over nothing, an accent is itself.
  if (group?.trim() === '') return name === '^' || name === '~' ? name : '';
  const letter = group === null ? (scanner.takeMatch(/\\[ij]\b ?|[^\\{}\s]/y) ?? '') : group;
  // Accents are written over i and j without their dots.
  const plain = letter.replace(/\\([ij])\b ?/, '$1');
  return `${plain.slice(0, 1)}${plain === '' ? '' : accent}${plain.slice(1)}`.normalize('NFC');
}

function typographicText(text: string): string {
  return text
    .replaceAll('---', '—')
    .replaceAll('--', '–')
    .replaceAll('``', '“')
    .replaceAll("''", '”')
    .replaceAll('`', '‘');
}

export function finishTexText(text: string): string {
  return text
    .replace(/[ \t\n]+/g, ' ')
    .replace(/ ?\v ?/g, '\v')
    .replaceAll(' ,', ',')
    .trim();
}
