import type { WORK_GROUPS } from '../../operation.ts';

/** What an item is, for people. */
export const ITEM_KINDS = ['document', 'talk', 'site', 'page', 'sound', 'text'] as const;

export type ItemKind = (typeof ITEM_KINDS)[number];

/** Where items come from. */
export const ITEM_SOURCES = ['file', 'web', 'made'] as const;

/** How items are taken out. */
export const EXPORT_FORMS = ['zip', 'markdown', 'epub'] as const;

/** What a ZIP may hold of each item. */
export const EXPORT_PARTS = [
  'markdown',
  'plain',
  'subtitles',
  'data',
  'pictures',
  'sounds',
  'others',
  'notes',
  'originals',
] as const;

export type ExportPart = (typeof EXPORT_PARTS)[number];

export type WorkGroup = (typeof WORK_GROUPS)[number];

/** What the owner keeps of the work of a group. Searches and others are no items. */
const KINDS: Partial<Record<WorkGroup, ItemKind>> = {
  read: 'document',
  transcribe: 'talk',
  crawl: 'site',
  speak: 'sound',
  compose: 'sound',
  write: 'text',
};

export function kindOfGroup(group: WorkGroup): ItemKind | null {
  return KINDS[group] ?? null;
}
