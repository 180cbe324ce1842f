import type { WORK_GROUPS } from '../../operation.ts';
import type { ItemKind } from './schema.ts';

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
