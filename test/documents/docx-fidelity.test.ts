import { describe, expect, test } from 'vitest';
import { writeMarkdown } from '../../workers/documents/write-markdown.ts';
import { makeDocx, p, parse, r, texts } from './make-docx.ts';

async function textsOf(body: string): Promise<string[]> {
  return texts(await parse(makeDocx({ body })));
}

const HEADINGS = [
  '<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>',
  '<w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="My own"/><w:basedOn w:val="berschrift2"/></w:style>',
  '<w:style w:type="paragraph" w:styleId="Deep"><w:name w:val="Deep"/><w:pPr><w:outlineLvl w:val="3"/></w:pPr></w:style>',
  '<w:style w:type="paragraph" w:styleId="Caption"><w:name w:val="caption"/></w:style>',
].join('');

const NUMBERING =
  '<w:abstractNum w:abstractNumId="7">' +
  '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>' +
  '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>' +
  '</w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>' +
  '<w:num w:numId="4"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>';

function item(text: string, level: number, numId = 3): string {
  return p(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${numId}"/></w:numPr>`);
}

describe('what paragraphs are', () => {
  test('a style with a built-in name, one based on it, and an outline level all make headings', async () => {
    const body = [
      p('One', '<w:pStyle w:val="berschrift2"/>'),
      p('Two', '<w:pStyle w:val="Sub"/>'),
      p('Three', '<w:pStyle w:val="Deep"/>'),
      p('Four', '<w:outlineLvl w:val="0"/>'),
    ].join('');
    const { blocks } = await parse(makeDocx({ body, parts: { styles: HEADINGS } }));
    expect(blocks.map((block) => block.kind === 'heading' && [block.level, block.text])).toEqual([
      [2, 'One'],
      [2, 'Two'],
      [4, 'Three'],
      [1, 'Four'],
    ]);
  });

  test('list items carry the markers Word shows, through nesting and a list that begins anew', async () => {
    const body = [
      item('a', 0),
      item('b', 0),
      item('c', 1),
      item('d', 1),
      item('e', 0),
      item('f', 1),
      item('g', 0, 4),
    ].join('');
    const { blocks } = await parse(makeDocx({ body, parts: { numbering: NUMBERING } }));
    expect(blocks.map((block) => block.kind === 'list-item' && `${block.depth} ${block.marker}`)).toEqual([
      '0 1.',
      '0 2.',
      '1 2.a)',
      '1 2.b)',
      '0 3.',
      '1 3.a)',
      '0 1.',
    ]);
  });

  test.each([
    ['decimalZero', ['01', '02']],
    ['upperRoman', ['I', 'II']],
    ['lowerRoman', ['xxvi', 'xxvii']],
    ['upperLetter', ['Z', 'AA']],
    ['chosung', ['26', '27']],
  ])('numbers of the format %s are written as Word writes them', async (format, markers) => {
    const start = markers[0] === 'I' || markers[0] === '01' ? 1 : 26;
    const numbering =
      `<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/>` +
      '<w:lvlText w:val="%1"/></w:lvl></w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>';
    const { blocks } = await parse(makeDocx({ body: item('a', 0) + item('b', 0), parts: { numbering } }));
    expect(blocks.map((block) => block.kind === 'list-item' && block.marker)).toEqual(markers);
  });

  test('legal numbers, levels that never begin anew and the levels of a list style are those that Word shows', async () => {
    const level = (at: number, format: string, text: string, more = '') =>
      `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
    const levels =
      level(0, 'upperRoman', 'Article %1.') +
      level(1, 'decimalZero', 'Section %1.%2', '<w:isLgl/>') +
      level(2, 'lowerLetter', '(%3)', '<w:lvlRestart w:val="0"/>') +
      level(3, 'lowerRoman', '(%4)', '<w:lvlRestart w:val="1"/>');
    const numbering =
      '<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="Legal"/></w:abstractNum>' +
      `<w:abstractNum w:abstractNumId="2"><w:styleLink w:val="Legal"/>${levels}</w:abstractNum>` +
      '<w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>';
    const body = [0, 1, 2, 3, 1, 2, 3, 0, 1, 2, 3].map((at) => item('x', at)).join('');
    const { blocks } = await parse(makeDocx({ body, parts: { numbering } }));
    expect(blocks.map((block) => block.kind === 'list-item' && block.marker)).toEqual([
      ...['Article I.', 'Section 1.01', '(a)', '(i)', 'Section 1.02', '(b)', '(ii)'],
      ...['Article II.', 'Section 2.01', '(c)', '(i)'],
    ]);
  });

  test('a large first letter is part of its word', async () => {
    const frame = (place: string) => `<w:framePr w:dropCap="${place}" w:lines="3" w:wrap="around"/>`;
    const styled = p('nce there was.', '<w:pStyle w:val="berschrift2"/>');
    const body =
      p('T', frame('drop')) + p('he tide.') + p('O', frame('margin')) + styled + p('A', frame('none')) + p('B');
    const { blocks } = await parse(makeDocx({ body, parts: { styles: HEADINGS } }));
    expect(blocks).toMatchObject([
      { kind: 'paragraph', text: 'The tide.' },
      { kind: 'heading', text: 'Once there was.' },
      { text: 'A' },
      { text: 'B' },
    ]);
  });

  test('empty lines within a listing stay, and what holds nothing but spaces is no text', async () => {
    const styles = '<w:style w:type="paragraph" w:styleId="Src"><w:name w:val="Source Code"/></w:style>';
    const line = (text: string) => p(text, '<w:pStyle w:val="Src"/>');
    const empty = '<w:p><w:pPr><w:pStyle w:val="Src"/></w:pPr></w:p>';
    const heading = p('\u00a0 ', '<w:outlineLvl w:val="0"/>');
    const body = empty + line('a:') + empty + empty + line('  b') + empty + p('Text') + heading + empty + line('c');
    const { blocks } = await parse(makeDocx({ body, parts: { styles } }));
    expect(blocks.map((block) => 'text' in block && block.text)).toEqual(['a:\n\n\n  b', 'Text', 'c']);
  });

  test('a caption is a caption, and an image description stands only where no caption does', async () => {
    const image = (text: string) => `<w:p><w:r><w:drawing><wp:docPr id="1" descr="${text}"/></w:drawing></w:r></w:p>`;
    const body = [image('a dog'), p('Figure 1', '<w:pStyle w:val="Caption"/>'), p('x'), image('a cat'), p('y')].join(
      '',
    );
    const { blocks } = await parse(makeDocx({ body, parts: { styles: HEADINGS } }));
    expect(blocks.filter((block) => block.kind === 'caption').map((block) => block.text)).toEqual([
      'Figure 1',
      'a cat',
    ]);
  });
});

describe('text that is easy to lose', () => {
  test('text within elements that are named as what every object has is read', async () => {
    const odd = ['constructor', 'toString', 'valueOf'].map((name) => `<w:${name}>${r(`in ${name} `)}</w:${name}>`);
    expect(await textsOf(`<w:p>${odd.join('')}</w:p>`)).toEqual(['in constructor in toString in valueOf']);
  });

  test('line breaks, tabs and page breaks never glue words together', async () => {
    const body = `<w:p><w:r><w:t>one</w:t><w:br/><w:t>two</w:t><w:tab/><w:t>three</w:t><w:cr/><w:t>four</w:t></w:r></w:p>`;
    expect(await textsOf(body)).toEqual(['one\ntwo three\nfour']);
  });

  test('fields keep their result and not their instruction', async () => {
    const simple = `<w:p>${r('Figure ')}<w:fldSimple w:instr=" SEQ Figure ">${r('7')}</w:fldSimple></w:p>`;
    const complex =
      '<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText> PAGE </w:instrText>' +
      `<w:fldChar w:fldCharType="separate"/></w:r>${r('12')}<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
    expect(await textsOf(simple + complex)).toEqual(['Figure 7', '12']);
  });

  test('form fields show what is ticked and what was chosen', async () => {
    const field = (inside: string, kind: string) =>
      `<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="F"/>${inside}</w:ffData></w:fldChar></w:r>` +
      `<w:r><w:instrText> ${kind} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>${r(' said')}</w:p>`;
    const list = '<w:listEntry w:val="One"/><w:listEntry w:val="Two"/>';
    const body =
      field('<w:checkBox><w:default w:val="1"/></w:checkBox>', 'FORMCHECKBOX') +
      field('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>', 'FORMCHECKBOX') +
      field(`<w:ddList><w:result w:val="1"/>${list}</w:ddList>`, 'FORMDROPDOWN') +
      field(`<w:ddList>${list}</w:ddList>`, 'FORMDROPDOWN') +
      field('<w:textInput><w:default w:val="Name"/></w:textInput>', 'FORMTEXT');
    expect(await textsOf(body)).toEqual(['☒ said', '☐ said', 'Two said', 'One said', 'said']);
  });

  test('content controls, smart tags, ruby and directional runs are read', async () => {
    const body =
      `<w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>${p('in a control')}</w:sdtContent></w:sdt>` +
      `<w:p><w:smartTag w:element="x">${r('smart')}</w:smartTag><w:bdo w:val="rtl">${r(' directed')}</w:bdo></w:p>` +
      `<w:p><w:r><w:ruby><w:rubyPr/><w:rt>${r('かんじ')}</w:rt><w:rubyBase>${r('漢字')}</w:rubyBase></w:ruby></w:r></w:p>`;
    expect(await textsOf(body)).toEqual(['in a control', 'smart directed', '漢字']);
  });

  test('equations become one line of text', async () => {
    const run = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
    const body =
      `<w:p>${r('so ')}<m:oMathPara><m:oMath><m:f><m:num>${run('a+b')}</m:num><m:den>${run('2')}</m:den></m:f>` +
      `${run('=')}<m:sSup><m:e>${run('x')}</m:e><m:sup>${run('10')}</m:sup></m:sSup></m:oMath></m:oMathPara></w:p>`;
    expect(await textsOf(body)).toEqual(['so (a+b)/2=x^10']);
    const bare = `<m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>${run('n')}</m:num><m:den>${run('k')}</m:den></m:f>`;
    const accent = `<m:acc><m:accPr><m:chr m:val="\u0303"/></m:accPr><m:e>${run('a')}</m:e></m:acc>`;
    expect(await textsOf(`<w:p><m:oMath>${accent}${run('=')}${bare}</m:oMath></w:p>`)).toEqual(['ã=n¦k']);
  });

  test('a text box is read once, after the paragraph it is anchored in', async () => {
    const box = `<w:txbxContent>${p('boxed')}</w:txbxContent>`;
    const body =
      '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>' +
      `${box}</w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>${box}</v:textbox></v:shape></w:pict>` +
      `</mc:Fallback></mc:AlternateContent></w:r>${r('around')}</w:p>`;
    expect(await textsOf(body)).toEqual(['around', 'boxed']);
  });

  test('symbols of the symbol fonts become characters', async () => {
    const body = `<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>${r(' done')}</w:p>`;
    expect(await textsOf(body)).toEqual(['✓ done']);
    const set = (font: string, said: string) =>
      `<w:r><w:rPr><w:rFonts w:ascii="${font}" w:hAnsi="${font}"/></w:rPr><w:t>${said}</w:t></w:r>`;
    const typed = `<w:p>${set('Symbol', 'ab \uf067')}${set('Wingdings', '\uf0fc')}${set('Arial', 'ab')}${r('c')}</w:p>`;
    const note = '<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>';
    const footnotes = `<w:footnote w:id="1">${body}</w:footnote>`;
    const inNote = texts(await parse(makeDocx({ body: typed + note, parts: { footnotes } })));
    expect(inNote).toEqual(['αβ γ✓abc', '[1]', '✓ done']);
  });

  test('raised numbers are no part of the number or word before them', async () => {
    const raised = (said: string) => `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>${said}</w:t></w:r>`;
    const older =
      '<w:rPr><w:rPrChange w:id="1"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:rPrChange></w:rPr>';
    const body =
      `<w:p>${r('10')}${raised('-6')}${r(' m')}${raised('2')}${r(' on the 1')}${raised('st')}${r(' x')}${raised('2n')}</w:p>` +
      `<w:p>${r('x')}<w:r>${older}<w:t>2</w:t></w:r></w:p>`;
    expect(await textsOf(body)).toEqual(['10⁻⁶ m² on the 1st x²ⁿ', 'x2']);
  });

  test('notes are numbered in the text and stand at the end with the page that refers to them', async () => {
    const body =
      `<w:p>${r('first')}<w:r><w:footnoteReference w:id="4"/></w:r></w:p><w:p><w:r><w:br w:type="page"/></w:r>` +
      `${r('second')}<w:r><w:endnoteReference w:id="2"/></w:r></w:p>`;
    const separator = `<w:footnote w:type="separator" w:id="0">${p('ornament')}</w:footnote>`;
    const parts = {
      footnotes: `${separator}<w:footnote w:id="4">${p('foot')}</w:footnote>`,
      endnotes: `<w:endnote w:id="2">${p('end')}${p('more')}</w:endnote>`,
    };
    const { blocks, pages } = await parse(makeDocx({ body, parts }));
    expect(pages).toBe(2);
    expect(blocks).toEqual([
      { kind: 'paragraph', text: 'first[1]', marks: [{ kind: 'footnote', start: 5, end: 8 }], page: 1 },
      { kind: 'paragraph', text: 'second[2]', marks: [{ kind: 'footnote', start: 6, end: 9 }], page: 2 },
      { kind: 'note', marker: '1', text: 'foot', page: 1 },
      { kind: 'note', marker: '2', text: 'end\nmore', page: 2 },
    ]);
  });

  test('headers and footers are read once each, however many sections use them, and lone page numbers not at all', async () => {
    const section = (type: string) =>
      `<w:sectPr><w:headerReference w:type="${type}" r:id="pheader1"/><w:footerReference r:id="pfooter1"/>` +
      '<w:footerReference r:id="pfooter2"/></w:sectPr>';
    const body = `${p('one', section('default'))}${p('two')}${section('first')}`;
    const parts = { header1: p('Head'), footer1: p('Foot'), footer2: p('– 12 –') };
    const relationships = [
      { id: 'pheader1', type: 'header', target: 'header1.xml' },
      { id: 'pfooter1', type: 'footer', target: 'footer1.xml' },
      { id: 'pfooter2', type: 'footer', target: 'footer2.xml' },
    ];
    const { blocks } = await parse(makeDocx({ body, parts, relationships }));
    expect(blocks.filter((block) => block.kind === 'page-furniture')).toEqual([
      { kind: 'page-furniture', place: 'header', text: 'Head', page: 1 },
      { kind: 'page-furniture', place: 'footer', text: 'Foot', page: 1 },
    ]);
  });
});

describe('tables', () => {
  const cell = (content: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;

  test('merged cells keep every text in its column, once', async () => {
    const body =
      `<w:tbl><w:tr>${cell(p('tall'), '<w:vMerge w:val="restart"/>')}${cell(p('wide'), '<w:gridSpan w:val="2"/>')}</w:tr>` +
      `<w:tr>${cell(p(''), '<w:vMerge/>')}${cell(p('b'))}${cell(p('c'))}</w:tr>` +
      `<w:tr><w:trPr><w:gridBefore w:val="2"/></w:trPr>${cell(p('last'))}</w:tr></w:tbl>`;
    const { blocks } = await parse(makeDocx({ body }));
    expect(blocks).toEqual([
      {
        kind: 'table',
        page: 1,
        rows: [
          ['tall', 'wide', ''],
          ['', 'b', 'c'],
          ['', '', 'last'],
        ],
        spans: [
          { row: 0, column: 0, rows: 2, columns: 1 },
          { row: 0, column: 1, rows: 1, columns: 2 },
          { row: 2, column: 0, rows: 1, columns: 2 },
        ],
      },
    ]);
  });

  test('a row without text stays if a cell with text reaches over it, others are left out', async () => {
    const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
    const tall = cell(p('tall'), '<w:vMerge w:val="restart"/>');
    const more = cell(p(''), '<w:vMerge/>');
    const body = `<w:tbl>${row(cell(p('a')), tall)}${row(cell(p('')), more)}${row(cell(p('')), cell(p('')))}${row(cell(p('b')), cell(p('c')))}</w:tbl>`;
    const { blocks } = await parse(makeDocx({ body }));
    expect(blocks).toEqual([
      {
        kind: 'table',
        page: 1,
        rows: [
          ['a', 'tall'],
          ['', ''],
          ['b', 'c'],
        ],
        spans: [{ row: 0, column: 1, rows: 2, columns: 1 }],
      },
    ]);
  });

  test('a table in a cell becomes lines of that cell', async () => {
    const inner = `<w:tbl><w:tr>${cell(p('1'))}${cell(p('2'))}</w:tr><w:tr>${cell(p('3'))}${cell(p('4'))}</w:tr></w:tbl>`;
    const body = `<w:tbl><w:tr>${cell(p('outer') + inner + p('after'))}${cell(p('beside'))}</w:tr></w:tbl>`;
    const { blocks } = await parse(makeDocx({ body }));
    expect(blocks).toEqual([{ kind: 'table', page: 1, rows: [['outer\n1 | 2\n3 | 4\nafter', 'beside']] }]);
  });

  test('a table of one column is layout: what is in it keeps its kind', async () => {
    const inner = `<w:tbl><w:tr>${cell(p('1'))}${cell(p('2'))}</w:tr></w:tbl>`;
    const heading = p('Inside', '<w:outlineLvl w:val="1"/>');
    const row = (content: string) => `<w:tr>${cell(content)}</w:tr>`;
    const framed = `<w:tbl>${row(p('in a frame'))}</w:tbl>`;
    const body = `<w:tbl>${row(heading + p('One.') + p('Two.'))}${row(inner + framed)}</w:tbl>${p('after')}`;
    const { blocks } = await parse(makeDocx({ body }));
    expect(blocks).toEqual([
      { kind: 'heading', level: 2, text: 'Inside', page: 1 },
      { kind: 'paragraph', text: 'One.', page: 1 },
      { kind: 'paragraph', text: 'Two.', page: 1 },
      { kind: 'table', rows: [['1', '2']], page: 1 },
      { kind: 'paragraph', text: 'in a frame', page: 1 },
      { kind: 'paragraph', text: 'after', page: 1 },
    ]);
  });
});

describe('the title', () => {
  const style = (id: string, name: string, basedOn = '') =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${basedOn}</w:style>`;
  const based = '<w:basedOn w:val="Title"/>';
  const styles =
    style('Title', 'Title') +
    style('Own', 'Report title', based) +
    style('Sub', 'Subtitle', based) +
    style('Who', 'Author', based);
  const styled = (id: string, text: string) => p(text, `<w:pStyle w:val="${id}"/>`);

  test('is one heading and the title of a file that states none; subtitle and author are text', async () => {
    const body = ['Tides', 'of the north'].map((text) => styled('Title', text)).join('');
    const rest =
      styled('Sub', 'A report') + styled('Who', 'Ida Moss') + p('Text.') + styled('Title', 'Tides of the north');
    const { blocks, title } = await parse(makeDocx({ body: body + rest, parts: { styles } }));
    expect(blocks).toEqual([
      { kind: 'heading', level: 1, isTitle: true, text: 'Tides of the north', page: 1 },
      { kind: 'paragraph', text: 'A report', page: 1 },
      { kind: 'paragraph', text: 'Ida Moss', page: 1 },
      { kind: 'paragraph', text: 'Text.', page: 1 },
      { kind: 'paragraph', text: 'Tides of the north', page: 1 },
    ]);
    expect(title).toBe('Tides of the north');
  });

  test('may have a style of its own, and its style may mark chapters', async () => {
    const body = styled('Own', 'Tides') + p('Text.') + styled('Title', 'Chapter');
    const { blocks } = await parse(makeDocx({ body, parts: { styles } }));
    expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'heading']);
  });
});

describe('the document as a whole', () => {
  test('pages are counted where Word laid them out, and a paragraph knows where a page begins in it', async () => {
    const broken = `<w:p>${r('on one ')}<w:r><w:lastRenderedPageBreak/><w:t>on two</w:t></w:r></w:p>`;
    const explicit =
      '<w:p><w:r><w:br w:type="page"/></w:r></w:p><w:p><w:r><w:lastRenderedPageBreak/><w:t>three</w:t></w:r></w:p>';
    const { blocks, pages } = await parse(makeDocx({ body: broken + explicit }));
    expect(blocks).toEqual([
      { kind: 'paragraph', text: 'on one on two', page: 1, pageBreaks: [7] },
      { kind: 'paragraph', text: 'three', page: 3 },
    ]);
    expect(pages).toBe(3);
  });

  test('title, author and language come from the file, without white space around them', async () => {
    const core =
      '<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ' +
      'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title> A title </dc:title><dc:creator>Ann</dc:creator>' +
      '<dc:language>de-AT</dc:language></c:coreProperties>';
    const document = await parse(makeDocx({ body: p('x'), files: { 'docProps/core.xml': core } }));
    expect(document).toMatchObject({ title: 'A title', author: 'Ann', language: 'de-AT', format: 'docx' });
  });

  test('links keep their address where it is safe to follow, and their text always', async () => {
    const link = (id: string, text: string) =>
      `<w:p>${r('see ')}<w:hyperlink r:id="${id}">${r(text)}</w:hyperlink></w:p>`;
    const relationships = [
      { id: 'a', type: 'hyperlink', target: 'https://example.org/?q=1&amp;r=2', external: true },
      { id: 'b', type: 'hyperlink', target: 'javascript:alert(1)', external: true },
    ];
    const { blocks } = await parse(makeDocx({ body: link('a', 'here') + link('b', 'there'), relationships }));
    expect(blocks).toEqual([
      {
        kind: 'paragraph',
        text: 'see here',
        page: 1,
        marks: [{ kind: 'link', start: 4, end: 8, url: 'https://example.org/?q=1&r=2' }],
      },
      { kind: 'paragraph', text: 'see there', page: 1 },
    ]);
    const cell = (content: string) => `<w:tc>${content}</w:tc>`;
    const rows = [cell(p('')) + cell(p('')), cell(p('x')) + cell(p('first') + link('a', 'here') + link('b', 'there'))];
    const table = `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`;
    const inCells = writeMarkdown(await parse(makeDocx({ body: table, relationships })));
    expect(inCells).toContain('| x | first<br>see [here](https://example.org/?q=1&r=2)<br>see there |');
  });

  test('the place on the page of a link, which Word keeps apart, stays', async () => {
    const field = `<w:fldSimple w:instr=' HYPERLINK "https://example.org/tides" \\l "noon" '>${r('noon')}</w:fldSimple>`;
    const body =
      `<w:p><w:hyperlink r:id="a" w:anchor="pilots">${r('pilots')}</w:hyperlink></w:p><w:p>${field}</w:p>` +
      `<w:p><w:hyperlink w:anchor="here">${r('here')}</w:hyperlink></w:p>`;
    const relationships = [{ id: 'a', type: 'hyperlink', target: 'https://example.org/', external: true }];
    const written = writeMarkdown(await parse(makeDocx({ body, relationships })));
    expect(written.trim()).toBe(
      '[pilots](https://example.org/#pilots)\n\n[noon](https://example.org/tides#noon)\n\nhere',
    );
  });

  test('strict OOXML reads the same as transitional', async () => {
    const strict = makeDocx({ body: p('same'), namespace: 'http://purl.oclc.org/ooxml/wordprocessingml/main' });
    expect(texts(await parse(strict))).toEqual(['same']);
  });

  test('text comes out in NFC, without control characters, soft hyphens or the noncharacters used inside', async () => {
    expect(await textsOf(p('cafe\u0301 so\u00adft \uFDD0x\uFDD1{"kind":"heading"}\uFDD2'))).toEqual([
      'café soft x{"kind":"heading"}',
    ]);
  });
});
