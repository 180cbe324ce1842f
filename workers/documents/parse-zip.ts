import { QuarryError } from '../../src-server/platform/errors.ts';
import { cleanFileName } from '../../src-server/platform/files/file-names.ts';
import { DocumentBuilder } from './document-builder.ts';
import { type FileParser, joinParts, type Part } from './parts.ts';
import { type OfficePackage, openPackage } from './zip-package.ts';

/** Files that systems leave in archives. */
const LEFT_BEHIND = /(?:^|\/)(?:__MACOSX\/|\.|~\$|Thumbs\.db$|desktop\.ini$)/i;

/** Longest shown path of an entry. */
const PATH_CHARS_MAX = 300;

/**
 * A zip as a batch: each file with its own parser, below a heading with its path. Names are only shown. Errors:
 * `corrupt_input`, `encrypted_input`, `source_too_large`, `unsupported_media` if it has no readable file.
 */
export const parseZip: FileParser = async (bytes, options) => {
  const archive = await openArchive(bytes);
  const document = new DocumentBuilder(options).buildNormalizedDocument({ format: 'zip', title: null });
  return joinParts(document, archiveParts(archive), options);
};

async function openArchive(bytes: Buffer): Promise<OfficePackage> {
  try {
    return await openPackage(bytes);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    const message =
      error.code === 'corrupt_input'
        ? 'The archive is damaged, or names files outside itself. Pack the files again.'
        : 'The archive has too many files. Split it into parts.';
    throw new QuarryError(error.code, message, { cause: error });
  }
}

function* archiveParts(archive: OfficePackage): Generator<Part> {
  for (const { name, sizeBytes } of archive.entries()) {
    if (name.endsWith('/') || LEFT_BEHIND.test(name)) continue;
    yield { name: shownPath(name), sizeBytes, read: () => archive.readMain(name) ?? Buffer.alloc(0) };
  }
}

/** The path with each step cleaned as a file name is. */
function shownPath(name: string): string {
  const steps = name.split('/').flatMap((step) => cleanFileName(step) ?? []);
  const path = steps.join('/');
  return path.length <= PATH_CHARS_MAX ? path : (steps.at(-1) ?? path);
}
