import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, index * 4);
  return bytes;
}

function attribute(level: number, id: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([level]), numbers(id, data.length), data, Buffer.alloc(2)]);
}

function property(id: number, type: number, data: Buffer): Buffer {
  const padding = Buffer.alloc((4 - (data.length % 4)) % 4);
  return Buffer.concat([numbers(id * 0x10000 + type, 1, data.length), data, padding]);
}

function wide(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf16le');
}

function properties(...list: Buffer[]): Buffer {
  return Buffer.concat([numbers(list.length), ...list]);
}

function winmail(...attributes: Buffer[]): Buffer {
  return Buffer.concat([numbers(0x223e9f78), Buffer.from([1, 0]), ...attributes]);
}

function attachment(name: string, data: Buffer): Buffer {
  return Buffer.concat([
    attribute(2, 0x00069002, Buffer.alloc(14)),
    attribute(2, 0x00018010, Buffer.from('SHORT~1.TXT\0')),
    attribute(2, 0x0006800f, data),
    attribute(2, 0x00069005, properties(property(0x3707, 0x1f, wide(name)))),
  ]);
}

const NAMED = Buffer.concat([
  numbers(0x8001_0003),
  Buffer.alloc(16),
  numbers(1, 6),
  Buffer.from('abc', 'utf16le'),
  Buffer.alloc(2),
  numbers(7),
]);

const MESSAGE = attribute(
  1,
  0x00069003,
  properties(
    NAMED,
    property(0x0037, 0x1f, wide('Café')),
    property(0x0c1a, 0x1e, Buffer.from('Ada\0')),
    property(0x1013, 0x102, Buffer.from('<p>Tide at <b>noon</b>.</p>')),
  ),
);

test('the message and its attachments are read, also inside a mail', async () => {
  const file = winmail(MESSAGE, attachment('tides.csv', Buffer.from('Port,Depth\nKiel,9.5\n')));
  const { status, markdown, warnings, result } = await readDocument(appliance, file, 'winmail.dat');
  expect(status).toBe('completed');
  expect(markdown).toContain('# Café');
  expect(markdown).toContain('From: Ada');
  expect(markdown).toContain('Tide at **noon**.');
  expect(markdown).toContain('# tides.csv');
  expect(markdown).toContain('Kiel');
  expect(warnings).toEqual([]);
  expect(result.account).toMatchObject({ unexplained: 0 });

  const mail = [
    'From: a@b.c\r\nSubject: Files\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n',
    '--x\r\nContent-Type: text/plain\r\n\r\nSee below.',
    '--x\r\nContent-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64',
    `\r\n${file.toString('base64')}\r\n--x--\r\n`,
  ].join('\r\n');
  const attached = await readDocument(appliance, mail, 'mail.eml');
  expect(attached.markdown).toContain('Tide at **noon**.');
  expect(attached.markdown).toContain('tides.csv');
});

test('a message in a message is a file inside a file', async () => {
  const inner = winmail(
    attribute(1, 0x00018004, Buffer.from('Inner\0')),
    attribute(1, 0x0002800c, Buffer.from('Deep text.\0')),
  );
  const object = property(0x3701, 0x0d, Buffer.concat([Buffer.alloc(16), inner]));
  const outer = winmail(
    MESSAGE,
    attribute(2, 0x00069002, Buffer.alloc(14)),
    attribute(2, 0x00069005, properties(object)),
  );
  const { markdown } = await readDocument(appliance, outer, 'winmail.dat');
  expect(markdown).toContain('Deep text.');
});

test('lengths beyond the file end it', async () => {
  const lying = winmail(
    MESSAGE,
    Buffer.concat([Buffer.from([1]), numbers(0x00069003, 0xffffffff), numbers(0xffffffff)]),
  );
  const { markdown } = await readDocument(appliance, lying, 'winmail.dat');
  expect(markdown).toContain('Tide at **noon**.');
  const { error } = await readDocument(appliance, winmail().subarray(0, 5), 'winmail.dat');
  expect(error).toMatchObject({ code: 'corrupt_input' });
});
