import type { CellSpan } from '../blocks.ts';
import type { InlineValues } from '../inline-marks.ts';
import { formatWordNumber } from '../list-markers.ts';
import { EquationWriter } from '../math.ts';
import { pictureDescription } from '../picture-description.ts';
import { withoutMarks } from '../revisions.ts';
import { spansWithin } from '../table-spans.ts';
import type { XmlElement, XmlHandlers } from '../xml.ts';
import { type Place, PlaceReader } from './places.ts';

/** Levels of a list in PowerPoint. */
const MAX_LEVEL = 8;

/** How a paragraph begins: a bullet, a number, nothing; null where its style decides. */
export type Bullet =
  | { kind: 'none' }
  | { kind: 'mark'; mark: string }
  | { kind: 'number'; form: string; start: number };

export interface SlideParagraph {
  text: string;
  /** From 0. */
  level: number;
  bullet: Bullet | null;
}

export interface Placeholder {
  /** `title`, `body`, `sldNum`; `obj` if not stated. */
  type: string;
  /** Links the placeholder to that of the layout. */
  index: string;
}

/** What a slide shows, in the order of its file. */
export type Shape = { place: Place } & (
  | { kind: 'text'; placeholder: Placeholder | null; paragraphs: SlideParagraph[] }
  | { kind: 'table'; rows: string[][]; spans: CellSpan[] }
  /** By its alternative text. */
  | { kind: 'picture'; text: string }
  /** `relationshipId` names the part with the texts of the diagram or the values of the chart. */
  | { kind: 'diagram' | 'chart'; relationshipId: string }
);

/** Content for programs that lack a feature; others read the choice beside it. */
const FALLBACK = 'mc:Fallback';

/** Reads the shapes of a slide or a notes page. Groups are read as their members. */
export class ShapeReader implements XmlHandlers {
  readonly shapes: Shape[] = [];
  isHidden = false;
  #skipped = 0;
  #placeholder: Placeholder | null = null;
  /** Receives paragraphs: of the open shape or cell. */
  #paragraphs: SlideParagraph[] | null = null;
  #paragraph: SlideParagraph | null = null;
  #isText = false;
  #isPicture = false;
  #description: string | null = null;
  #rows: string[][] | null = null;
  #spans: CellSpan[] = [];
  #isMergedCell = false;
  #equation: EquationWriter | null = null;
  /** Whether an equation is nested too deeply to be read as one. */
  hasDeepEquation = false;
  readonly #inline: InlineValues;
  readonly #places = new PlaceReader();

  /** @param inline receives equations as LaTeX */
  constructor(inline: InlineValues) {
    this.#inline = inline;
  }

  open(element: XmlElement): void {
    if (this.#skipped > 0 || element.name === FALLBACK) this.#skipped += 1;
    else if (this.#equation !== null) this.#equation.openEquationElement(element);
    else this.#beginShapeElement(element);
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#equation !== null) this.#equation.addEquationText(withoutMarks(text));
    else if (this.#isText && this.#paragraph !== null) this.#paragraph.text += withoutMarks(text);
  }

  close({ name }: XmlElement): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else if (name === 'm:oMath') this.#closeEquation();
    else if (this.#equation !== null) this.#equation.closeEquationElement();
    else this.#endShapeElement(name);
  }

  #beginShapeElement(element: XmlElement): void {
    const { name } = element;
    if (this.#paragraph === null) this.#places.openPlacedElement(element);
    if (name.startsWith('a:')) this.#beginText(element);
    else if (name === 'p:sp') {
      this.#placeholder = null;
      this.#paragraphs = [];
    } else if (name === 'p:pic') {
      this.#isPicture = true;
      this.#description = null;
    } else if (name === 'p:cNvPr' && this.#isPicture) {
      this.#description = pictureDescription(withoutMarks(element.attributeValue('descr') ?? ''));
    } else if (name === 'p:ph' && !this.#isPicture) {
      this.#placeholder = { type: element.attributeValue('type') ?? 'obj', index: element.attributeValue('idx') ?? '' };
    } else if (name === 'p:sld')
      this.isHidden = element.attributeValue('show') === '0' || element.attributeValue('show') === 'false';
    else if (name === 'm:oMath') this.#equation = new EquationWriter();
    else if (name === 'dgm:relIds') {
      const relationshipId = element.attributeValue('r:dm') ?? '';
      this.shapes.push({ kind: 'diagram', relationshipId, place: this.#places.openShapePlace });
    } else if (name === 'c:chart' || name === 'cx:chart') {
      const relationshipId = element.attributeValue('r:id') ?? '';
      this.shapes.push({ kind: 'chart', relationshipId, place: this.#places.openShapePlace });
    }
  }

  #beginText(element: XmlElement): void {
    switch (element.name) {
      case 'a:tbl':
        this.#rows = [];
        this.#spans = [];
        break;
      case 'a:tr':
        this.#rows?.push([]);
        break;
      case 'a:tc':
        this.#isMergedCell = isTrue(element.attributeValue('hMerge')) || isTrue(element.attributeValue('vMerge'));
        this.#paragraphs = [];
        this.#noteSpan(element);
        break;
      case 'a:p':
        this.#paragraph = { text: '', level: 0, bullet: null };
        break;
      case 'a:br':
        if (this.#paragraph !== null) this.#paragraph.text += '\v';
        break;
      case 'a:pPr':
        if (this.#paragraph !== null) this.#paragraph.level = slideParagraphLevel(element);
        break;
      case 'a:t':
        this.#isText = true;
        break;
      default:
        if (this.#paragraph !== null) this.#paragraph.bullet = bulletOf(element) ?? this.#paragraph.bullet;
    }
  }

  #endShapeElement(name: string): void {
    const { openShapePlace: place } = this.#places;
    this.#places.closePlacedElement(name);
    switch (name) {
      case 'a:t':
        this.#isText = false;
        break;
      case 'a:p':
        if (this.#paragraph !== null) this.#paragraphs?.push(this.#paragraph);
        this.#paragraph = null;
        break;
      case 'a:tc':
        this.#rows?.at(-1)?.push(this.#isMergedCell ? '' : slideParagraphsText(this.#paragraphs ?? []));
        this.#paragraphs = null;
        break;
      case 'a:tbl':
        if (this.#rows !== null) this.#addTable(this.#rows, place);
        this.#rows = null;
        break;
      case 'p:pic':
        if (this.#description !== null) this.shapes.push({ kind: 'picture', text: this.#description, place });
        this.#isPicture = false;
        break;
      case 'p:sp':
        this.shapes.push({
          kind: 'text',
          placeholder: this.#placeholder,
          paragraphs: this.#paragraphs ?? [],
          place,
        });
        this.#paragraphs = null;
        break;
    }
  }

  /** A cell that begins a merged one. */
  #noteSpan(cell: XmlElement): void {
    const rows = this.#rows;
    if (rows === null || rows.length === 0 || this.#isMergedCell) return;
    const count = (name: string) => Math.max(1, Math.trunc(Number(cell.attributeValue(name) ?? 1)) || 1);
    const span = { rows: count('rowSpan'), columns: count('gridSpan') };
    const place = { row: rows.length - 1, column: rows.at(-1)?.length ?? 0 };
    if (span.rows > 1 || span.columns > 1) this.#spans.push({ ...place, ...span });
  }

  #addTable(rows: string[][], place: Place): void {
    const columns = Math.max(0, ...rows.map((row) => row.length));
    this.shapes.push({ kind: 'table', rows, spans: spansWithin(this.#spans, rows.length, columns), place });
  }

  #closeEquation(): void {
    if (this.#paragraph !== null && this.#equation !== null) {
      this.#paragraph.text += ` ${this.#inline.signedFormula(this.#equation.finishEquation())} `;
      this.hasDeepEquation ||= this.#equation.isDeep;
    }
    this.#equation = null;
  }
}

/** Paragraphs as lines. */
export function slideParagraphsText(paragraphs: readonly SlideParagraph[]): string {
  return paragraphs.map(({ text }) => text).join('\n');
}

export function slideParagraphLevel(element: XmlElement): number {
  const level = Number(element.attributeValue('lvl') ?? 0);
  return Number.isInteger(level) ? Math.min(Math.max(level, 0), MAX_LEVEL) : 0;
}

/** The bullet that an element states; null for other elements. */
export function bulletOf(element: XmlElement): Bullet | null {
  switch (element.name) {
    case 'a:buNone':
      return { kind: 'none' };
    case 'a:buChar':
    case 'a:buBlip':
      return { kind: 'mark', mark: '•' };
    case 'a:buAutoNum': {
      const start = Number(element.attributeValue('startAt') ?? 1);
      const form = element.attributeValue('type') ?? 'arabicPeriod';
      return { kind: 'number', form, start: Number.isSafeInteger(start) && start > 0 ? start : 1 };
    }
    default:
      return null;
  }
}

/** The marker of a numbered paragraph: `3.`, `(b)`, `iv)`. */
export function numberMarker(count: number, form: string): string {
  const [, kind = 'arabic', end = 'Period'] = /^(arabic|alphaLc|alphaUc|romanLc|romanUc)(\w*)$/.exec(form) ?? [];
  const formats = { alphaLc: 'lowerLetter', alphaUc: 'upperLetter', romanLc: 'lowerRoman', romanUc: 'upperRoman' };
  const number = formatWordNumber(count, formats[kind as keyof typeof formats] ?? 'decimal');
  if (end === 'ParenBoth') return `(${number})`;
  return end === 'ParenR' ? `${number})` : end === 'Plain' ? number : `${number}.`;
}

function isTrue(value: string | null): boolean {
  return value === '1' || value === 'true';
}
