import { describe, expect, test } from 'vitest';
import { writeMarkdown } from '../../workers/documents/write-markdown.ts';
import { readContent } from '../../workers/pages/main-content.ts';
import { accountPage } from '../../workers/pages/page-letters.ts';
import { withStreamedParts } from '../../workers/pages/streamed-parts.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const PAGE = 'https://pier.example/';

async function markdownOf(body: string): Promise<string> {
  const html = `<!doctype html><html><head><title>Pier</title></head><body><main>${body}</main></body></html>`;
  const { blocks, texts } = await readContent(html, PAGE, UNWATCHED);
  expect(accountPage(PAGE, texts, blocks)).toMatchObject({ account: { unexplained: 0 }, warnings: [] });
  const document = { format: 'html', title: null, author: null, language: null, pages: 1, revisions: 'none' } as const;
  return writeMarkdown({ ...document, blocks, comments: [], changes: [], warnings: [] }).trimEnd();
}

const PANELS = ['**Linux**', '', '```sh', 'apt tide', '```', '', '**Mac**', '', '```sh', 'brew tide', '```'].join('\n');

const code = (line: string) => `<pre><code class="language-sh">${line}</code></pre>`;

describe('tabs are labels, each above its panel', () => {
  test.each([
    [
      'by their roles, with hidden panels',
      `<ul role="tablist"><li role="tab">Linux</li><li role="tab">Mac</li></ul><div><div
        role="tabpanel">${code('apt tide')}</div><div role="tabpanel" hidden>${code('brew tide')}</div></div>`,
    ],
    [
      'by the names of panels, in whatever order',
      `<div role="tablist"><a role="tab" href="#mac">Mac</a><a role="tab" href="#lin">Linux</a></div><section
        role="tabpanel" id="lin">${code('apt tide')}</section><section role="tabpanel" id="mac"
        style="display:none">${code('brew tide')}</section>`,
    ],
    [
      'of Material for MkDocs',
      `<div class="tabbed-set"><input type="radio" checked><input type="radio"><div
        class="tabbed-labels"><label>Linux</label><label>Mac</label></div><div class="tabbed-content"><div
        class="tabbed-block">${code('apt tide')}</div><div
        class="tabbed-block">${code('brew tide')}</div></div></div>`,
    ],
    [
      'of sphinx-design',
      `<div class="sd-tab-set"><input type="radio"><label class="sd-tab-label">Linux</label><div
        class="sd-tab-content">${code('apt tide')}</div><input type="radio"><label
        class="sd-tab-label">Mac</label><div class="sd-tab-content">${code('brew tide')}</div></div>`,
    ],
    [
      'of VitePress',
      `<div class="vp-code-group"><div class="tabs"><input type="radio"><label>Linux</label><input
        type="radio"><label>Mac</label></div><div class="blocks"><div class="language-sh"><span
        class="lang">sh</span>${code('apt tide')}</div><div class="language-sh"><span
        class="lang">sh</span>${code('brew tide')}</div></div></div>`,
    ],
  ])('%s', async (_, html) => {
    expect(await markdownOf(html)).toBe(PANELS);
  });

  test('and labels without panels are text, after the panels of the others', async () => {
    const html = `<div role="tablist"><b role="tab">One</b><b role="tab">Two</b></div><div
        role="tabpanel">First.</div><p>Next.</p>`;
    expect(await markdownOf(html)).toBe('**One**\n\nFirst.\n\n**Two**\n\nNext.');
  });
});

describe('admonitions are those of GitHub', () => {
  test.each([
    ['Sphinx', '<div class="admonition note"><p class="admonition-title">Note</p><p>Mind the tide.</p></div>', 'NOTE'],
    [
      'GitHub',
      `<div class="markdown-alert markdown-alert-warning"><p
        class="markdown-alert-title">Warning</p><p>Mind the tide.</p></div>`,
      'WARNING',
    ],
    [
      'Docusaurus',
      `<div class="theme-admonition theme-admonition-tip alert"><div
        class="admonitionHeading_x">tip</div><div><p>Mind the tide.</p></div></div>`,
      'TIP',
    ],
    [
      'VitePress',
      '<div class="warning custom-block"><p class="custom-block-title">WARNING</p><p>Mind the tide.</p></div>',
      'WARNING',
    ],
    [
      'Starlight',
      `<aside class="starlight-aside starlight-aside--caution"><p
        class="starlight-aside__title">Caution</p><p>Mind the tide.</p></aside>`,
      'CAUTION',
    ],
    ['Microsoft Learn', '<div class="IMPORTANT"><p>Important</p><p>Mind the tide.</p></div>', 'IMPORTANT'],
    [
      'Asciidoctor',
      `<div class="admonitionblock note"><table><tr><td class="icon"><div class="title">Note</div></td><td
        class="content">Mind the tide.</td></tr></table></div>`,
      'NOTE',
    ],
  ])('%s', async (_, html, kind) => {
    expect(await markdownOf(`<p>Before.</p>${html}<p>After.</p>`)).toBe(
      `Before.\n\n> [!${kind}]\n> Mind the tide.\n\nAfter.`,
    );
  });

  test('with a title of their own, and without one', async () => {
    const titled = '<div class="admonition danger"><p class="admonition-title">Spring tide</p><p>Go.</p></div>';
    expect(await markdownOf(titled)).toBe('> [!CAUTION]\n> **Spring tide**\n>\n> Go.');
    expect(await markdownOf('<div class="alert alert-info">Go.</div>')).toBe('> [!NOTE]\n> Go.');
  });

  test('two in a row stay two, and one in a list item stays there', async () => {
    const note = (text: string) =>
      `<div class="admonition tip"><p class="admonition-title">Tip</p><p>${text}</p></div>`;
    expect(await markdownOf(note('One.') + note('Two.'))).toBe('> [!TIP]\n> One.\n\n> [!TIP]\n> Two.');
    expect(await markdownOf(`<ol><li>Step${note('One.')}</li></ol>`)).toBe('1. Step\n\n   > [!TIP]\n   > One.');
  });
});

describe('footnotes are those of Markdown', () => {
  test.each([
    [
      'Markdown renderers',
      `<p>Low<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup> tide.</p><div
        class="footnotes"><hr><ol><li id="fn:1"><p>At noon. <a class="footnote-backref"
        href="#fnref:1">↩</a></p></li></ol></div>`,
    ],
    [
      'Wikipedia',
      `<p>Low<sup id="cite_ref-1"><a href="#cite_note-1">[1]</a></sup> tide.</p><ol><li
        id="cite_note-1"><span><b><a href="#cite_ref-1">^</a></b></span> <span>At noon.</span></li></ol>`,
    ],
    [
      'Word',
      `<p>Low<sup><a href="#_ftn1">[1]</a></sup> tide.</p><p><span><sup><a
        href="//page#_ftnref1">[1]</a> </sup>At noon.</span></p>`,
    ],
    ['anchors', '<p>Low<a href="#one"><sup>1</sup></a> tide.</p><p><a name="one"><sup>1</sup></a> At noon.</p>'],
    [
      'pulldown-cmark',
      `<p>Low<sup class="footnote-reference"><a href="#n">1</a></sup> tide.</p><div class="footnote-definition"
        id="n"><sup>1</sup><p>At noon.</p></div>`,
    ],
    ['no links', '<p>Low<sup>1</sup> tide.</p><p><sup>1</sup> At noon.</p>'],
  ])('of %s', async (_, html) => {
    expect(await markdownOf(html)).toBe('Low[^1] tide.\n\n[^1]: At noon.');
  });

  test('of several paragraphs; a reference without its note, and raised numbers, stay text', async () => {
    const two =
      '<p>Low<sup><a href="#fn1">1</a></sup> tide.</p><ol><li id="fn1"><p>At noon.</p><p>Or later.</p></li></ol>';
    expect(await markdownOf(two)).toBe('Low[^1] tide.\n\n[^1]: At noon.\n\n    Or later.');
    const lost = '<p>Low<sup><a href="#fn1">1</a></sup> tide of 5 m<sup>2</sup>.</p><p id="main">Text.</p>';
    expect(await markdownOf(lost)).toBe('Low¹ tide of 5 m².\n\nText.');
  });
});

describe('formulas keep the TeX that the page states', () => {
  const latex = '$h = a \\sin t$';
  test.each([
    [
      'KaTeX',
      `<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>h</mi></mrow><annotation
        encoding="application/x-tex">h = a \\sin t</annotation></semantics></math></span><span
        class="katex-html" aria-hidden="true">h=asint</span></span>`,
    ],
    [
      'MathJax 2',
      `<span class="MathJax_Preview">h</span><span class="MathJax"><nobr>h=asint</nobr></span><script
        type="math/tex">h = a \\sin t</script>`,
    ],
    [
      'MathJax 2 with MathML',
      `<span class="MathJax"><nobr>h=asint</nobr><span
        class="MJX_Assistive_MathML"><math><mi>h</mi></math></span></span><script
        type="math/tex">h = a \\sin t</script>`,
    ],
    ['MathJax 2 before it has drawn', '<script type="math/tex">h = a \\sin t</script>'],
    ['a drawing that names it', '<span class="math" data-math="h = a \\sin t">h=asint</span>'],
    ['a picture', '<img class="latex" src="/1.png" alt="h = a \\sin t">'],
  ])('of %s', async (_, html) => {
    expect(await markdownOf(`<p>So ${html} holds.</p>`)).toBe(`So ${latex} holds.`);
  });

  test('of MathJax 3 is its MathML, and one on its own lines is a block', async () => {
    const drawn = `<mjx-container display="true"><mjx-math><mjx-c>h</mjx-c></mjx-math><mjx-assistive-mml
      ><math><mi>h</mi><mo>=</mo><mn>2</mn></math></mjx-assistive-mml></mjx-container>`;
    expect(await markdownOf(`<p>So ${drawn} holds.</p>`)).toBe('So\n\n$$h=2$$\n\nholds.');
    const shown = `<div class="MathJax_Display"><span class="MathJax">h</span></div><script
        type="math/tex; mode=display">h</script>`;
    expect(await markdownOf(`<p>So</p>${shown}<p>holds.</p>`)).toBe('So\n\n$$h$$\n\nholds.');
  });
});

test.each([
  [
    'low and raised text',
    '<p>H<sub>2</sub>O, the 1<sup>st</sup>, 5 m<sup>2</sup>, 10<sup>−1/2</sup>, <del>old</del>.</p>',
    'H<sub>2</sub>O, the 1<sup>st</sup>, 5 m², 10^(−1/2), ~~old~~.',
  ],
  ['rules', '<p>Ebb.</p><hr><p>Flood.</p>', 'Ebb.\n\n---\n\nFlood.'],
  [
    'quotations in quotations',
    '<blockquote><p>One</p><blockquote><p>Two</p></blockquote><p>Three</p></blockquote>',
    '> One\n>\n> > Two\n>\n> Three',
  ],
  [
    'lists and code in quotations',
    `<blockquote><ul><li>One</li><li>Two</li></ul>${code('tide')}</blockquote>`,
    '> - One\n> - Two\n>\n> ```sh\n> tide\n> ```',
  ],
  [
    'the largest picture of a srcset',
    '<p>Pier: <img src="data:," srcset="/l.jpg 900w, /s.jpg 300w" alt="Pier"></p>',
    'Pier: ![Pier](https://pier.example/l.jpg)',
  ],
  [
    'pictures of lazy pages',
    '<p>Pier: <img src="data:image/gif;base64,R0" data-srcset="/a.jpg 1x, /b.jpg 2x" alt="Pier"></p>',
    'Pier: ![Pier](https://pier.example/b.jpg)',
  ],
  [
    'pictures for readers without scripts',
    '<p>Pier: <img alt="Pier" src="data:,"><noscript><img alt="Pier" src="/p.jpg"></noscript></p>',
    'Pier: ![Pier](https://pier.example/p.jpg)',
  ],
  [
    'videos and frames',
    `<p>See:</p><video><source src="/tide.mp4"></video><p>And:</p><iframe src="https://player.example/7" title="Film"></iframe>`,
    'See:\n\n<https://pier.example/tide.mp4>\n\nAnd: [Film](https://player.example/7)',
  ],
  [
    'links around cards',
    '<a href="/card"><h3>Storms</h3><p>Of autumn.</p></a>',
    '### [Storms](https://pier.example/card)\n\nOf autumn.',
  ],
  [
    'tasks',
    '<ul><li><input type="checkbox" checked> done</li><li><label><input type="checkbox"> open</label></li></ul>',
    '- [x] done\n- [ ] open',
  ],
])('Markdown has %s', async (_, html, markdown) => {
  expect(await markdownOf(html)).toBe(markdown);
});

const FENCE = '```python\nif ebb:\n    wait()\nsail()\n```';

test.each([
  [
    'numbers that nobody may select',
    `<pre><code class="language-python"><span><span
        style="user-select: none">1</span>if ebb:\n</span><span><span
        style="user-select: none">2</span>    wait()\n</span><span><span
        style="user-select: none">3</span>sail()</span></code></pre>`,
  ],
  [
    'numbers in the text of its lines',
    `<pre><code class="hljs python"><div><i>1</i>if ebb:</div><div><i>2</i>    wait()</div><div><i>3</i>sail()</div></code></pre>`,
  ],
  [
    'numbers as rows',
    `<pre data-language="python"><div><span>1</span><div>if ebb:</div></div><div><span>2</span><div>    wait()</div></div><div
      ><span>3</span><div>sail()</div></div></pre>`,
  ],
  [
    'a bar that names its language',
    '<div><span>Python</span><button>Copy code</button></div><pre><code>if ebb:\n    wait()\nsail()</code></pre>',
  ],
  [
    'the figure of Hexo',
    `<figure class="highlight python"><table><tr><td class="gutter"><pre><span
        class="line">1</span><br></pre></td><td class="code"><pre><span class="line">if ebb:</span><br><span
        class="line">    wait()</span><br><span class="line">sail()</span><br></pre></td></tr></table></figure>`,
  ],
])('code with %s is one fence', async (_, html) => {
  expect(await markdownOf(`<p>Before.</p>${html}<p>After.</p>`)).toBe(`Before.\n\n${FENCE}\n\nAfter.`);
});

test('numbers at the start of each line stay where no element marks the lines', async () => {
  expect(await markdownOf('<pre>1 ebb\n2 flood\n3 ebb</pre>')).toBe('```\n1 ebb\n2 flood\n3 ebb\n```');
});

test.each([
  [
    'raised links with one marker',
    '<sup><a href="#n">1</a></sup>',
    (at: number) => `<sup><a href="#n${at}">1</a></sup> `,
  ],
  ['buttons in one paragraph', 'word ', () => '<button>Copy</button>word '],
  ['drawings in one paragraph', 'word ', () => '<mjx-container>x<math><mi>x</mi></math></mjx-container> word '],
  [
    'ways back inside one footnote',
    '<sup><a href="#fn1">1</a></sup><li id="fn1">',
    () => '<a href="#fnref1">up</a>word ',
  ],
  ['tabs without panels', '', () => '<b role="tab">Linux</b> word '],
  ['quotations that never end', '', (at: number) => (at < 400 ? '<blockquote>' : '<i>word</i> ')],
  ['bylines', '', () => '<b class="author">Ada Quay</b> word '],
])('a page of 20,000 %s is read whole', async (_, start, part) => {
  const body = start + Array.from({ length: 20_000 }, (_part, at) => part(at)).join('');
  const html = `<html><head><title>Pier</title></head><body><main><p>First.</p>${body}</main></body></html>`;
  const { blocks, texts } = await readContent(html, PAGE, UNWATCHED);
  expect(accountPage(PAGE, texts, blocks)).toMatchObject({ account: { unexplained: 0 } });
});

test('parts of a page whose scripts never end cost one pass each', () => {
  const page = `${'<script '.repeat(100_000)}<template id="B:0"></template><div hidden id="S:0">${'<script '.repeat(100_000)}`;
  expect(withStreamedParts(page)).toBe(page);
});

test('a part that React sends late stands in its place', () => {
  const page = '<main><p>A</p><!--$?--><template id="B:0"></template><p>Wait</p><!--/$--><p>C</p></main>';
  const part = '<div hidden id="S:0"><div>B</div></div><script>$RC("B:0","S:0")</script>';
  expect(withStreamedParts(page + part)).toBe(
    '<main><p>A</p><!--$?--><div>B</div><!--/$--><p>C</p></main><script>$RC("B:0","S:0")</script>',
  );
});
