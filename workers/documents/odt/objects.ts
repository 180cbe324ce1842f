import type { DocumentBuilder, NewBlock } from '../document-builder.ts';
import { DEEP_FORMULA } from '../math.ts';
import type { EmbeddedObject } from './elements.ts';
import { noFormula, type OpenDocumentParts, readFormula, walkInside } from './package.ts';
import { OdtRevisions } from './revisions.ts';
import { OdtStyles } from './styles.ts';
import { OdtWalker } from './walker.ts';

/** Charts, sheets, texts and drawings. */
const BODIES = new Set(['office:chart', 'office:spreadsheet', 'office:text', 'office:drawing', 'office:presentation']);

/** Objects in objects nest far less; deeper ones are hostile. */
export const OBJECT_DEPTH_MAX = 16;

export function noObject(): EmbeddedObject {
  return { formula: noFormula(), blocks: [] };
}

/**
 * Reads the objects in the folders of a package: a formula, or the titles of a chart as paragraphs and its values as a
 * table, once however often it is shown. Objects inside objects are read too.
 */
export function embeddedObjectReader(
  { partIn }: OpenDocumentParts,
  builder: DocumentBuilder,
): (folder: string) => EmbeddedObject {
  const seen = new Set<string>();
  const readerIn = (outer: string, depth: number) => (name: string) => {
    const folder = outer + name;
    const part = depth > OBJECT_DEPTH_MAX ? null : partIn(folder);
    if (part === null) return noObject();
    const formula = readFormula(part);
    if (formula?.isDeep === true) builder.addWarning(DEEP_FORMULA);
    if (formula !== null) return { formula, blocks: [] };
    if (seen.has(folder)) return noObject();
    seen.add(folder);
    const blocks: NewBlock[] = [];
    const sink = { add: (block: NewBlock) => void blocks.push(block) };
    const inner = readerIn(`${folder}/`, depth + 1);
    // Its styles have names of their own.
    const walker = new OdtWalker(builder, new OdtStyles(), new OdtRevisions(builder, new Set()), inner, sink);
    walkInside(part, (tag) => BODIES.has(tag), walker);
    return { formula: noFormula(), blocks };
  };
  return readerIn('', 0);
}
