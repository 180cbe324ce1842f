import { walkXml, type XmlBudget } from './xml.ts';
import type { OfficePackage } from './zip-package.ts';

/** Metadata in the file. */
interface DocumentProperties {
  title: string | null;
  author: string | null;
  language: string | null;
  /** Page count of the last save; 0 if unknown. */
  pages: number;
}

const MAX_VALUE_CHARS = 1000;

/** Larger counts are treated as unknown. */
const MAX_PAGES = 100_000;

export function readProperties(source: OfficePackage, budget: XmlBudget): DocumentProperties {
  const core = readValues(source.read('docProps/core.xml'), budget);
  const app = readValues(source.read('docProps/app.xml'), budget);
  const pages = Number(app.get('app:Pages') ?? 0);
  return {
    title: core.get('dc:title') ?? null,
    author: core.get('dc:creator') ?? null,
    language: core.get('dc:language') ?? null,
    pages: Number.isInteger(pages) && pages > 0 && pages <= MAX_PAGES ? pages : 0,
  };
}

/** The first value of each text element, by namespace and name. */
function readValues(bytes: Buffer | null, budget: XmlBudget): Map<string, string> {
  const values = new Map<string, string>();
  if (bytes === null) return values;
  const texts: string[] = [];
  walkXml(bytes, budget, {
    open() {
      texts.push('');
    },
    text(text) {
      if (texts.length > 0) texts[texts.length - 1] += text;
    },
    close({ name }) {
      const value = (texts.pop() ?? '').replace(/\s+/g, ' ').trim().slice(0, MAX_VALUE_CHARS).normalize('NFC');
      if (value !== '' && !values.has(name)) values.set(name, value);
    },
  });
  return values;
}

export interface Relationship {
  id: string;
  /** Last path segment of the type: `footnotes`, `header`, `hyperlink`. */
  type: string;
  /** Part name inside the package, or an address if `isExternal`. */
  target: string;
  isExternal: boolean;
}

/** Relationships of a part; the package itself is the part ''. Empty if the part has none. */
export function readRelationships(source: OfficePackage, part: string, budget: XmlBudget): Relationship[] {
  const slash = part.lastIndexOf('/') + 1;
  const bytes = source.read(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
  if (bytes === null) return [];
  const found: Relationship[] = [];
  walkXml(bytes, budget, {
    open(element) {
      if (element.local !== 'Relationship') return;
      const isExternal = element.attributeValue('TargetMode') === 'External';
      const target = element.attributeValue('Target') ?? '';
      found.push({
        id: element.attributeValue('Id') ?? '',
        type: (element.attributeValue('Type') ?? '').split('/').at(-1) ?? '',
        target: isExternal ? target : resolvePart(part.slice(0, slash), target),
        isExternal,
      });
    },
  });
  return found;
}

/** Addresses outside the file, by relationship; null for those of parts. */
export function externalAddresses(relations: readonly Relationship[]): (id: string) => string | null {
  const addresses = new Map<string, string>();
  for (const { id, isExternal, target } of relations) if (isExternal) addresses.set(id, target);
  return (id) => addresses.get(id) ?? null;
}

/** Resolves a target relative to the folder of the part that names it. */
function resolvePart(folder: string, target: string): string {
  const steps: string[] = [];
  for (const step of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}
