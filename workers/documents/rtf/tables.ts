import { pageOfCharset } from '../../../src-server/platform/text/decode-text.ts';
import type { ParagraphShape, Revision } from '../paragraph-flow.ts';
import { TITLE_STYLE } from '../titles.ts';
import { QUOTE_STYLE, readDttm } from '../word-processing.ts';
import type { RtfState } from './state.ts';

/** Charset of symbol fonts. */
const SYMBOL_CHARSET = 2;

const MAX_FONT_NAME = 100;

interface RtfStyle {
  name: string;
  outlineLevel: number | null;
}

/** Fonts, styles and authors from the tables at the start of a document. */
export class RtfTables {
  readonly #fontPages = new Map<number, number>();
  readonly #symbolFonts = new Set<number>();
  readonly #fontNames = new Map<number, string>();
  readonly #styles = new Map<number, RtfStyle>();
  #authors: string[] = [];

  setCharset(font: number, charset: number): void {
    const page = pageOfCharset(charset);
    if (page !== null) this.#fontPages.set(font, page);
    if (charset === SYMBOL_CHARSET) this.#symbolFonts.add(font);
  }

  setPage(font: number, page: number): void {
    if (page > 0) this.#fontPages.set(font, page);
  }

  fontCodePage(font: number | null): number | null {
    return font === null ? null : (this.#fontPages.get(font) ?? null);
  }

  /** Adds to a font's name, which ends with a semicolon. */
  nameFont(font: number | null, piece: string): void {
    const name = font === null ? null : (this.#fontNames.get(font) ?? '');
    if (font !== null && name !== null && name.length < MAX_FONT_NAME) this.#fontNames.set(font, name + piece);
  }

  fontName(font: number | null): string | null {
    const name = font === null ? undefined : this.#fontNames.get(font);
    return name?.split(';', 1)[0]?.trim() ?? null;
  }

  isSymbol(font: number | null): boolean {
    return font !== null && this.#symbolFonts.has(font);
  }

  addStyle(index: number, style: RtfStyle): void {
    this.#styles.set(index, { ...style, name: style.name.replace(/;\s*$/, '').trim() });
  }

  setAuthors(table: string): void {
    this.#authors = table.split(';').map((name) => name.trim());
  }

  authorAt(index: number | null): string | null {
    const name = index === null ? undefined : this.#authors[index];
    return name === undefined || name === '' || (index === 0 && name === 'Unknown') ? null : name;
  }

  /** The tracked change that text belongs to. */
  trackedRevision(state: RtfState): Revision | null {
    const { isDeleted, isInserted, move } = state;
    if (isDeleted) return this.#createRtfRevision('deletion', state.deletedBy, state.deletedAt);
    if (move !== null) return this.#createRtfRevision(move, state.movedBy, state.movedAt);
    return isInserted ? this.#createRtfRevision('insertion', state.insertedBy, state.insertedAt) : null;
  }

  #createRtfRevision(kind: Revision['kind'], author: number | null, date: number): Revision {
    return { kind, author: this.authorAt(author), date: readDttm(date) };
  }

  /** Heading level of a paragraph (from 1), from its outline level, else from its style. */
  rtfHeadingLevel(style: number | null, outlineLevel: number | null): number | null {
    if (outlineLevel !== null) return outlineLevel >= 0 && outlineLevel <= 8 ? outlineLevel + 1 : null;
    const found = style === null ? undefined : this.#styles.get(style);
    if (found === undefined) return null;
    const named = /^heading (\d)/i.exec(found.name)?.[1];
    if (named !== undefined) return Math.max(1, Number(named));
    if (found.outlineLevel !== null && found.outlineLevel <= 8) return found.outlineLevel + 1;
    return TITLE_STYLE.test(found.name) ? 1 : null;
  }

  isRtfTitleStyle(style: number | null): boolean {
    return TITLE_STYLE.test((style === null ? undefined : this.#styles.get(style))?.name ?? '');
  }

  rtfStyleRole(style: number | null): ParagraphShape['role'] {
    const name = style === null ? '' : (this.#styles.get(style)?.name ?? '');
    if (/caption$/i.test(name)) return 'caption';
    if (QUOTE_STYLE.test(name)) return 'quote';
    return /^(?:preformatted text|source code|html preformatted|plain code)$/i.test(name) ? 'code' : 'plain';
  }
}
