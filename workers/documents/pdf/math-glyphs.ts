/** The glyphs of a page in fonts for mathematics, and of the text beside them. */

import type { Box, Drawing } from './page-content.ts';

/** Fonts of Computer Modern and its kind, and OpenType fonts for mathematics. */
const MATH_FONT =
  /^(?:[A-Z]{6}\+)?(?:CM(?:MI|SY|EX|BSY)|MS[AB]M|EU[EFRS]|rsfs|MT(?:MI|SY|EX)|[tp]x(?:mi|sy|ex))|Math(?![a-z])/u;

/** Its characters hang from the line, and have no Unicode. */
const EXTENSION_FONT = /^(?:[A-Z]{6}\+)?(?:CMEX|LMMathExtension)/;

const SYMBOL_FONT = /^(?:[A-Z]{6}\+)?(?:CMB?SY|LMMathSymbols)/;

/** The bar at the foot of an arrow, by its code in fonts of symbols; it has no Unicode. */
const ARROW_FOOT_CODE = 0x37;

export const ARROW_FOOT = '⊦';

/** The root of a font of symbols hangs from the line as well. */
const SMALL_ROOT = ['√', 0.96] as const;

/** A page with more is not searched for formulas. */
const GLYPHS_MAX = 20_000;

const UNKNOWN = '\ufffd';

export interface Glyph extends Box {
  text: string;
  /** Of its baseline, from the top of the page. */
  base: number;
  size: number;
  isMath: boolean;
  /** A sum, bracket or root of the extension font. */
  isBig: boolean;
  /** The text of its line has the sign of an unknown character for it. */
  isUnknown: boolean;
  /** In a font of TeX. */
  isTex: boolean;
  /** Command for the alphabet of a letter. */
  style: string | null;
}

export function isMathFont(name: string): boolean {
  return MATH_FONT.test(name);
}

/** Null for a page with too many glyphs. */
export function readGlyphs(page: Drawing): Glyph[] | null {
  const glyphs: Glyph[] = [];
  const unknown = new Map<string, Glyph>();
  walkCharacters(page, '', (text, base, font, size, box) => {
    if (glyphs.length > GLYPHS_MAX || text.trim() === '') return;
    const { isMath, isTex, isExtension, isSymbol } = font;
    const { left, top, right, bottom } = box;
    const isUnknown = text === UNKNOWN;
    const style = styleOf(text, font);
    const glyph = { left, top, right, bottom, text, base, size, isMath, isBig: false, isUnknown, isTex, style };
    glyphs.push(glyph);
    if (isUnknown && (isExtension || isSymbol)) unknown.set(placeOf(box, base), glyph);
    const piece = isExtension ? PIECES_BY_TEXT.get(text) : undefined;
    if (piece !== undefined) makeBig(glyph, EXTENSIONS.get(piece));
    if (text === '√' && isSymbol) makeBig(glyph, SMALL_ROOT);
  });
  if (glyphs.length > GLYPHS_MAX) return null;
  if (unknown.size > 0) nameExtensions(page, unknown);
  return glyphs;
}

/** Spaces that MuPDF adds depend on the characters around them, so places tell which glyph is which. */
const placeOf = ({ left }: Box, base: number) => `${left.toFixed(1)} ${base.toFixed(1)}`;

function styleOf(text: string, { alphabet, capitals, isBold }: FontFacts): Glyph['style'] {
  if (/^[ℂℍℕℙℚℝℤ]$/u.test(text)) return 'mathbb';
  if ((alphabet === null && capitals === null) || !/^[\p{L}\p{N}]$/u.test(text)) return null;
  if (capitals !== null && /^[A-Z]$/.test(text)) return capitals;
  if (!isBold && /^\p{N}$/u.test(text)) return null;
  return alphabet;
}

/** What the name of a font says. */
interface FontFacts {
  isMath: boolean;
  isTex: boolean;
  isExtension: boolean;
  isSymbol: boolean;
  isBold: boolean;
  /** Commands for its letters, and for its capitals. */
  alphabet: string | null;
  capitals: string | null;
}

function factsOfFont(name: string): FontFacts {
  const isCalligraphic = /(?:CM|MT)B?SY|LMMathSymbols/.test(name);
  return {
    isMath: isMathFont(name),
    isTex: TEX_FONT.test(name),
    isExtension: EXTENSION_FONT.test(name),
    isSymbol: SYMBOL_FONT.test(name),
    isBold: /CMBX|-Bold\b/.test(name),
    alphabet: ALPHABETS.find(([fonts]) => fonts.test(name))?.[1] ?? null,
    capitals: /MSBM/.test(name) ? 'mathbb' : isCalligraphic ? 'mathcal' : null,
  };
}

/** Fonts of TeX whose letters in a formula are those of an alphabet. */
const ALPHABETS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\+)(?:CMMIB|LMMathItalic\d+-Bold)/, 'boldsymbol'],
  [/(?:^|\+)(?:CMBX(?!TI)|CMB\d|LMRoman\d+-Bold\b)/, 'mathbf'],
  [/(?:^|\+)(?:CMSS(?!I)|LMSans\d+-Regular)/, 'mathsf'],
  [/(?:^|\+)(?:CMTT|LMMono\d+-Regular)/, 'mathtt'],
  [/(?:^|\+)(?:CMTI|LMRoman\d+-Italic)/, 'mathit'],
  [/(?:^|\+)EUF[MB]/, 'mathfrak'],
  [/(?:^|\+)(?:rsfs|EUS[MB])/, 'mathscr'],
];

const TEX_FONT = /(?:^|\+)(?:CM[A-Z]{1,6}\d|LM(?:Roman|Math|Sans|Mono)|SF[A-Z]{2}\d{4})/;

/** Gives glyphs without Unicode their signs, by their codes. */
function nameExtensions(page: Drawing, unknown: ReadonlyMap<string, Glyph>): void {
  walkCharacters(page, 'use-cid-for-unknown-unicode', (text, base, font, _size, box) => {
    const glyph = unknown.get(placeOf(box, base));
    const code = text.codePointAt(0) ?? -1;
    if (glyph === undefined) return;
    if (font.isExtension) makeBig(glyph, EXTENSIONS.get(code));
    else if (font.isSymbol && code === ARROW_FOOT_CODE) glyph.text = ARROW_FOOT;
  });
}

function makeBig(glyph: Glyph, extension: readonly [string, number] | undefined): void {
  if (extension === undefined) return;
  const [text, depth] = extension;
  const bounds = depth === 0 ? {} : { isBig: true, top: glyph.base, bottom: glyph.base + depth * glyph.size };
  Object.assign(glyph, { text, ...bounds });
}

type OnCharacter = (text: string, base: number, font: FontFacts, size: number, box: Box) => void;

function walkCharacters(page: Drawing, options: string, onCharacter: OnCharacter): void {
  const text = page.toStructuredText(options);
  // By their addresses, which are theirs as long as the text: asking for a name at each character is slow.
  const fonts = new Map<number, FontFacts>();
  try {
    text.walk({
      onChar(character, [, base], font, size, quad) {
        const [ax, ay, bx, by, cx, cy, dx, dy] = quad;
        const box = {
          left: Math.min(ax, bx, cx, dx),
          right: Math.max(ax, bx, cx, dx),
          top: Math.min(ay, by, cy, dy),
          bottom: Math.max(ay, by, cy, dy),
        };
        const address = font.pointer;
        const facts = fonts.get(address) ?? factsOfFont(font.getName());
        fonts.set(address, facts);
        font.destroy();
        const whole = facts.isMath ? wholeCharacter(character) : character;
        onCharacter(whole.normalize('NFC'), base, facts, size, box);
      },
    });
  } finally {
    text.destroy();
  }
}

/** MuPDF's reader of single characters keeps 16 bits: the letters of mathematical alphabets look like Hangul. */
function wholeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code >= 0xd400 && code <= 0xd7ff ? String.fromCodePoint(0x10000 + code) : character;
}

/** Signs of CMEX10 by their codes, with how far they hang below their origin, in font sizes. */
const EXTENSIONS: ReadonlyMap<number, readonly [string, number]> = new Map([
  ...sized('()', [0x00, 0x10, 0x12, 0x20]),
  ...sized('[]', [0x02, 0x68, 0x14, 0x22]),
  ...sized('⌊⌋', [0x04, 0x6a, 0x16, 0x24]),
  ...sized('⌈⌉', [0x06, 0x6c, 0x18, 0x26]),
  ...sized('{}', [0x08, 0x6e, 0x1a, 0x28]),
  ...sized('⟨⟩', [0x0a, 0x44, 0x1c, 0x2a]),
  ...operators('∑', 0x50, 0x58, 1, 1.4),
  ...operators('∏', 0x51, 0x59, 1, 1.4),
  ...operators('∫', 0x52, 0x5a, 1.12, 2.23),
  ...operators('⋃', 0x53, 0x5b, 1, 1.4),
  ...operators('⋂', 0x54, 0x5c, 1, 1.4),
  ...operators('⨄', 0x55, 0x5d, 1, 1.4),
  ...operators('⋀', 0x56, 0x5e, 1, 1.4),
  ...operators('⋁', 0x57, 0x5f, 1, 1.4),
  ...operators('⨁', 0x4c, 0x4d, 1, 1.4),
  ...operators('⨂', 0x4e, 0x4f, 1, 1.4),
  ...operators('∮', 0x48, 0x49, 1.12, 2.23),
  ...operators('∐', 0x60, 0x61, 1, 1.4),
  ...[0x70, 0x71, 0x72, 0x73].map((code, step) => [code, ['√', 1.2 + 0.6 * step]] as const),
  // Pieces of taller ones, from the top: upper end, lower end, extension, middle.
  ...pieces('()', [0x30, 0x40, 0x42], [1.76, 1.76, 0.6]),
  ...pieces('[]', [0x32, 0x34, 0x36], [1.76, 1.76, 0.6]),
  ...pieces('{}', [0x38, 0x3a, 0x3c], [0.9, 0.9, 1.8]),
  [0x3e, ['⎪', 0.3]],
  [0x0c, ['|', 0.6]],
  [0x0d, ['‖', 0.6]],
  ...[0x62, 0x63, 0x64].map((code) => [code, ['ˆ', 0]] as const),
  ...[0x65, 0x66, 0x67].map((code) => [code, ['˜', 0]] as const),
]);

/** Codes of the pieces that some lists of glyphs name in the private use area. */
const PIECES_BY_TEXT: ReadonlyMap<string, number> = new Map(
  [
    [0x30, 0x42, 0x40, 0x32, 0x36, 0x34, 0x38, 0x3c, 0x3a, 0x3e].map((code, at) => [0xf8eb + at, code] as const),
    [0x31, 0x43, 0x41, 0x33, 0x37, 0x35, 0x39, 0x3d, 0x3b].map((code, at) => [0xf8f6 + at, code] as const),
  ].flatMap((codes) => codes.map(([point, code]) => [String.fromCodePoint(point), code] as const)),
);

function pieces(pair: string, codes: readonly number[], depths: readonly number[]) {
  const [open = '', close = ''] = pair;
  return codes.flatMap((code, at) => {
    const depth = depths[at] ?? 0;
    return [[code, [open, depth]] as const, [code + 1, [close, depth]] as const];
  });
}

function sized(pair: string, codes: readonly number[]) {
  const [open = '', close = ''] = pair;
  return codes.flatMap((code, step) => {
    const depth = 1.2 + 0.6 * step;
    return [[code, [open, depth]] as const, [code + 1, [close, depth]] as const];
  });
}

function operators(sign: string, small: number, large: number, smallDepth: number, largeDepth: number) {
  return [[small, [sign, smallDepth]] as const, [large, [sign, largeDepth]] as const];
}
