import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { byName } from '../../platform/records.ts';

/** A guide: a Markdown file of the reference folder, named by the file. */
export interface Guide extends Rendered {
  name: string;
  title: string;
}

/** The first and the last guides; all others are between them, by name. */
const FIRST = ['getting-started', 'jobs', 'payments', 'payment-errors', 'webhooks', 'errors', 'limits'];

const LAST = ['changes'];

const FILE_NAME = /^([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/;

/** The default address, in commands and tables. The one in JSON within JSON is part of a signed text, and stays. */
const DEFAULT_ORIGIN = /(?<!\\")http:\/\/127\.0\.0\.1:8402\b/g;

/** The same in an address that holds a key. */
const DEFAULT_HOST = '@127.0.0.1:8402';

/** Reads every guide of the folder: a new file needs no registration. @param origin the address that they show */
export function loadGuides(folder: string, origin: string): Guide[] {
  const names = readdirSync(folder).flatMap((file) => FILE_NAME.exec(file)?.[1] ?? []);
  return names.sort(byPlace).map((name) => {
    const rendered = renderMarkdown(
      readFileSync(join(folder, `${name}.md`), 'utf8')
        .replaceAll(DEFAULT_ORIGIN, origin)
        .replaceAll(DEFAULT_HOST, `@${new URL(origin).host}`),
    );
    const title = rendered.headings.find(({ level }) => level === 1)?.text;
    if (title === undefined) throw new Error(`The guide ${name}.md has no heading of the first level.`);
    return { name, title, ...rendered };
  });
}

function byPlace(one: string, other: string): number {
  return guidePosition(one) - guidePosition(other) || (one < other ? -1 : 1);
}

function guidePosition(name: string): number {
  if (LAST.includes(name)) return FIRST.length + 1 + LAST.indexOf(name);
  return FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
}

/** A heading of a rendered text, for navigation. */
interface Heading {
  level: number;
  id: string;
  text: string;
}

interface Rendered {
  html: string;
  headings: Heading[];
}

const ESCAPES: Record<string, string> = byName({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' });

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** An anchor made of a heading's words. */
function headingSlug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}

/**
 * Renders Markdown. Raw HTML in it is shown as text, without comments: descriptions contain `<mime>`. Elements that may
 * be wider than the page scroll on their own and can be reached by keyboard.
 */
export function renderMarkdown(source: string): Rendered {
  const headings: Heading[] = [];
  const used = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        const text = this.parser.parseInline(tokens, this.parser.textRenderer);
        const slug = headingSlug(text);
        const seen = used.get(slug) ?? 0;
        used.set(slug, seen + 1);
        const id = seen === 0 ? slug : `${slug}-${seen + 1}`;
        headings.push({ level: depth, id, text });
        return `<h${depth} id="${id}">${inner}</h${depth}>\n`;
      },
      code: ({ text, lang }) => codeBlock(text, lang === 'sh' || lang === 'bash' ? 'Commands' : 'Code'),
      table(token) {
        const header = this.tablerow({ text: token.header.map((cell) => this.tablecell(cell)).join('') });
        const rows = token.rows.map((row) => this.tablerow({ text: row.map((cell) => this.tablecell(cell)).join('') }));
        const title = token.header.map(({ text }) => text).join(', ');
        return scrollingTable(title, `<thead>${header}</thead><tbody>${rows.join('')}</tbody>`);
      },
    },
  });
  return { html: marked.parse(source, { async: false }), headings };
}

export function codeBlock(text: string, label: string): string {
  return `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${escapeHtml(text)}</code></pre>\n`;
}

function scrollingTable(title: string, rows: string): string {
  const label = escapeHtml(title);
  return `<div class="table" role="group" aria-label="${label}" tabindex="0"><table>${rows}</table></div>\n`;
}

/** Cells of a row as HTML; the first one is the heading of its row. */
export type Row = readonly [heading: string, ...cells: string[]];

/** A table whose rows become blocks on a narrow page, each cell with the name of its column. */
export function renderGuideTable(title: string, head: readonly string[], rows: readonly Row[]): string {
  const header = head.map((name) => `<th scope="col">${name}</th>`).join('');
  const body = rows.map(([heading, ...cells]) => {
    const labelled = cells.map((cell, index) => `<td data-label="${head[index + 1] ?? ''}">${cell}</td>`);
    return `<tr><th scope="row">${heading}</th>${labelled.join('')}</tr>`;
  });
  const whole = `<thead><tr>${header}</tr></thead><tbody>${body.join('')}</tbody>`;
  return scrollingTable(title, whole).replace('class="table"', 'class="table rows"');
}

export function inlineCode(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}
