import type { WORK_GROUPS } from '../../operation.ts';

/** What an item is, for people. */
export const ITEM_KINDS = ['document', 'talk', 'site', 'page', 'sound', 'text'] as const;

export type ItemKind = (typeof ITEM_KINDS)[number];

/** How items are taken out. */
export const EXPORT_FORMS = ['zip', 'markdown', 'epub'] as const;

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
