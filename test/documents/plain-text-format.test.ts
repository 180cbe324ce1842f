import { describe, expect, test } from 'vitest';
import { parsePlainText } from '../../workers/documents/parse-text.ts';
import { outline, parseOptions } from './parse-options.ts';

async function lines(bytes: Buffer | string, language: string | null = null) {
  return outline(await parsePlainText(Buffer.from(bytes as string), parseOptions({ language })));
}

test('paragraphs are divided by empty lines, and by line ends in a text without any', async () => {
  expect(await lines('a\r\nb\r\n \r\nc\n')).toEqual(['paragraph a\nb', 'paragraph c']);
  expect(await lines('a\nb\n')).toEqual(['paragraph a', 'paragraph b']);
});

test('form feeds divide pages, and one at the end begins none', async () => {
  const document = await parsePlainText(Buffer.from('a\n\fb\n\fc\f\n'), parseOptions());
  expect(document.blocks.map(({ page }) => page)).toEqual([1, 2, 3]);
  expect(document).toMatchObject({ pages: 3, format: 'text', title: null });
});

describe('the encoding is found', () => {
  const russian = Buffer.from([0xd1, 0xee, 0xf0, 0xee, 0xea, 0x20, 0xeb, 0xe5, 0xf2]);

  test('by marks, by validity, by the rules of UTF-16', async () => {
    expect(await lines(Buffer.from('\ufeffécole', 'utf16le'))).toEqual(['paragraph école']);
    expect(await lines(Buffer.from('plain words', 'utf16le'))).toEqual(['paragraph plain words']);
    expect(await lines(Buffer.from('école'))).toEqual(['paragraph école']);
  });

  test('as windows-1252 when nothing else is known, else by the language', async () => {
    expect(await lines(Buffer.from('caf\xe9 \x93x\x94', 'latin1'))).toEqual(['paragraph café “x”']);
    expect(await lines(russian, 'ru')).toEqual(['paragraph Сорок лет']);
  });

  test('by statistics in a longer text', async () => {
    const repeated = Buffer.concat(Array.from({ length: 40 }, () => Buffer.concat([russian, Buffer.from(' ')])));
    expect((await lines(repeated))[0]).toMatch(/^paragraph Сорок лет/);
  });
});

test('text is normalised: NFC, no control characters', async () => {
  expect(await lines('e\u0301\u0007 a\u00adb\tc\u00a0d')).toEqual(['paragraph é ab c d']);
});

test('binary content is refused, an empty file is an empty document', async () => {
  const bytes = Buffer.from(Array.from({ length: 2000 }, (_, index) => (index * 31) % 256));
  await expect(parsePlainText(bytes, parseOptions())).rejects.toMatchObject({ code: 'unsupported_media' });
  expect(await lines('')).toEqual([]);
});
