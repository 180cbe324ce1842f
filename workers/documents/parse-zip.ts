import { QuarryError } from '../../src-server/platform/errors.ts';
import { cleanFileName } from '../../src-server/platform/files/file-names.ts';
import { listedUpTo, type Said, say } from '../../src-server/platform/text/say.ts';
import { DocumentBuilder } from './document-builder.ts';
import { type FileParser, joinParts, type Part } from './parts.ts';
import { type ArchiveEntry, listArchive } from './zip-package.ts';

/** Files that systems leave in archives. */
const LEFT_BEHIND = /(?:^|\/)(?:__MACOSX\/|\._|\.DS_Store$|~\$|Thumbs\.db$|desktop\.ini$)/i;

/** Files and folders that people do not see, as `.git`. */
const HIDDEN = /(?:^|\/)\./;

/** Hidden files that are named in their warning. */
const NAMED_MAX = 5;

/** Longest shown path of an entry. */
const PATH_CHARS_MAX = 300;

/**
 * A zip as a batch: each file with its own parser, below a heading with its path. Names are only shown. Errors:
 * `corrupt_input`, `encrypted_input`, `source_too_large`, `unsupported_media` if it has no readable file.
 */
export const parseZip: FileParser = async (bytes, options) => {
  const archive = await openArchive(bytes);
  const document = new DocumentBuilder(options).buildNormalizedDocument({ format: 'zip', title: null });
  const files = archive.filter(({ name }) => !name.endsWith('/') && !LEFT_BEHIND.test(name));
  const hidden = files.filter(({ name }) => HIDDEN.test(name)).map(({ name }) => shownPath(name));
  if (hidden.length > 0) document.warnings.push(hiddenWarning(hidden));
  return joinParts(document, archiveParts(files), options);
};

function hiddenWarning(paths: readonly string[]): Said {
  return say`Not read, because hidden: ${listedUpTo(paths, NAMED_MAX)}. Send them one by one.`;
}

async function openArchive(bytes: Buffer): Promise<ArchiveEntry[]> {
  try {
    return await listArchive(bytes);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    const message =
      error.code === 'corrupt_input'
        ? say`The archive is damaged, or names files outside itself. Pack the files again.`
        : say`The archive has too many files. Split it into parts.`;
    throw new QuarryError(error.code, message, { cause: error });
  }
}

function* archiveParts(files: readonly ArchiveEntry[]): Generator<Part> {
  for (const { name, sizeBytes, read } of files) {
    if (!HIDDEN.test(name)) yield { name: shownPath(name), sizeBytes, read };
  }
}

/** The path with each step cleaned as a file name is. */
function shownPath(name: string): string {
  const steps = name.split('/').flatMap((step) => cleanFileName(step) ?? []);
  const path = steps.join('/');
  return path.length <= PATH_CHARS_MAX ? path : (steps.at(-1) ?? path);
}
