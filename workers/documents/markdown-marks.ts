/**
 * A text with its links, code, stress and pictures as Markdown. Marks may overlap, as the tags of a page may: what
 * reaches beyond the mark it begins in ends with it.
 */
import type { BlockImage, InlineMark } from './blocks.ts';
import { escapeCharacters, escapeRun } from './markdown-escape.ts';

const STRESS = { strong: '**', emphasis: '*' } as const;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const SPACE = /\s/;
/** What would end an address in brackets, or a table's cell. */
const UNSAFE_IN_URL = /[()<>\\|\s]/g;

export function markedMarkdown(text: string, marks: readonly InlineMark[], isCell = false): string {
  const isInOrder = marks.every((mark, at) => at === 0 || (marks[at - 1]?.end ?? 0) <= mark.start);
  const inOrder = isInOrder ? marks : marks.toSorted((one, other) => one.start - other.start || other.end - one.end);
  return new MarkWriter(text, inOrder, isCell).write(0, text.length, false);
}

export function imageMarkdown({ url, alt }: BlockImage): string {
  return `![${escapeCharacters(alt)}](${urlMarkdown(url)})`;
}

class MarkWriter {
  readonly #text: string;
  readonly #marks: readonly InlineMark[];
  readonly #isCell: boolean;
  #next = 0;

  constructor(text: string, marks: readonly InlineMark[], isCell: boolean) {
    this.#text = text;
    this.#marks = marks;
    this.#isCell = isCell;
  }

  write(from: number, to: number, isInLink: boolean): string {
    // Pieces, since a look at the end of a text that grows copies all of it, each time.
    const pieces: string[] = [];
    const put = (piece: string) => {
      if (piece !== '') pieces.push(piece);
    };
    let at = from;
    for (let mark = this.#marks[this.#next]; mark !== undefined; mark = this.#marks[this.#next]) {
      if (mark.start > to || (mark.start === to && mark.kind !== 'image')) break;
      this.#next += 1;
      const start = Math.max(mark.start, at);
      const end = Math.max(start, Math.min(mark.end, to));
      if (mark.kind !== 'image' && end === start) continue;
      put(escapeRun(this.#text.slice(at, start), isInLink));
      if (mark.kind === 'image') this.#putImage(pieces, mark, end);
      else this.#putMark(pieces, mark, start, end, isInLink);
      at = end;
    }
    put(escapeRun(this.#text.slice(at, to), isInLink));
    return pieces.join('');
  }

  #putImage(pieces: string[], { url = '', alt = '' }: InlineMark, at: number): void {
    // Of the spaces around it the text has kept one.
    const isApart = /\s$/.test(pieces.at(-1) ?? '') && !SPACE.test(this.#text[at] ?? ' ');
    escapeMark(pieces);
    pieces.push(imageMarkdown({ url, alt }) + (isApart ? ' ' : ''));
  }

  #putMark(pieces: string[], { kind, url = '' }: InlineMark, start: number, end: number, isInLink: boolean): void {
    // White space at a mark's ends stands outside it.
    let [from, to] = [start, end];
    while (from < to && SPACE.test(this.#text[from] ?? '')) from += 1;
    while (to > from && SPACE.test(this.#text[to - 1] ?? '')) to -= 1;
    if (from > start) pieces.push(this.#text.slice(start, from));
    const before = pieces.at(-1) ?? '';
    if (kind === 'code') pieces.push(this.#code(from, to, before));
    else {
      const inner = this.write(from, to, isInLink || kind === 'link');
      this.#passOver(end);
      if (kind === 'link' && !isInLink && inner !== '') {
        escapeMark(pieces);
        pieces.push(`[${inner}](${urlMarkdown(url)})`);
      } else if (kind === 'strong' || kind === 'emphasis') {
        const isPlain = before.endsWith('*') || /^\*|\*$/.test(inner) || !this.#mayStress(from, to);
        pieces.push(inner === '' || isPlain ? inner : STRESS[kind] + inner + STRESS[kind]);
      } else pieces.push(inner);
    }
    if (to < end) pieces.push(this.#text.slice(to, end));
  }

  /** Marks within code are none. Right after other code its ticks would be taken for that one's. */
  #code(from: number, to: number, written: string): string {
    this.#passOver(to);
    const code = this.#text.slice(from, to).replaceAll('\n', ' ');
    const shown = this.#isCell ? code.replaceAll('|', '\\|') : code;
    let longest = 0;
    for (const [run] of code.includes('`') ? code.matchAll(/`+/g) : []) longest = Math.max(longest, run.length);
    const ticks = '`'.repeat(longest + 1);
    const space = longest > 0 ? ' ' : '';
    return shown === '' || written.endsWith('`') ? escapeRun(code) : `${ticks}${space}${shown}${space}${ticks}`;
  }

  #passOver(end: number): void {
    while ((this.#marks[this.#next]?.start ?? Number.POSITIVE_INFINITY) < end) this.#next += 1;
  }

  /** CommonMark takes no stars for stress that begin or end between a word and a sign of punctuation. */
  #mayStress(from: number, to: number): boolean {
    const [before = ' ', first = '', last = '', after = ' '] = [
      ...[this.#text[from - 1], this.#text[from], this.#text[to - 1], this.#text[to]],
    ];
    return (!WORD.test(before) || WORD.test(first)) && (!WORD.test(after) || WORD.test(last));
  }
}

/** After an exclamation mark a link would be a picture. */
function escapeMark(pieces: string[]): void {
  const last = pieces.at(-1);
  if (last?.endsWith('!') === true) pieces[pieces.length - 1] = `${last.slice(0, -1)}\\!`;
}

function urlMarkdown(url: string): string {
  return url.replace(UNSAFE_IN_URL, (character) =>
    character === '(' ? '%28' : character === ')' ? '%29' : encodeURIComponent(character),
  );
}
