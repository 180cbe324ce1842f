import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Chunk } from '../../src-server/operation.ts';
import type { Block, NormalizedDocument } from '../../workers/documents/blocks.ts';
import { chunkDocument } from '../../workers/documents/chunk.ts';
import { writePlainText } from '../../workers/documents/write-text.ts';

function documentOf(blocks: Block[]): NormalizedDocument {
  return {
    ...{ format: 'text', title: null, author: null, language: null, pages: 1, revisions: 'none' },
    ...{ blocks, comments: [], changes: [], warnings: [] },
  };
}

function chunksOf(blocks: Block[], segmentLength = 100): Chunk[] {
  return chunkDocument(documentOf(blocks), { segmentLength, language: 'en' });
}

test('a long document hears of its cancellation while it is cut', () => {
  const reason = new Error('cancelled');
  const tick = () => {
    throw reason;
  };
  const blocks: Block[] = [{ kind: 'paragraph', text: 'A sentence of some words. '.repeat(20_000), page: 1 }];
  expect(() => chunkDocument(documentOf(blocks), { segmentLength: 100, language: 'en', tick })).toThrow(reason);
});

const paragraph = (text: string, page = 1): Block => ({ kind: 'paragraph', text, page });
const heading = (level: number, text: string): Block => ({ kind: 'heading', level, text, page: 1 });
const words = (count: number, word = 'word') =>
  Array.from({ length: count }, (_, index) => `${word}${index}`).join(' ');

describe('whatever the document', () => {
  const word = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'ß', '1', '-', '.'), minLength: 1, maxLength: 12 }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('👨‍👩‍👧‍👦', '𝒳𝒴', '漢字仮名交じり文です。', 'x'.repeat(700), 'Dr.', 'e.g.', 'ที่นี่'),
    },
  );
  const text = fc
    .array(fc.tuple(word, fc.constantFrom(' ', ' ', '. ', '\n', '  ')), { minLength: 1, maxLength: 120 })
    .map((parts) => parts.flat().join('').trim());
  const block: fc.Arbitrary<Block> = fc.oneof(
    { weight: 5, arbitrary: text.map((value) => paragraph(value)) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.integer({ min: 1, max: 4 }), word).map(([level, value]) => heading(level, value)),
    },
    {
      weight: 1,
      arbitrary: text.map((value): Block => ({ kind: 'list-item', depth: 1, marker: '1.', text: value, page: 1 })),
    },
    { weight: 1, arbitrary: text.map((value): Block => ({ kind: 'caption', text: value, page: 1 })) },
    { weight: 1, arbitrary: text.map((value): Block => ({ kind: 'note', marker: '3', text: value, page: 1 })) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 })
        .map((rows): Block => ({ kind: 'table', rows, page: 1 })),
    },
  );
  const input = fc.record({
    blocks: fc.array(block, { maxLength: 12 }),
    segmentLength: fc.integer({ min: 50, max: 600 }),
    language: fc.constantFrom(null, 'en', 'ja', 'th', 'no such language'),
  });

  test('chunks in order cover document.txt: nothing lost, nothing twice, and only white space between them', () => {
    fc.assert(
      fc.property(input, ({ blocks, ...options }) => {
        const document = documentOf(blocks);
        const plain = writePlainText(document).text;
        let at = 0;
        for (const chunk of chunkDocument(document, options)) {
          expect(plain.slice(at, chunk.startOffset).trim()).toBe('');
          expect(chunk.startOffset).toBeGreaterThanOrEqual(at);
          at = chunk.endOffset ?? -1;
        }
        expect(plain.slice(at).trim()).toBe('');
      }),
    );
  });

  test('a chunk is the slice its offsets name, after the header row in a table that was cut', () => {
    fc.assert(
      fc.property(input, ({ blocks, ...options }) => {
        const document = documentOf(blocks);
        const plain = writePlainText(document).text;
        for (const chunk of chunkDocument(document, options)) {
          const slice = plain.slice(chunk.startOffset, chunk.endOffset);
          if (chunk.kind === 'table') expect(chunk.text.endsWith(slice)).toBe(true);
          else expect(chunk.text).toBe(slice);
          expect(chunk.text.trim()).toBe(chunk.text);
          expect(chunk.text).not.toBe('');
        }
      }),
    );
  });

  test('no chunk is longer than a quarter past the target, but for a single word of up to four targets', () => {
    fc.assert(
      fc.property(input, ({ blocks, ...options }) => {
        for (const chunk of chunkDocument(documentOf(blocks), options)) {
          const limit = /\s/.test(chunk.text) ? options.segmentLength * 1.25 : options.segmentLength * 4;
          expect(chunk.text.length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  test('no chunk begins or ends inside a word of letters, a surrogate pair or a joined character', () => {
    fc.assert(
      fc.property(input, ({ blocks, ...options }) => {
        const document = documentOf(blocks);
        const plain = writePlainText(document).text;
        for (const { text: chunk, startOffset = 0 } of chunkDocument(document, options)) {
          expect(chunk.isWellFormed()).toBe(true);
          expect(chunk).not.toMatch(/^[\u200d\ufe0f\p{M}]/u);
          const before = plain.slice(Math.max(0, startOffset - 1), startOffset);
          const isCut = /[a-zé]/.test(before) && /^[a-zé]/.test(chunk);
          if (isCut) expect(plain).toMatch(new RegExp(`\\S{${options.segmentLength},}`));
        }
      }),
    );
  });

  test('indexes count up, ids are unique within a document and the same again', () => {
    fc.assert(
      fc.property(input, ({ blocks, ...options }) => {
        const chunks = chunkDocument(documentOf(blocks), options);
        expect(chunks.map((chunk) => chunk.segmentIndex)).toEqual(chunks.map((_, index) => index));
        expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(chunks.length);
        expect(chunkDocument(documentOf(blocks), options)).toEqual(chunks);
      }),
    );
  });
});

describe('where chunks end', () => {
  test('paragraphs that fit together share a chunk, and stay whole', () => {
    const texts = ['a'.repeat(60), 'b'.repeat(60), 'c'.repeat(30)];
    expect(chunksOf(texts.map((one) => paragraph(one))).map((chunk) => chunk.text)).toEqual([
      `${texts[0]}\n\n${texts[1]}`,
      texts[2],
    ]);
  });

  test('a long paragraph is cut at sentences', () => {
    const sentences = Array.from({ length: 12 }, (_, index) => `Sentence number ${index} says a thing.`);
    for (const chunk of chunksOf([paragraph(sentences.join(' '))])) expect(chunk.text).toMatch(/^Sentence.*thing\.$/);
  });

  test('a long sentence is cut between words', () => {
    const chunks = chunksOf([paragraph(words(200))]);
    expect(chunks.length).toBeGreaterThan(10);
    expect(chunks.flatMap((chunk) => chunk.text.split(' '))).toEqual(words(200).split(' '));
  });

  test('a script without spaces is cut between its words', () => {
    const chunks = chunkDocument(documentOf([paragraph('東京都に住んでいる人々は毎日電車に乗ります'.repeat(30))]), {
      segmentLength: 50,
      language: 'ja',
    });
    expect(Math.max(...chunks.map((chunk) => chunk.text.length))).toBeLessThanOrEqual(50);
    expect(chunks.map((chunk) => chunk.text).join('')).toBe('東京都に住んでいる人々は毎日電車に乗ります'.repeat(30));
  });

  test('a word of four targets stays whole, a longer one is cut between joined characters', () => {
    const [first, ...rest] = chunksOf([paragraph('x'.repeat(400))]);
    expect([first?.text.length, rest.length]).toEqual([400, 0]);
    const family = '👨‍👩‍👧‍👦';
    for (const chunk of chunksOf([paragraph(family.repeat(100))])) {
      expect(chunk.text.replaceAll(family, '')).toBe('');
    }
    const accented = chunksOf([paragraph('q\u0301'.repeat(400))], 101);
    expect(accented.length).toBeGreaterThan(5);
    for (const chunk of accented) expect(chunk.text).toMatch(/^(q\u0301)+$/);
  });

  test('a heading opens a chunk instead of ending one, and never stands alone before its text', () => {
    const blocks = [paragraph(words(12)), heading(1, 'Next part'), paragraph(words(12, 'other'))];
    expect(chunksOf(blocks).map((chunk) => chunk.text.split('\n')[0])).toEqual([words(12), 'Next part']);
  });

  test('each chunk carries the path of the headings it stands under', () => {
    const blocks = [
      ...[heading(1, 'Guide'), paragraph(words(15)), heading(2, 'Limits'), paragraph(words(15, 'x'))],
      ...[heading(3, 'Upper'), paragraph(words(15, 'y')), heading(2, 'Costs'), paragraph(words(15, 'z'))],
    ];
    expect(chunksOf(blocks).map((chunk) => chunk.heading)).toEqual([
      'Guide',
      'Guide > Limits',
      'Guide > Limits > Upper',
      'Guide > Costs',
    ]);
  });

  test('a chunk holds text of several sections only where they are small and under one heading', () => {
    const blocks = [
      ...[heading(1, 'Guide'), paragraph('an introduction'), heading(2, 'One'), paragraph('a')],
      ...[heading(2, 'Two'), paragraph('b'), heading(3, 'Deeper'), paragraph('c'), heading(1, 'Annex'), paragraph('d')],
      ...[heading(1, 'Index'), paragraph('e')],
    ];
    expect(chunksOf(blocks, 400).map(({ text, headingPath }) => [headingPath, text.replaceAll('\n\n', '/')])).toEqual([
      [['Guide'], 'Guide/an introduction/One/a/Two/b'],
      [['Guide', 'Two', 'Deeper'], 'Deeper/c'],
      [['Annex'], 'Annex/d'],
      [['Index'], 'Index/e'],
    ]);
  });
});

test('all sections are below the title of the document', () => {
  const title: Block = { kind: 'heading', level: 1, isTitle: true, text: 'Report', page: 1 };
  const blocks = [title, paragraph('A. Clerk'), heading(1, 'Findings'), paragraph(words(15)), heading(1, 'Costs')];
  expect(
    chunksOf([...blocks, paragraph('few')]).map(({ headingPath, text }) => [headingPath, text.slice(0, 6)]),
  ).toEqual([
    [['Report'], 'Report'],
    [['Report', 'Costs'], 'Costs\n'],
  ]);
});

describe('kinds', () => {
  const table = (rows: number): Block => ({
    kind: 'table',
    page: 1,
    rows: [['Name', 'Value'], ...Array.from({ length: rows }, (_, index) => [`row ${index}`, `value ${index}`])],
  });

  test('a table that fits stands whole and alone, with its caption and heading', () => {
    const caption: Block = { kind: 'caption', text: 'Table 1: sizes', page: 1 };
    const chunks = chunksOf([paragraph('before'), heading(2, 'Sizes'), caption, table(2), paragraph('after')]);
    expect(chunks.map((chunk) => [chunk.kind, chunk.text])).toEqual([
      ['text', 'before'],
      ['table', 'Sizes\n\nTable 1: sizes\n\nName | Value\nrow 0 | value 0\nrow 1 | value 1'],
      ['text', 'after'],
    ]);
  });

  test('a table that does not fit is cut between rows, under its header row each time', () => {
    const chunks = chunksOf([table(40)]);
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) expect(chunk.text).toMatch(/^Name \| Value\n(row \d+ \| value \d+\n?)+$/);
    const rows = chunks.flatMap((chunk) => chunk.text.split('\n').slice(1));
    expect(rows).toEqual(Array.from({ length: 40 }, (_, index) => `row ${index} | value ${index}`));
  });

  test('captions, comments and notes are not mixed with the text', () => {
    const blocks: Block[] = [
      paragraph('text'),
      { kind: 'comment', text: 'a remark', page: 1 },
      { kind: 'note', marker: '1', text: 'a note', page: 1 },
      { kind: 'page-furniture', place: 'footer', text: 'page 1', page: 1 },
    ];
    expect(chunksOf(blocks).map((chunk) => [chunk.kind, chunk.text])).toEqual([
      ['text', 'text'],
      ['comment', 'a remark'],
      ['text', '[1] a note'],
      ['text', 'page 1'],
    ]);
    expect(chunksOf([{ kind: 'caption', text: 'Figure 1', page: 1 }])[0]?.kind).toBe('caption');
  });
});

test('a chunk says where its lines are: one box per column and page', () => {
  const text = 'One line. Next line. Next column. Next page.';
  const at = (words: string) => text.indexOf(words);
  const block: Block = {
    ...{ kind: 'paragraph', text, page: 1, pageBreaks: [at('Next page')] },
    lines: [
      [0, 1, 50, 700, 250, 712],
      [at('Next line'), 1, 50, 714, 240, 726],
      [at('Next column'), 1, 300, 60, 500, 72],
      [at('Next page'), 2, 50, 60, 250, 72],
    ],
  };
  const boxes = [
    { page: 1, left: 50, top: 700, right: 250, bottom: 726 },
    { page: 1, left: 300, top: 60, right: 500, bottom: 72 },
    { page: 2, left: 50, top: 60, right: 250, bottom: 72 },
  ];
  expect(chunksOf([block])).toMatchObject([{ page: 1, pageEnd: 2, tokens: 13, boxes }]);
  const rows = Array.from({ length: 20 }, (_, index) => [`row ${index}`, 'cell cell cell']);
  const table: Block = { kind: 'table', rows, page: 1, lines: [] };
  table.lines?.push([0, 1, 50, 60, 500, 700], [10, 2, 50, 60, 500, 400]);
  const pagesOf = (chunk: Chunk) => chunk.boxes?.map(({ page }) => page);
  for (const chunk of chunksOf([{ ...table, rowPages: rows.map((_, row) => (row < 10 ? 1 : 2)) }])) {
    expect([...new Set([chunk.page, chunk.pageEnd])]).toEqual(pagesOf(chunk));
  }
});

test('a chunk that begins with the first word of a page is on that page', () => {
  const sentences = [`First ${words(10)}.`, `Second ${words(10)}.`];
  const text = sentences.join(' ');
  const blocks: Block[] = [{ kind: 'paragraph', text, page: 1, pageBreaks: [text.indexOf('Second')] }];
  expect(chunksOf(blocks, 60).map((chunk) => [chunk.text, chunk.page])).toEqual([
    [sentences[0], 1],
    [sentences[1], 2],
  ]);
});

test('a chunk has the page its first character is on, inside a paragraph and inside a table', () => {
  const text = words(60);
  const at = text.indexOf('word30');
  const rows = Array.from({ length: 20 }, (_, index) => [`row ${index}`, 'cell cell cell']);
  const blocks: Block[] = [
    { kind: 'paragraph', text, page: 4, pageBreaks: [at] },
    { kind: 'table', rows, page: 5, rowPages: rows.map((_, index) => (index < 10 ? 5 : 6)) },
  ];
  const plain = writePlainText(documentOf(blocks)).text;
  for (const chunk of chunksOf(blocks)) {
    const start = chunk.startOffset ?? 0;
    expect(chunk.page).toBe(start < at ? 4 : start < plain.indexOf('row 10') ? 5 : 6);
  }
});
