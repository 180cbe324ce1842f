/** The columns of the list, as this browser keeps them. */
import { useMemo } from 'react';
import { useSavedChoice } from '../../components/saved-choices.ts';

/** In the order of the list. The title is always there. */
export const ITEM_COLUMNS = [
  'kind',
  'length',
  'tags',
  'collection',
  'speakers',
  'language',
  'source',
  'size',
  'added',
] as const;

export type ItemColumn = (typeof ITEM_COLUMNS)[number];

const USUAL: readonly ItemColumn[] = ['length', 'tags', 'collection', 'source', 'added'];

/** Width of each column: as a track of the grid, and the least in pixels. */
const WIDTHS: Readonly<Record<ItemColumn, { track: string; least: number }>> = {
  kind: { track: '100px', least: 100 },
  length: { track: '100px', least: 100 },
  tags: { track: 'minmax(0, 152px)', least: 130 },
  collection: { track: 'minmax(0, 120px)', least: 110 },
  speakers: { track: 'minmax(0, 140px)', least: 120 },
  language: { track: '90px', least: 90 },
  source: { track: 'minmax(0, 150px)', least: 130 },
  size: { track: '76px', least: 76 },
  added: { track: '92px', least: 92 },
};

/** Those that go last where the window has no room for all. */
const IMPORTANT: readonly ItemColumn[] = [
  'added',
  'length',
  'tags',
  'size',
  'language',
  'kind',
  'collection',
  'speakers',
  'source',
];

const GAP = 12;

/** The title, the box before it, and the edges. */
const TITLE_LEAST = 320;

const NAME = 'item-columns';

interface ChosenColumns {
  columns: readonly ItemColumn[];
  isUsual: boolean;
  toggle: (column: ItemColumn) => void;
  /** Shows the usual ones again. */
  reset: () => void;
}

/** What the owner chose in this browser. */
export function useItemColumns(): ChosenColumns {
  const [saved, save] = useSavedChoice<string[] | null>(NAME);
  return useMemo(() => {
    const columns = saved == null ? USUAL : ITEM_COLUMNS.filter((name) => saved.includes(name));
    return {
      columns,
      isUsual: columns.join() === USUAL.join(),
      toggle: (column) =>
        save(columns.includes(column) ? columns.filter((name) => name !== column) : [...columns, column]),
      reset: () => save(null),
    };
  }, [saved, save]);
}

/** The chosen columns that a list of some width has room for. */
export function fittingColumns(chosen: readonly ItemColumn[], width: number): ItemColumn[] {
  const fits = new Set<ItemColumn>();
  let room = width - TITLE_LEAST;
  for (const name of IMPORTANT.filter((one) => chosen.includes(one))) {
    room -= WIDTHS[name].least + GAP;
    if (width > 0 && room < 0) break;
    fits.add(name);
  }
  return ITEM_COLUMNS.filter((name) => fits.has(name));
}

/** The tracks of columns beside the title. */
export function tracksOf(columns: readonly ItemColumn[]): string {
  return columns.map((name) => WIDTHS[name].track).join(' ');
}
