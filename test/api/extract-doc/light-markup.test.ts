import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

/** reStructuredText, AsciiDoc, Org and LaTeX keep emphasis, links, code, quotations, notes, tasks and formulas. */
let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function markdownOf(source: string, name: string): Promise<string> {
  const { markdown, result, warnings } = await readDocument(appliance, source, name);
  expect({ warnings, account: result.account }).toMatchObject({ warnings: [], account: { unexplained: 0 } });
  return markdown.trim();
}

/** Pairs of a source and the Markdown of its blocks. Notes come last. */
type Pairs = readonly (readonly [source: string, markdown: string])[];

const RST: Pairs = [
  [
    '**Strong**, *stressed*, ``code *x*``, 5 * 3 * 2, a_b, \\*no\\*',
    '**Strong**, *stressed*, `code *x*`, 5 * 3 * 2, a_b, \\*no\\*',
  ],
  ['H\\ :sub:`2`\\ O, x\\ :sup:`2`', 'H<sub>2</sub>O, x²'],
  [
    'See `the guide`_, Pilots_ and `anon`__.',
    'See [the guide](https://a.test/g), [Pilots](https://a.test/p) and [anon](https://a.test/anon).',
  ],
  ['An `own <https://a.test/o>`_ link, nowhere_.', 'An [own](https://a.test/o) link, nowhere\\_.'],
  ['.. _the guide: https://a.test/g\n.. _Pilots: https://a.test/p\n__ https://a.test/anon', ''],
  [
    'Read :ref:`the start <start>`, :doc:`intro`, :class:`it <a.It>` and :func:`~os.path`.',
    'Read [the start](#start), [intro](intro), [it](#a.It) and `os.path`.',
  ],
  ['Version |release|.\n\n.. |release| replace:: 2 *beta*', 'Version 2 *beta*.'],
  [
    'If :math:`x^2` fits:\n\n.. math::\n\n   a &= b \\\\\n   c &= d',
    'If $x^2$ fits:\n\n$$\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned}$$',
  ],
  ['Noted [#]_ and [1]_.', 'Noted [^2] and [^1].'],
  ['    Quoted *twice*.\n\n    -- Ann', '> Quoted *twice*.\n>\n> -- Ann'],
  ['.. code-block:: python\n\n   print(1)', '```python\nprint(1)\n```'],
  ['.. tip:: Take *care*.\n\n   - one', '> [!TIP]\n> Take *care*.\n>\n> - one'],
  ['- [x] done\n- [ ] open\n\n  more', '- [x] done\n- [ ] open\n\n  more'],
  ['term\n   The *meaning*.', 'term\n\nThe *meaning*.'],
  [
    '.. list-table::\n\n   * - Port\n     - **Boats**\n   * - Arden\n     - 12',
    '| Port | **Boats** |\n| --- | --- |\n| Arden | 12 |',
  ],
  [
    [
      '+------+---------------+',
      '| Port | **Boats**     |',
      '|      +-------+-------+',
      '|      | low   | high  |',
      '+======+=======+=======+',
      '| Kiel | 12    | 3 + 4 |',
      '+------+-------+-------+',
    ].join('\n'),
    '<table>\n<tr><th rowspan="2">Port</th><th colspan="2"><strong>Boats</strong></th></tr>\n' +
      '<tr><td>low</td><td>high</td></tr>\n<tr><td>Kiel</td><td>12</td><td>3 + 4</td></tr>\n</table>',
  ],
  ['.. [1] One.\n.. [#] Two *words*.', '[^1]: One.\n\n[^2]: Two *words*.'],
];

const ASCIIDOC: Pairs = [
  [
    '*Strong*, _stressed_, `code`, in**si**de, [.line-through]#gone#, \\*no*',
    '**Strong**, *stressed*, `code`, in**si**de, ~~gone~~, \\*no\\*',
  ],
  ['_All of *both*_ and H~2~O, x^2^, 5 * 3 * 2, a_b_c', '_All of **both**_ and H<sub>2</sub>O, x², 5 * 3 * 2, a_b_c'],
  [
    'Press kbd:[F1] or menu:File[Save]. indexterm:[tides, high]The indexterm2:[tide] turns.',
    'Press `F1` or File > Save. The tide turns.',
  ],
  [
    'https://a.test/g[the guide], link:b.adoc[other], mailto:ann@a.test[Ann]',
    '[the guide](https://a.test/g), [other](b.adoc), [Ann](mailto:ann@a.test)',
  ],
  ['<<start,Go *there*>> or <<start>>', '[Go **there**](#start) or [start](#start)'],
  [
    ':port: Kiel\n:site: https://a.test\n\nFrom {port} by {site}/x[boat], {nothing}',
    'From Kiel by [boat](https://a.test/x), {nothing}',
  ],
  ['If stem:[x^2] fits:\n\n[stem]\n++++\na = b\n++++', 'If $x^2$ fits:\n\n$$a = b$$'],
  ['Noted.footnote:[One _word_.] Again.footnote:n[Two.] Same.footnote:n[]', 'Noted.[^1] Again.[^2] Same.[^2]'],
  ['[quote,Ann]\n____\nQuoted *twice*.\n\n* item\n____', '> Quoted **twice**.\n>\n> - item\n>\n> — Ann'],
  ['[source,python]\n----\nprint(1)\n----', '```python\nprint(1)\n```'],
  ['[TIP]\n====\nTake _care_.\n====', '> [!TIP]\n> Take *care*.'],
  ['* [x] done\n* [ ] open\n+\nmore', '- [x] done\n- [ ] open\n\n  more'],
  ['|===\n|Port |Boats\n\n|Arden |*12*\n|===', '| Port | Boats |\n| --- | --- |\n| Arden | **12** |'],
  [
    'A wordfootnote:[Three.] and mailto:a@b.test["Ask, and hear",Tide].',
    'A word[^3] and [Ask, and hear](mailto:a@b.test?subject=Tide).',
  ],
  [
    '[format=dsv,separator=;]\n|===\nPort;Boats\nArden;12\n|===\n\n:===\nPort:Time\nKiel:12\\:30\n:===',
    '| Port | Boats |\n| --- | --- |\n| Arden | 12 |\n\n| Port | Time |\n| --- | --- |\n| Kiel | 12:30 |',
  ],
  [
    '[%header,format=csv,separator=;]\n|===\nPort;"Boats; all"\nArden;12\n|===',
    '| Port | Boats; all |\n| --- | --- |\n| Arden | 12 |',
  ],
  ['', '[^1]: One *word*.\n\n[^2]: Two.\n\n[^3]: Three.'],
];

const ORG: Pairs = [
  [
    '*Strong*, /stressed/, =code *x*=, ~two~, +gone+, a_b, 5 * 3 * 2, and/or/both',
    '**Strong**, *stressed*, `code *x*`, `two`, ~~gone~~, a_b, 5 * 3 * 2, and/or/both',
  ],
  ['*All /both/ ones* and H_{2}O', '**All *both* ones** and H<sub>2</sub>O'],
  [
    '[[https://a.test/g][the /guide/]], [[file:b.org][other]], [[https://a.test]], [[*Start][start]]',
    '[the *guide*](https://a.test/g), [other](b.org), <https://a.test>, [start](#Start)',
  ],
  [
    'If $x^2$ or \\(y\\) fits, for $5 and $6:\n\n\\begin{align}\na &= b\n\\end{align}',
    'If $x^2$ or $y$ fits, for \\$5 and \\$6:\n\n$$\\begin{aligned}\na &= b\n\\end{aligned}$$',
  ],
  ['Noted[fn:1] and[fn:: by /hand/].', 'Noted[^1] and[^2].'],
  ['#+BEGIN_QUOTE\nQuoted *twice*.\n#+END_QUOTE', '> Quoted **twice**.'],
  ['#+BEGIN_SRC python :results none\nprint(1)\n#+END_SRC', '```python\nprint(1)\n```'],
  ['- [X] done\n- [ ] open\n\n  more', '- [x] done\n- [ ] open\n\n  more'],
  ['* WAITING Paint *it*', '# WAITING Paint it'],
  ['| Port | *Boats* |\n|------+-------|\n| Kiel | 12 |', '| Port | **Boats** |\n| --- | --- |\n| Kiel | 12 |'],
  ['[fn:1] One.', '[^2]: by *hand*\n\n[^1]: One.'],
];

const TEX: Pairs = [
  [
    String.raw`\textbf{Strong}, \emph{stressed \textbf{both}}, {\it old}, \texttt{code}, \sout{gone}`,
    '**Strong**, _stressed **both**_, *old*, `code`, ~~gone~~',
  ],
  [String.raw`H\textsubscript{2}O, x\textsuperscript{2}, \verb|a b|`, 'H<sub>2</sub>O, x², `a b`'],
  [
    String.raw`\href{https://a.test/g\%20h}{the \emph{guide}} and \url{https://a.test/x_y}`,
    '[the *guide*](https://a.test/g%20h) and <https://a.test/x_y>',
  ],
  [String.raw`If $x^2$ or \(y\) fits: \[a = b\]`, 'If $x^2$ or $y$ fits:\n\n$$a = b$$'],
  ['\\begin{align*}\na &= b\n\\end{align*}', '$$\\begin{aligned}\na &= b\n\\end{aligned}$$'],
  ['\\begin{equation}a = c\\end{equation}', '$$a = c$$'],
  [String.raw`\textbf{Noted\footnote{One \emph{word}.}} twice.`, '**Noted[^1]** twice.'],
  ['\\begin{quote}Quoted \\textbf{over\n\nparagraphs}.\\end{quote}', '> Quoted **over**\n>\n> **paragraphs**.'],
  ['\\begin{lstlisting}[language=Python]\nprint(1)\n\\end{lstlisting}', '```python\nprint(1)\n```'],
  [
    String.raw`\begin{tabular}{ll}Port & \textbf{Boats}\\[2ex]$|x|$ & 12\end{tabular}`,
    '| Port | **Boats** |\n| --- | --- |\n| $\\|x\\|$ | 12 |',
  ],
  [
    String.raw`See \cite[p. 4]{lee}, \citep[see][12--14]{ann} and \hyperref[s]{the \emph{part}}; a\^{}b, \^o, \~{}c, \ensuremath{x^2}`,
    'See [lee, p. 4], [see ann, 12–14] and the *part*; a^b, ô, \\~c, $x^2$',
  ],
  [String.raw`\section{\texorpdfstring{On $x^2$ \emph{here}}{On x2 here}}`, '# On $x^2$ *here*'],
  [
    String.raw`\begin{longtable}{ll}\caption{All \emph{ports}.}\label{t}\\ \toprule Port & Boats\\ \endfirsthead
Port, on & Boats\\ \endhead See below\\ \endfoot Sum & 19\\ \endlastfoot Arden & 12\\ Brill & 7\\ \end{longtable}`,
    'All *ports*.\n\n| Port | Boats |\n| --- | --- |\n| Arden | 12 |\n| Brill | 7 |\n| Sum | 19 |',
  ],
  [
    String.raw`\begin{tabular}{lll}Port & \multicolumn{2}{c}{Boats}\\ \multirow{2}{*}{Arden} & 1 & 2\\ & 3 & 4\end{tabular}`,
    '<table>\n<tr><th>Port</th><th colspan="2">Boats</th></tr>\n' +
      '<tr><td rowspan="2">Arden</td><td>1</td><td>2</td></tr>\n<tr><td>3</td><td>4</td></tr>\n</table>',
  ],
  ['', '[^1]: One *word*.'],
];

test('a LaTeX source lists the heads and feet that pages repeat', async () => {
  const source = String.raw`Ports

\begin{longtable}{ll}Port & Boats\\ \endfirsthead Port again & Boats\\ \endhead Arden & 12\\ \end{longtable}`;
  const { result } = await readDocument(appliance, source, 'a.tex');
  expect(result.account).toMatchObject({
    unexplained: 0,
    leftOut: [{ reason: 'repeated-header-or-footer', sample: expect.stringContaining('Port again') }],
  });
});

test.each([
  ['a.rst', RST],
  ['a.adoc', ASCIIDOC],
  ['a.org', ORG],
  ['a.tex', TEX],
])('%s keeps its marks', async (name, pairs) => {
  const source = pairs.map(([own]) => own).join('\n\n');
  const expected = pairs.map(([, markdown]) => markdown).filter((markdown) => markdown !== '');
  expect(await markdownOf(source, name)).toBe(expected.join('\n\n'));
});

test('a displayed formula is a formula in docling.json', async () => {
  const { result } = await readDocument(appliance, String.raw`\section{Tides} If $x^2$ fits: \[a = b\]`, 'a.tex');
  const files = result.files as { name: string; url: string }[];
  const { pathname } = new URL(files.find(({ name }) => name === 'docling.json')?.url ?? '');
  const docling = (await (await appliance.owner(pathname)).json()) as { texts: { label: string; text: string }[] };
  expect(docling.texts.map(({ label, text }) => [label, text])).toEqual([
    ['section_header', 'Tides'],
    ['text', 'If $x^2$ fits:'],
    ['formula', 'a = b'],
  ]);
});

test('AsciiDoc in its older form has other signs', async () => {
  const source = "Guide\n=====\nAnn Lee\n\n== Install\n\n+code+ and 'stressed'.";
  expect(await markdownOf(source, 'a.adoc')).toBe('# Guide\n\nAnn Lee\n\n## Install\n\n`code` and *stressed*.');
});

test.each([
  [
    'a.rst',
    '.. _start:\n\nHow the *tide* turns at noon\n============================\n\nSee :ref:`start` or :ref:`end`.',
  ],
  ['a.adoc', '[[start]]\n= How the _tide_ turns at noon\n\nSee <<start>> or <<end>>.'],
])('a reference shows the title that it names: %s', async (name, source) => {
  const heading = '# How the *tide* turns at noon';
  const shown = 'See [How the tide turns at noon](#start) or [end](#end).';
  expect(await markdownOf(source, name)).toBe(`${heading}\n\n${shown}`);
});

/** Marks that nothing closes, marks in marks, and names that stand for each other. */
const HOSTILE: readonly (readonly [name: string, source: string, text: string])[] = [
  ['a.rst', `${'`a <*|b:c:'.repeat(3000)}`, '`a <*|b:c:`a'],
  ['a.rst', `${'.. |a| replace:: |b| |b| |b|\n.. |b| replace:: |a| |a| |a|\n\n'}${'|a| '.repeat(3000)}`, '|'],
  ['a.rst', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}- deep\n`).join('\n'), 'deep'],
  ['a.rst', `${`${'+'.repeat(900)}\n`.repeat(900)}`, '+++'],
  ['a.rst', `+${'-'.repeat(900)}+\n${`|${'+'.repeat(900)}|\n`.repeat(900)}+${'-'.repeat(900)}+`, '+++'],
  ['a.adoc', `${'*_'.repeat(3000)}deep${'_*'.repeat(3000)}`, 'deep'],
  ['a.adoc', 'footnote:[<<a,[[*'.repeat(1500), 'footnote:['],
  ['a.adoc', `:a: {b}{b}{b}\n:b: {a}{a}{a}\n\n${'{a} '.repeat(3000)}`, '{'],
  ['a.org', `${'*/'.repeat(3000)}deep${'/*'.repeat(3000)}`, 'deep'],
  ['a.org', '\\[ a\n'.repeat(4000), '\\[ a'],
  ['a.tex', `\\begin{document}${'\\textbf{\\href{a}{'.repeat(3000)}deep`, 'deep'],
];

test.each(HOSTILE)('%s with signs that close nothing keeps its text: %#', async (name, source, text) => {
  const { status, text: whole } = await readDocument(appliance, source, name);
  expect(status).toBe('completed');
  expect(whole).toContain(text);
});
