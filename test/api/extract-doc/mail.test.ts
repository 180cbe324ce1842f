import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { compoundFile } from '../../harness/compound-file.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const read = (content: Uint8Array | string, name: string) => readDocument(appliance, content, name);
const fixture = (name: string) => readFile(new URL(`../../fixtures/documents/cases/${name}`, import.meta.url));
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const wide = (text: string) => Buffer.from(text, 'utf16le');

/** Compressed RTF that only has literal bytes. */
function literalRtf(rtf: string): Buffer {
  const head = Buffer.alloc(16);
  const body: Buffer[] = [];
  for (let at = 0; at < rtf.length; at += 8) body.push(Buffer.from([0]), latin1(rtf.slice(at, at + 8)));
  head.write('LZFu', 8);
  head.writeUInt32LE(rtf.length, 4);
  return Buffer.concat([head, ...body]);
}

/** The examples of [MS-OXRTFCP], with references into the dictionary and across their own end. */
const SPECIFIED = {
  hello: '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0',
  overlapping: '1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0',
};

/** RTF as it is, behind the header of compressed RTF. */
function storedRtf(rtf: string): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(rtf.length, 4);
  head.write('MELA', 8);
  return Buffer.concat([head, latin1(rtf)]);
}

/** An Outlook message with these properties, by their tag. */
function message(properties: Record<string, Uint8Array | string>, listed: Uint8Array = Buffer.alloc(32)): Buffer {
  const streams = Object.entries({ '0037001F': wide('Tides'), ...properties });
  return compoundFile({
    '/__properties_version1.0': listed,
    ...Object.fromEntries(streams.map(([tag, content]) => [`/__substg1.0_${tag}`, content])),
  });
}

const RTF = String.raw`{\rtf1\ansi\ansicpg1252 Caf\'e9 at the quay.\par Second line, \u8364?5.\par}`;

/** HTML in RTF, as Exchange writes it. */
const HTML_IN_RTF = String.raw`{\rtf1\ansi\ansicpg1251\fromhtml1 \deff0{\fonttbl{\f0\fswiss\fcharset204 Arial;}}
{\*\htmltag19 <html>}{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 \'cf\'f0\'e8\'e2\'e5\'f2 {\*\htmltag84 &amp;}\htmlrtf &\htmlrtf0
 tide{\*\htmltag72 </p>}{\*\htmltag240 <table><tr><td>}\htmlrtf \cell\htmlrtf0 Kiel{\*\htmltag248 </td><td>}9.5
{\*\htmltag248 </td></tr></table>}\htmlrtf }\htmlrtf0 {\*\mhtmltag84 <hidden>}{\*\htmltag27 </html>}}`;

describe('the body of an Outlook message', () => {
  test.each([
    ['only in compressed RTF', () => fixture('rtfonly.msg'), 'The body lives only in RTF: tide at noon.'],
    [
      'in RTF of literal bytes',
      () => message({ '10090102': literalRtf(RTF) }),
      'Café at the quay.\n\nSecond line, €5.',
    ],
    ['in RTF of references', () => message({ '10090102': Buffer.from(SPECIFIED.hello, 'hex') }), 'hello world'],
    [
      'in RTF that repeats itself',
      () => message({ '10090102': Buffer.from(SPECIFIED.overlapping, 'hex') }),
      'WXYZWXYZWXYZWXYZWXYZ',
    ],
    ['in stored RTF', () => message({ '10090102': storedRtf(RTF) }), 'Café at the quay.\n\nSecond line, €5.'],
    ['as HTML in RTF', () => message({ '10090102': literalRtf(HTML_IN_RTF) }), 'Привет & tide\n\nKiel | 9.5'],
    ['as HTML in UTF-16', () => message({ '1013001F': wide('<p>In <b>HTML</b></p>') }), 'In HTML'],
    [
      'as text labelled with no code page',
      () => message({ '1000001E': 'Préférence règlement.' }),
      'Préférence règlement.',
    ],
  ])('%s is read', async (_where, make, body) => {
    const { text, warnings } = await read(await make(), 'mail.msg');
    expect(text).toContain(body);
    expect(text).not.toMatch(/hidden|htmltag|&amp;/);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['compressed RTF without its header', message({ '10090102': 'not compressed at all, in no known way' })],
    ['a list of properties that names a missing body', message({}, listing(0x1000001f, 400))],
  ])('that is lost is said: %s', async (_what, bytes) => {
    const { text, warnings } = await read(bytes, 'mail.msg');
    expect(text).toContain('Tides');
    expect(warnings).toEqual([expect.stringContaining('The body of the message is damaged')]);
  });
});

/** A list of properties with one of them and its size. */
function listing(tag: number, sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(48);
  bytes.writeUInt32LE(tag, 32);
  bytes.writeUInt32LE(sizeBytes, 40);
  return bytes;
}

const HEAD =
  'From: Ann <a@mail.test>\r\nTo: b@mail.test\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n';

/** A mail with one part. Strings are UTF-8. */
function mail(fields: string | Buffer, body: string | Buffer): Buffer {
  return Buffer.concat([latin1(HEAD), Buffer.from(fields), Buffer.from('\r\n\r\n'), Buffer.from(body)]);
}

const quoted = (text: string) =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^ -~]/g, (byte) => `=${byte.charCodeAt(0).toString(16).toUpperCase()}`);

describe('a mail whose labels are wrong', () => {
  const BODY = 'Préférence règlement.';
  test.each([
    ['us-ascii over UTF-8', mail('Subject: A\r\nContent-Type: text/plain; charset=us-ascii', BODY)],
    ['iso-8859-1 over UTF-8', mail('Subject: A\r\nContent-Type: text/plain; charset="iso-8859-1"', BODY)],
    [
      'windows-1252 over UTF-8 in base64',
      mail(
        'Subject: A\r\nContent-Type: text/plain; charset=windows-1252\r\nContent-Transfer-Encoding: base64',
        Buffer.from(BODY).toString('base64'),
      ),
    ],
    [
      'us-ascii over UTF-8 in quoted-printable',
      mail(
        'Subject: A\r\nContent-Type: text/plain;\r\n\tcharset=us-ascii\r\nContent-Transfer-Encoding: quoted-printable',
        quoted(BODY),
      ),
    ],
    ['utf-8 over windows-1252', mail('Subject: A\r\nContent-Type: text/plain; charset=utf-8', latin1(BODY))],
    ['none over windows-1252', mail('Subject: A', latin1(BODY))],
    ['an unknown one over UTF-8', mail('Subject: A\r\nContent-Type: text/plain; charset=x-none', BODY)],
    [
      'us-ascii in each part',
      mail(
        'Subject: A\r\nContent-Type: multipart/alternative; boundary="b"',
        `--b\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\n${BODY}\r\n--b\r\n` +
          `Content-Type: text/html; charset=us-ascii\r\n\r\n<p>${BODY}</p>\r\n--b--\r\n`,
      ),
    ],
  ])('is read by its bytes: %s', async (_label, bytes) => {
    const { text, warnings } = await read(bytes, 'mail.eml');
    expect(text).toContain(BODY);
    expect(text).not.toMatch(/Ã|\ufffd/);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['wrongcs.eml', null, 'café naïve'],
    ['raw Latin-1', mail(latin1('Subject: Müll für Grüße'), 'x'), 'Müll für Grüße'],
    ['raw UTF-8', mail('Subject: Grüße שלום', 'x'), 'Grüße שלום'],
    [
      'raw KOI8-R as the text is labelled',
      mail(
        Buffer.concat([
          latin1('Subject: '),
          Buffer.from('f0d2c9d7c5d4', 'hex'),
          latin1('\r\nContent-Type: text/plain; charset=koi8-r'),
        ]),
        Buffer.from('f0d2c9d7c5d4', 'hex'),
      ),
      'Привет',
    ],
    [
      'an encoded word with the wrong label',
      mail('Subject: =?iso-8859-1?Q?Gr=C3=BC=C3=9Fe?= =?us-ascii?B?w6k=?=', 'x'),
      'Grüßeé',
    ],
  ])('has its subject: %s', async (_label, bytes, subject) => {
    const { text, document } = await read(bytes ?? (await fixture('wrongcs.eml')), 'mail.eml');
    expect(document.title).toBe(subject);
    expect(text).toContain(subject);
  });

  test('keeps what is right: Latin-1, Japanese, flowed text, attached files', async () => {
    const latin = await read(
      mail('Subject: A\r\nContent-Type: text/plain; charset=iso-8859-1', latin1('Ça va, Ã©')),
      'a.eml',
    );
    expect(latin.text).toContain('Ça va, Ã©');
    const japanese = mail('Subject: A\r\nContent-Type: text/plain; charset=iso-2022-jp', '\u001b$B9A\u001b(B');
    expect((await read(japanese, 'a.eml')).text).toContain('港');
    const flowed = mail('Subject: A\r\nContent-Type: text/plain; charset=us-ascii; format=flowed', 'Über \r\nalles.');
    expect((await read(flowed, 'a.eml')).text).toContain('Über alles.');
  });
});

test('a mail of several authors names each', async () => {
  const source =
    'From: Ann <a@mail.test>, "Coe, Di" <d@mail.test>\r\nTo: b@mail.test\r\nSubject: Tide\r\n\r\nHigh.\r\n';
  const { text, warnings, document } = await read(source, 'a.eml');
  expect(text).toContain('From: Ann <a@mail.test>, Coe, Di <d@mail.test>');
  expect(document).toMatchObject({ author: 'Ann <a@mail.test>, Coe, Di <d@mail.test>' });
  expect(warnings).toEqual([]);
});

describe('a mail out of a mailbox', () => {
  const one = 'From: Ann <a@mail.test>\nSubject: Quay\nDate: Mon, 2 Mar 2026 10:00:00 +0000\n\nThe quay opens.\n';
  const two =
    'From: Bo <b@mail.test>\nSubject: Tide\nDate: Tue, 3 Mar 2026 10:00:00 +0000\n\n>From here it is\nFrom noon on.\n';

  test('with its "From " line is read', async () => {
    const { text, document } = await read(await fixture('takeout.eml'), 'takeout.eml');
    expect(document).toMatchObject({ format: 'eml', title: 'Quay' });
    expect(text).toContain('Dear team, the quay opens on Monday. שלום');
  });

  test.each([
    ['mbox', `From ann@mail.test Mon Mar  2 10:00:00 2026\n${one}\nFrom bo@mail.test Tue Mar  3 10:00:00 2026\n${two}`],
    [
      'of Windows',
      `From - Mon Mar 02 10:00:00 2026\n${one}\nFrom - Tue Mar 03 10:00:00 2026\n${two}`.replaceAll('\n', '\r\n'),
    ],
  ])('is a part of it: %s', async (_what, text) => {
    const result = await read(text, 'archive.mbox');
    expect(result.document).toMatchObject({ format: 'mbox' });
    expect(result.text).toMatch(
      /Message 1\s+Quay[\s\S]*The quay opens\.\s+Message 2\s+Tide[\s\S]*From here it is\s+From noon on\./,
    );
    expect(result.warnings).toEqual([]);
  });

  test('with more mails than a job reads is said', async () => {
    const mails = Array.from(
      { length: 230 },
      (_, at) => `From a@b Mon Mar  2 10:00:00 2026\nSubject: S${at}\nFrom: a@b\n\nText ${at}\n`,
    );
    const { text, warnings } = await read(mails.join('\n'), 'archive.mbox');
    expect(text).toContain('Text 199');
    expect(warnings).toEqual([expect.stringMatching(/^Not read: Message 201, .* and 25 more\./)]);
  });

  test.each([
    ['with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), wide(`${one}`)])],
    ['without a mark', wide(one)],
    ['big-endian', Buffer.concat([Buffer.from([0xfe, 0xff]), wide(one).swap16()])],
    ['with a charset of its own', wide(one.replace('\n\n', '\nContent-Type: text/plain; charset=utf-16\n\n'))],
  ])('is read in UTF-16, %s', async (_how, bytes) => {
    const { text, document } = await read(bytes, 'mail.eml');
    expect(document).toMatchObject({ format: 'eml', title: 'Quay' });
    expect(text).toContain('The quay opens.');
  });

  test('a sentence that begins with "From" is a text', async () => {
    const { document } = await read('From noon on the quay is open.\nNobody came.\n', 'note.txt');
    expect(document).toMatchObject({ format: 'text' });
  });
});

describe('a compound file with another inside it', () => {
  test.each([
    ['a workbook with a Word document', () => fixture('workbook-with-word-object.xls'), 'Kiel | 9.5'],
    [
      'a message with a workbook',
      () => message({ '1000001F': wide('The message.'), '37010102': compoundFile({ '/Workbook': 'x' }) }),
      'The message.',
    ],
  ])('is what it is outside: %s', async (_what, make, words) => {
    const { text, warnings, error } = await read(await make(), 'file.bin');
    expect(error).toBeNull();
    expect(text).toContain(words);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['/Object/PowerPoint Document', 'a PowerPoint'],
    ['/Object/WordDocument', 'a Word'],
    ['/MBD0001/MatOST', 'WPS'],
  ])('a workbook with %s is a workbook', async (path) => {
    const source = await fixture('workbook-with-word-object.xls');
    const { CFB } = await import('@e965/xlsx');
    const workbook = CFB.find(CFB.read(source, { type: 'buffer' }), '/Workbook').content;
    const { text, error } = await read(compoundFile({ [path]: 'embedded', '/Workbook': workbook }), 'book.xls');
    expect(error).toBeNull();
    expect(text).toContain('Bari | 12');
  });

  test('a presentation with a workbook is refused as a presentation', async () => {
    const { error } = await read(compoundFile({ '/PowerPoint Document': 'x', '/Object/Workbook': 'y' }), 'talk.ppt');
    expect(error).toMatchObject({
      code: 'corrupt_input',
      message: expect.stringContaining('The presentation is damaged'),
    });
  });
});
