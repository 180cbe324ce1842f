import type { PDFDocument } from 'mupdf';
import type { PdfFacts } from '../../tasks.ts';
import { OUTLINE_ENTRIES_MAX } from './limits.ts';
import { mupdf } from './mupdf.ts';

const TEXT_FIELD_CHARS_MAX = 1000;
/** Titles that programs write by themselves and that name no document. */
const NO_TITLE = /^(untitled|document\d*|title|slide \d+|about:blank|.*\.(html?|docx?|indd|tex|dvi|qxd))$/i;
const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;
const OUTLINE_LEVELS_MAX = 6;

type OutlineItems = NonNullable<ReturnType<PDFDocument['loadOutline']>>;

/** Metadata, stated language and outline. What is damaged among them is left out. */
export function readFacts(document: PDFDocument, pageCount: number): PdfFacts {
  return {
    pageCount,
    title: titleOf(infoField(document, mupdf.Document.META_INFO_TITLE)),
    author: infoField(document, mupdf.Document.META_INFO_AUTHOR),
    language: statedLanguage(document),
    repaired: document.wasRepaired(),
    outline: outlineOf(document),
  };
}

function infoField(document: PDFDocument, key: string): string | null {
  const value = optional(() => document.getMetaData(key)) ?? '';
  const text = value
    .replace(/\p{Cc}+/gu, ' ')
    .normalize('NFC')
    .trim();
  return text === '' ? null : text.slice(0, TEXT_FIELD_CHARS_MAX);
}

function titleOf(stated: string | null): string | null {
  const title = stated?.replace(/^Microsoft (Word|PowerPoint|Excel) - /, '') ?? null;
  return title === null || NO_TITLE.test(title) ? null : title;
}

function statedLanguage(document: PDFDocument): string | null {
  const language = optional(() => {
    const value = document.getTrailer().get('Root').get('Lang');
    return value.isString() ? value.asString().trim() : null;
  });
  return language != null && LANGUAGE.test(language) ? language : null;
}

/** The outline in reading order. A damaged one is no reason to refuse the text: it counts as none. */
function outlineOf(document: PDFDocument): PdfFacts['outline'] {
  const entries: PdfFacts['outline'] = [];
  const collect = (items: OutlineItems, level: number): void => {
    for (const { title = '', page, down } of items) {
      if (entries.length >= OUTLINE_ENTRIES_MAX) return;
      const text = title.replace(/\s+/g, ' ').trim();
      if (text !== '' && page !== undefined) entries.push({ title: text, level, page: page + 1 });
      if (down !== undefined && level < OUTLINE_LEVELS_MAX) collect(down, level + 1);
    }
  };
  collect(optional(() => document.loadOutline()) ?? [], 1);
  return entries;
}

function optional<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}
