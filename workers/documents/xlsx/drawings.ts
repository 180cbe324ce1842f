import { readChart } from '../drawings/chart.ts';
import { readDiagram } from '../drawings/diagram.ts';
import { type Relationship, readRelationships } from '../ooxml.ts';
import type { SheetWriter } from '../sheets/sheet-writer.ts';
import { walkXml, type XmlBudget } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';

/** Content for programs that lack a feature; others read the choice beside it. */
const FALLBACK = 'mc:Fallback';

/** Adds the text boxes, shapes, charts and diagrams of a sheet. `relations` are those of the sheet. */
export function readSheetDrawings(
  source: OfficePackage,
  relations: readonly Relationship[],
  writer: SheetWriter,
  budget: XmlBudget,
): void {
  for (const { target } of relations.filter(({ type }) => type === 'drawing')) {
    const bytes = source.read(target);
    if (bytes === null) continue;
    const parts = readRelationships(source, target, budget);
    readShapes(bytes, writer, budget, (kind, id) => {
      const part = parts.find((one) => one.id === id && !one.isExternal);
      const content = part === undefined ? null : source.read(part.target);
      if (content === null) {
        writer.missDrawings(1);
        return;
      }
      const read = kind === 'chart' ? readChart : readDiagram;
      writer.addSheetDrawing((builder) => read(content, builder, budget));
    });
  }
}

type ReadPart = (kind: 'chart' | 'diagram', relationshipId: string | null) => void;

function readShapes(bytes: Buffer, writer: SheetWriter, budget: XmlBudget, readPart: ReadPart): void {
  let lines: string[] = [];
  let isText = false;
  let skipped = 0;
  walkXml(bytes, budget, {
    open(element) {
      const { name, local } = element;
      if (skipped > 0 || name === FALLBACK) {
        skipped += 1;
        return;
      }
      isText = name === 'a:t';
      if (name === 'c:chart' || name === 'cx:chart') readPart('chart', element.attributeValue('r:id'));
      else if (name === 'dgm:relIds') readPart('diagram', element.attributeValue('r:dm'));
      else if (local === 'txBody') lines = [];
      else if (name === 'a:p') lines.push('');
      else if (name === 'a:br') lines[lines.length - 1] += ' ';
    },
    text(text) {
      if (skipped === 0 && isText && lines.length > 0) lines[lines.length - 1] += text;
    },
    close({ local }) {
      isText = false;
      if (skipped > 0) skipped -= 1;
      else if (local === 'txBody') writer.addTextBox(lines.join('\n'));
    },
  });
}
