import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src-server/features/reference/guides.ts';
import { type Block, blocksOf, isShell, pagesOf, ROOT, textOf } from './pages.ts';

/** Pages of the running server that are no guides. */
const SERVED = new Set(['/reference', '/openapi.json', '/problems', '/llms.txt']);

/** Words that begin a command. An output that begins with one is a block without its language. */
const COMMAND = /^(?:curl|npm|npx|git|docker|podman|quarry|node|claude|systemctl|export|mkdir|[A-Z_]+=)\b/m;

/** Variables of every shell. */
const OF_THE_SHELL = new Set(['HOME', 'PWD', 'PATH', 'USER']);

/** Blocks that no test runs. A new one needs a reason and a higher number here. */
const NOT_RUN = 11;

const pages = pagesOf();

function linesOf(page: string, pattern: RegExp): string[] {
  return [...textOf(page).matchAll(pattern)].map(([, found = '']) => found);
}

/** Whether a link of a page leads to a page, a heading of it, or a file. */
function leads(page: string, link: string): boolean {
  const [address = '', anchor] = link.split('#');
  const [path = ''] = address.split('?');
  const inGuide = /^\/reference\/guides\/([a-z0-9-]+)$/.exec(path)?.[1];
  if (path.startsWith('/') && inGuide === undefined) return SERVED.has(path);
  const file = inGuide === undefined ? join(dirname(page), path) : `resources/reference/${inGuide}.md`;
  const target = path === '' ? page : file;
  if (!existsSync(join(ROOT, target))) return false;
  if (anchor === undefined || statSync(join(ROOT, target)).isDirectory()) return true;
  return renderMarkdown(textOf(target)).headings.some(({ id }) => id === anchor);
}

test.for([
  ...pages,
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench/README.md',
  'resources/client/README.md',
])('every link of %s leads somewhere', (page) => {
  const prose = textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const own = links.filter((link) => !/^https?:/.test(link));
  expect(own.filter((link) => !leads(page, link))).toEqual([]);
  // Guides are read on the server, where files of the project are not served.
  if (page.startsWith('resources/reference/')) expect(own.filter((link) => !/^[/#]/.test(link))).toEqual([]);
  const named = [...prose.matchAll(/(?<![\w/.])\/reference\/(?!guides\/)[a-z-]+/g)].map(([address]) => address);
  expect(named).toEqual([]);
});

test('the links of a page are found, and a wrong one is told', () => {
  expect(leads('resources/reference/jobs.md', '/reference/guides/models')).toBe(true);
  expect(leads('resources/reference/jobs.md', '/reference/models')).toBe(false);
  expect(leads('README.md', 'resources/docs/install.md#container')).toBe(true);
  expect(leads('README.md', 'resources/docs/install.md#barrel')).toBe(false);
});

test('blocks state their language, and those that no test runs state why', () => {
  const all = pages.flatMap(blocksOf);
  const fences = pages.flatMap((page) => linesOf(page, /^( *```)/gm)).length;
  expect(2 * all.length).toBe(fences);
  expect(all.filter(({ language, text }) => language === '' && COMMAND.test(text))).toEqual([]);
  expect(all.filter(({ language }) => ['bash', 'shell', 'console', 'zsh'].includes(language))).toEqual([]);
  const notRun = all.filter((block) => block.notRun !== null);
  expect(notRun.filter((block) => !isShell(block))).toEqual([]);
  expect(notRun).toHaveLength(NOT_RUN);
  expect(all.filter(isShell).length).toBeGreaterThan(40);
});

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}

/** Commands without texts in single quotes: there, a dollar is no variable of the shell. */
function expandedPartOf(text: string): string {
  return text.replaceAll(/'(?:[^']*)'/g, (quoted) => (quoted.includes('$PWD') ? quoted : "''"));
}

test.for(pages)('the commands of %s use only variables and files that they have', (page) => {
  const blocks = blocksOf(page).filter((block) => isShell(block) && block.notRun === null);
  const set = new Set(OF_THE_SHELL);
  const written = new Set<string>();
  for (const { text } of blocks) {
    for (const name of namesIn(text, /(?:^ *|[;&] *|export )([A-Z_]+)=/gm)) set.add(name);
    for (const file of namesIn(text, /(?:>|-o|-D|tee) *([a-z][\w-]*\.\w+)/g)) written.add(file);
    expect(namesIn(expandedPartOf(text), /\$\{?([A-Z_]+)/g).filter((name) => !set.has(name))).toEqual([]);
    const read = namesIn(text, /(?:@|-T |require\("\.\/)([\w./-]+\.\w+)/g);
    const missing = read.filter((file) => !written.has(file) && !existsSync(join(ROOT, file)));
    expect(missing).toEqual([]);
  }
});

test.for(pages)('no loop of %s reads the status of something else than the job', (page) => {
  const loops = blocksOf(page).filter((block: Block) => isShell(block) && /\b(?:until|while)\b/.test(block.text));
  expect(loops.filter(({ text }) => /grep[^|;]*status/.test(text))).toEqual([]);
});
