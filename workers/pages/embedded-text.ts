/**
 * The text of a page that scripts would write, from the data that the page itself contains: the article of its JSON-LD,
 * or the state that a framework hands to its scripts. Of a page of frames, its text for browsers without them. Threat:
 * data of any size and shape. It is bounded before it is parsed, and walked without recursion.
 */

import { Parser } from 'htmlparser2';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { KIB, MIB } from '../../src-server/platform/units.ts';
import { type PageContent, readContent } from './main-content.ts';
import { parseLinkedDataJson } from './page-metadata.ts';

const MAX_SCRIPT_CHARS = 4 * MIB;

const MAX_VALUES = 100_000;

const MAX_TEXT_CHARS = 512 * KIB;

/** Shorter strings are labels. */
const PROSE_CHARS = 80;

const PROSE_WORDS = 10;

const MAX_HEADING_CHARS = 200;

/** Members with texts that are no part of the page: those of forms, styles and other languages. */
const OTHER_MEMBER =
  /^(?:_|css|styles?$|class|i18n|intl|locales?$|messages$|translations?$|query$|config|env$|runtime)/i;

const HEADING_MEMBER = /^(?:title|heading|headline|subtitle|name)$/i;

const MARKUP = /<(?:p|div|h[1-6]|ul|ol|section|article|table|blockquote|pre)[\s>]/i;

const STATE = /^\s*(?:(?:window|self|globalThis)\.|var |let |const )?[\w$.]{1,100}\s*=\s*(?=[[{])/;

/** Null if the page contains no text of this kind. */
export async function embeddedContent(
  html: string,
  articleBody: string | null,
  url: string,
  context: TaskContext,
): Promise<PageContent | null> {
  const stated = articleBody === null ? stateText(html) : paragraphsHtml(articleBody);
  const found = stated === '' ? withoutFrames(html) : stated;
  if (found === '') return null;
  const content = await readContent(`<main>${found}</main>`, url, context);
  return content.blocks.length === 0 ? null : content;
}

const NO_FRAMES = /<noframes(?=[\s>])[^<>]*>([\s\S]{0,524288}?)<\/noframes\s*>/i;

/** What a page of frames has for browsers without them. */
function withoutFrames(html: string): string {
  return NO_FRAMES.exec(html)?.[1] ?? '';
}

function paragraphsHtml(text: string): string {
  const lines = text.slice(0, MAX_TEXT_CHARS).split(/\n+/);
  return lines.map((line) => `<p>${escapeEmbeddedText(line)}</p>`).join('');
}

function escapeEmbeddedText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** The prose in the states of a page, as HTML. */
function stateText(html: string): string {
  const texts = new StateTexts();
  for (const json of statesOf(html)) texts.addStateJson(json);
  return texts.html;
}

/** JSON scripts (`__NEXT_DATA__`, `__NUXT_DATA__`), and scripts that assign JSON to a variable. */
function statesOf(html: string): unknown[] {
  const states: unknown[] = [];
  let script: string | null = null;
  let chars = 0;
  const parser = new Parser({
    onopentag(tag, { src }) {
      if (tag === 'script' && src === undefined) script = '';
    },
    ontext(text) {
      if (script === null) return;
      chars += text.length;
      if (chars <= MAX_SCRIPT_CHARS) script += text;
    },
    onclosetag(tag) {
      if (tag !== 'script' || script === null) return;
      const json = script.replace(STATE, '').trim();
      script = null;
      if (/^[[{]/.test(json)) states.push(parseLinkedDataJson(json.replace(/;$/, '')));
    },
  });
  parser.end(html);
  return states;
}

interface Waiting {
  name: string;
  value: unknown;
}

/** Collects prose in the order of the data. */
class StateTexts {
  html = '';
  readonly #seen = new Set<string>();
  #heading: string | null = null;
  #values = 0;

  addStateJson(json: unknown): void {
    const waiting: Waiting[] = [{ name: '', value: json }];
    for (let next = waiting.pop(); next !== undefined && this.#values < MAX_VALUES; next = waiting.pop()) {
      this.#values += 1;
      const { name, value } = next;
      if (typeof value === 'string') this.#addStateText(name, value);
      else if (typeof value === 'object' && value !== null)
        for (const member of membersOf(name, value).reverse()) waiting.push(member);
    }
  }

  #addStateText(name: string, text: string): void {
    if (HEADING_MEMBER.test(name) && text.length <= MAX_HEADING_CHARS) this.#heading = text;
    const isMarkup = MARKUP.test(text);
    if (text.length < PROSE_CHARS || this.#seen.has(text) || !(isMarkup || isProse(text))) return;
    if (this.html.length + text.length > MAX_TEXT_CHARS) return;
    this.#seen.add(text);
    if (this.#heading !== null) this.html += `<h2>${escapeEmbeddedText(this.#heading)}</h2>`;
    this.#heading = null;
    this.html += isMarkup ? `<div>${text}</div>` : paragraphsHtml(text);
  }
}

function membersOf(name: string, value: object): Waiting[] {
  if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map((one: unknown) => ({ name, value: one }));
  const members = Object.entries(value).filter(([member]) => !OTHER_MEMBER.test(member));
  return members.slice(0, MAX_VALUES).map(([member, one]: [string, unknown]) => ({ name: member, value: one }));
}

function isProse(text: string): boolean {
  return !/[{}]|=>/.test(text) && text.split(/\s+/, PROSE_WORDS).length === PROSE_WORDS;
}
