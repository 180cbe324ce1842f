/** Formulas of XML: MathML, and TeX of JATS. An article may have one in both, of which the first is read. */

import { type Formula, MathmlWriter } from '../math.ts';
import type { XmlElement } from '../xml.ts';

/** What a formula gives to the text, and what of the source is not in it. */
interface ReadFormula {
  /** Null for a second notation of the formula before it. */
  formula: Formula | null;
  copy: string;
  /** The head of a TeX document around the formula. */
  hidden: string;
}

/** Around the formula, in TeX that is a document. */
const [TEX_BEGIN, TEX_END] = ['\\begin{document}', '\\end{document}'];

const TEX_DELIMITERS = [
  [/^\$\$/, /\$\$$/],
  [/^\$/, /\$$/],
  [/^\\\[/, /\\\]$/],
  [/^\\\(/, /\\\)$/],
] as const;

export class XmlFormulas {
  #depth = 0;
  /** Null outside MathML. */
  #writer: MathmlWriter | null = null;
  #text = '';
  #alternatives: { depth: number; isRead: boolean } | null = null;

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** Whether parts of the last formula are nested too deeply to be told apart. */
  isDeep = false;

  /** Whether an element begins a formula or belongs to one. */
  open(element: XmlElement, depth: number): boolean {
    if (this.#depth > 0) {
      this.#writer?.openMathElement(element.local, (name) => element.attributeValue(name));
      return true;
    }
    if (element.local === 'alternatives') this.#alternatives = { depth, isRead: false };
    const isMath = element.namespace === 'math' && element.local === 'math';
    if (!isMath && element.local !== 'tex-math') return false;
    this.#writer = isMath ? new MathmlWriter() : null;
    this.#depth = depth;
    this.#text = '';
    return true;
  }

  addText(text: string): void {
    this.#text += text;
    this.#writer?.addMathText(text);
  }

  /** An element ends. Returns the formula that ends with it. */
  close(depth: number): ReadFormula | null {
    if (this.#depth === 0) {
      if (this.#alternatives?.depth === depth) this.#alternatives = null;
      return null;
    }
    if (depth > this.#depth) {
      this.#writer?.closeMathElement();
      return null;
    }
    this.#depth = 0;
    const writer = this.#writer;
    this.isDeep = writer?.isDeep === true;
    if (this.#alternatives?.isRead === true) return { formula: null, copy: this.#text, hidden: '' };
    const read = writer === null ? readTex(this.#text) : { formula: writer.finishMathFormula(), copy: '', hidden: '' };
    if (this.#alternatives !== null) this.#alternatives.isRead = read.formula.text !== '';
    return read;
  }
}

function readTex(tex: string): ReadFormula & { formula: Formula } {
  const begin = tex.indexOf(TEX_BEGIN);
  const end = tex.lastIndexOf(TEX_END);
  const [from, to] = begin !== -1 && end > begin ? [begin + TEX_BEGIN.length, end] : [0, tex.length];
  const inner = tex.slice(from, to).trim();
  const delimiters = TEX_DELIMITERS.find(([open, close]) => open.test(inner) && close.test(inner));
  const latex = delimiters === undefined ? inner : inner.replace(delimiters[0], '').replace(delimiters[1], '').trim();
  return { formula: { text: latex, latex }, copy: '', hidden: tex.slice(0, from) + tex.slice(to) };
}
