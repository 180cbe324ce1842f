/**
 * Pages of generators as Markdown: the 128 checks of test/harness/markdown-checks.ts, beside defuddle and Readability with
 * turndown in the same run. `QUARRY_BENCH_PEERS=<folder>` has their packages (`npm i defuddle turndown
 * turndown-plugin-gfm jsdom @mozilla/readability`); without it only ours is counted, and the benchmark fails.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MARKDOWN_CHECKS, MARKDOWN_PAGES, MARKDOWN_URL } from '../test/harness/markdown-checks.ts';
import { UNWATCHED } from '../test/harness/task-context.ts';
import { writeMarkdown } from '../workers/documents/write-markdown.ts';
import { readContent } from '../workers/pages/main-content.ts';
import { expectTarget, printTable } from './figures.ts';

const LEAST = 122;

type Reader = (html: string) => Promise<string>;

interface Peers {
  jsdom: { JSDOM: new (html: string, options: { url: string }) => { window: { document: Document } } };
  '@mozilla/readability': { Readability: new (document: Document) => { parse(): { content: string } | null } };
  turndown: new (options: object) => { use(plugin: unknown): void; turndown(html: string): string };
  'turndown-plugin-gfm': { gfm: unknown };
}

const ours: Reader = async (html) => {
  const { blocks } = await readContent(html, MARKDOWN_URL, UNWATCHED);
  const document = { format: 'html', title: null, author: null, language: null, pages: 1, revisions: 'none' } as const;
  return writeMarkdown({ ...document, blocks, comments: [], changes: [], warnings: [] });
};

async function peersIn(folder: string): Promise<Record<string, Reader>> {
  const from = createRequire(join(folder, 'package.json'));
  const load = <Name extends keyof Peers>(name: Name): Peers[Name] => from(name);
  const { JSDOM } = load('jsdom');
  const { Readability } = load('@mozilla/readability');
  const Turndown = load('turndown');
  const { gfm } = load('turndown-plugin-gfm');
  const documentOf = (html: string) => new JSDOM(html, { url: MARKDOWN_URL }).window.document;
  const { Defuddle } = await import(pathToFileURL(join(folder, 'node_modules/defuddle/dist/node.js')).href);
  return {
    defuddle: async (html) => {
      const read = await Defuddle(documentOf(html), MARKDOWN_URL, { markdown: true });
      return read.contentMarkdown ?? read.content;
    },
    'Readability + turndown': async (html) => {
      const writer = new Turndown({ codeBlockStyle: 'fenced', headingStyle: 'atx' });
      writer.use(gfm);
      return writer.turndown(new Readability(documentOf(html)).parse()?.content ?? '');
    },
  };
}

async function countPassed(read: Reader): Promise<number> {
  let passed = 0;
  for (const { name, html } of MARKDOWN_PAGES) {
    const markdown = await read(html);
    passed += MARKDOWN_CHECKS.filter(({ page, passes }) => page === name && passes(markdown)).length;
  }
  return passed;
}

const folder = process.env.QUARRY_BENCH_PEERS ?? '';
const peers = folder === '' ? {} : await peersIn(folder);
const own = await countPassed(ours);
const rows: { reader: string; passed: number; of: number }[] = [
  { reader: 'Quarry', passed: own, of: MARKDOWN_CHECKS.length },
];
for (const [reader, read] of Object.entries(peers)) {
  rows.push({ reader, passed: await countPassed(read), of: MARKDOWN_CHECKS.length });
}
printTable(rows);
expectTarget('the peers were read (QUARRY_BENCH_PEERS)', folder !== '');
expectTarget(`at least ${LEAST} checks pass`, own >= LEAST);
