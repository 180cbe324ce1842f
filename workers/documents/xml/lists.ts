/** Lists of articles and books in XML, with the numbers that their readers see. */

import { byName } from '../../../src-server/platform/records.ts';
import { BULLET, formatNumber } from '../list-markers.ts';
import type { XmlElement } from '../xml.ts';

/** Elements that hold items. */
export const LISTS = new Set([
  ...['list', 'itemizedlist', 'orderedlist', 'simplelist', 'calloutlist', 'procedure', 'substeps', 'ul', 'ol', 'sl'],
  ...['steps', 'steps-unordered', 'variablelist', 'def-list', 'dl', 'glosslist'],
]);

const ITEMS = new Set(['li', 'listitem', 'list-item', 'sli', 'member', 'callout', 'step', 'substep']);

const NUMBERED = new Set(['orderedlist', 'procedure', 'substeps', 'steps', 'ol']);

/** A term with what it means. */
const ENTRIES = new Set(['varlistentry', 'glossentry', 'def-item', 'dlentry']);

const TERMS = new Set(['term', 'glossterm', 'dt']);

/** How DocBook, JATS and TEI name the numbers of a list. */
const FORMS: Readonly<Record<string, string>> = byName({
  arabic: '1',
  loweralpha: 'a',
  upperalpha: 'A',
  lowerroman: 'i',
  upperroman: 'I',
  order: '1',
  'alpha-lower': 'a',
  'alpha-upper': 'A',
  'roman-lower': 'i',
  'roman-upper': 'I',
  ordered: '1',
  numbered: '1',
  '1': '1',
  a: 'a',
  A: 'A',
  i: 'i',
  I: 'I',
});

interface OpenList {
  depth: number;
  /** Null for bullets. */
  form: string | null;
  next: number;
}

/** An open item. */
export interface OpenItem {
  depth: number;
  /** Items around it. */
  level: number;
  marker: string;
  /** Its first text is written; further ones continue it. */
  isWritten: boolean;
}

/** Whether an element is an item. Feeds have records of the name `item`. */
export function isItem(local: string, above: string | undefined): boolean {
  if (ITEMS.has(local)) return above === undefined || !ENTRIES.has(above);
  return local === 'item' && above === 'list';
}

/** Whether an element is a term that the elements after it define. */
export function isTerm(local: string, above: string | undefined): boolean {
  return TERMS.has(local) && above !== undefined && ENTRIES.has(above);
}

/** The open lists and items. Depths are those of the elements. */
export class XmlLists {
  readonly #lists: OpenList[] = [];
  readonly #items: OpenItem[] = [];
  /** Where the list that ended last would go on. */
  #after = 1;

  /** The innermost open item. */
  get item(): OpenItem | null {
    return this.#items.at(-1) ?? null;
  }

  openList(element: XmlElement, depth: number): void {
    const named = ['numeration', 'list-type', 'type', 'rend'].map((name) => FORMS[element.attributeValue(name) ?? '']);
    const form = named.find((one) => one !== undefined) ?? (NUMBERED.has(element.local) ? '1' : null);
    const start = Number.parseInt(
      element.attributeValue('startingnumber') ?? element.attributeValue('start') ?? '1',
      10,
    );
    const continues = element.attributeValue('continuation') === 'continues';
    const stated = element.attributeValue('continued-from') !== null || continues ? this.#after : start;
    this.#lists.push({ depth, form, next: Number.isSafeInteger(stated) && stated > 0 ? stated : 1 });
  }

  openItem(element: XmlElement, depth: number): void {
    const list = this.#lists.at(-1);
    const own = Number.parseInt(element.attributeValue('override') ?? element.attributeValue('value') ?? '', 10);
    if (list !== undefined && Number.isSafeInteger(own)) list.next = own;
    const marker = list === undefined || list.form === null ? BULLET : `${formatNumber(list.next, list.form)}.`;
    if (list !== undefined) list.next += 1;
    this.#items.push({ depth, level: this.#items.length, marker, isWritten: false });
  }

  /** Ends what is open at a depth. */
  close(depth: number): void {
    if (this.#items.at(-1)?.depth === depth) this.#items.pop();
    if (this.#lists.at(-1)?.depth === depth) this.#after = this.#lists.pop()?.next ?? 1;
  }
}
