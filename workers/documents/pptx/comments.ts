import type { DocumentBuilder } from '../document-builder.ts';
import type { Relationship } from '../ooxml.ts';
import { walkXml, type XmlBudget } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';

/** Names by the id that comments use. */
export type CommentAuthors = ReadonlyMap<string, string>;

/** Both the older and the threaded comments of PowerPoint name their authors in a part of the presentation. */
export function readAuthors(source: OfficePackage, parts: readonly Relationship[], budget: XmlBudget): CommentAuthors {
  const authors = new Map<string, string>();
  for (const { target } of parts.filter(({ type }) => type === 'commentAuthors' || type === 'authors')) {
    const bytes = source.read(target);
    if (bytes === null) continue;
    walkXml(bytes, budget, {
      open(element) {
        if (element.local !== 'cmAuthor' && element.local !== 'author') return;
        authors.set(element.attributeValue('id') ?? '', element.attributeValue('name') ?? '');
      },
    });
  }
  return authors;
}

/** Adds the comments of a slide; replies are comments too. */
export function readSlideComments(
  source: OfficePackage,
  relations: readonly Relationship[],
  authors: CommentAuthors,
  builder: DocumentBuilder,
  budget: XmlBudget,
): void {
  const part = relations.find(({ type }) => type === 'comments');
  const bytes = part === undefined ? null : source.read(part.target);
  if (bytes === null) return;
  const open: { author: string | null; date: string | null; text: string }[] = [];
  let isText = false;
  walkXml(bytes, budget, {
    open(element) {
      const { local } = element;
      if (local === 'cm' || local === 'reply') {
        const author = authors.get(element.attributeValue('authorId') ?? '') ?? null;
        open.push({ author, date: element.attributeValue('dt') ?? element.attributeValue('created'), text: '' });
      }
      isText = element.name === 'p:text' || element.name === 'a:t';
    },
    text(text) {
      const comment = open.at(-1);
      if (isText && comment !== undefined) comment.text += text;
    },
    close({ local }) {
      isText = false;
      const comment = local === 'cm' || local === 'reply' ? open.pop() : undefined;
      if (comment === undefined) return;
      builder.addDocumentComment({ ...comment, anchor: null });
      if (builder.includeComments) builder.addDocumentBlock({ kind: 'comment', text: comment.text });
    },
  });
}
