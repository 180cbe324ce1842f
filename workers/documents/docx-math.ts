import type { XmlElement } from './xml.ts';

/** One open element of an equation and what its children came to, by their names. */
interface Frame {
  local: string;
  children: { local: string; text: string }[];
  /** Values of properties that show: the character of an n-ary operator, the brackets of a delimiter. */
  characters: Map<string, string>;
  text: string;
}

/** Deeper structure than any equation has is read as plain text: each level costs a copy of what is in it. */
const MAX_FRAMES = 100;
/**
 * Properties whose `val` is a character on the page, or whether a fraction has a bar. They stand in a `…Pr` child of
 * what they belong to.
 */
const CHARACTER_PROPERTIES = new Set(['chr', 'begChr', 'endChr', 'sepChr', 'type']);
/** The accent where none is named. */
const HAT = '\u0302';

/**
 * Writes an equation (OMML) on one line, in the way people type them: `(a+b)/c`, `x^2`, `√(x)`, `∑_(i=1)^n i`. Fed
 * with the events between the equation's tags; nothing recurses, so nesting costs no stack.
 */
export class EquationWriter {
  private readonly frames: Frame[] = [newFrame('oMath')];
  /** Names of the open elements beyond MAX_FRAMES. */
  private readonly beyond: string[] = [];

  open(element: XmlElement): void {
    if (this.frames.length >= MAX_FRAMES) {
      this.beyond.push(element.local);
      return;
    }
    const value = element.attribute('val');
    if (element.namespace === 'm' && CHARACTER_PROPERTIES.has(element.local) && value !== undefined) {
      this.frames.at(-2)?.characters.set(element.local, value);
    }
    this.frames.push(newFrame(element.local));
  }

  text(text: string): void {
    const frame = this.frames.at(-1);
    if (frame !== undefined && (this.beyond.at(-1) ?? frame.local) === 't') frame.text += text;
  }

  close(): void {
    if (this.beyond.pop() !== undefined) return;
    const frame = this.frames.pop();
    const parent = this.frames.at(-1);
    if (frame === undefined || parent === undefined) return;
    parent.children.push({ local: frame.local, text: frame.text + linear(frame) });
  }

  /** The whole equation. */
  finish(): string {
    const [root] = this.frames;
    return root === undefined ? '' : linear(root).replace(/\s+/g, ' ').trim();
  }
}

function newFrame(local: string): Frame {
  return { local, children: [], characters: new Map(), text: '' };
}

function linear(frame: Frame): string {
  const child = (local: string) => frame.children.find((one) => one.local === local)?.text ?? '';
  switch (frame.local) {
    case 'f':
      return `${group(child('num'))}${frame.characters.get('type') === 'noBar' ? '¦' : '/'}${group(child('den'))}`;
    case 'acc':
      return group(child('e')) + (frame.characters.get('chr') ?? HAT);
    case 'sSup':
      return child('e') + script('^', child('sup'));
    case 'sSub':
      return child('e') + script('_', child('sub'));
    case 'sSubSup':
      return child('e') + script('_', child('sub')) + script('^', child('sup'));
    case 'sPre':
      return script('_', child('sub')) + script('^', child('sup')) + child('e');
    case 'limLow':
      return child('e') + script('_', child('lim'));
    case 'limUpp':
      return child('e') + script('^', child('lim'));
    case 'rad':
      return `${child('deg')}√(${child('e')})`;
    case 'nary': {
      const sign = frame.characters.get('chr') ?? '∫';
      return `${sign}${script('_', child('sub'))}${script('^', child('sup'))} ${child('e')}`;
    }
    case 'd':
      return delimited(frame);
    case 'func':
      return `${child('fName')} ${child('e')}`;
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

function delimited(frame: Frame): string {
  const inner = frame.children.flatMap((one) => (one.local === 'e' ? [one.text] : []));
  const { characters } = frame;
  const separator = characters.get('sepChr') ?? '|';
  return `${characters.get('begChr') ?? '('}${inner.join(separator)}${characters.get('endChr') ?? ')'}`;
}

export function script(sign: '^' | '_', text: string): string {
  return text === '' ? '' : `${sign}${group(text)}`;
}

/** Brackets around what is more than one character or number. */
export function group(text: string): string {
  return /^(?:.|\d+)$/su.test(text) ? text : `(${text})`;
}
