import type { ParagraphShape } from '../paragraph-flow.ts';
import { type ParagraphProperties, plainParagraph, readParagraph } from './properties.ts';
import { type DocFile, TABLES } from './word-file.ts';

/** Styles may be written to inherit in a circle. */
const MAX_PARENTS = 20;
const NO_STYLE = 0xfff;
const KIND_PARAGRAPH = 1;
const FIRST_HEADING = 1;
const LAST_HEADING = 9;
const CAPTION = 34;
const TITLE = 62;
const HTML_PREFORMATTED = 101;

interface Style {
  /** Word's own number of a built-in style, the same in every language. */
  builtIn: number;
  base: number;
  name: string;
  properties: ParagraphProperties;
}

/** The paragraph styles of a document, as far as they decide what a paragraph is. */
export class DocStyles {
  readonly #styles: (Style | null)[];

  constructor(file: DocFile) {
    this.#styles = readStyles(file.table(TABLES.styles));
  }

  headingLevel(paragraph: ParagraphProperties): number | null {
    if (paragraph.outlineLevel !== null) return levelOf(paragraph.outlineLevel);
    for (const style of this.#chain(paragraph.style)) {
      if (style.builtIn >= FIRST_HEADING && style.builtIn <= LAST_HEADING) return style.builtIn;
      if (style.properties.outlineLevel !== null) return levelOf(style.properties.outlineLevel);
      if (style.builtIn === TITLE || /^title$/i.test(style.name)) return 1;
    }
    return null;
  }

  roleOf(paragraph: ParagraphProperties): ParagraphShape['role'] {
    for (const style of this.#chain(paragraph.style)) {
      if (style.builtIn === CAPTION || /caption$/i.test(style.name)) return 'caption';
      if (style.builtIn === HTML_PREFORMATTED || /^(?:source code|preformatted text)$/i.test(style.name)) return 'code';
    }
    return 'plain';
  }

  /** The list and level a paragraph is an item of, by itself or by its style; null when of none. */
  listOf(paragraph: ParagraphProperties): { list: number; level: number } | null {
    const own = paragraph.list;
    if (own !== null) return own === 0 ? null : { list: own, level: paragraph.listLevel };
    for (const { properties } of this.#chain(paragraph.style)) {
      if (properties.list === 0) return null;
      if (properties.list !== null) return { list: properties.list, level: properties.listLevel };
    }
    return null;
  }

  breaksBefore(paragraph: ParagraphProperties): boolean {
    return paragraph.breaksBefore || this.#chain(paragraph.style).some(({ properties }) => properties.breaksBefore);
  }

  #chain(index: number): Style[] {
    const chain: Style[] = [];
    let style = this.#styles[index];
    while (style != null && chain.length < MAX_PARENTS) {
      chain.push(style);
      style = style.base === NO_STYLE ? null : this.#styles[style.base];
    }
    return chain;
  }
}

function levelOf(outlineLevel: number): number | null {
  return outlineLevel < LAST_HEADING ? outlineLevel + 1 : null;
}

function readStyles(sheet: Buffer): (Style | null)[] {
  if (sheet.length < 6) return [];
  const baseBytes = sheet.readUInt16LE(4);
  const styles: (Style | null)[] = [];
  let at = 2 + sheet.readUInt16LE(0);
  while (at + 2 <= sheet.length) {
    const length = sheet.readUInt16LE(at);
    styles.push(length === 0 ? null : readStyle(sheet.subarray(at + 2, at + 2 + length), baseBytes));
    at += 2 + length;
  }
  return styles;
}

/** Null for styles of characters and tables, and for those that are cut off. */
function readStyle(entry: Buffer, baseBytes: number): Style | null {
  if (entry.length < baseBytes + 2 || baseBytes < 4) return null;
  const kindAndBase = entry.readUInt16LE(2);
  if ((kindAndBase & 0x0f) !== KIND_PARAGRAPH) return null;
  const nameEnd = baseBytes + 2 + entry.readUInt16LE(baseBytes) * 2;
  const name = entry.toString('utf16le', baseBytes + 2, nameEnd);
  const properties = plainParagraph(0);
  // The name ends with a zero; the properties follow on an even place: their length, the style's number, the list.
  const at = nameEnd + 2 + (nameEnd % 2);
  if (at + 4 <= entry.length) {
    const length = entry.readUInt16LE(at);
    readParagraph(entry.subarray(at + 4, at + 2 + length), properties);
  }
  return { builtIn: entry.readUInt16LE(0) & 0xfff, base: kindAndBase >> 4, name, properties };
}
