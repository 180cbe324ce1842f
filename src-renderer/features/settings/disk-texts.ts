import { countedNoun, formatWholeNumber } from '../../components/format.ts';
import { KIND_NAMES } from '../library/texts.ts';

/** Texts of what takes room on the disk. */
export const disk = {
  title: 'Disk used',
  about: 'What the library keeps, with the original files, and what is installed. Search and settings come on top.',
  kind: (kind: string) => Object.entries(KIND_NAMES).find(([name]) => name === kind)?.[1] ?? kind,
  models: 'Models',
  unused: (count: number, size: string) => `${formatWholeNumber(count)} unused, ${size}`,
  deleted: 'Deleted, still here',
  empty: 'Empty now',
  largestOf: (kind: string) => `Largest first: ${kind.toLowerCase()}`,
  largestFirst: 'Largest first',
  largest: 'The largest items',
  largestAbout:
    'Deleted items keep their room for 30 days, or until you empty them. You can bring them back until then.',
  versions: (count: number) => countedNoun(formatWholeNumber(count), 'version'),
  choose: (title: string) => `Choose ${title}`,
  free: (count: number, size: string) => `Free ${size}: delete ${countedNoun(formatWholeNumber(count), 'item')}`,
  freeNone: 'Choose what to delete',
  none: 'Nothing is kept yet.',
  all: 'All by size',
};
