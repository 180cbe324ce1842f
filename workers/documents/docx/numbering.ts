import { formatWordNumber } from '../list-markers.ts';
import { withoutMarks } from '../revisions.ts';
import { walkXml, type XmlBudget } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';

interface Level {
  start: number;
  format: string;
  /** `%1.%2` are the numbers of the first and second level. */
  text: string;
  /** Writes all numbers as 1, 2, 3, those of levels with other formats too. */
  isLegal: boolean;
  /** Restarts after an item of this level (from 1) or a higher one; 0 never; null after any higher level. */
  restartsAfter: number | null;
}

/** The levels of a list; a list style takes those of another list. */
interface Definition {
  levels: Map<number, Level>;
  /** The style that these levels define. */
  style: string | null;
  /** The style whose levels apply instead. */
  linkedStyle: string | null;
}

interface Numbering {
  abstractId: string;
  /** Level → overridden start number. */
  starts: Map<number, number>;
  levels: Map<number, Level>;
}

/** Counts list items in text order. */
export interface ListCounter {
  /** Marker of the next item at a level (0 to 8): `1.`, `b)`, `•`; null if the list is unknown. */
  next(numId: string, level: number): string | null;
}

const LEVELS = 9;

const BULLET = '•';

const MAX_MARKER_CHARS = 100;

interface Parsed {
  abstracts: Map<string, Definition>;
  numberings: Map<string, Numbering>;
}

export function readNumbering(source: OfficePackage, part: string, budget: XmlBudget): ListCounter {
  const bytes = source.read(part);
  const parsed: Parsed = { abstracts: new Map(), numberings: new Map() };
  if (bytes !== null) parseNumberingPart(bytes, budget, parsed);
  followStyles(parsed);
  const counters = new Map<string, (number | undefined)[]>();
  const started = new Set<string>();
  return {
    next(numId, level) {
      const numbering = parsed.numberings.get(numId);
      if (numbering === undefined || level < 0 || level >= LEVELS) return null;
      const levels = parsed.abstracts.get(numbering.abstractId)?.levels ?? new Map<number, Level>();
      const effectiveListLevel = (at: number) => numbering.levels.get(at) ?? levels.get(at);
      const here = effectiveListLevel(level);
      if (here === undefined) return null;
      const counts = counters.get(numbering.abstractId) ?? [];
      counters.set(numbering.abstractId, counts);
      const override = numbering.starts.get(level);
      const restarts = override !== undefined && !started.has(`${numId} ${level}`);
      started.add(`${numId} ${level}`);
      const count = counts[level];
      counts[level] = restarts ? override : count === undefined ? here.start : count + 1;
      for (let deeper = level + 1; deeper < counts.length; deeper += 1) {
        const after = effectiveListLevel(deeper)?.restartsAfter ?? LEVELS;
        if (level < after) counts[deeper] = undefined;
      }
      return markerOf(here, (at) => ({
        count: counts[at] ?? effectiveListLevel(at)?.start ?? 1,
        level: effectiveListLevel(at),
      }));
    },
  };
}

function followStyles({ abstracts }: Parsed): void {
  const byStyle = new Map([...abstracts.values()].map((one) => [one.style, one.levels]));
  for (const definition of abstracts.values()) {
    const levels = definition.linkedStyle === null ? undefined : byStyle.get(definition.linkedStyle);
    if (levels !== undefined) definition.levels = levels;
  }
}

function markerOf(here: Level, at: (level: number) => { count: number; level: Level | undefined }): string {
  if (here.format === 'bullet') return BULLET;
  if (here.format === 'none') return '';
  return here.text
    .replace(/%([1-9])/g, (_, digit: string) => {
      const { count, level } = at(Number(digit) - 1);
      const format = level?.format ?? 'decimal';
      return formatWordNumber(count, here.isLegal && format !== 'decimalZero' ? 'decimal' : format);
    })
    .slice(0, MAX_MARKER_CHARS)
    .trim();
}

function parseNumberingPart(bytes: Buffer, budget: XmlBudget, { abstracts, numberings }: Parsed): void {
  let definition: Definition | null = null;
  let numbering: Numbering | null = null;
  let level: Level | null = null;
  let overriddenLevel = 0;
  walkXml(bytes, budget, {
    open(element) {
      if (element.namespace !== 'w') return;
      const value = element.attributeValue('val') ?? '';
      switch (element.local) {
        case 'abstractNum':
          definition = { levels: new Map(), style: null, linkedStyle: null };
          numbering = null;
          abstracts.set(element.attributeValue('abstractNumId') ?? '', definition);
          break;
        case 'styleLink':
          if (definition !== null) definition.style = value;
          break;
        case 'numStyleLink':
          if (definition !== null) definition.linkedStyle = value;
          break;
        case 'num':
          numbering = { abstractId: '', starts: new Map(), levels: new Map() };
          definition = null;
          numberings.set(element.attributeValue('numId') ?? '', numbering);
          break;
        case 'abstractNumId':
          if (numbering !== null) numbering.abstractId = value;
          break;
        case 'lvlOverride':
          overriddenLevel = Number(element.attributeValue('ilvl'));
          break;
        case 'startOverride':
          numbering?.starts.set(overriddenLevel, toCount(value));
          break;
        case 'lvl':
          level = { start: 1, format: 'decimal', text: '', isLegal: false, restartsAfter: null };
          (numbering?.levels ?? definition?.levels)?.set(Number(element.attributeValue('ilvl')), level);
          break;
        case 'start':
          if (level !== null) level.start = toCount(value);
          break;
        case 'numFmt':
          if (level !== null) level.format = value;
          break;
        case 'isLgl':
          if (level !== null) level.isLegal = !['0', 'false', 'off'].includes(value);
          break;
        case 'lvlRestart':
          if (level !== null) level.restartsAfter = toCount(value);
          break;
        case 'lvlText':
          if (level !== null) level.text = withoutMarks(value).slice(0, MAX_MARKER_CHARS);
          break;
      }
    },
  });
}

function toCount(value: string): number {
  const count = Number(value);
  return Number.isSafeInteger(count) && count >= 0 ? count : 1;
}
