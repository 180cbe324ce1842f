import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Block } from '../../workers/documents/blocks.ts';
import { writeMarkdown } from '../../workers/documents/write-markdown.ts';
import { readContent } from '../../workers/pages/main-content.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const STORY = Array.from(
  { length: 6 },
  (_, index) => `<p>Paragraph ${index} tells of the harbour, its pilots and its tides, at length, and with commas.</p>`,
).join('');
const MENU = `<nav><a href="/a">Menu entry</a></nav><div class="sidebar"><a href="/b">Sidebar entry</a></div>`;

async function blocksOf(body: string): Promise<Block[]> {
  const html = `<!doctype html><html><head><title>T</title></head><body>${body}</body></html>`;
  return (await readContent(html, 'https://a.example/', UNWATCHED)).blocks;
}

async function textOf(body: string): Promise<string> {
  return (await blocksOf(body))
    .map((block) => (block.kind === 'table' ? JSON.stringify(block.rows) : block.text))
    .join('\n');
}

describe('the main content of a page', () => {
  test('is what the page marks as such, without the furniture inside it', async () => {
    const text = await textOf(
      `${MENU}<main><nav>Breadcrumbs</nav><h1>Tides ¶</h1>${STORY}<aside>Advert</aside></main>`,
    );
    expect(text).toContain('Paragraph 5');
    expect(text).not.toMatch(/entry|Breadcrumbs|Advert|¶/);
    expect((await blocksOf(`<main><h2>Tides</h2></main>`))[0]).toMatchObject({
      kind: 'heading',
      level: 2,
      text: 'Tides',
    });
  });

  test.each([
    ['japanese-article', 136, /分類|人気/],
    ['japanese-news', 0, /番組の案内|関連する/],
    ['chinese-article', 0, /分类的标题|热门文章/],
    ['korean-article', 0, /분류 제목|인기 기사/],
  ])('of %s is its story, without the menu', async (name, characters, menu) => {
    const html = readFileSync(new URL(`../fixtures/pages/${name}.html`, import.meta.url), 'utf8');
    const { blocks } = await readContent(html, 'https://a.example/', UNWATCHED);
    const text = blocks.map((block) => (block.kind === 'table' ? '' : block.text)).join('');
    if (characters > 0) expect(text).toHaveLength(characters);
    expect(text).not.toMatch(menu);
    for (const [, paragraph] of html.matchAll(/<p>(.*?)<\/p>/g)) expect(text).toContain(paragraph);
  });

  test.each([
    ['code-with-line-numbers', 'def f():\n    pass'],
    ['code-chroma', 'func main() {\n    tide()\n}'],
    ['code-rouge', 'def tide\n  noon\nend'],
    ['code-hexo', 'if (tide) {\n  sail();\n}'],
    ['code-inline-numbers', 'for tide in tides:\n    sail(tide)'],
  ])('of %s has its code as a block, indented and without numbers', async (name, code) => {
    const html = readFileSync(new URL(`../fixtures/pages/${name}.html`, import.meta.url), 'utf8');
    const { blocks } = await readContent(html, 'https://a.example/', UNWATCHED);
    expect(blocks.filter(({ kind }) => kind === 'table')).toEqual([]);
    expect(blocks.flatMap((block) => (block.kind === 'code' ? [block.text] : []))).toEqual([code]);
  });

  test.each([
    [
      'VitePress',
      'ts',
      `<div class="language-ts vp-adaptive-theme line-numbers-mode"><button title="Copy Code" class="copy"></button>
      <span class="lang">ts</span><pre class="shiki vp-code"><code><span class="line">ebb()</span>
<span class="line">  flood()</span></code></pre><div class="line-numbers-wrapper" aria-hidden="true"><span
      class="line-number">1</span><br><span class="line-number">2</span><br></div></div>`,
    ],
    [
      'Docusaurus',
      'js',
      `<div class="language-js theme-code-block"><pre class="prism-code language-js"><code><span
      class="token-line">ebb()<br></span><span class="token-line">  flood()<br></span></code></pre><div><button
      aria-label="Copy code to clipboard" class="clean-btn"><span>Copy</span></button></div></div>`,
    ],
    [
      'Microsoft Learn',
      'azurecli',
      `<div class="codeHeader"><span class="language">Azure CLI</span><button class="action"><span>Copy</span></button></div>
      <pre><code class="lang-azurecli">ebb()\n  flood()</code></pre>`,
    ],
    [
      'Shiki without line ends',
      undefined,
      `<pre class="shiki"><code><span class="line">ebb()</span><span class="line">  flood()</span></code></pre>`,
    ],
    [
      'Expressive Code',
      'js',
      `<pre data-language="js"><code><div class="ec-line"><div class="gutter"><div class="ln">1</div></div><div
      class="code"><span>ebb()</span></div></div><div class="ec-line"><div class="gutter"><div class="ln">2</div></div><div
      class="code"><span>  flood()</span></div></div></code></pre><div class="copy"><button data-code="x">Copy</button></div>`,
    ],
    [
      'GitLab',
      'ruby',
      `<pre class="code highlight language-ruby" lang="ruby"><code><span class="line">ebb()</span>
<span class="line">  flood()</span></code></pre><copy-code><button>Copy</button></copy-code>`,
    ],
  ])('has the code of %s with its language and lines, without numbers and buttons', async (_, language, html) => {
    const blocks = await blocksOf(`<main><p>Before it.</p>${html}<p>After it.</p></main>`);
    expect(blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'code', 'paragraph']);
    expect(blocks[1]).toMatchObject({ text: 'ebb()\n  flood()' });
    expect(blocks[1]?.kind === 'code' ? blocks[1].language : null).toBe(language);
  });

  test('has no ways back from footnotes, and pictures that only a srcset names', async () => {
    const [note] = await blocksOf('<main><p>A note. <a class="footnote-backref" href="#r">↩</a></p></main>');
    expect(note).toMatchObject({ text: 'A note.' });
    const [picture] = await blocksOf('<main><p>Pier: <img srcset="/s.jpg 480w, /l.jpg 1200w" alt="Pier"></p></main>');
    expect(picture).toMatchObject({ marks: [{ kind: 'image', url: 'https://a.example/l.jpg' }] });
  });

  test('keeps code and further paragraphs inside their list items', async () => {
    const html = readFileSync(new URL('../fixtures/pages/list-step-code.html', import.meta.url), 'utf8');
    const { blocks } = await readContent(html, 'https://a.example/', UNWATCHED);
    const document = {
      format: 'html',
      title: null,
      author: null,
      language: null,
      pages: 1,
      revisions: 'none',
    } as const;
    const markdown = writeMarkdown({ ...document, blocks, comments: [], changes: [], warnings: [] });
    const steps = [
      '1. Install:',
      '',
      '   ```sh',
      '   npm i pier',
      '   ```',
      '',
      '2. Run:',
      '',
      '   ```sh',
      '   pier start',
    ];
    expect(markdown).toContain([...steps, '   ```', '', '   Then wait.', ''].join('\n'));
  });

  test('is a single article', async () => {
    expect(await textOf(`${MENU}<article>${STORY}</article><footer>Imprint</footer>`)).not.toMatch(/entry|Imprint/);
  });

  test('is found where the page marks nothing', async () => {
    const text = await textOf(`${MENU}<div id="content"><h2>Tides</h2>${STORY}</div><div class="footer">Imprint</div>`);
    expect(text).toContain('Paragraph 5');
    expect(text).not.toMatch(/Menu entry|Sidebar entry/);
  });

  test('of a manual is all its sections, and not the longest of them', async () => {
    const section = (name: string, lines: number) =>
      `<div class="sect1"><h2>${name}</h2><div class="sectionbody">${STORY.repeat(lines)}</div></div>`;
    const names = ['Synopsis', 'Description', 'Options', 'Examples', 'Configuration'];
    const sections = names.map((name, index) => section(name, index === 2 ? 6 : 1)).join('');
    const text = await textOf(`<div id="header"><h1>tide(1)</h1></div><div id="content">${sections}</div>`);
    for (const name of names) expect(text).toContain(name);
  });

  test('is whole from its title on: headings in boxes, short examples and lists of links belong to it', async () => {
    const boxed = (level: number, name: string) =>
      `<div class="titlepage"><div><div><h${level}>${name}</h${level}></div></div></div>`;
    const links = '<ul><li><a href="/1">Chart of the bay</a></li><li><a href="/2">Chart of the sound</a></li></ul>';
    const example = '<div class="literal-block-wrapper container"><div><pre>tide --at noon</pre></div></div>';
    const section = (
      name: string,
    ) => `<div class="section">${boxed(2, name)}${STORY.replaceAll('harbour', `${name} harbour`)}${links}${example}
      <p>At the end of ${name} a last paragraph says, with commas, what was said before, at length.</p></div>`;
    const body = `${MENU}<div class="chapter">${boxed(1, 'Tides')}${section('Ebb')}${section('Flood')}</div>
      <div class="footer">Imprint</div>`;
    const html = `<!doctype html><html><head><title>Tides</title></head><body>${body}</body></html>`;
    const { blocks } = await readContent(html, 'https://a.example/', UNWATCHED);
    const texts = blocks.map((block) => (block.kind === 'table' ? '' : block.text));
    expect(blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : []))).toEqual([
      'Tides',
      'Ebb',
      'Flood',
    ]);
    expect(texts.filter((text) => text === 'Chart of the sound')).toHaveLength(2);
    expect(texts.filter((text) => text === 'tide --at noon')).toHaveLength(2);
    expect(texts.join(' ')).not.toMatch(/entry|Imprint/);
  });

  test('of a long page is also the section that comes last, and not the teasers of other pages', async () => {
    const many = Array.from({ length: 60 }, (_, part) => STORY.replaceAll('Paragraph', `In part ${part} paragraph`));
    const last = STORY.replaceAll('Paragraph', 'Afterwards paragraph').repeat(5);
    const page = (after: string) =>
      textOf(`<div class="page"><div class="body"><h2>Tides</h2>${many.join('')}</div>${after}</div>`);
    expect(await page(`<div class="more"><h2>Storms</h2>${last}</div>`)).toContain('Afterwards');
    expect(await page(`<div class="sidebar"><h2>Elsewhere</h2>${STORY}</div>`)).not.toContain('Elsewhere');
  });

  test('ends where its last example ends, in whatever way that is marked', async () => {
    const code = (text: string) =>
      `<div class="fragment"><div class="line">${text}</div><div class="line">}</div></div>`;
    const text = await textOf(`${MENU}<div class="contents"><h2>Tides</h2>${STORY}${STORY.replaceAll('pilots', 'boats')}
      <table><tr><td>Ebb</td><td>${code('ebb() {')}</td></tr></table><p>So it is done:</p>${code('flood() {')}</div>`);
    expect(text).toMatch(/flood\(\) \{\n\}$/);
  });

  test('of a manual has no links to the pages around', async () => {
    const around = '<table><tr><td>Prev</td><td>Chapter 9. Tides</td><td>Next</td></tr></table>';
    const text = await textOf(`<div class="navheader">${around}</div><div class="sect1"><h2>Ebb</h2><p>Short.</p></div>
      <div class="related" role="x"><ul><li>previous</li></ul></div><div class="navfooter">${around}</div>`);
    expect(text).toBe('Ebb\nShort.');
  });

  test('of a short page is everything but its furniture', async () => {
    const text = await textOf(
      `<header>Site name</header>${MENU}<div><p>Closed today.</p></div><footer>Imprint</footer>`,
    );
    expect(text).toContain('Closed today.');
    expect(text).not.toMatch(/Site name|Menu entry|Imprint/);
  });

  test('of a page too large for a tree is still read, in one pass', async () => {
    const html = `<nav>Menu entry</nav>${'<div><p>A line of many.</p></div>'.repeat(15_000)}`;
    const blocks = await blocksOf(html);
    expect(blocks).toHaveLength(15_000);
  });

  test('keeps tables and lists', async () => {
    const blocks = await blocksOf(
      '<main><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><ul><li>x</li></ul></main>',
    );
    expect(blocks.map(({ kind }) => kind)).toEqual(['table', 'list-item']);
  });
});

describe('the main content of a page of prose that declares nothing', () => {
  const PROSE = `<h1>Tides</h1>${STORY}`;
  const links = (name: string) =>
    `<ul>${[1, 2, 3, 4].map((number) => `<li><a href="/${name}${number}">${name} of the year ${number}</a></li>`).join('')}</ul>`;

  test.each([
    ['a list of links below its heading', `<h3>More of the sea</h3>${links('Storms')}`],
    ['a long list of links', links('Storms')],
    ['teasers that name the relation', '<p>See also: <a href="/s">Storms of the year that passed, in pictures</a></p>'],
    [
      'comments',
      '<h3>3 Kommentare</h3><p>Storms are much worse, says a reader, and signs with a name and a place.</p>',
    ],
    ['notices of the site', '<p>Storms? Subscribe to our newsletter for 1 euro a week.</p>'],
    ['a credit', '<p>Foto: Storms/Harbour Agency</p>'],
    ['teasers below a heading', '<h2>Das könnte Sie interessieren</h2><p>Storms of the year, in pictures.</p>'],
    ['a label of a control', '<p>Share this: Storms</p><p>The ebb is over, says the pilot of the bay.</p>'],
    ['a notice about mistakes', '<p>Storms? Select a mistake and press Ctrl + Enter.</p>'],
  ])('has its text and not %s', async (_, around) => {
    for (const body of [`<main>${PROSE}${around}</main>`, `${MENU}<div class="text">${PROSE}${around}</div>`]) {
      const text = await textOf(body);
      for (let part = 0; part < 6; part += 1) expect(text).toContain(`Paragraph ${part} tells`);
      expect(text).not.toContain('Storms');
    }
  });

  test('keeps a section that has prose of its own, whatever its heading is, and no sign of a button', async () => {
    const text = await textOf(
      `<main>${PROSE}<h2>More on the moon</h2>${STORY.replaceAll('tells', 'shows')}<p>✕</p></main>`,
    );
    expect(text).toContain('Paragraph 3 shows');
    expect(text).not.toContain('✕');
  });

  test('keeps lists of pages, sources between paragraphs, and short pages', async () => {
    expect(await textOf(`<main><h1>All</h1>${links('Storms')}${links('Ebbs')}</main>`)).toContain('Ebbs of the year 4');
    const sources = '<p>As in <a href="/b">the pilot book</a> and <a href="/c">the charts</a> of the bay.</p>';
    expect(await textOf(`<main>${PROSE}${sources}${STORY}</main>`)).toContain('the pilot book');
    expect(await textOf('<main><p>Closed today.</p><p>Fish at noon</p></main>')).toContain('Fish at noon');
  });
});

describe('the main content of a page that declares itself an article', () => {
  const page = (body: string) =>
    blocksOf(`<meta property="og:type" content="article"><main><h1>Tides</h1>${body}</main>`);
  const LEAD = `<p>By A. Pilot</p><time>19 November 2019</time>`;
  const AROUND = `<div class="share-bar"><p>Tell your friends about this story in one of these places, and send it
      on.</p></div>
    <div class="post-comments"><p>A reader says that this is all wrong, at some length, and signs with a name.</p></div>
    <section id="related"><h2>More of the sea</h2>
      <p><a href="/storms">Storms of the year that passed, in pictures</a></p></section>
    <div class="cookie-notice">
      <p>This site keeps cookies on your computer, as long as you do not say otherwise.</p></div>`;

  test('keeps each caption once: of its first picture, of galleries, and of pictures that Readability drops', async () => {
    const figure = (caption: string) =>
      `<figure><img src="a.jpg" alt="${caption}"><figcaption>${caption}</figcaption></figure>`;
    const gallery = `<div class="gallery">${['One boat', 'Two boats', 'Three boats'].map(figure).join('')}</div>`;
    const later = STORY.replaceAll('harbour', 'roads');
    const other = '<figure><a href="/other"><img src="o.jpg"><figcaption>Another story</figcaption></a></figure>';
    const blocks = await page(
      `<div class="hero">${figure('The crane at dawn')}</div>
      <div class="body">${STORY}${figure('The mole')}${gallery}<div>${other}</div>${later}${figure('The mole')}</div>`,
    );
    const captions = blocks.flatMap((block) => (block.kind === 'caption' ? [block.text] : []));
    expect(captions).toEqual(['The crane at dawn', 'The mole', 'One boat', 'Two boats', 'Three boats']);
  });

  test('has no bylines, share bars, comments, notices and related articles, even inside `main`', async () => {
    const texts = (await page(`${LEAD}<div>${STORY}</div>${AROUND}`)).map((block) => 'text' in block && block.text);
    expect(texts[0]).toBe('Tides');
    expect(texts).toHaveLength(7);
  });

  test('keeps tables and lists of the text', async () => {
    const table = '<table><tr><th>Port</th><th>Ebb</th></tr><tr><td>North</td><td>6:10</td></tr></table>';
    const list =
      '<ul><li>First the ebb, which takes six hours and is slow.</li><li>Then the flood, which is fast.</li></ul>';
    const kinds = (await page(`${STORY}${table}${list}${STORY.replaceAll('pilots', 'boats')}`)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'table')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'list-item')).toHaveLength(2);
  });

  test('is read like a manual if it has code', async () => {
    const sections = ['comments', 'related', 'tags'].map(
      (id) => `<section id="${id}"><h2>${id}</h2><p>Short text of ${id}.</p><pre>tide --${id}</pre></section>`,
    );
    const texts = (await page(`${STORY}${sections.join('')}`)).map((block) => 'text' in block && block.text);
    for (const id of ['comments', 'related', 'tags']) expect(texts).toContain(`Short text of ${id}.`);
  });
});

test('paragraphs that only line breaks part are there once', async () => {
  const parts = Array.from(
    { length: 8 },
    (_, at) => `Part ${at} tells at length of the harbour, its pilots, its tides and its old lights, with commas.`,
  );
  const text = await textOf(`<div><h1>T</h1>${MENU}<div>${parts.join('<br> <br/>')}</div></div>`);
  expect(text.split('\n').filter((line) => line.startsWith('Part'))).toEqual(parts);
});

test('news with dates as terms are no manual, and prose directly after the article belongs to it', async () => {
  const head = '<meta property="og:type" content="article">';
  const news = `<dl>${'<dt>1 May</dt><dd><a href="/n">A storm is near, they say</a></dd>'.repeat(9)}</dl>`;
  const html = `<html><head><title>Tides</title>${head}</head><body>${news}<h1>Tides</h1><div>${STORY}</div></body></html>`;
  const { blocks } = await readContent(html, 'https://a.example/', UNWATCHED);
  const text = blocks.map((block) => (block.kind === 'table' ? '' : block.text)).join('\n');
  expect(text).toContain('Paragraph 5');
  expect(text).not.toContain('storm');
});

test('a box of the site is left out on any page, unless it holds most of the text', async () => {
  const notice =
    '<div class="cookie-banner"><p>Cookies are used here to count how often this page is read by people.</p></div>';
  expect(await textOf(`<main>${STORY}${notice}</main>`)).not.toContain('Cookies');
  expect(await textOf(`<main>${notice}</main>`)).toContain('Cookies');
});

test('a page with too many elements is read up to there', async () => {
  for (const [open, close] of [
    ['<main>', '</main>'],
    ['', ''],
  ]) {
    const html = `<title>T</title>${open}<p>The first line.</p>${'<br>'.repeat(200_000)}<p>The last line.</p>${close}`;
    const { scan, blocks } = await readContent(html, 'https://a.example/', UNWATCHED);
    expect(scan.truncatedAt).toBeGreaterThan(0);
    expect(blocks.map((block) => (block.kind === 'table' ? '' : block.text))).toEqual(['The first line.']);
  }
});
