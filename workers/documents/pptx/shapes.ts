import type { CellSpan } from '../blocks.ts';
import { type InlineValues, RUN_EMPHASIS, RUN_STRIKE, RUN_STRONG, withoutEmphasis } from '../inline-marks.ts';
import { formatWordNumber } from '../list-markers.ts';
import { type MarkedRun, signedRuns, withoutLook, withoutTableLook } from '../marked-runs.ts';
import { EquationWriter } from '../math.ts';
import { pictureDescription } from '../picture-description.ts';
import { raisedText } from '../raised-text.ts';
import { withoutMarks } from '../revisions.ts';
import { spansWithin } from '../table-spans.ts';
import type { XmlElement, XmlHandlers } from '../xml.ts';
import { type Place, PlaceReader } from './places.ts';

/** Placeholders for titles. */
export const TITLES: ReadonlySet<string> = new Set(['title', 'ctrTitle']);

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

/** A paragraph before its runs are signed. */
interface OpenParagraph extends Omit<SlideParagraph, 'text'> {
  runs: MarkedRun[];
}

/** What the properties of a run state: its emphasis, link, and whether it is raised. */
type RunLook = Omit<MarkedRun, 'text'> & { isRaised: boolean };

const PLAIN: RunLook = { flags: 0, url: null, isRaised: false };

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
  #paragraph: OpenParagraph | null = null;
  #isText = false;
  /** Of the open run. */
  #look: RunLook = PLAIN;
  #isRunProperties = false;
  /** Address that the open shape links to. */
  #shapeUrl: string | null = null;
  #isPicture = false;
  #description: string | null = null;
  #rows: string[][] | null = null;
  #spans: CellSpan[] = [];
  #isMergedCell = false;
  #equation: EquationWriter | null = null;
  /** Whether an equation is nested too deeply to be read as one. */
  hasDeepEquation = false;
  readonly #inline: InlineValues;
  readonly #addressOf: (relationshipId: string) => string | null;
  readonly #places = new PlaceReader();

  /**
   * @param inline receives equations as LaTeX, and addresses
   * @param addressOf the address outside the file that a relationship names; null for others
   */
  constructor(inline: InlineValues, addressOf: (relationshipId: string) => string | null) {
    this.#inline = inline;
    this.#addressOf = addressOf;
  }

  open(element: XmlElement): void {
    if (this.#skipped > 0 || element.name === FALLBACK) this.#skipped += 1;
    else if (this.#equation !== null) this.#equation.openEquationElement(element);
    else this.#beginShapeElement(element);
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#equation !== null) this.#equation.addEquationText(withoutMarks(text));
    else if (this.#isText) this.#addRun(withoutMarks(text));
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
      this.#shapeUrl = null;
    } else if (name === 'p:pic') {
      this.#isPicture = true;
      this.#description = null;
      this.#shapeUrl = null;
    } else if (name === 'p:graphicFrame') {
      this.#shapeUrl = null;
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
        this.#paragraph = { runs: [], level: 0, bullet: null };
        break;
      case 'a:r':
      case 'a:fld':
        this.#look = PLAIN;
        break;
      case 'a:rPr':
        this.#look = { ...this.#look, flags: runFlags(element), isRaised: isRaised(element) };
        this.#isRunProperties = true;
        break;
      case 'a:hlinkClick':
        this.#noteLink(element);
        break;
      case 'a:br':
        this.#addRun('\v');
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
      case 'a:rPr':
        this.#isRunProperties = false;
        break;
      case 'a:p':
        this.#closeSlideParagraph();
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
        if (this.#description !== null) this.#addPicture(this.#description, place);
        this.#isPicture = false;
        break;
      case 'p:sp':
        this.#addTextShape(this.#paragraphs ?? [], place);
        this.#paragraphs = null;
        break;
    }
  }

  #addRun(text: string): void {
    const { flags, url, isRaised: raises } = this.#look;
    this.#paragraph?.runs.push({ text: raises ? raisedText(text) : text, flags: raises ? 0 : flags, url });
  }

  /** The link of a run, or of a whole shape. */
  #noteLink(element: XmlElement): void {
    const url = this.#addressOf(element.attributeValue('r:id') ?? '');
    if (this.#isRunProperties) this.#look = { ...this.#look, url };
    else if (this.#paragraph === null) this.#shapeUrl = url;
  }

  #addPicture(text: string, place: Place): void {
    const run = { text, flags: 0, url: this.#shapeUrl };
    this.shapes.push({ kind: 'picture', text: signedRuns([run], this.#inline), place });
  }

  #closeSlideParagraph(): void {
    const paragraph = this.#paragraph;
    this.#paragraph = null;
    if (paragraph === null) return;
    const { runs, level, bullet } = paragraph;
    // A link of the shape is that of all its text.
    if (this.#shapeUrl !== null) for (const run of runs) run.url ??= this.#shapeUrl;
    this.#paragraphs?.push({ text: signedRuns(runs, this.#inline), level, bullet });
  }

  #addTextShape(paragraphs: readonly SlideParagraph[], place: Place): void {
    const placeholder = this.#placeholder;
    // A title is emphasised as such.
    const flags = TITLES.has(placeholder?.type ?? '') ? RUN_STRONG : 0;
    const texts = withoutLook(paragraphs.map(({ text }) => withoutEmphasis(text, flags)));
    const shown = paragraphs.map((paragraph, at) => ({ ...paragraph, text: texts[at] ?? '' }));
    this.shapes.push({ kind: 'text', placeholder, paragraphs: shown, place });
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
    const spans = spansWithin(this.#spans, rows.length, columns);
    this.shapes.push({ kind: 'table', rows: withoutTableLook(rows), spans, place });
  }

  #closeEquation(): void {
    if (this.#paragraph !== null && this.#equation !== null) {
      const text = ` ${this.#inline.signedFormula(this.#equation.finishEquation())} `;
      this.#paragraph.runs.push({ text, flags: 0, url: null });
      this.hasDeepEquation ||= this.#equation.isDeep;
    }
    this.#equation = null;
  }
}

function runFlags(properties: XmlElement): number {
  const strike = properties.attributeValue('strike') ?? 'noStrike';
  return (
    (isTrue(properties.attributeValue('b')) ? RUN_STRONG : 0) |
    (isTrue(properties.attributeValue('i')) ? RUN_EMPHASIS : 0) |
    (strike === 'noStrike' ? 0 : RUN_STRIKE)
  );
}

/** Whether a run stands above the line, as the number of a note does. */
function isRaised(properties: XmlElement): boolean {
  return Number.parseFloat(properties.attributeValue('baseline') ?? '0') > 0;
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
