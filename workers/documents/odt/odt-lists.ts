import type { XmlTag } from '../odt-xml.ts';
import type { OdtStyles } from './styles.ts';

interface OpenList {
  style: string | null;
  /** Number of the last item that had text of its own. */
  number: number;
  /** An item has opened whose first paragraph has not come yet. */
  isItemPending: boolean;
}

/** Counts the items of open lists. */
export class OdtLists {
  readonly #styles: OdtStyles;
  #open: OpenList[] = [];
  /** Where lists that another may continue have stopped, by style and by id. */
  readonly #stopped = new Map<string, number>();
  /** Numbers of the last headings, by their level from the outermost. */
  readonly #headings: number[] = [];
  /** Text that was deleted is read to be shown as that; its headings take part in no numbering. */
  #deletions = 0;

  constructor(styles: OdtStyles) {
    this.#styles = styles;
  }

  openList(tag: XmlTag): () => void {
    const style = tag.attribute('text:style-name') ?? this.#open.at(-1)?.style ?? null;
    const level = this.#open.length + 1;
    const key = `${style} ${level}`;
    const continued = tag.attribute('text:continue-list');
    const before = tag.attribute('text:continue-numbering') === 'true' ? this.#stopped.get(key) : undefined;
    const number = (continued === null ? before : this.#stopped.get(`#${continued}`)) ?? this.#first(style, level);
    const list: OpenList = { style, number, isItemPending: false };
    const id = tag.attribute('xml:id');
    this.#open.push(list);
    return () => {
      this.#open.pop();
      this.#stopped.set(key, list.number);
      if (id !== null) this.#stopped.set(`#${id}`, list.number);
    };
  }

  #first(style: string | null, level: number): number {
    return this.#styles.startOf(style, level) - 1;
  }

  openItem(tag: XmlTag): () => void {
    const list = this.#open.at(-1);
    const start = Number.parseInt(tag.attribute('text:start-value') ?? '', 10);
    if (list !== undefined) {
      list.isItemPending = true;
      if (Number.isSafeInteger(start)) list.number = start - 1;
    }
    return () => {
      if (list !== undefined) list.isItemPending = false;
    };
  }

  /** The marker for a paragraph that opens now; null when it is not the first of an item. */
  takeMarker(): { marker: string; depth: number } | null {
    const list = this.#open.at(-1);
    if (list === undefined || !list.isItemPending) return null;
    list.isItemPending = false;
    list.number += 1;
    const numbers = this.#open.map(({ number }) => Math.max(1, number));
    return { marker: this.#styles.markerOf(list.style, numbers), depth: this.#open.length - 1 };
  }

  /** The number of a heading that opens now, as the item of a list or by its level; null where it has none. */
  takeHeading(tag: XmlTag, level: number): string | null {
    const item = this.takeMarker();
    if (item !== null) return item.marker;
    const start = this.#styles.headingStart(tag.attribute('text:style-name'), level);
    if (start === null || this.#deletions > 0 || tag.attribute('text:is-list-header') === 'true') return null;
    const stated = Number.parseInt(tag.attribute('text:start-value') ?? '', 10);
    const restarts = tag.attribute('text:restart-numbering') === 'true' && Number.isSafeInteger(stated);
    this.#headings[level - 1] = restarts ? stated : (this.#headings[level - 1] ?? start - 1) + 1;
    this.#headings.length = level;
    return this.#styles.headingMarker(Array.from(this.#headings, (number) => number ?? 1));
  }

  openDeletion(): () => void {
    this.#deletions += 1;
    return () => {
      this.#deletions -= 1;
    };
  }

  /** Lists around a cell or note do not count what is in it. */
  suspend(): OpenList[] {
    const open = this.#open;
    this.#open = [];
    return open;
  }

  resume(open: OpenList[]): void {
    this.#open = open;
  }
}
