import { RUN_CODE, RUN_EMPHASIS, RUN_STRIKE, RUN_STRONG } from '../inline-marks.ts';
import { isByline, TITLE_STYLE } from '../titles.ts';
import { QUOTE_STYLE } from '../word-processing.ts';
import { walkXml, type XmlBudget, type XmlElement } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';

/** A paragraph style with everything it inherits. */
export interface ParagraphStyle {
  role: 'title' | 'heading' | 'caption' | 'code' | 'quote' | 'text';
  /** 1 to 9 if `role` is heading or title. */
  level: number;
  numId: string | null;
  listLevel: number | null;
}

export interface Styles {
  /** The style with this id; the default style if the id is null or unknown. */
  of(styleId: string | null): ParagraphStyle;
  /** Emphasis of a character style. */
  runFlags(styleId: string | null): number;
  /** Default language of the document. */
  language: string | null;
}

interface RawStyle {
  name: string;
  basedOn: string | null;
  outlineLevel: number | null;
  numId: string | null;
  listLevel: number | null;
  /** Emphasis, of character styles only. */
  isRun: boolean;
  flags: number;
}

const MAX_INHERITANCE = 20;
const HEADING_NAME = /^heading\s*([1-9])$/i;
const CAPTION_NAME = /^(?:(?:image|table|figure)\s*)?caption$/i;
const CODE_RUN_NAME = /^(?:(?:verbatim|source code) char|html (?:code|typewriter|sample)|(?:inline )?code(?: char)?)$/i;
const CODE_NAME = /^(?:source code|code|code block|html preformatted|preformatted text|macro)$/i;

export function readStyles(source: OfficePackage, part: string, budget: XmlBudget): Styles {
  const raw = new Map<string, RawStyle>();
  const runs = new Map<string, RawStyle>();
  let defaultId: string | null = null;
  let language: string | null = null;
  let current: RawStyle | null = null;
  let inDefaults = false;
  const bytes = source.read(part);
  if (bytes !== null) {
    walkXml(bytes, budget, {
      open(element) {
        if (element.namespace !== 'w') return;
        if (element.local === 'docDefaults') inDefaults = true;
        else if (element.local === 'lang' && inDefaults) language ??= element.attributeValue('val');
        else if (element.local === 'style' && STYLE_TYPES.has(element.attributeValue('type') ?? '')) {
          const id = element.attributeValue('styleId') ?? '';
          const isRun = element.attributeValue('type') === 'character';
          current = { name: id, basedOn: null, outlineLevel: null, numId: null, listLevel: null, isRun, flags: 0 };
          (isRun ? runs : raw).set(id, current);
          if (isRun) return;
          if (isToggleOn(element.attributeValue('default'))) defaultId ??= id;
        } else if (current?.isRun === true) readRunInto(current, element);
        else if (current !== null) readInto(current, element.local, element.attributeValue('val') ?? '');
      },
      close({ local }) {
        if (local === 'style') current = null;
        else if (local === 'docDefaults') inDefaults = false;
      },
    });
  }
  return { of: paragraphStyleResolver(raw, defaultId), runFlags: runFlagsResolver(runs), language };
}

const STYLE_TYPES = new Set(['paragraph', 'character']);

/** The emphasis that an element of run properties states; 0 for others. */
export function runFlag(local: string): number {
  switch (local) {
    case 'b':
      return RUN_STRONG;
    case 'i':
      return RUN_EMPHASIS;
    case 'strike':
    case 'dstrike':
      return RUN_STRIKE;
    default:
      return 0;
  }
}

export function isToggledOff(value: string | null): boolean {
  return value === '0' || value === 'false' || value === 'off' || value === 'none';
}

function readRunInto(style: RawStyle, element: XmlElement): void {
  const value = element.attributeValue('val');
  if (element.local === 'name') style.name = value ?? style.name;
  else if (element.local === 'basedOn') style.basedOn = value;
  else if (!isToggledOff(value)) style.flags |= runFlag(element.local);
}

function runFlagsResolver(runs: ReadonlyMap<string, RawStyle>): Styles['runFlags'] {
  const resolved = new Map<string | null, number>();
  return (styleId) => {
    const known = resolved.get(styleId);
    if (known !== undefined) return known;
    let flags = 0;
    let style = runs.get(styleId ?? '') ?? (styleId === null ? undefined : undescribedStyle(styleId));
    for (let step = 0; style !== undefined && step < MAX_INHERITANCE; step += 1) {
      flags |= style.flags | (CODE_RUN_NAME.test(style.name) ? RUN_CODE : 0);
      style = runs.get(style.basedOn ?? '');
    }
    // Code is shown as code alone.
    flags = (flags & RUN_CODE) === 0 ? flags : RUN_CODE;
    resolved.set(styleId, flags);
    return flags;
  };
}

function isToggleOn(value: string | null): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

function readInto(style: RawStyle, local: string, value: string): void {
  if (local === 'name') style.name = value;
  else if (local === 'basedOn') style.basedOn = value;
  else if (local === 'outlineLvl') style.outlineLevel = Number(value);
  else if (local === 'numId') style.numId = value;
  else if (local === 'ilvl') style.listLevel = Number(value);
}

function paragraphStyleResolver(raw: Map<string, RawStyle>, defaultId: string | null): Styles['of'] {
  const resolved = new Map<string, ParagraphStyle>();
  return (styleId) => {
    const id = styleId ?? defaultId ?? '';
    let style = resolved.get(id);
    if (style === undefined) {
      style = resolveParagraphStyle(raw, id, defaultId);
      resolved.set(id, style);
    }
    return style;
  };
}

function resolveParagraphStyle(raw: Map<string, RawStyle>, id: string, defaultId: string | null): ParagraphStyle {
  const style: ParagraphStyle = { role: 'text', level: 0, numId: null, listLevel: null };
  let name: string | null = id;
  const isLine = isByline(raw.get(id)?.name ?? id);
  for (let step = 0; name !== null && step < MAX_INHERITANCE; step += 1) {
    // An undefined style is recognised by its id, which programs derive from the style's name.
    const from: RawStyle | undefined = raw.get(name) ?? (step === 0 ? undescribedStyle(name) : undefined);
    if (from === undefined) break;
    style.numId ??= from.numId;
    style.listLevel ??= from.listLevel;
    if (!isLine && style.role === 'text' && (step === 0 || name !== defaultId))
      Object.assign(style, docxStyleRole(from));
    name = from.basedOn;
  }
  return style;
}

function undescribedStyle(id: string): RawStyle {
  return { name: id, basedOn: null, outlineLevel: null, numId: null, listLevel: null, isRun: false, flags: 0 };
}

function docxStyleRole(style: RawStyle): Pick<ParagraphStyle, 'role' | 'level'> {
  const heading = HEADING_NAME.exec(style.name)?.[1];
  if (heading !== undefined) return { role: 'heading', level: Number(heading) };
  if (TITLE_STYLE.test(style.name)) return { role: 'title', level: 1 };
  if (CAPTION_NAME.test(style.name)) return { role: 'caption', level: 0 };
  if (CODE_NAME.test(style.name)) return { role: 'code', level: 0 };
  if (QUOTE_STYLE.test(style.name)) return { role: 'quote', level: 0 };
  const outline = style.outlineLevel;
  if (outline !== null && outline >= 0 && outline <= 8) return { role: 'heading', level: outline + 1 };
  return { role: 'text', level: 0 };
}
