/**
 * Texts with light markup: reStructuredText, AsciiDoc, Org. Headings, lists, code and tables become blocks, other lines
 * paragraphs; marks within a line stay as they are written. Nothing is included or executed.
 */

import { say } from '../../src-server/platform/text/say.ts';
import type { DocumentParser } from './blocks.ts';
import { DocumentBuilder } from './document-builder.ts';
import { BULLET } from './list-markers.ts';
import { decodeTextFile } from './parse-text.ts';

export type LightMarkup = 'rst' | 'asciidoc' | 'org';

const LEVEL_MAX = 6;

const DEPTH_MAX = 8;

/** The language by the ending of a file's name. */
const ENDINGS: Readonly<Record<string, LightMarkup>> = {
  rst: 'rst',
  rest: 'rst',
  adoc: 'asciidoc',
  asciidoc: 'asciidoc',
  org: 'org',
};

export const parseLightMarkup: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const lines = decodeTextFile(bytes, options.language, builder)
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n');
  const format = ENDINGS[options.fileName?.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'rst';
  const reader = new MarkupReader(builder, format, lines);
  reader.readLightMarkup();
  return builder.buildNormalizedDocument({ format, title: reader.title });
};

const BULLET_LINE = /^(\s*)([-*+•]+|\.+|#\.|\(?(?:\d{1,4}|[A-Za-z])[.)])\s+(\S.*)$/;

class MarkupReader {
  title: string | null = null;
  readonly #builder: DocumentBuilder;
  readonly #format: LightMarkup;
  readonly #lines: readonly string[];
  #at = 0;
  #paragraph: string[] = [];
  /** Styles of underlines in the order of their first use; an overline makes a style of its own. */
  readonly #styles: string[] = [];
  /** Indents of the open list. */
  #indents: number[] = [];

  constructor(builder: DocumentBuilder, format: LightMarkup, lines: readonly string[]) {
    this.#builder = builder;
    this.#format = format;
    this.#lines = lines;
  }

  readLightMarkup() {
    while (this.#at < this.#lines.length) {
      this.#builder.checkCancellation();
      const line = this.#markupLineAt();
      if (line.trim() === '') {
        this.#endMarkupParagraph();
        this.#at += 1;
      } else if (!this.#readBlock(line)) {
        this.#paragraph.push(line.trim());
        this.#at += 1;
      }
    }
    this.#endMarkupParagraph();
  }

  #markupLineAt(offset = 0): string {
    return this.#lines[this.#at + offset] ?? '';
  }

  #readBlock(line: string): boolean {
    const isRead =
      this.#format === 'rst'
        ? this.#readRst(line)
        : this.#format === 'org'
          ? this.#readOrg(line)
          : this.#readAdoc(line);
    return isRead || this.#readItem(line);
  }

  #endMarkupParagraph() {
    const lines = this.#paragraph;
    this.#paragraph = [];
    if (lines.length === 0) return;
    // Fields and lines of verse keep their ends.
    const keepsLines = lines.some((line) => /^(?::[\w -]+:|\|\s)/.test(line));
    this.#builder.addDocumentBlock({ kind: 'paragraph', text: lines.join(keepsLines ? '\n' : ' ') });
    this.#indents = [];
  }

  #addMarkupHeading(level: number, text: string, lines: number): true {
    this.#endMarkupParagraph();
    this.#indents = [];
    this.title ??= text.trim();
    this.#builder.addDocumentBlock({ kind: 'heading', level: Math.min(LEVEL_MAX, level), text: text.trim() });
    this.#at += lines;
    return true;
  }

  /** Lines up to one that ends the block, which is passed too. */
  #addFencedBlock(isEnd: (line: string) => boolean, lead: number): true {
    this.#endMarkupParagraph();
    this.#at += lead;
    const start = this.#at;
    while (this.#at < this.#lines.length && !isEnd(this.#markupLineAt())) this.#at += 1;
    this.#builder.addDocumentBlock({ kind: 'code', text: this.#lines.slice(start, this.#at).join('\n') });
    this.#at += 1;
    return true;
  }

  /** Indented lines after the current one. */
  #takeIndentedLines(lead: number): string[] {
    this.#at += lead;
    const start = this.#at;
    while (this.#at < this.#lines.length && /^(?:\s|$)/.test(this.#markupLineAt())) this.#at += 1;
    let end = this.#at;
    while (end > start && (this.#lines[end - 1] ?? '').trim() === '') end -= 1;
    const lines = this.#lines.slice(start, end);
    const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
    return lines.map((line) => line.slice(indent));
  }

  #readItem(line: string): boolean {
    const [, space = '', mark = '', text = ''] = BULLET_LINE.exec(line) ?? [];
    if (mark === '' || (this.#paragraph.length > 0 && space === '' && this.#format === 'rst')) return false;
    // In AsciiDoc the number of marks is the depth.
    const isRepeated = this.#format === 'asciidoc' && /^([-*.])\1*$/.test(mark);
    if (!isRepeated && /^(?:[-*+•]{2,}|\.+)$/.test(mark)) return false;
    this.#endMarkupParagraph();
    const depth = isRepeated ? mark.length - 1 : this.#indentDepth(space.length);
    const marker = /^[-*+•]/.test(mark) ? BULLET : /^[.#]/.test(mark) ? '1.' : mark;
    const lines = [text];
    this.#at += 1;
    // Further lines of the item.
    while (/^\s+\S/.test(this.#markupLineAt()) && !BULLET_LINE.test(this.#markupLineAt())) {
      lines.push(this.#markupLineAt().trim());
      this.#at += 1;
    }
    this.#builder.addDocumentBlock({
      kind: 'list-item',
      depth: Math.min(DEPTH_MAX, depth),
      marker,
      text: lines.join(' '),
    });
    return true;
  }

  #indentDepth(indent: number): number {
    while ((this.#indents.at(-1) ?? -1) > indent) this.#indents.pop();
    if (this.#indents.at(-1) !== indent) this.#indents.push(indent);
    return this.#indents.length - 1;
  }

  #readRst(line: string): boolean {
    const next = this.#markupLineAt(1);
    if (isRule(line) && next.trim() !== '' && this.#markupLineAt(2).trimEnd() === line.trimEnd()) {
      return this.#addMarkupHeading(this.#styleLevel(`over ${line[0]}`), next, 3);
    }
    const isUnderlined = isRule(next) && !/^\s/.test(line) && next.trimEnd().length >= line.trimEnd().length;
    if (isUnderlined && this.#paragraph.length === 0)
      return this.#addMarkupHeading(this.#styleLevel(next[0] ?? ''), line, 2);
    if (/^\+[-=+]+\+\s*$/.test(line) || /^=+(?:\s+=+)+\s*$/.test(line)) return this.#fencedTable();
    const [, directive = '', argument = ''] = /^\.\. ([\w:-]+)::\s*(.*)$/.exec(line) ?? [];
    if (directive !== '') return this.#readDirective(directive, argument);
    if (/^\.\.(?:\s|$)/.test(line) && !/^\.\. [[_|]/.test(line)) {
      // A comment.
      this.#endMarkupParagraph();
      this.#takeIndentedLines(1);
      return true;
    }
    if (line.trimEnd().endsWith('::') && /^(?:\s|$)/.test(next)) return this.#introduceLiteralBlock(line);
    return false;
  }

  /** A text that ends with `::` introduces a literal block. */
  #introduceLiteralBlock(line: string): boolean {
    const text = line
      .trimEnd()
      .replace(/\s*::$/, line.trim() === '::' ? '' : ':')
      .trim();
    if (text !== '') this.#paragraph.push(text === ':' ? '' : text);
    this.#endMarkupParagraph();
    const code = this.#takeIndentedLines(1).join('\n');
    if (code.trim() !== '') this.#builder.addDocumentBlock({ kind: 'code', text: code });
    return true;
  }

  #styleLevel(style: string): number {
    if (!this.#styles.includes(style)) this.#styles.push(style);
    return this.#styles.indexOf(style) + 1;
  }

  #readDirective(name: string, argument: string): true {
    this.#endMarkupParagraph();
    const content = this.#takeIndentedLines(1);
    const options = content.findIndex((line) => !/^:[\w-]+:/.test(line));
    const body = (options === -1 ? [] : content.slice(options)).join('\n').trim();
    if (/^(?:code|code-block|sourcecode|parsed-literal|math|highlight)$/.test(name)) {
      const text = body === '' && name === 'math' ? argument : body;
      if (text !== '') this.#builder.addDocumentBlock({ kind: 'code', text });
      return true;
    }
    const alt = content.map((line) => /^:alt:\s*(.*)$/.exec(line)?.[1]).find((text) => text !== undefined);
    if (/^(?:image|figure)$/.test(name)) {
      if (alt !== undefined || body !== '')
        this.#builder.addDocumentBlock({ kind: 'caption', text: [alt, body].filter(Boolean).join('\n') });
      return true;
    }
    if (/^(?:include|literalinclude|csv-table)$/.test(name) && body === '') {
      this.#builder.addWarning(say`Content of another file was not read: ${argument}.`);
      return true;
    }
    if (name === 'title' || name === 'toctree' || name === 'contents') return true;
    const text = [argument, body].filter((part) => part !== '').join('\n');
    if (text !== '') new MarkupReader(this.#builder, this.#format, text.split('\n')).readLightMarkup();
    return true;
  }

  #fencedTable(): true {
    this.#endMarkupParagraph();
    const start = this.#at;
    while (this.#markupLineAt().trim() !== '') this.#at += 1;
    this.#builder.addDocumentBlock({ kind: 'code', text: this.#lines.slice(start, this.#at).join('\n') });
    return true;
  }

  #readAdoc(line: string): boolean {
    const [, marks = '', title = ''] = /^(={1,6}|#{1,6})\s+(\S.*)$/.exec(line) ?? [];
    if (marks !== '') return this.#addMarkupHeading(marks.length, title, 1);
    const [fence = ''] = /^(?:-{4,}|\.{4,}|`{3,}|_{4,}|={4,}|\*{4,}|\+{4,})/.exec(line.trimEnd()) ?? [];
    if (/^(?:-{4,}|\.{4,}|\+{4,})$/.test(line.trimEnd()) || /^`{3,}/.test(fence)) {
      return this.#addFencedBlock((one) => one.trimEnd() === fence, 1);
    }
    if (/^\/{4,}\s*$/.test(line)) return this.#passTo(line.trimEnd());
    // Marks around quotes and examples, attributes of the document and of blocks, comments.
    if (/^(?:_{4,}|={4,}|\*{4,})\s*$/.test(line) || /^:[\w-]+!?:/.test(line) || /^\[[^\]]*\]\s*$/.test(line)) {
      return this.#passMarkupLine();
    }
    if (/^\/\/(?!\/)/.test(line) || /^<<<\s*$/.test(line)) return this.#passMarkupLine();
    if (/^\|===\s*$/.test(line)) return this.#adocTable();
    const [, include] = /^include::([^[]*)\[/.exec(line) ?? [];
    if (include !== undefined) this.#builder.addWarning(say`Content of another file was not read: ${include}.`);
    const [, alt] = /^image::[^[]*\[([^\],]*)/.exec(line) ?? [];
    if (alt !== undefined) {
      this.#endMarkupParagraph();
      this.#builder.addDocumentBlock({ kind: 'caption', text: alt.replace(/^"|"$/g, '') });
    }
    return include !== undefined || alt !== undefined ? this.#passMarkupLine() : false;
  }

  #passMarkupLine(): true {
    this.#endMarkupParagraph();
    this.#at += 1;
    return true;
  }

  #passTo(end: string): true {
    this.#endMarkupParagraph();
    this.#at += 1;
    while (this.#at < this.#lines.length && this.#markupLineAt().trimEnd() !== end) this.#at += 1;
    this.#at += 1;
    return true;
  }

  /** Cells begin with `|`; the first line with cells tells their number. */
  #adocTable(): true {
    this.#endMarkupParagraph();
    this.#at += 1;
    const cells: string[] = [];
    let columns = 0;
    while (this.#at < this.#lines.length && !/^\|===\s*$/.test(this.#markupLineAt())) {
      const line = this.#markupLineAt();
      this.#at += 1;
      const parts = line.split(/(?<!\\)\|/);
      const lead = parts.shift()?.trim() ?? '';
      if (lead !== '' && cells.length > 0) cells[cells.length - 1] += `\n${lead}`;
      for (const part of parts) cells.push(part.trim());
      if (columns === 0) columns = parts.length;
    }
    this.#at += 1;
    const rows: string[][] = [];
    for (let at = 0; at < cells.length; at += Math.max(1, columns)) rows.push(cells.slice(at, at + columns));
    const width = Math.max(1, columns);
    if (rows.length > 0)
      this.#builder.addDocumentBlock({ kind: 'table', rows: rows.map((row) => padRowCells(row, width)) });
    return true;
  }

  #readOrg(line: string): boolean {
    const [, stars = '', title = ''] = /^(\*+)\s+(\S.*)$/.exec(line) ?? [];
    if (stars !== '') return this.#addMarkupHeading(stars.length, title, 1);
    const [, keyword = '', value = ''] = /^\s*#\+(\w+):?\s*(.*)$/.exec(line) ?? [];
    const begun = /^\s*#\+begin_(\w+)/i.exec(line)?.[1]?.toLowerCase();
    if (begun === 'src' || begun === 'example' || begun === 'export') {
      return this.#addFencedBlock((one) => new RegExp(`^\\s*#\\+end_${begun}`, 'i').test(one), 1);
    }
    if (keyword.toLowerCase() === 'title') return this.#addMarkupHeading(1, value, 1);
    if (keyword.toLowerCase() === 'caption') {
      this.#endMarkupParagraph();
      this.#builder.addDocumentBlock({ kind: 'caption', text: value });
    }
    if (keyword !== '' || /^\s*#(?:\s|$)/.test(line)) return this.#passMarkupLine();
    if (/^\s*:PROPERTIES:\s*$/i.test(line)) return this.#passTo(':END:');
    if (/^\s*\|/.test(line)) return this.#orgTable();
    return false;
  }

  #orgTable(): true {
    this.#endMarkupParagraph();
    const rows: string[][] = [];
    while (/^\s*\|/.test(this.#markupLineAt())) {
      const line = this.#markupLineAt().trim();
      if (!/^\|[-+|]*$/.test(line))
        rows.push(
          line
            .replace(/^\||\|$/g, '')
            .split('|')
            .map((cell) => cell.trim()),
        );
      this.#at += 1;
    }
    const width = Math.max(1, ...rows.map((row) => row.length));
    if (rows.length > 0)
      this.#builder.addDocumentBlock({ kind: 'table', rows: rows.map((row) => padRowCells(row, width)) });
    return true;
  }
}

function padRowCells(row: readonly string[], width: number): string[] {
  return [...row, ...new Array<string>(Math.max(0, width - row.length)).fill('')];
}

/** A line of one repeated punctuation mark. */
function isRule(line: string): boolean {
  const text = line.trimEnd();
  return text.length >= 2 && /^([!-/:-@[-`{-~])\1+$/.test(text);
}
