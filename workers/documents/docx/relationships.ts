import { walkXml, type XmlBudget } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';

export interface Relationship {
  id: string;
  /** Last step of the type's address: `footnotes`, `header`, `hyperlink`. */
  type: string;
  /** Part name inside the package, or an address where `isExternal`. */
  target: string;
  isExternal: boolean;
}

/** What a part refers to. The package itself is the part ''. Empty where it says nothing. */
export function readRelationships(source: OfficePackage, part: string, budget: XmlBudget): Relationship[] {
  const slash = part.lastIndexOf('/') + 1;
  const bytes = source.read(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
  if (bytes === null) return [];
  const found: Relationship[] = [];
  walkXml(bytes, budget, {
    open(element) {
      if (element.local !== 'Relationship') return;
      const isExternal = element.attribute('TargetMode') === 'External';
      const target = element.attribute('Target') ?? '';
      found.push({
        id: element.attribute('Id') ?? '',
        type: (element.attribute('Type') ?? '').split('/').at(-1) ?? '',
        target: isExternal ? target : resolvePart(part.slice(0, slash), target),
        isExternal,
      });
    },
    close() {},
    text() {},
  });
  return found;
}

/** A part's name from a target relative to the folder of the part that names it. */
function resolvePart(folder: string, target: string): string {
  const steps: string[] = [];
  for (const step of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}
