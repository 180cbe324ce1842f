import { z } from 'zod';
import { Item } from '../library/schema.ts';

/** What takes room in the data folder. */
export const DISK_PARTS = [
  ...Item.shape.kind.options,
  'deleted',
  'callers',
  'watches',
  'models',
  'programs',
  'search',
  'databases',
  'replaced',
  'otherEnvironment',
  'others',
] as const;

export type DiskPart = (typeof DISK_PARTS)[number];

export const DiskUse = z
  .object({
    folder: z.string().describe('The data folder.'),
    bytes: z.number().describe('Of all files in it: the sum of the parts.'),
    parts: z
      .array(
        z.object({
          part: z
            .enum(DISK_PARTS)
            .describe(
              'A kind of item; `deleted` items; `callers`: results that are in no library and go by themselves; ' +
                '`watches`: runs of watched sites; `replaced`: data that a backup took the place of; `others`: ' +
                'recordings of listening, uploads under way, keys.',
            ),
          bytes: z.number(),
          originals: z.number().describe('Of items: bytes of their original files.'),
          jobs: z.int().describe('Results among them.'),
        }),
      )
      .describe('The largest first, those that take nothing left out.'),
  })
  .meta({ id: 'DiskUse' });

export type DiskUse = z.infer<typeof DiskUse>;
