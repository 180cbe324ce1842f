import { group, script } from './docx-math.ts';

/** One open element of a formula, and what its children came to. */
interface Frame {
  name: string;
  children: string[];
  attribute(name: string): string | null;
}

/** Deeper structure than any formula has is read as plain text: each level costs a copy of what is in it. */
const MAX_FRAMES = 100;
/** What says the same in another language, for programs. */
const NOTATIONS = new Set(['annotation', 'annotation-xml']);
/** Signs of what stands beside each other, which nobody sees. */
const INVISIBLE = /[\u2061-\u2064]/g;
/** What is summed up begins after them. */
const LARGE = /^[\u2211\u220f\u2210\u222b-\u2233\u22c0-\u22c3\u2a00-\u2a1c]/u;
const ACCENT = /^[^\p{L}\p{N}]$/u;

/** Writes a formula of MathML on one line as equations of .docx are written: `(a+b)/c`, `x^2`, `√(x)`. */
export class MathmlWriter {
  readonly #frames: Frame[] = [{ name: 'math', children: [], attribute: () => null }];
  #beyond = 0;
  #notationDepth = 0;

  /** `name` is without its prefix. */
  open(name: string, attribute: (name: string) => string | null): void {
    if (this.#notationDepth > 0 || NOTATIONS.has(name)) this.#notationDepth += 1;
    else if (this.#frames.length >= MAX_FRAMES) this.#beyond += 1;
    else this.#frames.push({ name, children: [], attribute });
  }

  text(text: string): void {
    if (this.#notationDepth > 0) return;
    const shown = text.replace(INVISIBLE, '').replace(/\s+/g, ' ');
    if (shown.trim() !== '') this.#frames.at(-1)?.children.push(shown.trim());
  }

  close(): void {
    if (this.#notationDepth > 0) this.#notationDepth -= 1;
    else if (this.#beyond > 0) this.#beyond -= 1;
    else {
      const frame = this.#frames.length > 1 ? this.#frames.pop() : undefined;
      if (frame !== undefined) this.#frames.at(-1)?.children.push(linear(frame));
    }
  }

  /** The whole formula. */
  finish(): string {
    const [root] = this.#frames;
    return root === undefined ? '' : linear(root).replace(/\s+/g, ' ').trim();
  }
}

function linear({ name, children, attribute }: Frame): string {
  const [base = '', second = '', third = ''] = children;
  switch (name) {
    case 'mfrac':
      return `${group(base)}${/^0/.test(attribute('linethickness') ?? '') ? '¦' : '/'}${group(second)}`;
    case 'msup':
    case 'mover':
      return ACCENT.test(second) && name === 'mover' ? base + second : scripted(base, '', second);
    case 'msub':
    case 'munder':
      return scripted(base, second, '');
    case 'msubsup':
    case 'munderover':
      return scripted(base, second, third);
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

function scripted(base: string, below: string, above: string): string {
  return base + script('_', below) + script('^', above) + (LARGE.test(base) ? ' ' : '');
}
