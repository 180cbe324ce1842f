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

export const Places = z
  .object({
    data: z.object({
      folder: z.string().describe('Holds all data.'),
      freeBytes: z.number().describe('Of its disk.'),
      totalBytes: z.number(),
    }),
    models: z.object({
      folder: z.string(),
      isGiven: z.boolean().describe('Fixed by `--models-dir` or `QUARRY_MODELS_DIR`: it cannot be moved here.'),
      missing: z.string().nullable().describe('The folder that was chosen and is not there now; `folder` stands in.'),
      freeBytes: z.number(),
    }),
    move: z
      .object({
        what: z.enum(['data', 'models']),
        to: z.string(),
        failure: z.string().nullable().describe('Why the last start could not do it; null while it waits for one.'),
      })
      .nullable()
      .describe('What moves at the next start.'),
    former: z.array(z.string()).describe('Folders in which a move left a copy, which may be deleted.'),
  })
  .meta({ id: 'Places' });

export type Places = z.infer<typeof Places>;

export const MoveRequest = z
  .strictObject({
    what: z.enum(['data', 'models']),
    to: z.string().min(1).max(4096).describe('The absolute path of a new or empty folder on this machine.'),
  })
  .meta({ id: 'MoveRequest' });

export type MoveRequest = z.output<typeof MoveRequest>;
