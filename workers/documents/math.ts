import { say } from '../../src-server/platform/text/say.ts';
import {
  finishLatex,
  latexAccent,
  latexBrackets,
  latexFraction,
  latexLines,
  latexMatrix,
  latexName,
  latexRoot,
  latexScripts,
  latexSymbols,
  latexText,
} from './latex.ts';
import type { XmlElement } from './xml.ts';

/** A formula on one line in common notation, and as LaTeX. */
export interface Formula {
  text: string;
  latex: string;
  /** Its innermost parts are plain text. */
  isDeep?: true;
}

/** Of a formula whose innermost parts are plain text. */
export const DEEP_FORMULA = say`A formula nests more than 100 levels deep; its innermost parts are plain characters.`;

/** An open element of a formula, with the output of its children. */
interface Frame {
  name: string;
  children: string[];
  latex: string[];
  attribute(name: string): string | null;
}

/** Deeper structure is read as plain text, because each level copies its content. */
const MAX_FRAMES = 100;

/** Machine-readable copies of a formula. */
const NOTATIONS = new Set(['annotation', 'annotation-xml']);

/** Invisible operators. */
const INVISIBLE = /[\u2061-\u2064]/g;

/** Operators whose operand follows, such as sums and integrals. */
const LARGE = /^[\u2211\u220f\u2210\u222b-\u2233\u22c0-\u22c3\u2a00-\u2a1c]/u;

const ACCENT = /^[^\p{L}\p{N}]$/u;

/** Writes MathML on one line, like equations of .docx: `(a+b)/c`, `x^2`, `√(x)`. */
export class MathmlWriter {
  readonly #frames: Frame[] = [{ name: 'math', children: [], latex: [], attribute: () => null }];
  #beyond = 0;
  #notationDepth = 0;
  /** Whether the open notation is TeX, and what the source states in it. */
  #isTex = false;
  #tex = '';

  /** Whether parts of the formula are nested too deeply to be told apart. */
  isDeep = false;

  /** Whether text belongs to another notation of the formula. */
  get isInNotation(): boolean {
    return this.#notationDepth > 0;
  }

  /** `name` has no prefix. */
  openMathElement(name: string, attribute: (name: string) => string | null): void {
    if (this.#notationDepth > 0 || NOTATIONS.has(name)) {
      if (this.#notationDepth === 0) this.#isTex = this.#tex === '' && TEX_NOTATION.test(attribute('encoding') ?? '');
      this.#notationDepth += 1;
    } else if (this.#frames.length > MAX_FRAMES) {
      this.#beyond += 1;
      this.isDeep = true;
    } else {
      // Around it may be a fraction, which has two parts and no more.
      const own = this.#frames.length === MAX_FRAMES ? 'mrow' : name;
      this.#frames.push({ name: own, children: [], latex: [], attribute });
    }
  }

  addMathText(text: string): void {
    if (this.#notationDepth > 0) {
      if (this.#isTex) this.#tex += text;
      return;
    }
    const shown = text.replace(INVISIBLE, '').replace(/\s+/g, ' ');
    const frame = this.#frames.at(-1);
    if (shown.trim() === '' || frame === undefined) return;
    frame.children.push(shown.trim());
    const isName = frame.name === 'mi';
    frame.latex.push(frame.name === 'mtext' ? latexText(shown) : isName ? latexName(shown) : latexSymbols(shown));
  }

  closeMathElement(): void {
    if (this.#notationDepth > 0) this.#notationDepth -= 1;
    else if (this.#beyond > 0) this.#beyond -= 1;
    else {
      const frame = this.#frames.length > 1 ? this.#frames.pop() : undefined;
      const parent = this.#frames.at(-1);
      if (frame === undefined || parent === undefined) return;
      parent.children.push(linearMathml(frame));
      parent.latex.push(latexMathml(frame));
    }
  }

  /** The whole formula. The LaTeX that the source states goes before the one made here. */
  finishMathFormula(): Formula {
    const [root] = this.#frames;
    if (root === undefined) return { text: '', latex: '' };
    const stated = this.#tex.trim().replace(/^\{\\displaystyle (.*)\}$/s, '$1');
    return {
      text: linearMathml(root).replace(/\s+/g, ' ').trim(),
      latex: stated === '' ? finishLatex(latexMathml(root)) : stated.replace(/\s+/g, ' '),
    };
  }
}

const TEX_NOTATION = /tex/i;

/** Operators under and over which limits stand. */
const LIMITS = /^\\(?:sum|prod|coprod|bigcap|bigcup|bigwedge|bigvee|int|oint|lim|limsup|liminf|max|min|sup|inf)\s*$/;

function latexMathml({ name, latex, children, attribute }: Frame): string {
  const [base = '', second = '', third = ''] = latex;
  switch (name) {
    case 'mfrac':
      return latexFraction(base, second, !/^0/.test(attribute('linethickness') ?? ''));
    case 'msup':
      return latexScripts(base, '', second);
    case 'msub':
      return latexScripts(base, second, '');
    case 'msubsup':
    case 'munderover':
      return latexScripts(base, second, third);
    case 'mover':
      if (LIMITS.test(base)) return latexScripts(base, '', second);
      return latexAccent(children[1] ?? '', base) ?? `\\overset{${second.trim()}}{${base.trim()}}`;
    case 'munder':
      if (LIMITS.test(base)) return latexScripts(base, second, '');
      return latexAccent(children[1] ?? '', base) ?? `\\underset{${second.trim()}}{${base.trim()}}`;
    case 'msqrt':
      return latexRoot('', latex.join(''));
    case 'mroot':
      return latexRoot(second, base);
    case 'mfenced': {
      const separator = attribute('separators')?.trim()[0] ?? ',';
      return latexBrackets(attribute('open') ?? '(', latex.join(separator), attribute('close') ?? ')');
    }
    case 'mtable':
      return latexMatrix(latex);
    case 'mtr':
      return latex.map((cell) => cell.trim()).join(' & ');
    case 'mspace':
      return ' ';
    default:
      return latex.join('');
  }
}

function linearMathml({ name, children, attribute }: Frame): string {
  const [base = '', second = '', third = ''] = children;
  switch (name) {
    case 'mfrac':
      return `${groupNotation(base)}${/^0/.test(attribute('linethickness') ?? '') ? '¦' : '/'}${groupNotation(second)}`;
    case 'msup':
    case 'mover':
      return ACCENT.test(second) && name === 'mover' ? base + second : scriptedBase(base, '', second);
    case 'msub':
    case 'munder':
      return scriptedBase(base, second, '');
    case 'msubsup':
    case 'munderover':
      return scriptedBase(base, second, third);
    case 'msqrt':
      return `√(${children.join('')})`;
    case 'mroot':
      return `${second}√(${base})`;
    case 'mfenced':
      return (
        (attribute('open') ?? '(') +
        children.join(attribute('separators')?.trim()[0] ?? ',') +
        (attribute('close') ?? ')')
      );
    case 'mtable':
      return children.join('; ');
    case 'mtr':
      return children.join(', ');
    case 'mspace':
      return ' ';
    case 'mtext':
      return ` ${children.join(' ')} `;
    default:
      return children.join('');
  }
}

function scriptedBase(base: string, below: string, above: string): string {
  return base + scriptNotation('_', below) + scriptNotation('^', above) + (LARGE.test(base) ? ' ' : '');
}

/** An open element of an equation, with the output of its children by name. */
interface OfficeFrame {
  local: string;
  children: { local: string; text: string; latex: string }[];
  /** Properties that are visible: the character of an n-ary operator, the brackets of a delimiter. */
  characters: Map<string, string>;
  text: string;
}

/**
 * Properties whose `val` is a visible character, or the type of a fraction. They are in a `…Pr` child of their element.
 */
const CHARACTER_PROPERTIES = new Set(['chr', 'begChr', 'endChr', 'sepChr', 'type', 'pos', 'nor']);

/** The default accent. */
const HAT = '\u0302';

/**
 * Writes an equation (OMML) on one line, in common notation: `(a+b)/c`, `x^2`, `√(x)`, `∑_(i=1)^n i`. Takes the parser
 * events inside the equation; without recursion, so nesting uses no stack.
 */
export class EquationWriter {
  private readonly frames: OfficeFrame[] = [newFrame('oMath')];
  /** Names of open elements past MAX_FRAMES. */
  private readonly beyond: string[] = [];
  /** Whether parts of the formula are nested too deeply to be told apart. */
  isDeep = false;

  openEquationElement(element: XmlElement): void {
    if (this.frames.length >= MAX_FRAMES) {
      this.beyond.push(element.local);
      this.isDeep = true;
      return;
    }
    const value = element.attributeValue('val') ?? (element.local === 'nor' ? '1' : null);
    if (element.namespace === 'm' && CHARACTER_PROPERTIES.has(element.local) && value !== null) {
      this.frames.at(-2)?.characters.set(element.local, value);
    }
    this.frames.push(newFrame(element.local));
  }

  addEquationText(text: string): void {
    const frame = this.frames.at(-1);
    if (frame !== undefined && (this.beyond.at(-1) ?? frame.local) === 't') frame.text += text;
  }

  closeEquationElement(): void {
    if (this.beyond.pop() !== undefined) return;
    const frame = this.frames.pop();
    const parent = this.frames.at(-1);
    if (frame === undefined || parent === undefined) return;
    const own = frame.text === '' ? '' : latexOfficeText(frame.text, parent.characters.has('nor'));
    const latex = own + latexOffice(frame);
    parent.children.push({ local: frame.local, text: frame.text + linearOffice(frame), latex });
  }

  /** The whole equation. */
  finishEquation(): Formula {
    const [root] = this.frames;
    if (root === undefined) return { text: '', latex: '' };
    return { text: linearOffice(root).replace(/\s+/g, ' ').trim(), latex: finishLatex(latexOffice(root)) };
  }
}

function latexOfficeText(text: string, isText: boolean): string {
  if (isText) return latexText(text);
  return /^[A-Za-z]{2,}$/.test(text.trim()) ? latexFunctionOrLetters(text) : latexSymbols(text);
}

/** In Word, letters beside each other are variables, unless they name a function. */
function latexFunctionOrLetters(text: string): string {
  const named = latexName(text);
  return named.startsWith('\\mathrm') ? text : named;
}

function latexOffice(frame: OfficeFrame): string {
  const child = (local: string) => frame.children.find((one) => one.local === local)?.latex ?? '';
  const inner = child('e');
  switch (frame.local) {
    case 'f':
      return latexFraction(child('num'), child('den'), frame.characters.get('type') !== 'noBar');
    case 'acc': {
      const sign = frame.characters.get('chr') ?? HAT;
      return latexAccent(sign, inner) ?? `\\overset{${latexSymbols(sign).trim()}}{${inner.trim()}}`;
    }
    case 'bar':
      return `\\${frame.characters.get('pos') === 'top' ? 'overline' : 'underline'}{${inner.trim()}}`;
    case 'groupChr': {
      const sign = frame.characters.get('chr') ?? '\u23df';
      return latexAccent(sign, inner) ?? `\\underset{${latexSymbols(sign).trim()}}{${inner.trim()}}`;
    }
    case 'sSup':
      return latexScripts(inner, '', child('sup'));
    case 'sSub':
      return latexScripts(inner, child('sub'), '');
    case 'sSubSup':
      return latexScripts(inner, child('sub'), child('sup'));
    case 'sPre':
      return `${latexScripts('', child('sub'), child('sup'))}${inner}`;
    case 'limLow':
      return latexScripts(inner, child('lim'), '');
    case 'limUpp':
      return latexScripts(inner, '', child('lim'));
    case 'rad':
      return latexRoot(child('deg'), inner);
    case 'nary':
      return `${latexScripts(latexSymbols(frame.characters.get('chr') ?? '∫'), child('sub'), child('sup'))} ${inner}`;
    case 'func':
      return `${child('fName').trim()} ${inner}`;
    default:
      return latexOfficeGroup(frame);
  }
}

function latexOfficeGroup(frame: OfficeFrame): string {
  const parts = (local: string) => frame.children.flatMap((one) => (one.local === local ? [one.latex.trim()] : []));
  switch (frame.local) {
    case 'd': {
      const { characters } = frame;
      const inner = parts('e').join(characters.get('sepChr') ?? '|');
      return latexBrackets(characters.get('begChr') ?? '(', inner, characters.get('endChr') ?? ')');
    }
    case 'm':
      return latexMatrix(parts('mr'));
    case 'mr':
      return parts('e').join(' & ');
    case 'eqArr':
      return latexLines(parts('e'));
    case 'box':
    case 'borderBox':
      return frame.local === 'box' ? parts('e').join('') : `\\boxed{${parts('e').join('')}}`;
    default:
      return frame.children.map((one) => one.latex).join('');
  }
}

function newFrame(local: string): OfficeFrame {
  return { local, children: [], characters: new Map(), text: '' };
}

function linearOffice(frame: OfficeFrame): string {
  const childFrameText = (local: string) => frame.children.find((one) => one.local === local)?.text ?? '';
  switch (frame.local) {
    case 'f':
      return [childFrameText('num'), childFrameText('den')]
        .map(groupNotation)
        .join(frame.characters.get('type') === 'noBar' ? '¦' : '/');
    case 'acc':
      return groupNotation(childFrameText('e')) + (frame.characters.get('chr') ?? HAT);
    case 'sSup':
      return childFrameText('e') + scriptNotation('^', childFrameText('sup'));
    case 'sSub':
      return childFrameText('e') + scriptNotation('_', childFrameText('sub'));
    case 'sSubSup':
      return (
        childFrameText('e') + scriptNotation('_', childFrameText('sub')) + scriptNotation('^', childFrameText('sup'))
      );
    case 'sPre':
      return (
        scriptNotation('_', childFrameText('sub')) + scriptNotation('^', childFrameText('sup')) + childFrameText('e')
      );
    case 'limLow':
      return childFrameText('e') + scriptNotation('_', childFrameText('lim'));
    case 'limUpp':
      return childFrameText('e') + scriptNotation('^', childFrameText('lim'));
    case 'rad':
      return `${childFrameText('deg')}√(${childFrameText('e')})`;
    case 'nary': {
      const sign = frame.characters.get('chr') ?? '∫';
      const limits = scriptNotation('_', childFrameText('sub')) + scriptNotation('^', childFrameText('sup'));
      return `${sign}${limits} ${childFrameText('e')}`;
    }
    case 'd':
      return delimitedEquation(frame);
    case 'func':
      return `${childFrameText('fName')} ${childFrameText('e')}`;
    case 'm':
      return frame.children.flatMap((row) => (row.local === 'mr' ? [row.text] : [])).join('; ');
    case 'mr':
      return frame.children.map((cell) => cell.text).join(', ');
    case 'eqArr':
      return frame.children.flatMap((line) => (line.local === 'e' ? [line.text] : [])).join('; ');
    default:
      return frame.children.map((one) => one.text).join('');
  }
}

function delimitedEquation(frame: OfficeFrame): string {
  const inner = frame.children.flatMap((one) => (one.local === 'e' ? [one.text] : []));
  const { characters } = frame;
  const separator = characters.get('sepChr') ?? '|';
  return `${characters.get('begChr') ?? '('}${inner.join(separator)}${characters.get('endChr') ?? ')'}`;
}

function scriptNotation(sign: '^' | '_', text: string): string {
  return text === '' ? '' : `${sign}${groupNotation(text)}`;
}

/** Adds brackets around more than one character or number. */
function groupNotation(text: string): string {
  return /^(?:.|\d+)$/su.test(text) ? text : `(${text})`;
}
