/**
 * 128 checks of pages as Markdown, on 40 pages as generators and sites write them. Each check is one thing that a reader
 * would copy by hand. A check names what the Markdown has, or has not; where Markdown allows several forms, all count.
 */

import { readFileSync } from 'node:fs';

interface MarkdownCheck {
  page: string;
  name: string;
  passes(markdown: string): boolean;
}

interface MarkdownPage {
  name: string;
  html: string;
}

type Want = string | RegExp | ((markdown: string) => boolean);

interface Source {
  name: string;
  checks: [name: string, want: Want][];
}

const PROSE =
  'The harbour office keeps a log of every ship that enters the basin, with the hour of its arrival, the depth at its ' +
  'berth and the name of the pilot who brought it in. The log is read twice a day, at the turn of the tide.';

const has = (want: string): Want => want;

const hasNot =
  (unwanted: string | RegExp): Want =>
  (markdown) =>
    typeof unwanted === 'string' ? !markdown.includes(unwanted) : !unwanted.test(markdown);

/** The lines in this order inside one fence of the language. */
const fence = (language: string, ...lines: string[]): Want => {
  const escaped = lines.map((line) => line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(
    `^( *(?:> ?)*)\`\`\`+ ?${language}[^\n]*\n${escaped.map((line) => `\\1${line}`).join('\n')}\n\\1\`\`\``,
    'm',
  );
};

const PYTHON = ['def sail(tide):', '    if tide > 2:', '        return "out"', '    return "in"'];

const oneFence: Want = (markdown) => (markdown.match(/^```/gm) ?? []).length === 2;

const codeChecks = (language: string, noise: string | RegExp): [string, Want][] => [
  ['one fence with its language and lines', fence(language, ...PYTHON)],
  ['indentation kept', /^ {8}return "out"$/m],
  ['no second block', oneFence],
  ['no copy button, no numbers', hasNot(noise)],
];

const CODE: Source[] = [
  {
    name: 'code of MkDocs Material with line numbers',
    checks: codeChecks('python', /Copy|^\s*1$/m),
  },
  {
    name: 'code of Hugo (chroma table)',
    checks: codeChecks('python', /^\s*[1-4]$/m),
  },
  {
    name: 'code of Jekyll (Rouge table)',
    checks: codeChecks('python', /^\s*[1-4]$/m),
  },
  {
    name: 'code of Hexo',
    checks: [...codeChecks('python', /^\s*[1-4]$/m), ['the name of the file kept', has('sail.py')]],
  },
  {
    name: 'code of Sphinx with line numbers',
    checks: codeChecks('python', /^\s*[1-4]$/m),
  },
  {
    name: 'code of VitePress',
    checks: codeChecks('python', /Copy|^\s*[1-4]$|^python$/m),
  },
  {
    name: 'code of Docusaurus',
    checks: [...codeChecks('python', 'Copy'), ['the name of the file kept', has('sail.py')]],
  },
  {
    name: 'code of Shiki without newlines',
    checks: codeChecks('python', 'Copy'),
  },
  {
    name: 'code of GitLab',
    checks: codeChecks('python', 'Copy'),
  },
  {
    name: 'code of Microsoft Learn',
    checks: [
      ['one fence with its command', fence('azurecli', 'az group create --name harbour')],
      ['no buttons', hasNot(/Copy|Open Cloud Shell/)],
    ],
  },
  {
    name: 'code of Expressive Code',
    checks: [
      ['one fence with its lines', fence('sh', 'npm install tide', 'npx tide')],
      ['no numbers, no button', hasNot(/Copy|^\s*[12]$|1npm/m)],
    ],
  },
  {
    name: 'code of GitHub',
    checks: [
      ['one fence with its language', fence('python', 'def sail(tide):', '    return tide')],
      ['no second block', oneFence],
    ],
  },
  {
    name: 'code with fences, empty lines and tabs',
    checks: [
      ['a longer fence around a fence', /^(````+|~~~+) ?markdown\nBefore\.[\s\S]*^\1$/m],
      ['an empty line', has('Before.\n\n```sh')],
      ['a tab', has('\n\ttide\n')],
    ],
  },
];

const BLOCKS: Source[] = [
  {
    name: 'tabs of MkDocs Material',
    checks: [
      ['each label above its panel', /Linux\W+Use the quay\.\W+Windows\W+Use the pier\./],
      ['labels are not glued', hasNot('LinuxWindows')],
    ],
  },
  {
    name: 'tabs of Docusaurus',
    checks: [
      ['the first panel below its label', /npm\W+bash\W+npm install tide/],
      ['the hidden panel below its label', /pnpm\W+bash\W+pnpm add tide/],
      ['labels are not glued', hasNot('npmpnpm')],
    ],
  },
  {
    name: 'admonitions',
    checks: [
      ['a note is marked', /> \[!NOTE\][^\n]*\n(?:> ?\n)*> Mind the tide\./i],
      ['a warning is marked', /> \[!WARNING\][^\n]*\n(?:> ?\n)*> Mind the wind\./i],
      ['a tip is marked', /> \[!TIP\][^\n]*\n(?:> ?\n)*> Mind the pilot\./i],
      ['an important one is marked', /> \[!IMPORTANT\][^\n]*\n(?:> ?\n)*> Mind the fog\./i],
    ],
  },
  {
    name: 'details with a summary',
    checks: [
      ['the summary is kept', has('More on ropes')],
      ['the hidden text is kept', has('Ropes of hemp shrink in rain.')],
    ],
  },
  {
    name: 'lists with code and paragraphs',
    checks: [
      ['code stays in its item', /1\.\s+Open the gate:\n\s*[ \t]{2,}```sh\n[ \t]{2,}gate open\n[ \t]{2,}```/],
      ['a second paragraph stays in its item', /2\.\s+Wait\.\n\s*[ \t]{2,}The water has to settle\./],
      ['a list stays in its item', /3\.\s+Close it:\n\s*[ \t]{2,}[-*] +slowly\n[ \t]{2,}[-*] +fully/],
    ],
  },
  {
    name: 'a list that begins at four, and one with terms',
    checks: [
      ['numbers go on', /4\. +Fourth\n+5\. +Fifth/],
      ['each term above its meaning', /Ebb\W+Water that leaves\.\W+Flood\W+Water that comes\./],
    ],
  },
  {
    name: 'task boxes of GitHub',
    checks: [
      ['a done task', /[-*] +\[x\] +Paint the buoy/],
      ['an open task', /[-*] +\[ \] +Grease the winch/],
    ],
  },
  {
    name: 'quotations in quotations',
    checks: [
      ['the outer one', /^> The captain said:$/m],
      ['the inner one', /^> ?> Cast off\.$/m],
      ['what follows is outer', /^> And so we did\.$/m],
    ],
  },
  {
    name: 'a table',
    checks: [
      ['a head and its rule', /\| *Pier *\| *Depth *\|\n\| *:?-+:? *\| *:?-+:? *\|/],
      ['a bar in a cell is escaped', /East \\\| West/],
      ['its caption', has('Depths of the piers')],
      ['a last empty cell', /South(?:<br ?\/?>| {1,2}| )pier *\| *\|/],
    ],
  },
  {
    name: 'a table with spans',
    checks: [
      [
        'all cells',
        (markdown) => ['Pier', 'Depth', 'East', 'ebb', '5 m', 'flood', '9 m'].every((cell) => markdown.includes(cell)),
      ],
      ['a table', /\|.*flood.*\||<td[^>]*>flood/],
    ],
  },
  {
    name: 'headings with anchors',
    checks: [
      ['without a pilcrow', /^## Tides$/m],
      ['without an invisible link', /^### Ebb$/m],
      ['without a hash', /^### Flood$/m],
    ],
  },
];

const NOTES: Source[] = [
  {
    name: 'footnotes of Markdown renderers',
    checks: [
      ['a reference', /low\[\^1\] at noon/],
      ['a note', /^\[\^1\]: By the gauge of the pier\./m],
      ['no way back', hasNot(/↩|fnref/)],
    ],
  },
  {
    name: 'footnotes of GitHub',
    checks: [
      ['a reference', /hard\[\^[\w-]+\] that night/],
      ['a note', /^\[\^[\w-]+\]: Force nine\./m],
      ['no way back', hasNot('↩')],
    ],
  },
  {
    name: 'references of Wikipedia',
    checks: [
      ['a reference', /old\.\[\^1\] It is long/],
      ['a note', /^\[\^1\]: Quay, A\. [*_]?Piers[*_]?\. 1990\./m],
    ],
  },
];

const MATH: Source[] = [
  {
    name: 'KaTeX',
    checks: [
      ['a formula in a line', has('Energy is $E=mc^2$ here.')],
      ['a formula of its own', /\$\$\s*v=\\sqrt\{gh\}\s*\$\$/],
      ['nothing twice', hasNot(/E=mc2|mc2/)],
    ],
  },
  {
    name: 'MathJax 2',
    checks: [
      ['a formula in a line', has('Energy is $E=mc^2$ here.')],
      ['a formula of its own', /\$\$\s*v=\\sqrt\{gh\}\s*\$\$/],
      ['nothing twice', hasNot('E=mc2')],
    ],
  },
  {
    name: 'MathJax 3',
    checks: [['a formula in a line', /Energy is \$E ?= ?m ?c\^\{?2\}?\$ here\./]],
  },
  {
    name: 'formulas as pictures of Wikipedia',
    checks: [
      ['a formula in a line', /It is \$.*a\^\{2\}\+b\^\{2\}.*\$ there\./],
      ['once', (markdown) => (markdown.match(/a\^\{2\}\+b\^\{2\}/g) ?? []).length === 1],
    ],
  },
  {
    name: 'TeX in the text',
    checks: [
      ['TeX is kept', /d = 5/],
      ['prices are kept', /\\?\$5 or \\?\$7/],
      ['a formula of its own is kept', /x = y/],
    ],
  },
];

const INLINE: Source[] = [
  {
    name: 'marks in a line',
    checks: [
      ['low text', /H(?:<sub>2<\/sub>|₂|~2~)O/],
      ['raised text', /x(?:<sup>n<\/sup>|ⁿ|\^n\^)/],
      ['struck text', /~~old~~ and ~~older~~/],
      ['strong and soft text', /\*\*strong\*\*, [*_]soft[*_]/],
      ['code with a backtick', /`` ?a`b ?``/],
      ['keys and bright text', /Ctrl.*bright/],
    ],
  },
  {
    name: 'links',
    checks: [
      ['a whole address', has('[the tides](https://pier.example/tides?a=1&b=2)')],
      ['an address of mail', has('[write](mailto:quay@pier.example)')],
      [
        'brackets in an address',
        /\[brackets\]\((?:<https:\/\/other\.example\/a_\(b\)>|https:\/\/other\.example\/a_(?:\\\(b\\\)|\(b\)|%28b%29))\)/,
      ],
      ['no script', hasNot('javascript:')],
    ],
  },
  {
    name: 'a card link',
    checks: [
      ['its heading', has('Storms')],
      ['its address', has('https://pier.example/storms')],
      ['its text', has('Of autumn, and what they broke.')],
    ],
  },
  {
    name: 'pictures',
    checks: [
      ['a picture with its words', /!\[The pier\]\(https:\/\/pier\.example\/(?:pier-\d+\.jpg|p\.webp)/],
      ['its caption', has('The pier at dawn.')],
      ['a lazy picture', has('![A buoy](https://pier.example/lazy.jpg)')],
      ['one with a srcset alone', /!\[A winch\]\(https:\/\/pier\.example\/only-[12]\.jpg\)/],
      ['no data of pictures', hasNot('base64')],
    ],
  },
  {
    name: 'videos, sound and frames',
    checks: [
      ['the address of a video', has('https://pier.example/tide.mp4')],
      ['the address of a sound', has('https://pier.example/horn.mp3')],
      ['the address of a frame', /youtube\.com\/(?:embed\/|watch\?v=)abc123/],
    ],
  },
  {
    name: 'a rule, breaks and spaces',
    checks: [
      ['a break', /One line(?: {2}|\\|<br ?\/?>)?\nand the next\./],
      ['a rule', /^(?:---+|\*\*\*+|___+|\* \* \*)$/m],
      ['spaces of a source are one', /three words\./],
      ['signs stay signs', /2 \\?\* 3 \\?\* 4 and (?:\\_under\\_|_under\\_|\\_under_)/],
    ],
  },
  {
    name: 'code within lines',
    checks: [
      ['code', has('`sail()`')],
      ['code in a link', has('[`Tide.read`](https://pier.example/api)')],
      ['code of Sphinx', has('`drift`')],
    ],
  },
  {
    name: 'what is no content',
    checks: [
      ['the text', has('It ends so.')],
      ['no scripts and styles', hasNot(/var a = 1|\.a\{\}/)],
      ['no share buttons', hasNot('Share on X')],
    ],
  },
];

const SOURCES = [...CODE, ...BLOCKS, ...NOTES, ...MATH, ...INLINE];

export const MARKDOWN_URL = 'https://pier.example/manual';

/** The pages, with a menu, a heading, text around what is checked, and a foot. */
export const MARKDOWN_PAGES: readonly MarkdownPage[] = SOURCES.map(({ name }) => {
  const file = `${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')}.html`;
  const body = readFileSync(new URL(`../fixtures/markdown/${file}`, import.meta.url), 'utf8').trimEnd();
  const around = [`<p>${PROSE}</p>`, `<p>${PROSE.replace('office', 'master')}</p>`];
  const head = '<head><meta charset="utf-8"><title>The log</title></head>';
  const menu = '<header><nav><a href="/">Home</a> <a href="/docs">Docs</a></nav></header>';
  const text = `<main><article><h1>The log</h1>${around.join(body)}</article></main>`;
  return {
    name,
    html: `<!doctype html><html lang="en">${head}<body>${menu}${text}<footer>Pier Ltd.</footer></body></html>`,
  };
});

export const MARKDOWN_CHECKS: readonly MarkdownCheck[] = SOURCES.flatMap(({ name: page, checks }) =>
  checks.map(([name, want]) => ({
    page,
    name,
    passes: (markdown: string) => {
      if (typeof want === 'string') return markdown.includes(want);
      return want instanceof RegExp ? want.test(markdown) : want(markdown);
    },
  })),
);
