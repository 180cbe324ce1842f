import { BULLET, formatNumber } from '../list-markers.ts';
import { type DocFile, TABLES } from './word-file.ts';

const LIST_BYTES = 28;
const LEVEL_BYTES = 28;
const OVERRIDE_BYTES = 16;
const LEVELS = 9;
const LEGAL = 4;
const FORM_BULLET = 23;
const FORM_NONE = 255;
/** Word's numbers of the forms that are not 1, 2, 3. */
const FORMS: Readonly<Record<number, string>> = { 1: 'I', 2: 'i', 3: 'A', 4: 'a' };

interface Level {
  start: number;
  form: number;
  /** Text of the marker; characters below 9 stand for the number of that level. */
  template: string;
  /** All numbers in it are written 1, 2, 3, also those of levels that are written otherwise. */
  isLegal: boolean;
}

/** Counts the items of a document's automatic lists, whose numbers are nowhere in its text. */
export class DocLists {
  /** Levels of each list by its id. */
  readonly #lists: Map<number, Level[]>;
  /** Ids of lists by the number paragraphs name them with, from 1. */
  readonly #ids: number[];
  readonly #counts = new Map<number, number[]>();

  constructor(file: DocFile) {
    this.#lists = readLists(file.tableAndAfter(TABLES.lists));
    this.#ids = readOverrides(file.table(TABLES.listOverrides));
  }

  /** The marker of the next item of a list. */
  next(list: number, level: number): string {
    const id = this.#ids[list - 1];
    const levels = id === undefined ? undefined : this.#lists.get(id);
    const found = levels?.[Math.min(level, levels.length - 1)];
    if (id === undefined || levels === undefined || found === undefined) return BULLET;
    const counts = this.#counts.get(id) ?? [];
    this.#counts.set(id, counts);
    counts[level] = (counts[level] ?? found.start - 1) + 1;
    counts.length = level + 1;
    if (found.form === FORM_BULLET) return BULLET;
    if (found.form === FORM_NONE) return '';
    return Array.from(found.template, (character) => {
      const place = character.charCodeAt(0);
      if (place >= LEVELS) return character;
      const form = (found.isLegal ? undefined : FORMS[levels[place]?.form ?? 0]) ?? '1';
      return formatNumber(counts[place] ?? levels[place]?.start ?? 1, form);
    }).join('');
  }
}

function readLists(table: Buffer): Map<number, Level[]> {
  const lists = new Map<number, Level[]>();
  if (table.length < 2) return lists;
  const count = table.readUInt16LE(0);
  let at = 2 + count * LIST_BYTES;
  for (let index = 0; index < count && at < table.length; index += 1) {
    const head = 2 + index * LIST_BYTES;
    const isSimple = ((table[head + 26] ?? 0) & 1) === 1;
    const levels: Level[] = [];
    for (let level = 0; level < (isSimple ? 1 : LEVELS) && at + LEVEL_BYTES + 2 <= table.length; level += 1) {
      const textAt = at + LEVEL_BYTES + (table[at + 24] ?? 0) + (table[at + 25] ?? 0);
      if (textAt + 2 > table.length) break;
      const end = textAt + 2 + table.readUInt16LE(textAt) * 2;
      const template = table.toString('utf16le', textAt + 2, end);
      const isLegal = ((table[at + 5] ?? 0) & LEGAL) !== 0;
      levels.push({ start: table.readInt32LE(at), form: table[at + 4] ?? 0, template, isLegal });
      at = end;
    }
    lists.set(table.readInt32LE(head), levels);
  }
  return lists;
}

function readOverrides(table: Buffer): number[] {
  const count = table.length < 4 ? 0 : table.readUInt32LE(0);
  const ids: number[] = [];
  for (let at = 4; at + OVERRIDE_BYTES <= table.length && ids.length < count; at += OVERRIDE_BYTES) {
    ids.push(table.readInt32LE(at));
  }
  return ids;
}
