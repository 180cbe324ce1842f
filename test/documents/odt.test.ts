import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { parseOdt } from '../../workers/documents/odt/parse-odt.ts';
import { outline, parseOptions } from './parse-options.ts';

const NAMESPACES = [
  ...['office', 'text', 'table', 'style', 'meta'].map((name) => {
    return `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`;
  }),
  'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"',
  'xmlns:xlink="http://www.w3.org/1999/xlink"',
].join(' ');

function content(body: string, styles = ''): string {
  return `<?xml version="1.0"?><office:document-content ${NAMESPACES}><office:automatic-styles>${styles}</office:automatic-styles>
    <office:body><office:text>${body}</office:text></office:body></office:document-content>`;
}

function odt(parts: Record<string, string>): Buffer {
  const entries = Object.entries(parts).map(([name, text]) => [name, strToU8(text)]);
  return Buffer.from(
    zipSync({ mimetype: strToU8('application/vnd.oasis.opendocument.text'), ...Object.fromEntries(entries) }),
  );
}

async function read(body: string, styles = '') {
  return outline(await parseOdt(odt({ 'content.xml': content(body, styles) }), parseOptions()));
}

describe('what an OpenDocument text says is read', () => {
  test('spaces that are elements count, white space in the XML is one space', async () => {
    expect(await read('<text:p>a<text:s text:c="3"/>b\n   c<text:tab/>d<text:line-break/>e</text:p>')).toEqual([
      'paragraph a b c d\ne',
    ]);
  });

  test('a page that begins within a paragraph or a table is the page of what follows there', async () => {
    const turn = '<text:soft-page-break/>';
    const rowOf = (...cells: string[]) =>
      `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join('')}</table:table-row>`;
    const table = `<table:table>${rowOf('a', 'b')}${rowOf(`c ${turn}c`, `d ${turn}d`)}${rowOf('', '')}${turn}${rowOf('e', 'f')}</table:table>`;
    const body = `<text:p> one  ${turn} two</text:p>${turn}<text:p>${turn}three</text:p>${table}<text:h>end</text:h>`;
    const bytes = odt({ 'content.xml': content(body) });
    const { blocks, pages } = await parseOdt(bytes, parseOptions());
    expect(blocks).toEqual([
      { kind: 'paragraph', text: 'one two', page: 1, pageBreaks: [4] },
      { kind: 'paragraph', text: 'three', page: 4 },
      {
        kind: 'table',
        rows: [
          ['a', 'b'],
          ['c c', 'd d'],
          ['e', 'f'],
        ],
        page: 4,
        rowPages: [4, 4, 6],
      },
      { kind: 'heading', level: 1, text: 'end', page: 6 },
    ]);
    expect(pages).toBe(6);
    const marked = await parseOdt(bytes, parseOptions({ includeComments: true }));
    expect(marked.blocks).toEqual(blocks);
  });

  test('a table of one column is layout, and the title is one heading', async () => {
    const row = (content: string) =>
      `<table:table-row><table:table-cell>${content}</table:table-cell></table:table-row>`;
    const inner = `<table:table><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell>
      <table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table>`;
    const body = `<text:p text:style-name="Title">Tides</text:p><text:p text:style-name="Sub">A report</text:p>
      <table:table>${row('<text:h text:outline-level="2">Inside</text:h><text:p>One.</text:p>')}${row(inner)}</table:table>
      <text:p text:style-name="Title">Tides</text:p>`;
    const styles = `<style:style style:name="Sub" style:family="paragraph" style:parent-style-name="Subtitle"/>
      <style:style style:name="Subtitle" style:family="paragraph" style:parent-style-name="Title"/>`;
    const document = await parseOdt(odt({ 'content.xml': content(body, styles) }), parseOptions());
    expect(outline(document)).toEqual([
      'h1 Tides',
      'paragraph A report',
      'h2 Inside',
      'paragraph One.',
      'table [["1","2"]]',
      'paragraph Tides',
    ]);
    expect(document.title).toBe('Tides');
  });

  test('raised numbers are no part of the number before them', async () => {
    const style = (name: string, position: string) =>
      `<style:style style:name="${name}" style:family="text"><style:text-properties style:text-position="${position}"/></style:style>`;
    const span = (name: string, said: string) => `<text:span text:style-name="${name}">${said}</text:span>`;
    const body = `<text:p>10${span('U', '6')} H${span('D', '2')}O x${span('P', '2')} 1${span('U', 'st')} x${span('U', 'n−1')}</text:p>`;
    const styles = style('U', 'super 58%') + style('D', 'sub 58%') + style('P', '33% 58%');
    expect(await read(body, styles)).toEqual(['paragraph 10⁶ H2O x² 1st xⁿ⁻¹']);
  });

  test('a list that continues another goes on counting, and a second paragraph is no item', async () => {
    const style = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="a"
      style:num-suffix=")" text:start-value="3"/></text:list-style>`;
    const item = (text: string) => `<text:list-item><text:p>${text}</text:p><text:p>more</text:p></text:list-item>`;
    const lists = `<text:list text:style-name="L">${item('x')}</text:list><text:p>between</text:p>
      <text:list text:style-name="L" text:continue-numbering="true">${item('y')}</text:list>`;
    expect(await read(lists, style)).toEqual(['c) x', 'paragraph more', 'paragraph between', 'd) y', 'paragraph more']);
  });

  describe('headings have the numbers that the document gives them', () => {
    const heading = (level: number, text: string, more = '') =>
      `<text:h text:outline-level="${level}" ${more}>${text}</text:h>`;
    const outlined = `<text:outline-style>
      <text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/>
      <text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>
      <text:outline-level-style text:level="3" style:num-format=""/></text:outline-style>
      <style:style style:name="None" style:family="paragraph" style:list-style-name=""/>
      <style:style style:name="Child" style:family="paragraph" style:parent-style-name="None"/>`;

    test('by their level, each level from its start; none where level, style or heading has none', async () => {
      const body = [
        ...[heading(1, 'a'), heading(2, 'b'), heading(2, 'c'), heading(3, 'd'), heading(1, 'e'), heading(2, 'f')],
        ...[heading(1, 'g', 'text:style-name="Child"'), heading(2, 'h', 'text:is-list-header="true"')],
        heading(2, 'i', 'text:restart-numbering="true" text:start-value="7"'),
      ];
      expect(await read(body.join(''), outlined)).toEqual([
        ...['h1 I. a', 'h2 I.1 b', 'h2 I.2 c', 'h3 d', 'h1 II. e', 'h2 II.1 f', 'h1 g', 'h2 h', 'h2 II.7 i'],
      ]);
    });

    test('without those that were deleted', async () => {
      const deleted = `<text:tracked-changes><text:changed-region text:id="c1"><text:deletion>
        ${heading(1, 'gone')}</text:deletion></text:changed-region></text:tracked-changes>`;
      const body = `${deleted}<text:p>x<text:change text:change-id="c1"/></text:p>${heading(1, 'stays')}`;
      expect(await read(body, outlined)).toEqual(['paragraph x', 'h1 I. stays']);
    });

    test('as items of a list', async () => {
      const style = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"
        style:num-prefix="§ "/></text:list-style>`;
      const item = (inside: string) => `<text:list-item>${inside}</text:list-item>`;
      const lists = `<text:list text:style-name="L">${item(heading(1, 'a'))}${item(heading(1, 'b'))}</text:list>`;
      expect(await read(lists, style)).toEqual(['h1 § 1 a', 'h1 § 2 b']);
    });

    test('where they say a level that no outline has', async () => {
      const style =
        '<text:outline-style><text:outline-level-style text:level="9e9" style:num-format="1"/></text:outline-style>';
      expect(await read(heading(9e9, 'deep') + heading(2, 'plain'), style)).toEqual(['h10 deep', 'h2 plain']);
    });
  });

  test('lines of code that follow each other are one block and keep their spaces', async () => {
    const line = (text: string) => `<text:p text:style-name="Preformatted_20_Text">${text}</text:p>`;
    expect(await read(`${line('if x:')}${line('<text:s text:c="2"/>y')}`)).toEqual(['code if x:\n  y']);
  });

  test('hidden words, paragraphs and sections are not read', async () => {
    const hide = (family: string, name: string) =>
      `<style:style style:name="${name}" style:family="${family}"><style:text-properties text:display="none"/></style:style>`;
    const body =
      '<text:p>a<text:span text:style-name="H"> b</text:span></text:p><text:p text:style-name="P">c</text:p>' +
      '<text:h text:style-name="P" text:outline-level="1">d</text:h><text:p text:style-name="H">e</text:p>' +
      '<text:section text:display="none"><text:p>f</text:p></text:section><text:section><text:p>g</text:p></text:section>';
    const lines = await read(body, hide('text', 'H') + hide('paragraph', 'P'));
    expect(lines).toEqual(['paragraph a', 'paragraph e', 'paragraph g']);
  });

  test('alternative texts of pictures are captions, and the names of objects are not', async () => {
    const frame = (inside: string, words: string) => `<draw:frame>${inside}<svg:desc>${words}</svg:desc></draw:frame>`;
    const body = `<text:p>See ${frame('<draw:image/>', 'A chart of tides')} here.</text:p>
      <text:p>Sum ${frame('<draw:object xlink:href="./Object 1"/>', 'formula')}</text:p>`;
    expect(await read(body)).toEqual(['paragraph See here.', 'caption A chart of tides', 'paragraph Sum']);
  });

  test('a formula is read as its author typed it', async () => {
    const formula = `<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>a</mi><annotation>a over b</annotation></math>`;
    const body = '<text:p>Sum <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>';
    const bytes = odt({ 'content.xml': content(body), 'Object 1/content.xml': formula });
    expect(outline(await parseOdt(bytes, parseOptions()))).toEqual(['paragraph Sum a over b']);
  });

  test.for([
    ['<mfrac><mn>1</mn><mn>2</mn></mfrac>', '1/2'],
    ['<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>', 'n¦k'],
    ['<mrow><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msub><mi>y</mi><mi>ij</mi></msub></mrow>', 'x^2+y_(ij)'],
    ['<msqrt><mi>a</mi><mo>&#x2062;</mo><mi>b</mi></msqrt><mroot><mi>c</mi><mn>3</mn></mroot>', '√(ab)3√(c)'],
    [
      '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>',
      '∑_(i=1)^n i',
    ],
    ['<mover accent="true"><mi>v</mi><mo>¯</mo></mover><mfenced><mi>a</mi><mi>b</mi></mfenced>', 'v¯(a,b)'],
    ['<mtable><mtr><mtd>1</mtd><mtd>0</mtd></mtr><mtr><mtd>0</mtd><mtd>1</mtd></mtr></mtable>', '1, 0; 0, 1'],
  ] as const)('one that nobody typed is written on a line: %s', async ([mathml, line]) => {
    const formula = `<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics>${mathml}</semantics></math>`;
    const body = '<text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>';
    const bytes = odt({ 'content.xml': content(body), 'Object 1/content.xml': formula });
    expect(outline(await parseOdt(bytes, parseOptions()))).toEqual([`paragraph ${line}`]);
  });

  test('a table in a cell becomes lines of that cell', async () => {
    const cell = (inside: string) => `<table:table-cell>${inside}</table:table-cell>`;
    const table = (cells: string) => `<table:table><table:table-row>${cells}</table:table-row></table:table>`;
    const inner = table(cell('<text:p>b</text:p>') + cell('<text:p>c</text:p>'));
    expect(await read(table(cell('<text:p>a</text:p>') + cell(inner)))).toEqual(['table [["a","b | c"]]']);
  });

  test('namespace prefixes are the document’s own choice', async () => {
    const text = 'urn:oasis:names:tc:opendocument:xmlns:text:1.0';
    const office = 'urn:oasis:names:tc:opendocument:xmlns:office:1.0';
    const xml = `<o:document-content xmlns:o="${office}" xmlns:t="${text}"><o:body><o:text>
      <t:h t:outline-level="2">Head</t:h></o:text></o:body></o:document-content>`;
    expect(outline(await parseOdt(odt({ 'content.xml': xml }), parseOptions()))).toEqual(['h2 Head']);
  });
});

describe('what a document only claims costs nothing', () => {
  test('a cell repeated a million times ends where rows end', async () => {
    const row = `<table:table-row table:number-rows-repeated="1000000"><table:table-cell><text:p>a</text:p></table:table-cell>
      <table:table-cell table:number-columns-repeated="1000000"/></table:table-row>`;
    const [line] = await read(`<table:table>${row}</table:table>`);
    expect(line?.length).toBeLessThan(1000);
    const filled = row.replace('1000000"/>', '1000000"><text:p>b</text:p></table:table-cell>');
    const { blocks } = await parseOdt(
      odt({ 'content.xml': content(`<table:table>${filled}</table:table>`) }),
      parseOptions(),
    );
    const rows = blocks[0]?.kind === 'table' ? blocks[0].rows : [];
    expect(rows.length * (rows[0]?.length ?? 0)).toBeLessThanOrEqual(100_000);
  });

  test('a document type is refused, so entities can neither multiply nor reach out', async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${content('<text:p>&b;</text:p>')}`;
    const bytes = odt({ 'content.xml': bomb.replace('<?xml version="1.0"?>', '') });
    await expect(parseOdt(bytes, parseOptions())).rejects.toMatchObject({ code: 'corrupt_input' });
  });

  test('nesting has an end', async () => {
    const deep = '<text:section>'.repeat(5000) + '</text:section>'.repeat(5000);
    await expect(read(deep)).rejects.toMatchObject({ code: 'source_too_large' });
  });

  test('bytes are counted while they are inflated', async () => {
    const bytes = Buffer.from(zipSync({ 'content.xml': new Uint8Array(220 * 1024 * 1024) }));
    expect(bytes.length).toBeLessThan(1024 * 1024);
    await expect(parseOdt(bytes, parseOptions())).rejects.toMatchObject({ code: 'source_too_large' });
  });
});

test('a password, missing parts and damage are told apart', async () => {
  const manifest = '<manifest><file-entry><encryption-data/></file-entry></manifest>';
  const locked = odt({ 'content.xml': '\u0001garbage', 'META-INF/manifest.xml': manifest });
  await expect(parseOdt(locked, parseOptions())).rejects.toMatchObject({ code: 'encrypted_input' });
  const sound = odt({ 'content.xml': content('<text:p>a</text:p>') });
  for (const bytes of [odt({}), sound.subarray(0, sound.length - 40), Buffer.alloc(0), Buffer.from('PK\u0003\u0004')]) {
    await expect(parseOdt(bytes, parseOptions())).rejects.toMatchObject({ code: 'corrupt_input' });
  }
});

describe('what a small file says again and again has a bound', () => {
  const tooLarge = { code: 'source_too_large' };

  test('a long mark of list items', async () => {
    const style = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"
      style:num-prefix="${'p'.repeat(100_000)}"/></text:list-style>`;
    const items = '<text:list-item><text:p>a</text:p></text:list-item>'.repeat(300);
    await expect(read(`<text:list text:style-name="L">${items}</text:list>`, style)).rejects.toMatchObject(tooLarge);
  });

  test('a wide row that makes every row of a long table wide', async () => {
    const row = (row: number, column: number) => `<table:table-row table:number-rows-repeated="${row}">
      <table:table-cell table:number-columns-repeated="${column}"><text:p>a</text:p></table:table-cell></table:table-row>`;
    await expect(read(`<table:table>${row(1, 500)}${row(100, 1).repeat(250)}</table:table>`)).rejects.toMatchObject(
      tooLarge,
    );
    expect(await read(`<table:table>${row(2, 2)}${row(1, 1)}</table:table>`)).toEqual([
      'table [["a","a"],["a","a"],["a",""]]',
    ]);
  });

  test('a text that speaks of the ends of comments, again and again', { timeout: 60_000 }, async () => {
    const said = 'annotation-end '.repeat(200_000).trim();
    expect(await read(`<text:p>${said}</text:p>`)).toEqual([`paragraph ${said}`]);
  });

  test('headings below headings, without end', async () => {
    const levels = Array.from({ length: 20 }, (_, index) => `<text:h text:outline-level="${index + 1}">x</text:h>`);
    expect((await read(levels.join(''))).slice(8, 12)).toEqual(['h9 x', 'h10 x', 'h10 x', 'h10 x']);
  });
});
