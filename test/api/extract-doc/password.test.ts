/** Files of Office and OpenDocument that need a password. */
import { argon2Sync, createCipheriv, createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import officeCrypto from 'officecrypto-tool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDocx, p } from '../../documents/make-docx.ts';
import { encryptPdf, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { compoundFile } from '../../harness/compound-file.ts';
import { zipOf } from '../../harness/hostile-documents.ts';
import { type ReadDocument, readDocument } from '../../harness/read-document.ts';

const PASSWORD = 'Möwen-4711';

const SENTENCE = 'The harbour was quiet today.';

const OFFICE = join(import.meta.dirname, '../../fixtures/documents/office');

const LOCKED = join(import.meta.dirname, '../../fixtures/documents/locked');

/** Excel and PowerPoint open files with these passwords without asking. */
const EXCEL_PASSWORD = 'VelvetSweatshop';

const letter = makeDocx({ body: p(SENTENCE) });

const PLAIN = { docx: letter, xlsx: office('harvest.xlsx'), pptx: office('review.pptx') };

/** Encrypted before the appliance starts: the test's thread does it for seconds, in which idle connections end. */
const AGILE = officeFiles((plain) => officeCrypto.encrypt(plain, { password: PASSWORD }));

const STANDARD = officeFiles((plain) => officeCrypto.encrypt(plain, { password: PASSWORD, type: 'standard' }));

const OTHERS_LETTER = officeCrypto.encrypt(letter, { password: 'another' });

const EXCELS_WORKBOOK = officeCrypto.encrypt(PLAIN.xlsx, { password: EXCEL_PASSWORD });

function officeFiles(encrypt: (plain: Buffer) => Buffer) {
  return { docx: encrypt(PLAIN.docx), xlsx: encrypt(PLAIN.xlsx), pptx: encrypt(PLAIN.pptx) };
}

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

function readWith(password: string | null, file: Buffer, name: string): Promise<ReadDocument> {
  const options = password === null ? {} : { options: JSON.stringify({ password }) };
  return readDocument(appliance, file, name, options);
}

function office(name: string): Buffer {
  return readFileSync(join(OFFICE, name));
}

function locked(name: string): Buffer {
  return readFileSync(join(LOCKED, name));
}

test.each(['docx', 'xlsx', 'pptx'] as const)('.%s is read as the one without a password', async (format) => {
  const open = await readWith(null, PLAIN[format], `open.${format}`);
  for (const file of [AGILE[format], STANDARD[format]]) {
    const read = await readWith(PASSWORD, file, `locked.${format}`);
    expect([read.error, read.text, read.warnings]).toEqual([null, open.text, open.warnings]);
    expect(read.text.trim()).not.toBe('');
    expect(read.document.format).toBe(format);
    expect(read.result.account).toEqual(open.result.account);
  }
});

test.each([
  ['report.doc', 'Line 39 of the Möwen report tells of ship 1443 and its cargo.'],
  ['ships.xls', 'Ship Möwe 59'],
  ['report.odt', 'Line 39 of the Möwen report tells of ship 1443 and its cargo.'],
  ['report-blowfish.odt', 'Line 39 of the Möwen report tells of ship 1443 and its cargo.'],
  ['ships.ods', 'Ship Möwe 59'],
  ['slide.odp', 'The harbour slide of the Möwe'],
])('%s of LibreOffice is read with its password only', async (name, sentence) => {
  const read = await readWith(PASSWORD, locked(name), name);
  expect([read.error, read.warnings]).toEqual([null, []]);
  expect(read.text).toContain(sentence);
  expect((await readWith(null, locked(name), name)).error).toMatchObject(NEEDS);
  expect((await readWith('möwen-4711', locked(name), name)).error).toMatchObject(WRONG);
});

const NEEDS = { code: 'encrypted_input', message: expect.stringContaining('needs a password') };

const WRONG = { code: 'encrypted_input', message: expect.stringContaining('does not open the document') };

test('a missing or wrong password of a .docx says what to do', async () => {
  const file = AGILE.docx;
  expect((await readWith(null, file, 'a.docx')).error).toMatchObject(NEEDS);
  expect((await readWith('wrong', file, 'a.docx')).error).toMatchObject(WRONG);
});

test('a password for a file that needs none is not used', async () => {
  expect((await readWith(PASSWORD, letter, 'a.docx')).text).toContain(SENTENCE);
});

test('a workbook that Excel protects with its own password opens without one', async () => {
  expect((await readWith(null, EXCELS_WORKBOOK, 'a.xlsx')).error).toBeNull();
});

/** As LibreOffice 24.8 writes: the whole package is one part, under Argon2id and AES-GCM. */
function wholePackage(plain: Buffer, argon = { passes: 1, memory: 1024 }): Buffer {
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const message = createHash('sha256').update(PASSWORD, 'utf8').digest();
  const cost = { passes: Math.min(argon.passes, 2), memory: Math.min(argon.memory, 4096), parallelism: 4 };
  const key = argon2Sync('argon2id', { message, nonce: salt, tagLength: 32, ...cost });
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const content = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const manifest = `<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.4"
 xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0">
<manifest:file-entry manifest:full-path="encrypted-package" manifest:size="${plain.length}"
 manifest:media-type="application/vnd.oasis.opendocument.text"><manifest:encryption-data>
<manifest:algorithm manifest:algorithm-name="http://www.w3.org/2009/xmlenc11#aes256-gcm"
 manifest:initialisation-vector="${iv.toString('base64')}"/>
<manifest:start-key-generation manifest:key-size="32"
 manifest:start-key-generation-name="http://www.w3.org/2001/04/xmlenc#sha256"/>
<manifest:key-derivation manifest:key-size="32" manifest:salt="${salt.toString('base64')}"
 manifest:key-derivation-name="urn:org:documentfoundation:names:experimental:office:manifest:argon2id"
 loext:argon2-iterations="${argon.passes}" loext:argon2-memory="${argon.memory}" loext:argon2-lanes="4"/>
</manifest:encryption-data></manifest:file-entry></manifest:manifest>`;
  return zipOf({
    mimetype: Buffer.from('application/vnd.oasis.opendocument.text'),
    'encrypted-package': content,
    'META-INF/manifest.xml': Buffer.from(manifest),
  });
}

const harbour = readFileSync(join(import.meta.dirname, '../../fixtures/documents/harbour/harbour.odt'));

test('an OpenDocument package that is encrypted as a whole is read', { tags: ['long'] }, async () => {
  const open = await readWith(null, harbour, 'harbour.odt');
  const read = await readWith(PASSWORD, wholePackage(harbour), 'harbour.odt');
  expect([read.error, read.text]).toEqual([null, open.text]);
  expect((await readWith('wrong', wholePackage(harbour), 'harbour.odt')).error).toMatchObject(WRONG);
});

test('the password opens the files of an archive too, and those of others stay locked with a warning', {
  tags: ['long'],
}, async () => {
  const archive = zipOf({
    'a.docx': AGILE.docx,
    'b.docx': OTHERS_LETTER,
    'c.pdf': encryptPdf(writePdf({ pages: [text(60, 100, ['The pier is long.'], 14)] }), {
      user: PASSWORD,
      owner: 'x',
    }),
  });
  const { text: read, warnings } = await readWith(PASSWORD, archive, 'all.zip');
  expect(read.split(SENTENCE)).toHaveLength(2);
  expect(read).toContain('The pier is long.');
  expect(warnings.filter((warning) => warning.startsWith('b.docx: The password does not open'))).toHaveLength(1);
});

function agileInformation(file: Buffer, change: (xml: string) => string): Buffer {
  const at = file.indexOf('<encryption');
  const end = file.indexOf('</encryption>', at) + '</encryption>'.length;
  const changed = change(file.toString('latin1', at, end));
  return compoundFile({
    EncryptionInfo: Buffer.concat([Buffer.from('0400040040000000', 'hex'), Buffer.from(changed, 'latin1')]),
    EncryptedPackage: randomBytes(8192),
  });
}

test.each([
  [
    'hashes its password without end',
    () => agileInformation(AGILE.docx, (xml) => xml.replaceAll(/spinCount="\d+"/g, 'spinCount="4000000000"')),
    'encrypted_input',
  ],
  [
    'names an unknown cipher',
    () => agileInformation(AGILE.docx, (xml) => xml.replaceAll('ChainingModeCBC', 'ChainingModeXYZ')),
    'encrypted_input',
  ],
  ['has no information', () => compoundFile({ EncryptedPackage: randomBytes(8192) }), 'encrypted_input'],
  [
    'has information of nothing',
    () => compoundFile({ EncryptionInfo: Buffer.alloc(4096, 4), EncryptedPackage: randomBytes(8192) }),
    'encrypted_input',
  ],
  ['asks for a terabyte to open it', () => wholePackage(harbour, { passes: 1, memory: 1e9 }), 'encrypted_input'],
  ['is cut off', () => locked('report.odt').subarray(0, 9000), 'corrupt_input'],
] as const)('a file that %s ends with a clear error', async (_what, make, code) => {
  const { error } = await readWith(PASSWORD, make(), 'a.docx');
  expect(error?.code).toBe(code);
  expect(error?.message).toMatch(/Save a copy without a password|does not open|damaged|truncated|send/i);
});
