import officeCrypto from 'officecrypto-tool';
import { say } from '../../../src-server/platform/text/say.ts';
import { CompoundFile } from '../doc/word-file.ts';
import { damagedPackageError } from '../zip-package.ts';
import { unknownEncryption } from './unknown-encryption.ts';

/** Office hashes a password 100,000 times. The standard allows ten million, which take a minute. */
const SPINS_MAX = 1_000_000;

const WRONG_PASSWORD = /password is incorrect/i;

const UNKNOWN = /unsupported|not supported|unrecognized|mismatch|unknown cipher|invalid (?:key|digest)|digest method/i;

/**
 * Decrypts a .docx, .xlsx, .xlsb or .pptx (standard and agile encryption of ECMA-376) or a .doc, .xls or .ppt (RC4,
 * and XOR in workbooks); null for a wrong password. Errors: `encrypted_input` for another encryption, `corrupt_input`.
 */
export async function unlockOfficeFile(bytes: Buffer, password: string): Promise<Buffer | null> {
  const information = new CompoundFile(bytes).readNamedStream('EncryptionInfo');
  const spins = Number(/spinCount="(\d+)"/.exec(information?.toString('latin1') ?? '')?.[1] ?? 0);
  if (spins > SPINS_MAX) {
    throw unknownEncryption(say`The document asks to hash its password ${spins} times, which takes too long.`);
  }
  try {
    return await officeCrypto.decrypt(bytes, { password });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (WRONG_PASSWORD.test(message)) return null;
    if (UNKNOWN.test(message))
      throw unknownEncryption(say`The document is encrypted in a way that cannot be read here.`);
    throw damagedPackageError(error);
  }
}
