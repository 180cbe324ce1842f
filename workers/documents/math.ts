import type { XmlElement } from './xml.ts';

/** An open element of a formula, with the output of its children. */
interface Frame {
  name: string;
  children: string[];
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
  readonly #frames: Frame[] = [{ name: 'math', children: [], attribute: () => null }];
  #beyond = 0;
  #notationDepth = 0;

  /** `name` has no prefix. */
  openMathElement(name: string, attribute: (name: string) => string | null): void {
    if (this.#notationDepth > 0 || NOTATIONS.has(name)) this.#notationDepth += 1;
    else if (this.#frames.length >= MAX_FRAMES) this.#beyond += 1;
    else this.#frames.push({ name, children: [], attribute });
  }

  addMathText(text: string): void {
    if (this.#notationDepth > 0) return;
    const shown = text.replace(INVISIBLE, '').replace(/\s+/g, ' ');
    if (shown.trim() !== '') this.#frames.at(-1)?.children.push(shown.trim());
  }

  closeMathElement(): void {
    if (this.#notationDepth > 0) this.#notationDepth -= 1;
    else if (this.#beyond > 0) this.#beyond -= 1;
    else {
      const frame = this.#frames.length > 1 ? this.#frames.pop() : undefined;
      if (frame !== undefined) this.#frames.at(-1)?.children.push(linearMathml(frame));
    }
  }

  /** The whole formula. */
  finishMathFormula(): string {
    const [root] = this.#frames;
    return root === undefined ? '' : linearMathml(root).replace(/\s+/g, ' ').trim();
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
  children: { local: string; text: string }[];
  /** Properties that are visible: the character of an n-ary operator, the brackets of a delimiter. */
  characters: Map<string, string>;
  text: string;
}

/**
 * Properties whose `val` is a visible character, or the type of a fraction. They are in a `…Pr` child of their element.
 */
const CHARACTER_PROPERTIES = new Set(['chr', 'begChr', 'endChr', 'sepChr', 'type']);

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

  openEquationElement(element: XmlElement): void {
    if (this.frames.length >= MAX_FRAMES) {
      this.beyond.push(element.local);
      return;
    }
    const value = element.attributeValue('val');
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
    parent.children.push({ local: frame.local, text: frame.text + linearOffice(frame) });
  }

  /** The whole equation. */
  finishEquation(): string {
    const [root] = this.frames;
    return root === undefined ? '' : linearOffice(root).replace(/\s+/g, ' ').trim();
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
