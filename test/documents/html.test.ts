import { describe, expect, test } from 'vitest';
import { decodeHtml, parseHtml } from '../../workers/documents/html/parse-html.ts';
import { outline, parseOptions } from './parse-options.ts';

async function read(html: string | Buffer) {
  return await parseHtml(Buffer.from(html as string), parseOptions());
}

async function lines(html: string) {
  return outline(await read(html));
}

describe('a page is read as its reader sees it', () => {
  test('facts, headings, paragraphs, breaks', async () => {
    const html = `<!doctype html><html lang="fr"><head><title>T &eacute;</title><meta name=author content="Bob">
      <style>p{}</style></head><body><h2>A <em>b</em></h2><p>one<br>two<p>three &amp; four</body></html>`;
    const document = await read(html);
    expect(outline(document)).toEqual(['h2 A b', 'paragraph one\ntwo', 'paragraph three & four']);
    expect(document).toMatchObject({ title: 'T é', author: 'Bob', language: 'fr', format: 'html', revisions: 'none' });
  });

  test('a page that was saved with its pictures as one message', async () => {
    const page = '<html><title>Ex=\r\nported</title><h1>Caf=E9 =3D</h1><p>one</p></html>';
    const message = (boundary: string, encoding: string, body: string) =>
      `Date: Mon, 23 Nov 2026\r\nSubject: Exported\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary=${boundary}\r\n\r\nFor others.\r\n` +
      `--xy\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--xy\r\n` +
      `Content-Type: text/html;\r\n charset="windows-1252"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n--xy--\r\n`;
    const document = await read(message('"xy"', 'Quoted-Printable', page));
    expect(outline(document)).toEqual(['h1 Café =', 'paragraph one']);
    expect(document.title).toBe('Exported');
    const packed = Buffer.from('<h2>Caf\u00e9</h2>', 'latin1').toString('base64').replace(/.{10}/g, '$&\r\n');
    expect(await lines(message('xy', 'base64', packed))).toEqual(['h2 Café']);
    const noPage = message('xy', 'base64', packed).replace('text/html', 'text/css');
    await expect(read(noPage)).rejects.toMatchObject({ code: 'unsupported_media' });
  });

  test('scripts, templates and hidden elements are left out, with all they hold', async () => {
    const html = `<p>a<script>if (1<2) "<p>x"</script><span hidden>b<b>c</b></span>
      <div style="color:red; display : none">d<img><br></div><template><p>e</template><p>f`;
    expect(await lines(html)).toEqual(['paragraph a', 'paragraph f']);
  });

  test('formulas are written on a line, once, and one that nothing closes ends where text goes on', async () => {
    const drawn = '<span class="katex-html" aria-hidden="true"><span>x</span><span>2</span></span>';
    const power = '<math><semantics><msup><mi>x</mi><mn>2</mn></msup><annotation>x^2</annotation></semantics></math>';
    const html = `<p>A <math><mfrac><mn>1</mn><mn>2</mn></mfrac><script>b</script></math> of <span>${power}${drawn}</span>.
      <p>${drawn} <math><mi>y</mi><p>after<div>it <b>all</b></div>`;
    expect(await lines(html)).toEqual([
      'paragraph A 1/2 of x^2.',
      'paragraph x2 y',
      'paragraph after',
      'paragraph it all',
    ]);
  });

  test('raised numbers are no part of the number or word before them', async () => {
    const html =
      '<p>10<sup>-3</sup> H<sub>2</sub>O<sup><a href="#n">12</a></sup> 1<sup>st</sup> x<sup>n+1</sup> 10<sup>−1/2</sup><pre>a<sup>2</sup></pre>';
    expect(await lines(html)).toEqual(['paragraph 10⁻³ H2O¹² 1st xⁿ⁺¹ 10^(−1/2)', 'code a2']);
  });

  test('the letter of a note is no part of the word before it', async () => {
    const html =
      '<p>tide<sup><a href="#na">a</a></sup> and M<sup>me</sup> Lee</p><p id="na"><a href="#ra">a</a> Of spring.</p>';
    expect(await lines(html)).toEqual(['paragraph tideᵃ and Mme Lee', 'note a Of spring.']);
  });

  test('lists with their marks and depths', async () => {
    const html = '<ul><li>a<ol start=3 type=i><li>b<li><p>c<p>more</ol>tail<li>d</ul>';
    expect(await lines(html)).toEqual(['• a', '  iii. b', '  iv. c', 'paragraph more', 'paragraph tail', '• d']);
  });

  test('tables with spans; a table that only arranges the page is read as running text', async () => {
    const data = '<table><caption>C</caption><tr><th colspan=2>k<th>v<tr><td>1<td>2<p>3<td>4</table>';
    expect(await lines(data)).toEqual(['caption C', 'table [["k","","v"],["1","2\\n3","4"]]']);
    expect(await lines(`<table><tr><td>left<td>${data}<td>right</table>`)).toEqual([
      'table [["left",""]]',
      'caption C',
      'table [["k","","v"],["1","2\\n3","4"]]',
      'paragraph right',
    ]);
    expect(await lines('<table><tr><td><p>one<p>two</table>')).toEqual(['paragraph one', 'paragraph two']);
  });

  test('code of a line a box is one block: of Doxygen, without its numbers and what the pointer shows', async () => {
    const line = (number: number, code: string) =>
      `<div class="line"><a name="l${number}"></a><span class="lineno">  ${number}</span>${code}</div>`;
    const shown = '<div class="ttc"><div class="ttname">Matrix</div><div class="ttdoc">The class</div></div>';
    const body = [line(1, '<span>int</span> main() {'), line(2, '  return 0;'), line(3, '}'), shown].join('\n');
    const html = `<p>So:</p><div class="fragment">${body}\n</div><!-- fragment --><p>Done.</p>
      <div class="fragment"><p>No code.</p><div>Nor this.</div></div><pre><div>one</div><div>  two</div></pre><p>End.</p>`;
    expect(await lines(html)).toEqual([
      'paragraph So:',
      'code int main() {\n  return 0;\n}',
      'paragraph Done.',
      'paragraph No code.',
      'paragraph Nor this.',
      'code one\n  two',
      'paragraph End.',
    ]);
  });

  test('code keeps its spaces, figures give their captions', async () => {
    const html = '<pre>a\n  b</pre><figure><img alt=x><figcaption>cap</figcaption></figure>';
    expect(await lines(html)).toEqual(['code a\n  b', 'caption cap']);
  });

  test('cells keep their columns beside and below those that reach over several rows', async () => {
    const table = `<table><tr><th>Port<th>Tide<th>Hour<tr><td rowspan=2>Ely<td>high<td rowspan=3>seven<tr><td>low
      <tr><td>Ayr<td>high<tr><td>Rye<td>low<td>nine</table>`;
    const document = await read(table);
    expect(document.blocks).toMatchObject([
      {
        rows: [
          ['Port', 'Tide', 'Hour'],
          ['Ely', 'high', 'seven'],
          ['', 'low', ''],
          ['Ayr', 'high', ''],
          ['Rye', 'low', 'nine'],
        ],
      },
    ]);
  });

  test('a row without text stays if a cell with text reaches over it', async () => {
    const table =
      '<table><tr><th>Port<th>Tide<tr><td rowspan=2>Ely<td rowspan=2>high<tr></tr><tr><td>Ayr<td>low</table>';
    const document = await read(table);
    expect(document.blocks).toMatchObject([
      {
        rows: [
          ['Port', 'Tide'],
          ['Ely', 'high'],
          ['', ''],
          ['Ayr', 'low'],
        ],
        spans: [
          { row: 1, column: 0, rows: 2, columns: 1 },
          { row: 1, column: 1, rows: 2, columns: 1 },
        ],
      },
    ]);
  });
});

describe('the encoding is found', () => {
  test.each([
    ['a mark', Buffer.from('\ufeff<p>žluť', 'utf16le')],
    [
      'what the page declares',
      Buffer.concat([Buffer.from('<meta charset=windows-1250><p>'), Buffer.from([0x9e, 0x6c, 0x75, 0x9d])]),
    ],
    ['UTF-8, when it can be', Buffer.from('<p>žluť')],
    ['a declaration that the bytes contradict is passed over', Buffer.from('<meta charset=utf-16><p>žluť')],
    ['UTF-8 against an alphabet that was declared', Buffer.from('<meta charset=iso-8859-1><p>žluť')],
    ['a declaration that is no comment', Buffer.from('<!-- <meta charset=shift_jis> --><meta charset=utf-8><p>žluť')],
  ])('by %s', async (_, bytes) => {
    expect(outline(await read(bytes))).toEqual(['paragraph žluť']);
  });

  test('what the HTTP header says goes before the page', () => {
    expect(decodeHtml(Buffer.from([0xcc, 0xe8, 0xf0]), 'windows-1251').text).toBe('Мир');
    expect(decodeHtml(Buffer.from('é'), 'no-such-charset').text).toBe('é');
    expect(decodeHtml(Buffer.from('<p>日本語の文書</p>', 'utf16le'), 'utf-16').text).toBe('<p>日本語の文書</p>');
  });

  test('a broken character costs itself, and not every other of the text', () => {
    const cut = Buffer.concat([Buffer.from('<p>Été à Nîmes, où naît l’œuvre '), Buffer.from([0xe9]), Buffer.from('!')]);
    for (const declared of ['utf-8', null]) {
      expect(decodeHtml(cut, declared).text).toBe('<p>Été à Nîmes, où naît l’œuvre \ufffd!');
    }
    expect(decodeHtml(Buffer.from('caf\xe9, d\xe9j\xe0', 'latin1'), 'utf-8').text).toBe('café, déjà');
  });
});

describe('hostile pages end', () => {
  test('nesting past the bound is refused at once', async () => {
    await expect(lines('<div>'.repeat(300_000))).rejects.toMatchObject({ code: 'source_too_large' });
    await expect(lines('<b>'.repeat(300_000))).rejects.toMatchObject({ code: 'source_too_large' });
  });

  test('closing tags without openings, broken tags and zero bytes are text or nothing', async () => {
    expect(await lines('</p></div></table>a<b\0><p>b</li><td>c')).toContain('paragraph b');
    expect(await lines('')).toEqual([]);
  });

  test('a column span of a million columns is bounded', async () => {
    const { blocks } = await read('<table><tr><td colspan=1000000>a<td>b</table>');
    expect(blocks[0]?.kind === 'table' ? blocks[0].rows[0]?.length : 0).toBeLessThanOrEqual(101);
  });
});
