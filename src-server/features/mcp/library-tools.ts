import { z } from 'zod';
import { QuarryError } from '../../platform/errors.ts';
import { ItemChange, ItemListQuery, ItemSearchQuery } from '../library/schema.ts';
import { type FindDeps, findItems, type Library } from '../library/service.ts';
import { defineTool, type Tool } from './tool.ts';

export interface LibraryParts {
  library: Library;
  finding: FindDeps;
}

const LIST_MAX = 50;

const ItemId = z.string().min(1).max(200).describe('The itemId that a tool returned.');

/** For the owner, and keys that may read the library or change it. */
export function libraryTools({ library, finding }: LibraryParts): Tool[] {
  return [
    defineTool({
      name: 'list_items',
      title: 'List the library',
      does: 'What the owner keeps, newest first, with the number of all that the filters leave.',
      schema: ItemListQuery.extend({
        deleted: z.boolean().default(false).describe('True: the deleted ones only.'),
        limit: z.int().min(1).max(LIST_MAX).default(20).describe('Items per page.'),
        offset: z.int().min(0).default(0),
      }),
      scope: 'read',
      isOwners: true,
      call: async (query) => [library.listItems(query)],
    }),
    defineTool({
      name: 'search_items',
      title: 'Search the library',
      does: 'Places in what is kept, gathered by item. get_text reads the whole text of the jobId of an item.',
      schema: ItemSearchQuery.extend({
        limit: z.int().min(1).max(LIST_MAX).default(10).describe('Items per page.'),
        offset: z.int().min(0).default(0),
        places: z.int().min(1).max(LIST_MAX).default(3).describe('Places shown for an item.'),
      }),
      scope: 'read',
      isOwners: true,
      call: async (query) => [await findItems(query, finding)],
    }),
    defineTool({
      name: 'change_item',
      title: 'Change an item of the library',
      does: 'Its title, tags, collections or place; `deleted` deletes it for 30 days, or brings it back.',
      schema: ItemChange.extend({ itemId: ItemId }),
      scope: 'write',
      isOwners: true,
      changes: true,
      call: async ({ itemId, ...change }) => {
        if (Object.keys(change).length === 0) throw new QuarryError('invalid_request', 'Say what changes.');
        return [library.changeItem(itemId, change)];
      },
    }),
  ];
}
