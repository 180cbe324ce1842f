import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { parseDoc } from '../../workers/documents/doc/parse-doc.ts';
import { outline, parseOptions } from './parse-options.ts';

const SECTOR_BYTES = 512;
const sound = readFileSync(new URL('../fixtures/documents/harbour/harbour.doc', import.meta.url));

/** A copy of the sound document that `change` has been at; `main` is where its main stream begins. */
function changed(change: (bytes: Buffer, main: number) => void): Buffer {
  const bytes = Buffer.from(sound);
  let main = SECTOR_BYTES;
  while (bytes.readUInt16LE(main) !== 0xa5ec) main += SECTOR_BYTES;
  change(bytes, main);
  return bytes;
}

function codeOf(bytes: Buffer): Promise<string> {
  return parseDoc(bytes, parseOptions()).then(
    () => 'read',
    (error: unknown) => (error instanceof QuarryError ? error.code : String(error)),
  );
}

describe('a .doc that cannot be read says why', () => {
  test('password-protected', async () => {
    const bytes = changed((copy, main) => copy.writeUInt16LE(copy.readUInt16LE(main + 10) | 0x0100, main + 10));
    expect(await codeOf(bytes)).toBe('encrypted_input');
  });

  test('Word 6 or 95, and older files that are no compound file', async () => {
    const word6 = changed((copy, main) => copy.writeUInt16LE(0xa5dc, main));
    expect(await codeOf(word6)).toBe('unsupported_media');
    expect(await codeOf(Buffer.from('dba52d000000', 'hex'))).toBe('unsupported_media');
    await expect(parseDoc(word6, parseOptions())).rejects.toThrow(/save it as \.docx/);
  });

  test('empty, truncated, or no document at all', async () => {
    for (const bytes of [Buffer.alloc(0), sound.subarray(0, 700), sound.subarray(0, 4096), Buffer.alloc(9000, 0x41)]) {
      expect(await codeOf(bytes)).toBe('corrupt_input');
    }
  });
});

test('text that is kept in one byte a character is read as windows-1252', async () => {
  const bytes = changed((copy, main) => {
    // The piece table: its mark, its length, the places 0 and the end, then where in the main stream the piece begins.
    const table = copy.indexOf(Buffer.from([2, 16, 0, 0, 0, 0, 0, 0, 0])) + 5;
    const length = copy.readUInt32LE(table + 4);
    const position = copy.readUInt32LE(table + 10);
    const text = copy
      .toString('utf16le', main + position, main + position + length * 2)
      .replace('fast', 'f\u0080\u0095t');
    copy.writeUInt32LE((position * 2 + 0x40000000) >>> 0, table + 10);
    copy.write(text, main + position, length, 'latin1');
  });
  const { blocks } = await parseDoc(bytes, parseOptions());
  expect(blocks.some((block) => 'text' in block && block.text.includes('The f€•t ferry met'))).toBe(true);
});

test('a numbered heading keeps the number that its list counts', async () => {
  const listed = Buffer.from([0x0a, 0x26, 0, 0x0b, 0x46]);
  const bytes = changed((copy) => {
    // An item on the first level of its list says so; here it says instead that it is a heading of the second.
    for (let at = copy.indexOf(listed); at >= 0; at = copy.indexOf(listed, at + 1)) copy.writeUIntBE(0x402601, at, 3);
  });
  const before = outline(await parseDoc(sound, parseOptions()));
  const items = before.filter((line) => /^\d+\. /.test(line));
  expect(items.length).toBeGreaterThan(1);
  const after = outline(await parseDoc(bytes, parseOptions()));
  expect(after.filter((line) => /^h2 \d+\. /.test(line))).toEqual(items.map((item) => `h2 ${item}`));
});

test('a large first letter is part of its word', async () => {
  const listed = Buffer.from([0x0a, 0x26, 0, 0x0b, 0x46]);
  const bytes = changed((copy) => {
    // An item on the first level of its list says which list that is; here it says instead that it is a drop cap.
    for (let at = copy.indexOf(listed); at >= 0; at = copy.indexOf(listed, at + 1))
      copy.writeUInt32BE(0x2c441100, at + 3);
  });
  const said = outline(await parseDoc(bytes, parseOptions())).join('\n');
  expect(said).toContain('CrewCaptain');
});

test('cells stand in the columns that their edges say', async () => {
  const bytes = changed((copy, main) => {
    // The definition of a row: its length, how many cells it has, where the first begins, where each ends.
    const at = copy.indexOf(Buffer.from([0x08, 0xd6]), main);
    expect(copy.readUInt8(at + 4)).toBe(2);
    copy.writeInt16LE(copy.readInt16LE(at + 7) + 500, at + 7);
  });
  const rowsOf = (lines: string[]) =>
    JSON.parse(lines.find((line) => line.startsWith('table'))?.slice(6) ?? '') as string[][];
  const before = rowsOf(outline(await parseDoc(sound, parseOptions())));
  const after = rowsOf(outline(await parseDoc(bytes, parseOptions())));
  const wide = after.filter((row) => row[1] === '');
  expect(wide).toHaveLength(1);
  expect(after.map((row) => row.filter((_, column) => column !== (row === wide[0] ? 1 : 2)))).toEqual(before);
});

test('a character of a symbol font is what it shows', async () => {
  const bytes = changed((copy, main) => {
    // Where the tables are: by the mark of the piece table, whose place in its stream is known.
    const place = (table: number) => copy.readUInt32LE(main + 0x9a + table * 8);
    const tables = copy.indexOf(Buffer.from([2, 16, 0, 0, 0, 0, 0, 0, 0])) - place(33);
    const name = copy.indexOf(Buffer.from('Symbol\0', 'utf16le'), tables + place(15));
    let font = 0;
    for (let at = tables + place(15) + 4; at + 40 < name; at += 1 + (copy[at] ?? 0)) font += 1;
    // The runs on the first page of characters' properties all say that a symbol stands there.
    const runsAt = tables + place(12);
    const page =
      main + copy.readUInt32LE(runsAt + ((copy.readUInt32LE(main + 0x9a + 12 * 8 + 4) - 4) / 8) * 4 + 4) * 512;
    const runs = copy[page + 511] ?? 0;
    copy.fill(200, page + (runs + 1) * 4, page + (runs + 1) * 4 + runs);
    Buffer.from([6, 0x09, 0x6a, font, 0, 0xb0, 0xf0]).copy(copy, page + 400);
  });
  const [first] = outline(await parseDoc(bytes, parseOptions()));
  expect(first).toMatch(/°{5,}/);
});

test('raised numbers are no part of the number before them', async () => {
  const bytes = changed((copy, main) => {
    const place = (table: number) => copy.readUInt32LE(main + 0x9a + table * 8);
    const tables = copy.indexOf(Buffer.from([2, 16, 0, 0, 0, 0, 0, 0, 0])) - place(33);
    const runsAt = tables + place(12);
    const page =
      main + copy.readUInt32LE(runsAt + ((copy.readUInt32LE(main + 0x9a + 12 * 8 + 4) - 4) / 8) * 4 + 4) * 512;
    const runs = copy[page + 511] ?? 0;
    // The second run on the page is the 05 of 14:05, and stands raised; no other says anything.
    const [wide, narrow] = [copy.indexOf(Buffer.from('14:05', 'utf16le')), copy.indexOf('14:05')];
    const width = wide < 0 ? 1 : 2;
    const from = (wide < 0 ? narrow : wide) - main + 3 * width;
    for (let edge = 1; edge <= runs; edge += 1) {
      const own = edge === 1 ? from : from + 2 * width;
      copy.writeUInt32LE(edge > 2 ? Math.max(own, copy.readUInt32LE(page + edge * 4)) : own, page + edge * 4);
    }
    copy.fill(0, page + (runs + 1) * 4, page + (runs + 1) * 4 + runs);
    copy[page + (runs + 1) * 4 + 1] = 200;
    Buffer.from([3, 0x48, 0x2a, 1]).copy(copy, page + 400);
  });
  expect(outline(await parseDoc(bytes, parseOptions())).join('\n')).toContain('14:⁰⁵');
});

test('a chain of sectors that loops is an error, not a hang', async () => {
  const bytes = changed((copy) => {
    const directory = copy.readUInt32LE(48);
    const table = (copy.readUInt32LE(76) + 1) * SECTOR_BYTES;
    copy.writeUInt32LE(directory + 1, table + directory * 4);
    copy.writeUInt32LE(directory, table + (directory + 1) * 4);
  });
  expect(await codeOf(bytes)).toBe('corrupt_input');
});

test('whatever bytes are damaged, the answer is a document or an error of the closed list', async () => {
  let seed = 1;
  const next = (below: number) => {
    seed = (Math.imul(seed, 48_271) >>> 0) % 0x7fffffff;
    return seed % below;
  };
  const answers = new Set<string>();
  for (let round = 0; round < 120; round += 1) {
    const bytes = Buffer.from(sound);
    for (let count = 0; count < 40; count += 1) bytes[next(bytes.length)] = next(256);
    answers.add(await codeOf(bytes));
  }
  const allowed = ['read', 'corrupt_input', 'unsupported_media', 'encrypted_input', 'source_too_large'];
  expect([...answers].filter((answer) => !allowed.includes(answer))).toEqual([]);
});
