/** Notes of pages and tables, captions, page frames and wide spacing of PDFs without tags. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rule, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function read(pages: string[], more: Partial<Parameters<typeof writePdf>[0]> = {}) {
  const { markdown, result, error } = await readDocument(appliance, writePdf({ pages, ...more }), 'a.pdf');
  expect(error).toBeNull();
  expect(result.account).toMatchObject({ unexplained: 0, leftOut: [] });
  return markdown.trim().split('\n\n');
}

const onPage = (...pieces: string[]) => pieces.join('\n');
/** A small mark above the line, measured as the line is. */
const raised = (left: number, top: number, mark: string) => `BT /F1 7 Tf ${left} ${792 - top - 6} Td (${mark}) Tj ET`;

const FULL = [
  'The committee examined the request in three meetings and heard the owner of the quay, the pilots',
  'and two neighbours. It found that the works would not narrow the fairway, that the noise at night',
];

describe('a footnote that goes on over the page', () => {
  const above = onPage(text(72, 72, FULL), text(72, 620, ['and that boats'], 11), raised(142, 620, '1'));
  const begin = [
    '1 The count was made in three parts, of which the first began in',
    'March and the others had to wait until',
  ];
  const first = onPage(
    above,
    text(148.4, 620, ['would remain below the limit which the town had set in its last']),
    text(72, 660, begin, 8),
  );
  const rest = text(72, 660, ['the boats could be moved.'], 8);

  test('is one note, and so is the sentence above it', async () => {
    const second = onPage(text(72, 72, ['decision, and that the permit should be granted.']), rest);
    expect(await read([first, second])).toEqual([
      FULL.join(' '),
      expect.stringMatching(
        /^and that boats\[\^1\] would .* its last decision, and that the permit should be granted\.$/,
      ),
      `[^1]: ${begin.join(' ').slice(2)} the boats could be moved.`,
    ]);
  });

  test('ends where its sentence does, and each page has its first note', async () => {
    const other = onPage(
      text(72, 72, ['Each boat']),
      raised(121.8, 72, '1'),
      text(128, 72, ['was counted.']),
      text(72, 660, ['1 By the pilots.'], 8),
    );
    const ended = first.replace('until) Tj', 'then.) Tj');
    const blocks = await read([ended, onPage(other)]);
    expect(blocks.filter((block) => block.includes('^1'))).toEqual([
      expect.stringContaining('boats[^1]'),
      expect.stringMatching(/^\[\^1\]: .* wait then\.$/),
      'Each boat[^1-2] was counted.',
      '[^1-2]: By the pilots.',
    ]);
  });
});

/** A ruled table of three columns at this place. */
function ruledTable(left: number, top: number, rows: string[][], marks: Record<string, string> = {}): string {
  const [wide, high] = [110, 18];
  const lines = rows.flatMap((row, down) =>
    row.map((cell, across) => {
      const [x, y] = [left + across * wide + 4, top + down * high + 3];
      const mark = marks[cell];
      // The width of digits and most letters.
      const end = x + cell.length * 5.56 - (cell === 'Boats' ? 2 : 0);
      return text(x, y, [cell], 10) + (mark === undefined ? '' : `\n${raised(end, y - 0.5, mark)}`);
    }),
  );
  const bottom = top + rows.length * high;
  const right = left + 3 * wide;
  for (let down = 0; down <= rows.length; down += 1) {
    lines.push(rule(left, top + down * high, right, top + down * high));
  }
  for (let across = 0; across <= 3; across += 1)
    lines.push(rule(left + across * wide, top, left + across * wide, bottom));
  return lines.join('\n');
}

const ROWS = [
  ['Port', 'Boats', 'Crew'],
  ['Arden', '12', '40'],
  ['Brill', '7*', '21'],
];

describe('a table', () => {
  test('has its notes, which follow it; other text below it stays text', async () => {
    const page = onPage(
      text(72, 72, FULL),
      ruledTable(72, 130, ROWS, { Boats: 'a', 40: 'b' }),
      text(72, 190, ['a Registered boats', 'in the harbour only.', 'b Without apprentices.', '* Estimated.'], 8),
      text(72, 236, ['Source: Harbour office.'], 8),
      text(72, 270, ['The works were ended.']),
    );
    expect(await read([page])).toEqual([
      FULL.join(' '),
      '| Port | Boats[^a] | Crew |\n| --- | --- | --- |\n| Arden | 12 | 40[^b] |\n| Brill | 7[^*] | 21 |',
      '[^a]: Registered boats in the harbour only.',
      '[^b]: Without apprentices.',
      '[^*]: Estimated.',
      'Source: Harbour office.',
      'The works were ended.',
    ]);
  });

  test('and a figure have captions, with or without a sign after the number', async () => {
    const page = onPage(
      text(72, 72, ['Table 3 Boats and crew by port'], 10),
      ruledTable(72, 90, ROWS),
      text(72, 170, ['Figure 2 The northern pier seen from the', 'customs house.'], 10),
      text(72, 196, FULL),
      ruledTable(72, 290, ROWS),
      text(72, 350, ['Tab. 4. Boats by port'], 10),
      text(72, 250, ['Table 3 shows all boats of the harbour that were counted in the spring of that year.']),
    );
    const answer = await readDocument(appliance, writePdf({ pages: [page] }), 'a.pdf');
    const url = (answer.result.files as { name: string; url: string }[]).find(
      ({ name }) => name === 'docling.json',
    )?.url;
    const docling = (await (await appliance.owner(new URL(url ?? '').pathname)).json()) as {
      texts: { label: string; text: string; parent: { $ref: string } }[];
    };
    expect(docling.texts.map(({ label, text: own, parent }) => [label, own.slice(0, 12), parent.$ref])).toEqual([
      ['caption', 'Table 3 Boat', '#/tables/0'],
      ['caption', 'Figure 2 The', '#/body'],
      ['text', 'The committe', '#/body'],
      ['text', 'Table 3 show', '#/body'],
      ['caption', 'Tab. 4. Boat', '#/tables/1'],
    ]);
  });

  test('is no frame around a page or its text', async () => {
    const frame = (left: number, top: number, right: number, bottom: number) =>
      onPage(
        rule(left, top, right, top),
        rule(right, top, right, bottom),
        rule(right, bottom, left, bottom),
        rule(left, bottom, left, top),
      );
    const words = text(72, 90, FULL);
    const framed = [
      onPage(frame(40, 40, 572, 752), words),
      onPage(frame(40, 40, 572, 752), frame(44, 44, 568, 748), words),
      onPage(frame(60, 80, 552, 400), words),
      onPage('1 w 50 50 512 692 re S', words),
    ];
    for (const page of framed) expect(await read([page])).toEqual([FULL.join(' ')]);
  });
});

test('double-spaced paragraphs with indented first lines are whole', async () => {
  const spaced = (lines: readonly string[], top: number) =>
    lines.map((line, at) => text(at === 0 ? 108 : 72, top + at * 26, [line])).join('\n');
  const one = ['The committee examined the request in three meetings and heard the owner', ...FULL, 'of the town.'];
  const two = ['Two neighbours were heard in the second meeting and said that the noise of', ...FULL, 'of the quay.'];
  expect(await read([onPage(spaced(one, 72), spaced(two, 72 + one.length * 26))])).toEqual([
    one.join(' '),
    two.join(' '),
  ]);
});
