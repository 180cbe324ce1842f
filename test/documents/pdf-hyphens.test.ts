/** Words that PDFs divide at the ends of lines. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPdfBed } from './pdf-bed.ts';
import { FIRST_EXTRA, text, writePdf } from './pdf-writer.ts';

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

/** A page of Korean: each syllable has a letter of Helvetica for its glyph, of one width. */
async function koreanText(lines: string[]): Promise<string> {
  const syllables = [...new Set(lines.join('').replaceAll(' ', ''))];
  const codeOf = (char: string) => (char === ' ' ? 0x20 : 0x41 + syllables.indexOf(char));
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
  const pairs = syllables.map((char) => `<${hex(codeOf(char), 2)}> <${hex(char.charCodeAt(0), 4)}>`).join('\n');
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Korean def
1 begincodespacerange <00> <FF> endcodespacerange ${syllables.length} beginbfchar\n${pairs}\nendbfchar endcmap end end`;
  const widths = `/FirstChar 32 /LastChar 255 /Widths [${'600 '.repeat(224)}]`;
  const font = `<< /Type /Font /Subtype /TrueType /BaseFont /Helvetica ${widths} /Encoding /WinAnsiEncoding /ToUnicode ${FIRST_EXTRA + 1} 0 R >>`;
  const extra = [font, `<< /Length ${map.length} >>\nstream\n${map}\nendstream`];
  const glyphs = lines.map((line) => String.fromCharCode(...Array.from(line, codeOf)));
  const resources = `/Font << /F9 ${FIRST_EXTRA} 0 R >>`;
  const { document } = await bed.extract(writePdf({ pages: [text(60, 100, glyphs, 11, 'F9')], extra, resources }));
  return document.blocks.map((block) => ('text' in block ? block.text : '')).join('|');
}

test('words of Korean that a line end divides are whole, and others have their space', async () => {
  const lines = [
    '관측소의 사람들은 매일 아침 물의 높이를 적고 조석표를 만들어 보낸다',
    '배들은 조석표를 보고 떠나며 저녁이 되면 모두 돌아와서 같은 관측',
    '소의 벽에 걸린 새로운 표를 읽는다 표가 없는 날에는 사람들이 항구',
    '에서 기다린다 바람이 부는 날에는 배가 나가지 않고 그물을 말린다',
  ];
  const joined = lines.join(' ').replace('관측 소의', '관측소의').replace('항구 에서', '항구에서');
  expect(await koreanText(lines)).toBe(joined);
});
