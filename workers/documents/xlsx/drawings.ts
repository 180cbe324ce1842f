import { type Relationship, readRelationships } from '../ooxml.ts';
import type { SheetWriter } from '../sheets/sheet-writer.ts';
import { walkXml, type XmlBudget } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';

/** Parts of a drawing that are not read. */
const UNREAD = new Set(['chart', 'chartEx', 'diagramData']);

/** Adds the text boxes and shapes of a sheet, and counts its charts. `relations` are those of the sheet. */
export function readSheetDrawings(
  source: OfficePackage,
  relations: readonly Relationship[],
  writer: SheetWriter,
  budget: XmlBudget,
): void {
  for (const { target } of relations.filter(({ type }) => type === 'drawing')) {
    const bytes = source.read(target);
    if (bytes === null) continue;
    writer.missDrawings(readRelationships(source, target, budget).filter(({ type }) => UNREAD.has(type)).length);
    readTextBoxes(bytes, writer, budget);
  }
}

function readTextBoxes(bytes: Buffer, writer: SheetWriter, budget: XmlBudget): void {
  let lines: string[] = [];
  let isText = false;
  walkXml(bytes, budget, {
    open({ name, local }) {
      isText = name === 'a:t';
      if (local === 'txBody') lines = [];
      else if (name === 'a:p') lines.push('');
      else if (name === 'a:br') lines[lines.length - 1] += ' ';
    },
    text(text) {
      if (isText && lines.length > 0) lines[lines.length - 1] += text;
    },
    close({ local }) {
      isText = false;
      if (local === 'txBody') writer.addTextBox(lines.join('\n'));
    },
  });
}
