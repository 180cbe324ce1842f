import { RUN_CODE, RUN_EMPHASIS, RUN_STRIKE, RUN_STRONG } from '../inline-marks.ts';
import { BULLET, formatNumber } from '../list-markers.ts';
import { isByline, TITLE_STYLE } from '../titles.ts';
import { QUOTE_STYLE } from '../word-processing.ts';
import type { XmlElement, XmlHandlers } from '../xml.ts';

/** Bound on style inheritance, which may be circular. */
const MAX_PARENTS = 20;

/** Bound on the levels whose numbers a marker shows. */
const MAX_LEVELS = 10;

interface ParagraphStyle {
  name: string;
  parent: string | null;
  breaksBefore: boolean;
  breaksAfter: boolean;
  /** List of its paragraphs; empty if explicitly none, null if inherited. */
  list: string | null;
}

interface ListLevel {
  /** Null for a bullet or no mark. */
  form: string | null;
  mark: string;
  prefix: string;
  suffix: string;
  start: number;
  displayLevels: number;
}

const BOLD_WEIGHT = 600;

/** Names of fonts whose letters all have one width. */
const MONOSPACED = /\bmono|courier|consol|typewriter|menlo|monaco/i;

/** Role of a paragraph, from its style. */
export type ParagraphRole = 'title' | 'caption' | 'code' | 'quote' | 'plain';

/** The styles of a document, as far as they decide the role of a paragraph. Fed by `walkXml`. */
export class OdtStyles implements XmlHandlers {
  readonly #paragraphs = new Map<string, ParagraphStyle>();
  readonly #hidden = new Set<string>();
  /** Names of superscript text styles. */
  readonly #raised = new Set<string>();
  /** Emphasis of text styles, by name. */
  readonly #emphasis = new Map<string, number>();
  readonly #lists = new Map<string, Map<number, ListLevel>>();
  /** Heading number formats, by level. */
  readonly #outline = new Map<number, ListLevel>();
  #open: ParagraphStyle | null = null;
  /** Family and name of the style that is being read. */
  #openName: string | null = null;
  #levels: Map<number, ListLevel> | null = null;

  open(tag: XmlElement): void {
    if (tag.name === 'style:text-properties') this.#readEmphasis(tag);
    if (tag.name === 'style:style') this.#openStyle(tag);
    else if (tag.name === 'style:paragraph-properties' && this.#open !== null) {
      this.#open.breaksBefore ||= tag.attributeValue('fo:break-before') === 'page';
      this.#open.breaksAfter ||= tag.attributeValue('fo:break-after') === 'page';
    } else if (tag.name === 'style:text-properties' && tag.attributeValue('text:display') === 'none') {
      if (this.#openName !== null) this.#hidden.add(this.#openName);
    } else if (tag.name === 'style:text-properties' && isRaising(tag.attributeValue('style:text-position'))) {
      if (this.#openName !== null) this.#raised.add(this.#openName);
    } else if (tag.name === 'text:outline-style') {
      this.#levels = this.#outline;
    } else if (tag.name === 'text:list-style') {
      this.#levels = new Map();
      this.#lists.set(tag.attributeValue('style:name') ?? '', this.#levels);
    } else if (tag.name === 'text:outline-level-style' || tag.name.startsWith('text:list-level-style-')) {
      this.#levels?.set(Number(tag.attributeValue('text:level') ?? 1), listLevel(tag));
    }
  }

  close({ name }: XmlElement): void {
    if (name === 'style:style') {
      this.#open = null;
      this.#openName = null;
    } else if (name === 'text:list-style' || name === 'text:outline-style') this.#levels = null;
  }

  #openStyle(tag: XmlElement): void {
    const name = tag.attributeValue('style:name') ?? '';
    const family = tag.attributeValue('style:family');
    this.#openName = `${family} ${name}`;
    if (family !== 'paragraph') return;
    const parent = tag.attributeValue('style:parent-style-name');
    const breaksBefore = (tag.attributeValue('style:master-page-name') ?? '') !== '';
    this.#open = { name, parent, breaksBefore, breaksAfter: false, list: tag.attributeValue('style:list-style-name') };
    this.#paragraphs.set(name, this.#open);
  }

  /** Decided by the names of a style and its ancestors, which word processors keep in every language. */
  odtParagraphRole(styleName: string | null): ParagraphRole {
    let name = styleName;
    for (let count = 0; name !== null && count < MAX_PARENTS; count += 1) {
      const plain = name.replace(/_([0-9a-f]{2})_/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      if (isByline(plain)) return 'plain';
      if (TITLE_STYLE.test(plain)) return 'title';
      if (/caption$/i.test(plain) || /^(?:illustration|figure|drawing)$/i.test(plain)) return 'caption';
      if (/^(?:preformatted text|source code)$/i.test(plain)) return 'code';
      if (QUOTE_STYLE.test(plain)) return 'quote';
      name = this.#paragraphs.get(name)?.parent ?? null;
    }
    return 'plain';
  }

  paragraphBreaks(styleName: string | null): { before: boolean; after: boolean } {
    const style = styleName === null ? undefined : this.#paragraphs.get(styleName);
    return { before: style?.breaksBefore ?? false, after: style?.breaksAfter ?? false };
  }

  isHiddenStyle(family: 'text' | 'paragraph', styleName: string | null): boolean {
    return styleName !== null && this.#hidden.has(`${family} ${styleName}`);
  }

  isRaised(styleName: string | null): boolean {
    return styleName !== null && this.#raised.has(`text ${styleName}`);
  }

  /** Emphasis of a text style, as flags of `inline-marks.ts`. */
  emphasisOf(styleName: string | null): number {
    return styleName === null ? 0 : (this.#emphasis.get(`text ${styleName}`) ?? 0);
  }

  #readEmphasis(tag: XmlElement): void {
    if (this.#openName === null) return;
    const weight = tag.attributeValue('fo:font-weight') ?? '';
    const isStruck = !/^(?:none)?$/.test(tag.attributeValue('style:text-line-through-style') ?? '');
    const font = tag.attributeValue('style:font-name') ?? tag.attributeValue('fo:font-family') ?? '';
    const flags =
      (weight === 'bold' || Number(weight) >= BOLD_WEIGHT ? RUN_STRONG : 0) |
      (/^(?:italic|oblique)$/.test(tag.attributeValue('fo:font-style') ?? '') ? RUN_EMPHASIS : 0) |
      (isStruck ? RUN_STRIKE : 0) |
      (MONOSPACED.test(font) ? RUN_CODE : 0);
    if (flags !== 0) this.#emphasis.set(this.#openName, flags);
  }

  /** Start number of a list at a level (from 1). */
  listStartNumber(listStyle: string | null, level: number): number {
    return this.#lists.get(listStyle ?? '')?.get(level)?.start ?? 1;
  }

  /** Marker of an item, from the numbers of its level and the levels above (outermost first). */
  markerOf(listStyle: string | null, numbers: readonly number[]): string {
    const levels = this.#lists.get(listStyle ?? '');
    return levels === undefined ? BULLET : markerIn(levels, numbers);
  }

  /** Start number of headings with this level and style; null if not numbered. */
  headingStart(paragraphStyle: string | null, level: number): number | null {
    const found = level > MAX_LEVELS ? undefined : this.#outline.get(level);
    return found === undefined || found.form === null || !this.#isNumbered(paragraphStyle) ? null : found.start;
  }

  /** Number of a heading as shown, from the numbers of its level and the levels above. */
  headingMarker(numbers: readonly number[]): string {
    return markerIn(this.#outline, numbers);
  }

  /** Decided by the nearest style that states it: a style may exclude its headings from numbering. */
  #isNumbered(paragraphStyle: string | null): boolean {
    let style = paragraphStyle === null ? undefined : this.#paragraphs.get(paragraphStyle);
    for (let count = 0; style !== undefined && count < MAX_PARENTS; count += 1) {
      if (style.list !== null) return style.list !== '';
      style = style.parent === null ? undefined : this.#paragraphs.get(style.parent);
    }
    return true;
  }
}

function markerIn(levels: Map<number, ListLevel>, numbers: readonly number[]): string {
  // Some programs define one level for all.
  const level = levels.get(numbers.length) ?? levels.get(1);
  if (level === undefined) return BULLET;
  if (level.form === null) return level.mark;
  const first = Math.max(0, numbers.length - Math.min(level.displayLevels, MAX_LEVELS));
  const shown = numbers.slice(first).map((number, index) => {
    return formatNumber(number, levels.get(first + index + 1)?.form ?? '1');
  });
  return `${level.prefix}${shown.join('.')}${level.suffix}`;
}

function listLevel(tag: XmlElement): ListLevel {
  const form = tag.attributeValue('style:num-format') ?? '';
  const isBullet = tag.name === 'text:list-level-style-bullet' || tag.name === 'text:list-level-style-image';
  const start = Number.parseInt(tag.attributeValue('text:start-value') ?? '1', 10);
  return {
    form: isBullet || form === '' ? null : form,
    mark: isBullet ? BULLET : '',
    prefix: tag.attributeValue('style:num-prefix') ?? '',
    suffix: tag.attributeValue('style:num-suffix') ?? '',
    start: Number.isSafeInteger(start) ? start : 1,
    displayLevels: Number.parseInt(tag.attributeValue('text:display-levels') ?? '1', 10) || 1,
  };
}

/** `super 58%`, or the rise above the line as a share. */
function isRaising(position: string | null): boolean {
  return position !== null && (position.startsWith('super') || Number.parseFloat(position) > 0);
}
