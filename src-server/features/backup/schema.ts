import { z } from 'zod';
import type { Said } from '../../platform/text/say.ts';

/** The manifest of a backup. It is written last: a folder without it is no backup. */
export const MANIFEST_FILE = 'backup.json';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const Manifest = z.object({
  format: z.literal(1),
  version: z.string(),
  createdAt: z.iso.datetime({ precision: 3 }),
  withModels: z.boolean(),
  databases: z.array(z.object({ path: z.string(), rows: z.record(z.string(), z.int().min(0)) })),
  files: z.array(z.object({ path: z.string(), size: z.int().min(0), mode: z.int().min(0), sha256: Sha256 })),
});

export type Manifest = z.infer<typeof Manifest>;

export const BackupsView = z
  .object({
    folder: z.string().nullable().describe('Where backups go; null for none.'),
    isReadable: z.boolean().describe('False where the folder cannot be read, such as that of a disk that is away.'),
    isMaking: z.boolean().describe('Whether one is being made.'),
    failure: z.string().nullable().describe('Why the last one failed; null after a success.'),
    backups: z
      .array(z.object({ name: z.string().describe('Its folder.'), createdAt: z.iso.datetime({ precision: 3 }) }))
      .describe('Newest first.'),
    restore: z
      .object({
        name: z.string().describe('The backup.'),
        state: z
          .enum(['preparing', 'ready', 'failed'])
          .describe(
            '`preparing`: it is copied and checked. `ready`: it takes the place of the data at the next start.',
          ),
        failure: z.string().nullable(),
      })
      .nullable()
      .describe('A restore that was asked for.'),
    replaced: z.array(z.string()).describe('Folders with the data from before restores, newest first.'),
  })
  .meta({ id: 'BackupsView' });

export type BackupsView = z.infer<typeof BackupsView>;

export const RestoreRequest = z
  .strictObject({ name: z.string().min(1).max(100).describe('Its folder, as the list names it.') })
  .meta({ id: 'RestoreRequest' });

/** A backup or a restore that cannot be made, as one sentence for the user. */
export class BackupError extends Error {
  constructor(message: Said, cause?: unknown) {
    super(message, { cause });
    this.name = 'BackupError';
  }
}
