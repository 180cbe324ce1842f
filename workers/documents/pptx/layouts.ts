import { readRelationships } from '../ooxml.ts';
import { walkXml, type XmlBudget } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';
import { emptyFrame, frameBox, readFrame } from './places.ts';
import { type Bullet, bulletOf, type Placeholder } from './shapes.ts';
import type { Box } from './slide-order.ts';

/** The bullets of a style, by level. */
type Levels = Map<number, Bullet>;

interface PlaceholderStyle {
  levels: Levels;
  frame: ReturnType<typeof emptyFrame>;
}

/** Bullets of the text placeholders of a layout, which slides inherit. */
interface Layout {
  byPlaceholder: Map<string, PlaceholderStyle>;
  /** Of the body texts of its master. */
  body: Levels;
  /** Placeholders of its master. */
  master: Map<string, PlaceholderStyle>;
}

/** Reads each layout once: most slides share one. */
export class Layouts {
  readonly #source: OfficePackage;
  readonly #budget: XmlBudget;
  readonly #layouts = new Map<string, Layout>();
  readonly #masters = new Map<string, Levels>();
  readonly #placeholdersOf = new Map<string, Map<string, PlaceholderStyle>>();

  constructor(source: OfficePackage, budget: XmlBudget) {
    this.#source = source;
    this.#budget = budget;
  }

  /** The bullet of a paragraph that states none. */
  bulletOf(layoutPart: string | null, { type, index }: Placeholder, level: number): Bullet {
    const layout = layoutPart === null ? null : this.#readLayout(layoutPart);
    const own = layout?.byPlaceholder.get(index) ?? layout?.byPlaceholder.get(type);
    return own?.levels.get(level) ?? layout?.body.get(level) ?? { kind: 'none' };
  }

  /** Where a placeholder is that has no place of its own; null if it is not stated. */
  inheritedBox(layoutPart: string | null, { type, index }: Placeholder): Box | null {
    const layout = layoutPart === null ? null : this.#readLayout(layoutPart);
    const holders = layout?.byPlaceholder;
    const own = holders?.get(index) ?? holders?.get(type) ?? holders?.get(typeKey(type));
    const inherited = layout?.master.get(typeKey(type)) ?? layout?.master.get(typeKey('body'));
    return (own && frameBox(own.frame)) ?? (inherited && frameBox(inherited.frame)) ?? null;
  }

  #readLayout(part: string): Layout {
    const known = this.#layouts.get(part);
    if (known !== undefined) return known;
    const master = readRelationships(this.#source, part, this.#budget).find(({ type }) => type === 'slideMaster');
    const byPlaceholder = this.#layoutPlaceholders(part);
    const layout = {
      byPlaceholder,
      body: master === undefined ? new Map() : this.#masterBodyLevels(master.target),
      master: master === undefined ? new Map() : this.#layoutPlaceholders(master.target),
    };
    this.#layouts.set(part, layout);
    return layout;
  }

  #layoutPlaceholders(part: string): Map<string, PlaceholderStyle> {
    const known = this.#placeholdersOf.get(part);
    if (known !== undefined) return known;
    const found = new Map<string, PlaceholderStyle>();
    this.#placeholdersOf.set(part, found);
    const bytes = this.#source.read(part);
    let style: PlaceholderStyle = { levels: new Map(), frame: emptyFrame() };
    let level: number | null = null;
    if (bytes === null) return found;
    walkXml(bytes, this.#budget, {
      open(element) {
        if (element.name === 'p:sp') style = { levels: new Map(), frame: emptyFrame() };
        else if (element.name === 'p:ph') {
          const type = element.attributeValue('type');
          found.set(element.attributeValue('idx') ?? type ?? 'obj', style);
          if (type !== null && !found.has(typeKey(type))) found.set(typeKey(type), style);
        } else if (element.name === 'a:off' || element.name === 'a:ext') readFrame(element, style.frame);
        level = styleLevel(element.local) ?? level;
        const bullet = bulletOf(element);
        if (bullet !== null && level !== null) style.levels.set(level, bullet);
      },
      close({ local }) {
        if (styleLevel(local) !== null) level = null;
      },
    });
    return found;
  }

  #masterBodyLevels(part: string): Levels {
    const known = this.#masters.get(part);
    if (known !== undefined) return known;
    const levels: Levels = new Map();
    this.#masters.set(part, levels);
    const bytes = this.#source.read(part);
    let isBody = false;
    let level: number | null = null;
    if (bytes === null) return levels;
    walkXml(bytes, this.#budget, {
      open(element) {
        if (element.name === 'p:bodyStyle') isBody = true;
        level = styleLevel(element.local) ?? level;
        const bullet = bulletOf(element);
        if (isBody && bullet !== null && level !== null) levels.set(level, bullet);
      },
      close({ name, local }) {
        if (name === 'p:bodyStyle') isBody = false;
        if (styleLevel(local) !== null) level = null;
      },
    });
    return levels;
  }
}

/** Key of the first placeholder of a type; others are known by their index. */
function typeKey(type: string): string {
  return `type ${type}`;
}

/** The level of `lvl1pPr`, from 0. */
function styleLevel(local: string): number | null {
  const digit = /^lvl(\d)pPr$/.exec(local)?.[1];
  return digit === undefined ? null : Number(digit) - 1;
}
