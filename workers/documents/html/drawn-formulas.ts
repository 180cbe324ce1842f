/**
 * Formulas that a script of the page has drawn (MathJax): the drawing is text beside the formula as MathML or TeX. The
 * TeX of MathJax 2 is a script after the drawing.
 */

type Attributes = Readonly<Record<string, string>>;

const DRAWING =
  /(?:^|\s)(?:MathJax|MathJax_Display|MathJax_SVG|MathJax_SVG_Display|MathJax_CHTML|mjx-chtml|MJXc-display)(?:\s|$)/;

const DISPLAY = /_Display|MJXc-display/;

const TEX_SCRIPT = /^math\/tex/i;

/** Pictures of formulas, by their class or address; `alt` has the TeX. */
const PICTURE = /(?:^|[\s_-])(?:latex|tex|mathjax|mwe-math-fallback-image[\w-]*)(?:[\s_-]|$)/i;

const PICTURE_ADDRESS = /\/latex\.php\?|latex\.codecogs\.com|\/mathtex\.cgi|\/mimetex\.cgi/i;

/** Wikipedia hides the MathML beside its picture. */
export const HIDDEN_FORMULA = /(?:^|\s)mwe-math-mathml-(?:inline|display|a11y)(?:\s|$)/;

export function isDrawing(tag: string, attributes: Attributes): boolean {
  const { class: classes } = attributes;
  if (tag === 'mjx-container' || (classes !== undefined && DRAWING.test(classes))) return true;
  return (tag === 'span' || tag === 'div') && statedTex(attributes) !== null;
}

/** The TeX that an element states beside its drawing. */
export function statedTex(attributes: Attributes): string | null {
  return attributes['data-math'] ?? attributes['data-latex'] ?? attributes['data-tex'] ?? null;
}

export function isDisplayed(tag: string, attributes: Attributes): boolean {
  const { class: classes = '', display } = attributes;
  return display === 'true' || display === 'block' || (tag !== 'math' && DISPLAY.test(classes));
}

export function isTexScript(tag: string, { type = '' }: Attributes): boolean {
  return tag === 'script' && TEX_SCRIPT.test(type);
}

/** The TeX of a picture of a formula; null for other pictures. */
export function picturedTex({ class: classes = '', src = '', alt = '' }: Attributes): string | null {
  if (alt.trim() === '') return null;
  return PICTURE.test(classes) || PICTURE_ADDRESS.test(src) ? alt.trim() : null;
}

/** A drawing: the range of the text that it has, and the depth of its element while it is open. */
export interface Drawing {
  depth: number;
  start: number;
  end: number;
  isDisplay: boolean;
  /** Its MathML was read. */
  hasFormula: boolean;
  tex: string | null;
}
