import { argon2Sync, createDecipheriv, createHash, pbkdf2Sync } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import CryptoJS from 'crypto-js';
import { zipSync } from 'fflate';
import { systemCodeOf } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { walkPart } from '../odt/package.ts';
import { damagedPackageError, listArchive, tooComplex } from '../zip-package.ts';
import { unknownEncryption } from './unknown-encryption.ts';

const MANIFEST = 'META-INF/manifest.xml';

/** The whole document as one encrypted part, as LibreOffice 24.8 writes it. */
const INNER_PACKAGE = 'encrypted-package';

/** Parts with text. Pictures and programs stay locked: they are not read. */
const TEXT_PART = /\.(?:xml|rdf)$/i;

const UNPACKED_BYTES_MAX = 200 * MIB;

/** Rounds of all parts of a document: writers ask for 1,024 to 100,000 for each. A million takes a second. */
const ROUNDS_MAX = 5_000_000;

/** Writers ask for 64 MiB, in 3 passes. */
const ARGON_KIB_MAX = 1024 * 1024;

const ARGON_PASSES_MAX = 20;

/** Bytes that the checksum of a part covers. */
const CHECKED_BYTES = 1024;

const GCM_IV_BYTES = 12;

const GCM_TAG_BYTES = 16;

/** How a part is encrypted, as the manifest states it. */
interface PartLock {
  checksumType: string;
  checksum: string;
  cipher: string;
  iv: Buffer;
  /** Hash of the password; SHA-1 unless stated. */
  startHash: string;
  derivation: string;
  salt: Buffer;
  rounds: number;
  keyBytes: number;
  argon: { passes: number; memoryKib: number; lanes: number };
}

/**
 * Decrypts the parts of an OpenDocument file (AES and Blowfish) into a package without encryption; null for a wrong
 * password. Errors: `encrypted_input` for another encryption, `corrupt_input`, `source_too_large`.
 */
export async function unlockOpenDocument(bytes: Buffer, password: string): Promise<Buffer | null> {
  const entries = await listArchive(bytes);
  const manifest = entries.find(({ name }) => name === MANIFEST)?.read();
  const locks = manifest === undefined ? new Map<string, PartLock>() : readPartLocks(manifest);
  const budget = { bytes: UNPACKED_BYTES_MAX, rounds: ROUNDS_MAX };
  const parts: Record<string, Uint8Array> = {};
  for (const entry of entries) {
    const lock = locks.get(entry.name);
    if (entry.name === MANIFEST || (lock !== undefined && !isTextPart(entry.name))) continue;
    const content = entry.read();
    const plain = lock === undefined ? content : unlockPart(content, lock, password, budget);
    if (plain === null) return null;
    if (entry.name === INNER_PACKAGE) return plain;
    parts[entry.name] = plain;
  }
  return Buffer.from(zipSync(parts, { level: 0 }));
}

function isTextPart(name: string): boolean {
  return name === INNER_PACKAGE || TEXT_PART.test(name);
}

/** The encrypted parts by their names. Errors: `encrypted_input` for a file that needs a key instead of a password. */
function readPartLocks(manifest: Buffer): Map<string, PartLock> {
  const locks = new Map<string, PartLock>();
  let name = '';
  let lock: PartLock | null = null;
  walkPart(manifest, {
    open(tag) {
      const value = (attribute: string) => tag.attributeValue(attribute) ?? '';
      const bytes = (attribute: string) => Buffer.from(value(attribute), 'base64');
      if (/(?:^|:)(?:keyinfo|encrypted-key)$/.test(tag.name)) {
        throw unknownEncryption(say`The document is encrypted for the holder of an OpenPGP key.`);
      }
      if (tag.local === 'file-entry') name = value('full-path');
      else if (tag.local === 'encryption-data') {
        lock = { ...NO_LOCK, checksumType: value('checksum-type'), checksum: value('checksum') };
        locks.set(name, lock);
      } else if (lock !== null && tag.local === 'algorithm') {
        Object.assign(lock, { cipher: value('algorithm-name'), iv: bytes('initialisation-vector') });
      } else if (lock !== null && tag.local === 'start-key-generation') {
        lock.startHash = value('start-key-generation-name');
      } else if (lock !== null && tag.local === 'key-derivation') {
        const number = (attribute: string, missing: number) => Number.parseInt(value(attribute), 10) || missing;
        lock.derivation = value('key-derivation-name');
        lock.salt = bytes('salt');
        lock.rounds = number('iteration-count', 1);
        lock.keyBytes = number('key-size', lock.keyBytes);
        lock.argon = {
          passes: number('argon2-iterations', 3),
          memoryKib: number('argon2-memory', 65_536),
          lanes: number('argon2-lanes', 4),
        };
      }
    },
  });
  return locks;
}

const NO_LOCK: PartLock = {
  checksumType: '',
  checksum: '',
  cipher: '',
  iv: Buffer.alloc(0),
  startHash: 'SHA1',
  derivation: '',
  salt: Buffer.alloc(0),
  rounds: 1,
  keyBytes: 16,
  argon: { passes: 1, memoryKib: 0, lanes: 1 },
};

interface UnlockBudget {
  bytes: number;
  rounds: number;
}

/** Null for a wrong password. */
function unlockPart(content: Buffer, lock: PartLock, password: string, budget: UnlockBudget): Buffer | null {
  const start = createHash(hashNamed(lock.startHash)).update(password, 'utf8').digest();
  const key = derivePartKey(start, lock, budget);
  const packed = decryptPart(content, key, lock);
  if (packed === null || !fitsChecksum(packed, lock)) return null;
  const plain = inflatePart(packed, budget.bytes);
  budget.bytes -= plain.length;
  return plain;
}

function hashNamed(name: string): string {
  if (/sha-?256/i.test(name)) return 'sha256';
  if (/sha-?1/i.test(name)) return 'sha1';
  throw unknownEncryption(say`The document is encrypted in a way that cannot be read here.`);
}

function derivePartKey(start: Buffer, lock: PartLock, budget: UnlockBudget): Buffer {
  if (/pbkdf2$/i.test(lock.derivation)) {
    budget.rounds -= lock.rounds;
    if (budget.rounds < 0) throw tooSlowToOpen();
    return pbkdf2Sync(start, lock.salt, lock.rounds, Math.min(lock.keyBytes, 64), 'sha1');
  }
  if (!/argon2id$/i.test(lock.derivation)) {
    throw unknownEncryption(say`The document is encrypted in a way that cannot be read here.`);
  }
  const { passes, memoryKib, lanes } = lock.argon;
  if (memoryKib > ARGON_KIB_MAX || passes > ARGON_PASSES_MAX || lanes > ARGON_PASSES_MAX) throw tooSlowToOpen();
  const cost = { parallelism: lanes, memory: memoryKib, passes };
  try {
    return argon2Sync('argon2id', {
      message: start,
      nonce: lock.salt,
      tagLength: Math.min(lock.keyBytes, 64),
      ...cost,
    });
  } catch (error) {
    if (systemCodeOf(error) !== 'ERR_CRYPTO_ARGON2_NOT_SUPPORTED') throw damagedPackageError(error);
    throw unknownEncryption(say`The document is encrypted by Argon2, which the desktop app cannot open.`);
  }
}

function tooSlowToOpen() {
  return unknownEncryption(say`The document asks for more work to open it than a password is worth.`);
}

/** Null if the bytes show that the key is wrong. Errors: `encrypted_input`, `corrupt_input`. */
function decryptPart(content: Buffer, key: Buffer, { cipher, iv }: PartLock): Buffer | null {
  if (/^blowfish/i.test(cipher)) return decryptBlowfish(content, key, iv);
  const [, bits, mode] = /aes(128|192|256)-(cbc|gcm)$/i.exec(cipher) ?? [];
  if (bits === undefined) throw unknownEncryption(say`The document is encrypted in a way that cannot be read here.`);
  if (key.length * 8 !== Number(bits)) throw damagedPackageError(`a key of ${key.length} bytes for ${cipher}`);
  if (mode?.toLowerCase() === 'gcm') return decryptGcm(content, key);
  if (iv.length !== 16 || content.length === 0 || content.length % 16 !== 0) {
    throw damagedPackageError('an encrypted part that is no number of blocks');
  }
  const decipher = createDecipheriv(`aes-${bits}-cbc`, key, iv).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(content), decipher.final()]);
  const padding = padded.at(-1) ?? 0;
  return padding === 0 || padding > 16 ? null : padded.subarray(0, -padding);
}

/** The vector stands before the text, the tag after it. */
function decryptGcm(content: Buffer, key: Buffer): Buffer | null {
  if (content.length < GCM_IV_BYTES + GCM_TAG_BYTES) throw damagedPackageError('an encrypted part without its tag');
  const decipher = createDecipheriv(
    `aes-${key.length * 8}-gcm` as 'aes-256-gcm',
    key,
    content.subarray(0, GCM_IV_BYTES),
  );
  decipher.setAuthTag(content.subarray(-GCM_TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(content.subarray(GCM_IV_BYTES, -GCM_TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

/** Node's OpenSSL has no Blowfish. */
function decryptBlowfish(content: Buffer, key: Buffer, iv: Buffer): Buffer {
  const words = (bytes: Buffer) => CryptoJS.enc.Hex.parse(bytes.toString('hex'));
  const how = { iv: words(iv), mode: CryptoJS.mode.CFB, padding: CryptoJS.pad.NoPadding };
  const ciphertext = CryptoJS.lib.CipherParams.create({ ciphertext: words(content) });
  return Buffer.from(CryptoJS.Blowfish.decrypt(ciphertext, words(key), how).toString(CryptoJS.enc.Hex), 'hex');
}

/** A file without a checksum, such as one with a tag, fits. */
function fitsChecksum(packed: Buffer, { checksumType, checksum }: PartLock): boolean {
  if (checksum === '') return true;
  const checked = /1k$/i.test(checksumType) ? packed.subarray(0, CHECKED_BYTES) : packed;
  return createHash(hashNamed(checksumType)).update(checked).digest('base64') === checksum;
}

/** Errors: `corrupt_input`, `source_too_large`. */
function inflatePart(packed: Buffer, maxBytes: number): Buffer {
  if (packed.toString('latin1', 0, 2) === 'PK') return packed;
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (error) {
    if (systemCodeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooComplex('an encrypted part');
    throw damagedPackageError(error);
  }
}
