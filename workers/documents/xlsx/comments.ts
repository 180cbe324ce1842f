import type { DocumentBuilder } from '../document-builder.ts';
import type { Relationship } from '../ooxml.ts';
import { walkXml, type XmlBudget } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';

/** Adds the comments of a sheet, whose relations are given; the anchor is the cell. */
export function readSheetComments(
  source: OfficePackage,
  relations: readonly Relationship[],
  builder: DocumentBuilder,
  budget: XmlBudget,
): void {
  const part = relations.find(({ type }) => type === 'comments');
  const bytes = part === undefined ? null : source.read(part.target);
  if (bytes === null) return;
  const authors: string[] = [];
  let text = '';
  let place = '';
  let author: string | null = null;
  let isText = false;
  walkXml(bytes, budget, {
    open(element) {
      if (element.name === 's:author' || element.name === 's:comment') text = '';
      isText = element.name === 's:author' || element.name === 's:t';
      if (element.name !== 's:comment') return;
      place = element.attributeValue('ref') ?? '';
      author = authors[Number(element.attributeValue('authorId') ?? Number.NaN)] ?? null;
    },
    text(part) {
      if (isText) text += part;
    },
    close({ name }) {
      isText = false;
      if (name === 's:author') authors.push(text);
      else if (name === 's:comment') {
        builder.addDocumentComment({ author, date: null, text, anchor: place });
        if (builder.includeComments) builder.addDocumentBlock({ kind: 'comment', text: `${place}: ${text}` });
      }
    },
  });
}
