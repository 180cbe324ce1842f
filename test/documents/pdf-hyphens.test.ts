/** Words that PDFs divide at the ends of lines. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPdfBed } from './pdf-bed.ts';
import { text, writePdf } from './pdf-writer.ts';

let bed: Awaited<ReturnType<typeof openPdfBed>>;

beforeAll(async () => {
  bed = await openPdfBed();
});

afterAll(() => bed.close());

const ENGLISH = [
  'The gauges were read every hour at both ends of the basin, and the readings were',
  'corrected for the pressure of the air as usual in such a campaign of some weeks.',
];

const GERMAN = [
  'Die Pegel wurden an beiden Enden des Beckens jede Stunde gelesen und nach dem Druck',
  'der Luft verbessert, wie es in einem solchen Jahr und bei dieser Arbeit immer war.',
];

const FRENCH = [
  'Les niveaux sont lus toutes les heures aux deux bouts du bassin, et ils ont ensuite',
  'subi une correction pour la pression de cet air, comme il se fait dans ce travail.',
];

/** The first words of a paragraph whose lines follow some prose. */
async function joinedText(prose: string[], lines: string[], catalogue = ''): Promise<string> {
  const page = [text(60, 60, prose, 10), text(60, 120, [...lines, ...prose], 10)].join('\n');
  const { document } = await bed.extract(writePdf({ pages: [page], catalogue }));
  const block = document.blocks.find(
    (one) => one.kind === 'paragraph' && one.text.startsWith(lines[0]?.slice(0, 4) ?? ''),
  );
  const joined = block !== undefined && 'text' in block ? block.text : '';
  return joined.split(` ${prose[0] ?? ''}`, 1)[0] ?? '';
}

/** A line as long as those of the prose, which ends with `end`. */
function lineBefore(end: string, start = 'Also'): string {
  return `${start} the harbour master wrote in his letter of that long and very cold winter ${end}`;
}

test.each([
  ['some-', 'thing', 'something'],
  ['a measure-', 'ment', 'a measurement'],
  ['a decision-mak-', 'ing', 'a decision-making'],
  ['the through-', 'out', 'the through-out'],
  ['a well-', 'known', 'a well-known'],
  ['a self-', 'control', 'a self-control'],
  ['a long-', 'term', 'a long-term'],
  ['a state-of-', 'the-art', 'a state-of-the-art'],
  ['a two-', 'dimensional', 'a two-dimensional'],
  ['the Navier-', 'Stokes', 'the Navier-Stokes'],
  ['a 10-', 'year', 'a 10-year'],
  ['the years 1990-', '1995', 'the years 1990-1995'],
  ['the file data-', 'set.csv', 'the file data-set.csv'],
  ['mail inter-', 'face@post.de', 'mail inter-face@post.de'],
  ['the pre-', 'and post-war', 'the pre- and post-war'],
  ['a thous-', 'and', 'a thousand'],
  ['the inter-', 'face', 'the interface'],
  ['the LOCA-', 'TION', 'the LOCATION'],
])('the dictionary decides over “%s” and “%s”', async (end, start, joined) => {
  const written = await joinedText(ENGLISH, [lineBefore(end), `${start} gauges of the coast.`]);
  expect(written).toBe(`${lineBefore(joined)} gauges of the coast.`);
});

test('the words of the document decide before the dictionary', async () => {
  const known = [
    ...ENGLISH.slice(0, 1),
    'The SunSpider, a microrobot and a non-linear tide were seen, and data-base, and a throughput of',
  ];
  const lines = ['micro-', 'non-', 'data-', 'Sun-', 'through-'].map((end, at) =>
    lineBefore(end, ['', 'robot', 'linear', 'base', 'Spider'][at]),
  );
  const written = await joinedText(known, [lineBefore('a'), ...lines, 'put of water.']);
  expect(written).toContain('winter microrobot the');
  expect(written).toContain('winter non-linear the');
  expect(written).toContain('winter data-base the');
  expect(written).toContain('winter SunSpider the');
  expect(written).toContain('winter throughput of');
});

test('without a dictionary, compounds that begin alike keep their hyphens', async () => {
  const german = ['Dann wurde der Wasser-', 'stand in Baden-', 'Baden und nach der Ein-', 'und Ausfuhr gelesen.'];
  const written = await joinedText(GERMAN, german, '/Lang (de)');
  expect(written).toContain('der Wasserstand in Baden-Baden und nach der Ein- und Ausfuhr gelesen.');
  const french = ['Puis un porte-monnaie du porte-', 'parole et un docu-', 'ment de la ville.'];
  const other = await joinedText(FRENCH, french, '/Lang (fr)');
  expect(other).toContain('du porte-parole et un document de la ville.');
});
