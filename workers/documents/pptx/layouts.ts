import { readRelationships } from '../ooxml.ts';
import { walkXml, type XmlBudget } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';
import { type Bullet, bulletOf, type Placeholder } from './shapes.ts';

/** The bullets of a style, by level. */
type Levels = Map<number, Bullet>;

/** Bullets of the text placeholders of a layout, which slides inherit. */
interface Layout {
  byPlaceholder: Map<string, Levels>;
  /** Of the body texts of its master. */
  body: Levels;
}

/** Reads each layout once: most slides share one. */
export class Layouts {
  readonly #source: OfficePackage;
  readonly #budget: XmlBudget;
  readonly #layouts = new Map<string, Layout>();
  readonly #masters = new Map<string, Levels>();

  constructor(source: OfficePackage, budget: XmlBudget) {
    this.#source = source;
    this.#budget = budget;
  }

  /** The bullet of a paragraph that states none. */
  bulletOf(layoutPart: string | null, { type, index }: Placeholder, level: number): Bullet {
    const layout = layoutPart === null ? null : this.#layout(layoutPart);
    const own = layout?.byPlaceholder.get(index) ?? layout?.byPlaceholder.get(type);
    return own?.get(level) ?? layout?.body.get(level) ?? { kind: 'none' };
  }

  #layout(part: string): Layout {
    const known = this.#layouts.get(part);
    if (known !== undefined) return known;
    const master = readRelationships(this.#source, part, this.#budget).find(({ type }) => type === 'slideMaster');
    const byPlaceholder = this.#placeholders(part);
    const layout = { byPlaceholder, body: master === undefined ? new Map() : this.#body(master.target) };
    this.#layouts.set(part, layout);
    return layout;
  }

  #placeholders(part: string): Map<string, Levels> {
    const found = new Map<string, Levels>();
    const bytes = this.#source.read(part);
    let levels: Levels = new Map();
    let level: number | null = null;
    if (bytes === null) return found;
    walkXml(bytes, this.#budget, {
      open(element) {
        if (element.name === 'p:sp') levels = new Map();
        else if (element.name === 'p:ph') {
          found.set(element.attribute('idx') ?? element.attribute('type') ?? 'obj', levels);
        }
        level = styleLevel(element.local) ?? level;
        const bullet = bulletOf(element);
        if (bullet !== null && level !== null) levels.set(level, bullet);
      },
      close({ local }) {
        if (styleLevel(local) !== null) level = null;
      },
    });
    return found;
  }

  #body(part: string): Levels {
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

/** The level of `lvl1pPr`, from 0. */
function styleLevel(local: string): number | null {
  const digit = /^lvl(\d)pPr$/.exec(local)?.[1];
  return digit === undefined ? null : Number(digit) - 1;
}
