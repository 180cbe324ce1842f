import { readFile } from 'node:fs/promises';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const read = (content: Uint8Array | string, name = 'file.xml') => readDocument(appliance, content, name);
const fixture = (name: string) => readFile(new URL(`../../fixtures/documents/cases/${name}`, import.meta.url));

describe('XML without a declaration', () => {
  test('is read as an article: article.nxml', async () => {
    const { markdown, document } = await read(await fixture('article.nxml'), 'article.nxml');
    expect(document).toMatchObject({ format: 'xml', title: 'Tides in small harbours' });
    expect(markdown.trim().split('\n\n')).toEqual([
      '# Tides in small harbours',
      '## Abstract',
      'We measured tides.',
      '## Methods',
      'Gauges were read *hourly* (see Table 1).',
      'Table 1 Ranges',
      '| Port | Range |\n| --- | --- |\n| Kiel | 0.2 |',
      '## References',
      '1 Sample A. J. Tides, 4, 7 (2020).',
    ]);
  });

  test('is read as an article from its title to its references, and what describes it follows', async () => {
    const { markdown, document, warnings } = await read(
      `<article article-type="research-article"><front><journal-meta><journal-title>Coast</journal-title></journal-meta><article-meta>
      <article-id>77</article-id><title-group><article-title>Tides</article-title></title-group>
      <contrib-group><contrib contrib-type="author"><name><surname>Adler</surname><given-names>Bo</given-names></name>
      <xref>1</xref></contrib><contrib contrib-type="editor"><name><surname>Coe</surname><given-names>Di</given-names>
      </name></contrib></contrib-group><aff><label>1</label>Harbour board</aff>
      <abstract><p>We measured.</p></abstract></article-meta></front>
      <body><sec><title>Methods</title><p>Two gauges: <list><list-item><p>north</p></list-item></list> were read.</p>
      <fig><label>Fig 1</label><caption><title>Places</title></caption></fig></sec></body>
      <back><ref-list><ref><mixed-citation>Coe, Gauges, 2020.</mixed-citation></ref></ref-list></back></article>`,
      'a.nxml',
    );
    expect(document).toMatchObject({ title: 'Tides', author: 'Bo Adler' });
    expect(markdown.trim().split('\n\n')).toEqual([
      '# Tides',
      'Bo Adler 1',
      'Di Coe',
      '1 Harbour board',
      '## Abstract',
      'We measured.',
      '## Methods',
      'Two gauges:',
      '- north',
      'were read.',
      'Fig 1 Places',
      '## References',
      'Coe, Gauges, 2020.',
      'journal-title: Coast',
      'article-id: 77',
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    [
      'an application',
      `<us-patent-application lang="EN"><us-bibliographic-data-application><country>US</country>
      <invention-title>Gauge</invention-title><inventors><inventor><addressbook><last-name>Adler</last-name>
      <first-name>Bo</first-name></addressbook></inventor></inventors></us-bibliographic-data-application>
      <abstract><p num="1">A gauge.</p></abstract><description><heading level="1">FIELD</heading>
      <p num="2">It reads <b>tides</b>.<tables><table><tgroup cols="2"><tbody><row><entry>A</entry><entry>B</entry></row>
      </tbody></tgroup></table></tables></p></description><claims><claim num="1"><claim-text><b>1</b>. A gauge with
      <claim-text>a float.</claim-text></claim-text></claim></claims></us-patent-application>`,
    ],
    [
      'a publication of 2001',
      `<patent-application-publication><subdoc-bibliographic-information><technical-information><title-of-invention>Gauge
      </title-of-invention></technical-information><country>US</country><inventors><first-named-inventor><name><given-name>Bo
      </given-name><family-name>Adler</family-name></name></first-named-inventor></inventors>
      </subdoc-bibliographic-information><subdoc-abstract><paragraph>A gauge.</paragraph></subdoc-abstract>
      <subdoc-description><section><heading>FIELD</heading><paragraph>It reads <bold>tides</bold>.
      <table><row><entry>A</entry><entry>B</entry></row></table></paragraph></section></subdoc-description><subdoc-claims>
      <claim><claim-text>1. A gauge with <claim-text>a float.</claim-text></claim-text></claim></subdoc-claims>
      </patent-application-publication>`,
    ],
    [
      'a grant of 2002',
      `<PATDOC><SDOBI><B540><STEXT><PDAT>Gauge</PDAT></STEXT></B540><B721><PARTY-US><NAM><FNM><PDAT>Bo</PDAT></FNM><SNM>
      <STEXT><PDAT>Adler</PDAT></STEXT></SNM></NAM></PARTY-US></B721><B100><country>US</country></B100></SDOBI>
      <SDOAB><BTEXT><PARA><PTEXT><PDAT>A gauge.</PDAT></PTEXT></PARA></BTEXT></SDOAB><SDODE><H LVL="1"><STEXT>
      <PDAT>FIELD</PDAT></STEXT></H><PARA><PTEXT><PDAT>It reads </PDAT><HIL><BOLD><PDAT>tides</PDAT></BOLD></HIL>
      <PDAT>.</PDAT></PTEXT></PARA><table><row><entry>A</entry><entry>B</entry></row></table></SDODE><SDOCL><CL><CLM>
      <PARA><PTEXT><PDAT>1. A gauge with</PDAT></PTEXT></PARA><CLMSTEP><PTEXT><PDAT>a float.</PDAT></PTEXT></CLMSTEP>
      </CLM></CL></SDOCL></PATDOC>`,
    ],
  ])('is read as a patent: %s', async (_how, xml) => {
    const { markdown, document, warnings } = await read(`<?xml version="1.0"?>${xml}`, 'p.xml');
    expect(document).toMatchObject({ title: 'Gauge', author: 'Bo Adler' });
    const parts = markdown.trim().split('\n\n');
    const text = parts.slice(0, 8).map((part) => part.replace(/ (?=\.$)/, '').replace(/\s+/g, ' '));
    expect(text).toEqual([
      '# Gauge',
      '## Abstract',
      'A gauge.',
      '## FIELD',
      'It reads tides.',
      '| A | B | | --- | --- |',
      '## Claims',
      '1. A gauge with a float.',
    ]);
    expect(parts.slice(8).join()).toContain('US');
    expect(warnings).toEqual([]);
  });

  test.each([
    [
      'a document type',
      'note',
      '<!DOCTYPE TEI.2 SYSTEM "tei2.dtd"><TEI.2><text><div><head>Log</head><p>High water.</p></div></text></TEI.2>',
    ],
    [
      'a namespace',
      'note.txt',
      '<article xmlns="http://docbook.org/ns/docbook"><title>Log</title><para>High water.</para></article>',
    ],
    [
      'the attributes of an article',
      'note',
      '<article article-type="letter"><body><sec><title>Log</title><p>High water.</p></sec></body></article>',
    ],
    ['a name', 'note.dita', '<topic id="a"><title>Log</title><body><p>High water.</p></body></topic>'],
  ])('is known by %s', async (_how, name, content) => {
    const { document, text } = await read(content, name);
    expect(document.format).toBe('xml');
    expect(text).toBe('Log\n\nHigh water.');
  });

  test('is not what a page begins with', async () => {
    expect((await read('<article class="post"><h1>Log</h1><p>High water.</p></article>', 'page')).document.format).toBe(
      'html',
    );
  });

  test('has one line for an author and a reference, and levels by sections', async () => {
    const name = '<name><surname>Lee</surname><given-names>Ann</given-names></name>';
    const { markdown } = await read(
      `<article dtd-version="1.3" article-type="x"><front><article-meta><title-group><article-title>Tides</article-title>
      </title-group><contrib-group><contrib>${name}<xref>1</xref></contrib></contrib-group></article-meta></front><body>
      <sec><label>1</label><title>One</title><sec><label>1.1</label><title>Two</title><p>Text.</p></sec></sec></body>
      <back><ref-list><title>References</title><ref><label>1.</label><element-citation>${name}<year>2020</year>
      <article-title>On gauges</article-title><source>J</source></element-citation></ref></ref-list></back></article>`,
    );
    expect(markdown.trim().split('\n\n')).toEqual([
      ...['# Tides', 'Ann Lee 1', '## 1 One', '### 1.1 Two', 'Text.', '## References'],
      expect.stringMatching(/^1\\?\. Lee Ann 2020 On gauges J$/),
    ]);
  });
});

describe('marks, lists, tables and formulas', () => {
  const written = async (xml: string, name = 'file.xml') => {
    const { markdown, result, warnings } = await read(`<?xml version="1.0"?>${xml}`, name);
    expect(result.account).toMatchObject({ unexplained: 0 });
    expect(warnings).toEqual([]);
    return markdown.trim().split('\n\n');
  };

  test('of an article (JATS) are those of the source', async () => {
    expect(
      await written(
        `<article xmlns:mml="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink"
        article-type="x"><body><sec><title>On 10<sup>5</sup></title><p>At 10<sup>−5</sup> m<sup>−2</sup> the
        <italic>tide</italic><break/>is <bold>low</bold>, see <ext-link xlink:href="https://a.example/b">the
        log</ext-link>, H<sub>2</sub>O<fn><p>Of <monospace>gauge</monospace>.</p></fn>.</p>
        <p>Steps <list list-type="order"><list-item><p>One</p><p>more</p></list-item><list-item><p>Two</p>
        <list list-type="bullet"><list-item><p>inner</p></list-item></list></list-item></list></p>
        <p>Then</p><list list-type="simple"><list-item><label>(a)</label><p>Quay</p></list-item></list>
        <def-list><def-item><term>Pier</term><def><p>A wall.</p></def></def-item></def-list>
        <disp-quote><p>Said.</p></disp-quote><preformat>a  b
  c</preformat></sec></body></article>`,
        'a.nxml',
      ),
    ).toEqual([
      '## On 10⁵',
      'At 10⁻⁵ m⁻² the *tide* is **low**, see [the log](https://a.example/b), H<sub>2</sub>O[^1].',
      'Steps',
      '1. One',
      '   more',
      '2. Two\n   - inner',
      'Then',
      '- (a) Quay',
      'Pier',
      'A wall.',
      '> Said.',
      '```\na  b\n  c\n```',
      '[^1]: Of `gauge`.',
    ]);
  });

  test('of an article: cells over several rows and columns keep their places', async () => {
    const [, table] = await written(
      `<article article-type="x"><body><p>Ports</p><table><thead><tr><th rowspan="2">Port</th><th colspan="2">Depth</th></tr>
      <tr><th>low</th><th>high</th></tr></thead><tbody><tr><td>Kiel</td><td>9</td><td>10<sup>2</sup></td></tr></tbody>
      </table></body></article>`,
    );
    expect(table).toBe(
      '<table>\n<tr><th rowspan="2">Port</th><th colspan="2">Depth</th></tr>\n<tr><td>low</td><td>high</td></tr>\n' +
        '<tr><td>Kiel</td><td>9</td><td>10²</td></tr>\n</table>',
    );
  });

  test('of an article: a formula in two notations is read once, and the document around its TeX is listed', async () => {
    const { markdown, document, result } = await read(
      `<?xml version="1.0"?><article xmlns:mml="http://www.w3.org/1998/Math/MathML" article-type="x"><body>
      <p>Both <alternatives><tex-math>\\documentclass[12pt]{minimal} \\begin{document}$$x^{2}$$\\end{document}</tex-math>
      <mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math></alternatives>.</p>
      <disp-formula><label>(1)</label><mml:math><mml:msup><mml:mn>10</mml:mn><mml:mn>5</mml:mn></mml:msup></mml:math>
      </disp-formula></body></article>`,
      'a.nxml',
    );
    expect(document.format).toBe('xml');
    expect(markdown.trim().split('\n\n')).toEqual(['Both $x^{2}$.', '(1) $10^{5}$']);
    expect(result.account).toMatchObject({
      unexplained: 0,
      leftOut: [{ reason: 'hidden' }, { reason: 'overprinted-copy' }],
    });
  });

  test('of a book (DocBook) are those of the source', async () => {
    expect(
      await written(
        `<book xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink"><info><title>Pilot</title>
        <authorgroup><author><personname><firstname>Bo</firstname><surname>Adler</surname></personname></author>
        </authorgroup></info><chapter><title>Tides</title><para>See <emphasis role="bold">all</emphasis>,
        <link xlink:href="https://a.example/">here</link>, <quote>low</quote>,
        <citerefentry><refentrytitle>tide</refentrytitle><manvolnum>5</manvolnum></citerefentry>
        and <literal>x</literal><footnote><para>Or not.</para></footnote>.</para>
        <orderedlist numeration="loweralpha" startingnumber="2"><listitem><para>Quay</para><programlisting>a
  b</programlisting></listitem><listitem><para>Pier</para></listitem></orderedlist>
        <variablelist><varlistentry><term>Mole</term><listitem><para>A wall.</para></listitem></varlistentry></variablelist>
        <table><title>Ports</title><tgroup cols="3"><colspec colname="a"/><colspec colname="b"/><colspec colname="c"/>
        <tbody><row><entry>Kiel</entry><entry namest="b" nameend="c">both</entry></row><row><entry morerows="1">Bari</entry>
        <entry>1</entry><entry>2</entry></row><row><entry>3</entry><entry>4</entry></row></tbody></tgroup></table>
        </chapter></book>`,
      ),
    ).toEqual([
      '# Pilot',
      'Bo Adler',
      '## Tides',
      'See **all**, [here](https://a.example/), “low”, tide(5) and `x`[^1].',
      expect.stringMatching(/b\\?\. Quay$/),
      expect.stringContaining('a\n'),
      expect.stringMatching(/c\\?\. Pier$/),
      'Mole',
      'A wall.',
      'Ports',
      '<table>\n<tr><th>Kiel</th><th colspan="2">both</th></tr>\n<tr><td rowspan="2">Bari</td><td>1</td><td>2</td></tr>\n' +
        '<tr><td>3</td><td>4</td></tr>\n</table>',
      '[^1]: Or not.',
    ]);
  });

  test('of an edition (TEI) are those of the source', async () => {
    expect(
      await written(
        `<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head>Log<note n="0">Kept.</note></head><p>See <ref target="https://a.example/">
        this</ref>, 10<hi rend="sup">5</hi><note place="foot" n="1"><p>A note.</p></note>,<lb/>and <hi rend="bold">low</hi>.</p>
        <list rend="numbered"><item>One</item><item>Two<list><item>inner</item></list></item></list>
        <table><row><cell>Port</cell><cell>Depth</cell></row><row><cell>Kiel</cell><cell>9</cell></row></table>
        </div></body></text></TEI>`,
      ),
    ).toEqual([
      '## Log[^1]',
      'See [this](https://a.example/), 10⁵[^2], and **low**.',
      '1. One\n2. Two\n   - inner',
      '| Port | Depth |\n| --- | --- |\n| Kiel | 9 |',
      '[^1]: Kept.',
      '[^2]: A note.',
    ]);
  });

  test('of instructions (DITA), with their steps and admonitions, are those of the source', async () => {
    expect(
      await written(
        `<task id="a"><title>Moor</title><shortdesc>Use <cmdname>moor</cmdname>.</shortdesc><taskbody>
        <context><p>First.</p><p>Second.</p></context><steps><step><cmd>Take the <uicontrol>line</uicontrol>.</cmd>
        <info>It is wet.</info></step><step><cmd>Tie it.</cmd><substeps><substep><cmd>Loop.</cmd></substep></substeps></step>
        </steps><note type="tip">Be <b>quick</b>.</note><note><p>One.</p><p>Two.</p></note></taskbody></task>`,
        'a.dita',
      ),
    ).toEqual([
      '# Moor',
      'Use `moor`.',
      'First.',
      'Second.',
      '1. Take the **line**.',
      '   It is wet.',
      '2. Tie it.\n   1. Loop.',
      '> [!TIP]\n> Be **quick**.',
      '> [!NOTE]\n> One.\n>\n> Two.',
    ]);
  });

  test('of a chapter (DocBook): admonitions have their titles, also inside a text', async () => {
    expect(
      await written(
        `<chapter xmlns="http://docbook.org/ns/docbook"><title>Moor</title><warning><title>Wet</title><para>Slippery.</para>
        </warning><para>In <note><para>Inner.</para></note> after.</para></chapter>`,
      ),
    ).toEqual(['# Moor', '> [!WARNING]\n> **Wet**\n>\n> Slippery.', 'In', '> [!NOTE]\n> Inner.', 'after.']);
  });

  test('of a novel (FictionBook) are those of the source, without its pictures', async () => {
    const picture = 'iVBORw0KGgo'.repeat(60);
    const { markdown, document, result, warnings } = await read(
      `<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">
      <description><title-info><genre>prose</genre><author><first-name>Bo</first-name><last-name>Adler</last-name></author>
      <book-title>Tides</book-title><annotation><p>Of water.</p></annotation></title-info></description>
      <body><section><title><p>One</p></title><epigraph><p>Low.</p></epigraph><p>It <strong>turns</strong>.</p>
      <poem><stanza><v>High water</v><v>at noon</v></stanza></poem></section></body>
      <binary id="a.png" content-type="image/png">${picture}</binary></FictionBook>`,
      'tides.fb2',
    );
    expect(document).toMatchObject({ title: 'Tides', author: 'Bo Adler' });
    expect(markdown.trim().split('\n\n')).toEqual([
      ...['# Tides', 'Of water.', '## One', '> Low.', 'It **turns**.', 'High water', 'at noon'],
      'genre: prose\\\nfirst-name: Bo\\\nlast-name: Adler',
    ]);
    expect(result.account).toMatchObject({ unexplained: 0, leftOut: [{ reason: 'embedded-picture' }] });
    expect(warnings).toEqual([]);
  });

  test('of an outline (OPML): its items with their notes and links', async () => {
    const parts = await written(
      `<opml version="2.0"><head><title>Ports</title><ownerName>Ann</ownerName></head><body><outline text="North">
      <outline text="Kiel" _note="Deep." htmlUrl="https://a.example/"
      xmlUrl="https://a.example/feed" status="read later"/></outline><outline text="South"/></body></opml>`,
      'ports.opml',
    );
    expect(parts).toEqual([
      'opml: version=2.0',
      '## Ports',
      'ownerName: Ann',
      '- North\n  - [Kiel](https://a.example/)',
      '    Deep.',
      '    xmlUrl=<https://a.example/feed>, status=read later',
      '- South',
    ]);
  });

  test('of a list that goes on after a text: its numbers go on', async () => {
    const list = (text: string, attribute = '') =>
      `<orderedlist ${attribute}><listitem><para>${text}</para></listitem></orderedlist>`;
    const parts = await written(
      `<chapter xmlns="http://docbook.org/ns/docbook"><title>Moor</title>${list('One')}<para>Rest.</para>
      ${list('Two', 'continuation="continues"')}<para>Again.</para>${list('First')}</chapter>`,
    );
    expect(parts).toEqual(['# Moor', '1. One', 'Rest.', '2. Two', 'Again.', '1. First']);
  });

  test('of a quotation are added once: a text may have its own', async () => {
    const [text] = await written(
      '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>He said <q>“Yes”</q> and <q>no</q>.</p></body></text></TEI>',
    );
    expect(text).toBe('He said “Yes” and “no”.');
  });

  test('of a catalogue are none: a book in it is a record', async () => {
    const book = '<book id="b1"><author>Bo Adler</author><abstract>Of water.</abstract></book>';
    expect(await written(`<catalog>${book}</catalog>`)).toEqual([
      'book: id=b1\\\nauthor: Bo Adler\\\nabstract: Of water.',
    ]);
  });

  test('of records are none: their elements are values', async () => {
    expect(await written('<data><row><cell>Kiel</cell><term>low</term></row><row><code>7</code></row></data>')).toEqual(
      expect.arrayContaining([expect.stringContaining('Kiel')]),
    );
  });
});

describe('files in base64', () => {
  const file = Buffer.from(Array.from({ length: 900 }, (_, at) => (at * 7919) % 251)).toString('base64');

  test.each([
    ['a value', `<a><name>Kept</name><data>${file}</data></a>`],
    ['an attribute', `<a><name>Kept</name><part data="${file}" type="x"/></a>`],
  ])('are left out, and listed: %s', async (_where, xml) => {
    const { text, result } = await read(`<?xml version="1.0"?>${xml}`);
    expect(text).toContain('Kept');
    expect(text).not.toContain(file.slice(0, 40));
    expect(result.account).toMatchObject({ unexplained: 0, leftOut: [{ reason: 'unsupported-part' }] });
  });

  test('are no sequences of molecules', async () => {
    const sequence = 'MKWVTFISLLFLFSSAYSRG'.repeat(40);
    const { text, result } = await read(`<?xml version="1.0"?><a><sequence>${sequence}</sequence></a>`);
    expect(text).toBe(`sequence: ${sequence}`);
    expect(result.account).toMatchObject({ unexplained: 0, leftOut: [] });
  });
});

describe('entities', () => {
  const HEAD = `<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//X//Y" "a.dtd" [ <!-- "it's > a comment -->
    <!ENTITY city "Kiel"><!ENTITY firm 'Lee &amp; <i>Sons</i> of &city;'><!ENTITY city "Bari">
    <!ENTITY less "&#38;#60;"><!ENTITY pic SYSTEM "a.tif" NDATA TIF><!ENTITY far SYSTEM "http://127.0.0.1:9/far"> ]>`;

  test('that the file declares are read', async () => {
    const { text, warnings, document } = await read(
      `${HEAD}<article><title>Of &city;</title><p id="&firm;">&firm; 1 &less; 2</p></article>`,
    );
    expect(document.title).toBe('Of Kiel');
    expect(text).toBe('Of Kiel\n\nLee & Sons of Kiel 1 < 2');
    expect(warnings).toEqual([]);
  });

  test('that have a name of HTML or ISO 8879 are read; others are said, and nothing is fetched', async () => {
    const { text, warnings } = await read(
      `${HEAD}<article><p>caf&eacute; &mdash; &thgr;&Sgr; &far; &none; &#8364;</p></article>`,
    );
    expect(text).toBe('café — θΣ &far; &none; €');
    expect(warnings).toEqual(['The text of these entities is outside the file and was not read: &far;, &none;.']);
  });

  test('in comments and character data are no entities', async () => {
    const { text } = await read(`${HEAD}<article><!-- &far; --><p><![CDATA[&far; <b>]]></p></article>`);
    expect(text).toBe('&far; <b>');
  });

  const laughs = Array.from({ length: 12 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
  test.each([
    ['a billion laughs', `<!DOCTYPE l [<!ENTITY l0 "ha">${laughs}]><l>&l12;</l>`],
    ['a circle', '<!DOCTYPE l [<!ENTITY a "&b;"><!ENTITY b "&a;">]><l>&a;</l>'],
    ['a long one many times', `<!DOCTYPE l [<!ENTITY a "${'x'.repeat(100_000)}">]><l>${'&a;'.repeat(100_000)}</l>`],
    ['a circle through an attribute', '<!DOCTYPE l [<!ENTITY a "&a;&a;">]><l b="&a;"/>'],
  ])('are bounded: %s', async (_what, content) => {
    expect((await read(content)).error).toMatchObject({ code: 'source_too_large' });
  });
});

describe('an OpenDocument text', () => {
  const NAMES =
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" ' +
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"';
  const content = `<office:document-content ${NAMES}><office:body><office:text><text:p>Before
    <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame> after.</text:p></office:text></office:body></office:document-content>`;
  const odt = (formula: string) =>
    zipSync({
      mimetype: [strToU8('application/vnd.oasis.opendocument.text'), { level: 0 }],
      'content.xml': strToU8(content),
      'Object 1/content.xml': strToU8(formula),
    });

  test('may have a formula with a document type', async () => {
    const formula = `<?xml version="1.0"?><!DOCTYPE math:math PUBLIC "-//OpenOffice.org//DTD Modified W3C MathML 1.01//EN" "math.dtd">
      <math:math xmlns:math="http://www.w3.org/1998/Math/MathML"><math:semantics><math:mi>x</math:mi>
      <math:annotation math:encoding="StarMath 5.0">x over 2</math:annotation></math:semantics></math:math>`;
    const { text, error } = await read(odt(formula), 'a.odt');
    expect(error).toBeNull();
    expect(text).toBe('Before x over 2 after.');
  });
});

describe('a feed', () => {
  const item = (...parts: string[]) => `<item>${parts.join('')}</item>`;
  const rss = (...items: string[]) =>
    '<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>' +
    `<title>Harbour news</title>${items.join('')}</channel></rss>`;
  const atom = (...entries: string[]) =>
    `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Tides</title>${entries.join('')}</feed>`;

  test.each([
    [
      'content alone, as a page in character data',
      rss(item('<content:encoded><![CDATA[<p>Herring is <b>landed</b>.</p><ul><li>Cod</li></ul>]]></content:encoded>')),
      ['Herring is **landed**.', '- Cod'],
    ],
    [
      'a description as escaped HTML, without link and title',
      rss(
        item(
          '<description>&lt;p&gt;The tide &lt;em&gt;turns&lt;/em&gt; at &amp;lt;noon&amp;gt;.&lt;/p&gt;</description>',
        ),
      ),
      ['The tide *turns* at \\<noon>.'],
    ],
    ['entries without content', rss(item('<title>Storm</title>'), item('<link>https://a.test/b</link>')), ['# Storm']],
    [
      'a summary that is no HTML',
      atom('<entry><summary>Depth &lt; 3 and rising &gt; 2</summary></entry>'),
      ['Depth < 3 and rising > 2'],
    ],
    [
      'content as XHTML',
      atom(
        '<entry><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Piers and <i>berths</i></p></div></content></entry>',
      ),
      ['Piers and *berths*'],
    ],
    [
      'hidden words in its HTML',
      atom(
        '<entry><summary type="html">&lt;p&gt;Boats&lt;/p&gt;&lt;p hidden&gt;Nobody reads this&lt;/p&gt;</summary></entry>',
      ),
      ['Boats'],
    ],
  ])('with %s: every word is delivered or listed', async (_, source, lines) => {
    const { markdown, result, warnings } = await read(source, 'feed.xml');
    for (const line of lines) expect(markdown).toContain(line);
    expect(markdown).not.toMatch(/<p>|&lt;/);
    expect(result.account).toMatchObject({ unexplained: 0 });
    expect(warnings).toEqual([]);
  });
});
