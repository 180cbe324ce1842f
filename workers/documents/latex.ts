/** Characters and structures of formulas as LaTeX, as KaTeX and MathJax read it. */

import { byName } from '../../src-server/platform/records.ts';

const SYMBOLS: Readonly<Record<string, string>> = byName(
  Object.fromEntries(
    (
      '× times ÷ div · cdot ⋅ cdot ± pm ∓ mp ≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ∼ sim ≃ simeq ≅ cong ∝ propto ' +
      '∞ infty ∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ⋂ bigcap ⋃ bigcup ⋀ bigwedge ⋁ bigvee ' +
      '∂ partial ∇ nabla √ surd ∈ in ∉ notin ∋ ni ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ∪ cup ∩ cap ∅ emptyset ' +
      '∀ forall ∃ exists ¬ neg ∧ wedge ∨ vee ⊕ oplus ⊗ otimes ⊥ perp ∥ parallel ∠ angle ∘ circ ∙ bullet ⋆ star ∗ ast ' +
      '→ rightarrow ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto ↑ uparrow ' +
      '↓ downarrow … ldots ⋯ cdots ⋮ vdots ⋱ ddots ′ prime ℏ hbar ℓ ell ℜ Re ℑ Im ℵ aleph ⟨ langle ⟩ rangle ‖ | ' +
      '∆ Delta µ mu Ω Omega • bullet ◦ circ ⟶ longrightarrow ∖ setminus ≺ prec ≻ succ ⋄ diamond △ triangle □ square ' +
      'ℶ beth ℷ gimel ג gimel ≲ lesssim ≳ gtrsim ⊎ uplus ⊙ odot ⊖ ominus ∣ mid ♯ sharp ♭ flat ⋊ rtimes ⋉ ltimes ' +
      '↪ hookrightarrow ⇝ leadsto ≠ neq ∤ nmid ⊈ nsubseteq ' +
      '⊺ intercal ⊤ top ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ≪ ll ≫ gg ⊢ vdash ⊨ models ' +
      'α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda ' +
      'μ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ' +
      'ω omega ' +
      'Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega'
    )
      .split(' ')
      .reduce<[string, string][]>((pairs, part, at, all) => {
        if (at % 2 === 1) pairs.push([all[at - 1] ?? '', `\\${part}`]);
        return pairs;
      }, []),
  ),
);

const SPECIAL = /[{}%#&_$]/g;

const FUNCTIONS = new Set(
  (
    'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh exp log ln lg lim limsup liminf max min sup inf ' +
    'det dim gcd ker arg deg hom Pr'
  ).split(' '),
);

const ACCENTS: Readonly<Record<string, string>> = byName({
  '\u0302': 'hat',
  '^': 'hat',
  '\u02c6': 'hat',
  '\u0303': 'tilde',
  '~': 'tilde',
  '\u02dc': 'tilde',
  '\u0304': 'bar',
  '\u0305': 'overline',
  '\u00af': 'overline',
  '\u203e': 'overline',
  '\u0307': 'dot',
  '\u02d9': 'dot',
  '\u0308': 'ddot',
  '\u00a8': 'ddot',
  '\u20d7': 'vec',
  '\u2192': 'vec',
  '\u0301': 'acute',
  '\u0300': 'grave',
  '\u0306': 'breve',
  '\u030c': 'check',
  '\u23de': 'overbrace',
  '\u23df': 'underbrace',
  '\u0332': 'underline',
  _: 'underline',
});

/** Letters, digits and operators. Letters of mathematical alphabets are plain letters. */
export function latexSymbols(text: string): string {
  let written = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const plain = code >= 0x1d400 && code <= 0x1d7ff ? character.normalize('NFKD') : character;
    const symbol = SYMBOLS[plain];
    if (symbol !== undefined) written += `${symbol} `;
    else if (plain === '\u2212') written += '-';
    else if (plain === '\\') written += '\\backslash ';
    else if (plain === '^' || plain === '~') written += `\\text{\\${plain}{}}`;
    else written += plain.replace(SPECIAL, '\\$&');
  }
  return written;
}

/** A name of several letters: a function, or upright text. */
export function latexName(name: string): string {
  const plain = name.trim();
  if (FUNCTIONS.has(plain)) return `\\${plain} `;
  return plain.length > 1 && /^[A-Za-z]+$/.test(plain) ? `\\mathrm{${plain}}` : latexSymbols(name);
}

/** Whether a word is the name of a function, as `log`. */
export function isLatexFunction(name: string): boolean {
  return FUNCTIONS.has(name);
}

export function latexText(text: string): string {
  return `\\text{${text.replace(SPECIAL, '\\$&').replaceAll('\\$', '\\textdollar ')}}`;
}

export function latexFraction(above: string, below: string, hasBar: boolean): string {
  return hasBar ? `\\frac{${above.trim()}}{${below.trim()}}` : `{${above.trim()} \\atop ${below.trim()}}`;
}

/** A base with what stands below and above it; empty for nothing. */
export function latexScripts(base: string, below: string, above: string): string {
  const own = base.trim();
  // A script of a script needs its base in braces.
  const grouped = own === '' || /[_^]/.test(own) ? `{${own}}` : own;
  const sub = below.trim() === '' ? '' : `_{${below.trim()}}`;
  const sup = above.trim() === '' ? '' : `^{${above.trim()}}`;
  return `${grouped}${sub}${sup}`;
}

export function latexRoot(degree: string, inner: string): string {
  return `\\sqrt${degree.trim() === '' ? '' : `[${degree.trim()}]`}{${inner.trim()}}`;
}

/** Null if the character is no accent. */
export function latexAccent(character: string, inner: string): string | null {
  const name = ACCENTS[character.trim()];
  return name === undefined ? null : `\\${name}{${inner.trim()}}`;
}

const BRACKETS: Readonly<Record<string, string>> = byName({ '': '.', '{': '\\{', '}': '\\}' });

export function latexBrackets(open: string, inner: string, close: string): string {
  const side = (bracket: string) => BRACKETS[bracket] ?? latexSymbols(bracket).trim();
  const space = (bracket: string) => (/[a-z]$/.test(side(bracket)) ? ' ' : '');
  return `\\left${side(open)}${space(open)}${inner.trim()}\\right${side(close)}${space(close)}`;
}

/** A sign with a stroke through it. */
export function latexNot(sign: string): string {
  return NEGATED[sign.trim()] ?? `\\not ${sign.trim()} `;
}

const NEGATED: Readonly<Record<string, string>> = byName({ '=': '\\neq ', '\\in': '\\notin ', '\\ni': '\\not\\ni ' });

/** Rows and cells in brackets, or behind one. */
export function latexGrid(open: string, rows: readonly (readonly string[])[], close: string): string {
  const written = rows.map((row) => row.map((cell) => cell.trim()).join(' & ')).join(' \\\\ ');
  if (open === '{' && close === '') return `\\begin{cases}${written}\\end{cases}`;
  const name = GRIDS[open + close];
  if (name !== undefined) return `\\begin{${name}}${written}\\end{${name}}`;
  return latexBrackets(open, `\\begin{matrix}${written}\\end{matrix}`, close);
}

const GRIDS: Readonly<Record<string, string>> = byName({
  '()': 'pmatrix',
  '[]': 'bmatrix',
  '{}': 'Bmatrix',
  '||': 'vmatrix',
  '‖‖': 'Vmatrix',
});

/** Rows of cells that are already written. */
export function latexMatrix(rows: readonly string[]): string {
  return `\\begin{matrix}${rows.map((row) => row.trim()).join(' \\\\ ')}\\end{matrix}`;
}

export function latexLines(lines: readonly string[]): string {
  return `\\begin{aligned}${lines.map((line) => line.trim().replaceAll('\\&', '&')).join(' \\\\ ')}\\end{aligned}`;
}

/** One line without needless spaces. */
export function finishLatex(latex: string): string {
  return latex
    .replace(/\s+/g, ' ')
    .replace(/ (?=[}^_),.;])/g, '')
    .trim();
}
