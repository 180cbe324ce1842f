import { QuarryError } from '../../../src-server/platform/errors.ts';
import type { FileKind } from '../../../src-server/platform/files/kinds.ts';
import { sniffBytes } from '../../../src-server/platform/files/sniff.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { unknownEncryption } from './unknown-encryption.ts';

/** A file without its password. */
export interface UnlockedFile {
  kind: FileKind;
  bytes: Buffer;
}

/** Office itself opens these without asking: it protects them with its own password. */
const EXCEL_PASSWORD = 'VelvetSweatshop';

const POWER_POINT_PASSWORD = '/01Hannes Ruescher/01';

const OWN_PASSWORDS: Partial<Record<FileKind, string>> = {
  encrypted: EXCEL_PASSWORD,
  xls: EXCEL_PASSWORD,
  ppt: POWER_POINT_PASSWORD,
};

const OFFICE: ReadonlySet<FileKind> = new Set(['encrypted', 'doc', 'xls', 'ppt']);

const OPEN_DOCUMENT: ReadonlySet<FileKind> = new Set(['odt', 'ods', 'odp']);

/** Whether a file of this kind that needs a password can be read with it. A PDF is unlocked by its own reader. */
export function hasUnlocker(kind: FileKind): boolean {
  return OFFICE.has(kind) || OPEN_DOCUMENT.has(kind);
}

/**
 * Decrypts a file that needs a password; what it holds is sniffed again. Errors: `encrypted_input` for a missing or
 * wrong password or an encryption that is not known, `corrupt_input`, `source_too_large`.
 */
export async function unlockDocument(
  kind: FileKind,
  bytes: Buffer,
  password: string | undefined,
): Promise<UnlockedFile> {
  const tried = password ?? OWN_PASSWORDS[kind];
  if (tried === undefined) throw needsPassword();
  const plain = OFFICE.has(kind)
    ? await (await import('./office.ts')).unlockOfficeFile(bytes, tried)
    : await (await import('./open-document.ts')).unlockOpenDocument(bytes, tried);
  if (plain === null) throw password === undefined ? needsPassword() : wrongPassword();
  if (kind !== 'encrypted') return { kind, bytes: plain };
  const { kind: found } = await sniffBytes(plain, null);
  if (found === 'encrypted') throw unknownEncryption(say`The document is protected by another way than a password.`);
  return { kind: found, bytes: plain };
}

function needsPassword(): QuarryError {
  return new QuarryError(
    'encrypted_input',
    say`The document needs a password. Send it with the file as \`options.password\`.`,
  );
}

function wrongPassword(): QuarryError {
  return new QuarryError(
    'encrypted_input',
    say`The password does not open the document. Check it, capitals included, and send the file again.`,
  );
}
